import type {
  Document,
  Header,
  Method,
  Operation,
  Parameter,
  Reply,
  Schema,
} from "../openapi/types.ts";
import { fieldTable, notesOf, typeOf } from "./fields.ts";
import { type Html, html, markdown } from "./html.ts";

/** An operation of the API, or an event (then `path` is its name). */
export type Place = { path: string; method: Method; operation: Operation };

/** One operation with its parameters, body, replies and examples. */
export function operationSection(document: Document, place: Place): Html {
  const { path, method, operation } = place;
  const parameters = parametersOf(document, operation);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return html`<section class="operation" id="${operation.operationId}">
    <h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
    <p class="route"><b class="method ${method}">${method.toUpperCase()}</b> <code>${path}</code></p>
    ${markdown(operation.description ?? "")}
    ${parameters.length > 0 && parameterTable(parameters)}
    ${schema && html`<h4>Body</h4>${fieldTable(schema, "request")}`}
    <h4>Example</h4>
    ${code("sh", curlOf(place, parameters))}
    <h4>Replies</h4>
    ${Object.entries(operation.responses).map(([status, reply]) => success(document, status, reply))}
    ${refusalList(operation)}
  </section>`;
}

/** One event with its payload. */
export function eventSection(
  document: Document,
  type: string,
  { operationId, ...operation }: Operation,
): Html {
  const { schema, example } = operation.requestBody!.content["application/json"]!;
  const event = resolve<Schema>(document, schema);
  return html`<section class="operation" id="${operationId}">
    <h3><a href="#${operationId}"><code>${type}</code></a></h3>
    <p>${operation.summary}.</p>
    ${markdown(operation.description ?? "")}
    ${fieldTable(event, "reply")}
    ${code("json", pretty(example))}
  </section>`;
}

/** What a reference points to, or the thing itself. */
export function resolve<T>(document: Document, thing: T | { $ref: string }): T {
  const reference = (thing as { $ref?: string }).$ref;
  if (!reference) return thing as T;
  const steps = reference.slice(2).split("/");
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T;
}

export const code = (language: string, text: string) =>
  html`<pre><code class="language-${language}">${text}</code></pre>`;

const parametersOf = (document: Document, { parameters = [] }: Operation) =>
  parameters.map((each) => resolve<Parameter>(document, each));

const parameterTable = (parameters: Parameter[]) => html`<h4>Parameters</h4>
  <table class="fields">
    <thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
    <tbody>${parameters.map(parameterRow)}</tbody>
  </table>`;

const parameterRow = ({ name, in: where, schema, description }: Parameter) => html`<tr>
  <th scope="row"><code>${name}</code> <small>${where}</small></th>
  <td>${typeOf(schema)}</td>
  <td>${notesOf({ ...schema, ...(description && { description }) })}</td>
</tr>`;

function success(
  document: Document,
  status: string,
  reference: Operation["responses"][string],
): Html {
  const reply = resolve<Reply>(document, reference);
  if ("$ref" in reference && status !== "304") return html``;
  const { "application/json": content, "text/csv": file } = reply.content ?? {};
  return html`<div class="reply">
    <p><b class="status">${status}</b> ${reply.description}</p>
    ${headerList(document, reply)}
    ${content && fieldTable(content.schema, "reply")}
    ${content && code("json", pretty(content.example))}
    ${file && code("csv", String(file.example))}
  </div>`;
}

/** Those that not every reply has; the others are told once, at the beginning. */
function headerList(document: Document, { headers = {} }: Reply): Html {
  const own = Object.entries(headers).filter(([name]) => !/^(X-|RateLimit)/.test(name));
  if (own.length === 0) return html``;
  const items = own.map(([name, header]) => {
    const { description } = resolve<Header>(document, header);
    return html`<li><code>${name}</code>: ${inline(description)}</li>`;
  });
  return html`<ul class="headers">${items}</ul>`;
}

const inline = (text: string): Html => ({
  markup: markdown(text).markup.replace(/^<p>|<\/p>\s*$/g, ""),
});

function refusalList({ responses }: Operation): Html {
  const statuses = Object.keys(responses).filter((status) => Number(status) >= 400);
  const links = statuses.map((status) => html` <a href="#error-${status}">${status}</a>`);
  return html`<p class="refusals">Refusals:${links}</p>`;
}

function curlOf({ path, method, operation }: Place, parameters: Parameter[]): string {
  const id = "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b";
  const isPaged = parameters.some(({ name }) => name === "per_page");
  const url = `"$STILLUP_URL${path.replace(/\{\w+\}/g, id)}${isPaged ? "?per_page=50" : ""}"`;
  const body = operation.requestBody?.content["application/json"]?.example;
  return [
    method === "get" ? `curl ${url}` : `curl -X ${method.toUpperCase()} ${url}`,
    '-H "Authorization: Bearer $STILLUP_KEY"',
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

const quoted = (body: unknown) => `'${JSON.stringify(body).replaceAll("'", `'\\''`)}'`;

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

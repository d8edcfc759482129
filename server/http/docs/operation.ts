import { SCHEMA_REFERENCE } from "../openapi/schemas.ts";
import type {
  Document,
  Header,
  Method,
  Operation,
  Parameter,
  Reply,
  Schema,
} from "../openapi/types.ts";

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

/** Headers that only some replies have; the others are described once, at the beginning. */
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

type Field = { name: string; schema: Schema; isRequired: boolean; isSometimes: boolean };

/** Whether the schema is of a request or a reply: only requests may omit fields. */
type Side = "request" | "reply";

/** The fields of an object as a table, with dotted names for those of inner objects. */
export function fieldTable(schema: Schema, side: Side): Html {
  const rows = fieldsOf(schema, "").map((field) => fieldRow(field, side));
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`;
  return html`<table class="fields">
    <thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
    <tbody>${rows}</tbody>
  </table>`;
}

function fieldRow({ name, schema, isRequired, isSometimes }: Field, side: Side): Html {
  const marks = [
    side === "request" && isRequired && "required",
    side === "reply" && (isSometimes || !isRequired) && "not always there",
  ].filter((mark) => mark !== false);
  return html`<tr>
    <th scope="row"><code>${name}</code></th>
    <td>${typeOf(schema)}</td>
    <td>${marks.map((mark) => html`<em>${mark}</em> `)}${notesOf(schema)}</td>
  </tr>`;
}

function fieldsOf(schema: Schema, prefix: string): Field[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const path = prefix ? `${prefix}.${name}` : name;
    const isRequired = schema.required?.includes(name) ?? false;
    return [
      { name: path, schema: each, isRequired, isSometimes: false },
      ...innerFields(each, path),
    ];
  });
  return fields;
}

function innerFields(schema: Schema, path: string): Field[] {
  if (schema.items) return innerFields(schema.items, `${path}[]`);
  if (schema.properties) return fieldsOf(schema, path);
  const shapes = (schema.anyOf ?? []).filter(({ properties }) => properties);
  return merged(shapes.map((shape) => fieldsOf(shape, path)));
}

/** Fields of alternative shapes, each once; those that some shapes lack are marked as optional. */
function merged(shapes: Field[][]): Field[] {
  const all = Map.groupBy(shapes.flat(), ({ name }) => name);
  return [...all.values()].map((fields) => {
    const schemas = fields.map(({ schema }) => schema);
    const [first] = fields as [Field];
    const isSometimes = fields.length < shapes.length;
    return {
      ...first,
      isSometimes,
      schema: schemas.length > 1 ? { anyOf: schemas } : first.schema,
    };
  });
}

/** A type in words: `uuid or null`, `list of Link`, `active | dead`. */
function typeOf(schema: Schema): Html {
  if (schema.$ref) return schemaLink(schema.$ref);
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  if (schema.enum)
    return alternatives(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      " | ",
    );
  if (schema.anyOf && !schema.type) return alternatives(schema.anyOf.map(typeOf), " or ");
  if (schema.items) return html`list of ${typeOf(schema.items)}`;
  const types = [schema.type ?? "any value"].flat();
  return html`${types.map((type) => (type === "string" ? (schema.format ?? type) : type)).join(" or ")}`;
}

const schemaLink = (reference: string) => {
  const name = reference.slice(SCHEMA_REFERENCE.length);
  return html`<a href="#schema-${name}">${name}</a>`;
};

function alternatives(types: Html[], between: string): Html {
  const unique = [...new Map(types.map((type) => [type.markup, type])).values()];
  return html`${unique.map((type, i) => html`${i > 0 && between}${type}`)}`;
}

/** The constraints of a schema in sentences. */
function notesOf(schema: Schema): Html {
  const notes = [
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "items"),
    range(schema.minimum, schema.maximum, ""),
    schema.anyOf && schema.type && "A date and time with offset, or a date.",
    schema.default !== undefined && `Default: \`${JSON.stringify(schema.default)}\`.`,
    schema.description,
  ];
  return markdown(notes.filter(Boolean).join(" "));
}

function range(least: number | undefined, most: number | undefined, what: string) {
  if (least === undefined && most === undefined) return false;
  if (least === undefined) return `At most ${most} ${what}`.trim().concat(".");
  if (most === undefined) return `At least ${least} ${what}`.trim().concat(".");
  return `${least} to ${most} ${what}`.trim().concat(".");
}

/** Markup that is not escaped. Only `html` and `markdown` create it. */
export type Html = { readonly markup: string };

type Value = string | number | Html | Value[] | false | null | undefined;

/** A template that escapes its values, except other markup. Lists are joined; null and false are left out. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): Html => ({
  markup: strings.reduce((text, string, i) => text + written(values[i - 1]) + string),
});

/** Only for our own Markdown: raw HTML in it is not escaped. */
export const markdown = (text: string): Html => ({
  markup: Bun.markdown.html(text, { headings: { ids: true } }),
});

function written(value: Value): string {
  if (value === undefined || value === null || value === false) return "";
  if (Array.isArray(value)) return value.map(written).join("");
  return typeof value === "object" ? value.markup : Bun.escapeHTML(value);
}

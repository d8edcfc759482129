import {
  type Document,
  type Header,
  type Method,
  type Operation,
  type Parameter,
  type Reply,
  SCHEMA_REFERENCE,
  type Schema,
} from "../openapi/schemas.ts";

type Place = { path: string; method: Method; operation: Operation };

/**
 * Renders the whole reference as one page, which loads only files of this server.
 * @param base the path below which it is served, or ""
 * @param brand tags that give it the dashboard's face
 */
export function renderPage(document: Document, base: string, brand: string): string {
  const body = Bun.markdown.html(toMarkdown(document), { headings: { ids: true } });
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Stillup API reference</title>
  ${brand || '<link rel="icon" href="data:,">'}
  <link rel="stylesheet" href="${base}/docs/reference.css">
  <script src="${base}/docs/reference.js" defer></script>
</head>
<body>
  <a class="skip" href="#content">Skip to the content</a>
  <header>
    <a class="brand" href="${base}/docs">${MARK}<b>Stillup</b> API reference</a>
    <a href="${base}/openapi.json">openapi.json</a>
    <a href="${base}/">Dashboard</a>
  </header>
  <div class="columns">
    <details class="contents">
      <summary>Contents</summary>
      <nav aria-label="Contents">
        <input type="search" placeholder="Find…" aria-label="Find in the contents" hidden>
        <ul>${contentsOf(body)}</ul>
      </nav>
    </details>
    <main id="content">
${body}
    </main>
  </div>
</body>
</html>
`;
}

const MARK =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9"/><path d="M7 17h4.2l2.6-7 4.6 12 2.4-5H25"/></svg>';

const HEADINGS = /<(h[23]) id="(.+?)"( title=".+?")?>(.+?)<\/h/g;

const contentsOf = (body: string): string =>
  [...body.matchAll(HEADINGS)]
    .map(([, level, id, title = "", text]) => {
      return `\n<li class="${level}"${title}><a href="#${id}">${text}</a></li>`;
    })
    .join("");

/** Raw HTML in Markdown is not escaped, so this is only for our own texts. */
function toMarkdown(document: Document): string {
  const { info, tags, paths, webhooks, components } = document;
  const places = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      operation,
      method: method as Method,
    })),
  );
  const chapters = tags.flatMap(({ name, description }) => {
    const own = places.filter(({ operation }) => operation.tags?.includes(name));
    const sections = own.flatMap((place) => operationSection(document, place));
    return own.length === 0 ? [] : [`## ${name}`, description, ...sections];
  });
  return [
    "# Stillup API",
    info.description,
    "## Error responses",
    ...Object.values(components.responses).flatMap(refusalSection),
    ...chapters,
    "## Event payloads",
    "How to receive and verify them: [Events](#events).",
    ...Object.entries(webhooks).flatMap(([type, { post }]) => eventSection(document, type, post)),
    "## Schemas",
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      heading(`schema-${name}`, name),
      fieldTable(schema, "reply"),
    ]),
  ].join("\n\n");
}

const heading = (id: string, text: string, title?: string) =>
  `<h3 id="${id}"${title ? ` title="${title}"` : ""}>${text}</h3>`;

/** All errors with examples. The general chapters explain their codes. */
function refusalSection({ description, content }: Reply): string[] {
  if (!content) return [];
  const examples = Object.values(content["application/json"]!.examples ?? {}).map(
    ({ value }) => value as { error: { status: number } },
  );
  const status = examples[0]?.error.status ?? "";
  const lines = examples.map((example) => JSON.stringify(example)).join("\n");
  return [heading(`error-${status}`, `${status} ${description}`), code("json", lines)];
}

/** One operation with its parameters, body, replies and examples. */
function operationSection(document: Document, place: Place): string[] {
  const { path, method, operation } = place;
  const { operationId, summary, description = "", responses } = operation;
  const verb = method.toUpperCase();
  const badge = `<b class="${method}">${verb}</b>`;
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each));
  const body = operation.requestBody?.content["application/json"]?.schema;
  const refusals = Object.keys(responses).filter((status) => Number(status) >= 400);
  return [
    heading(operationId, `${badge} ${Bun.escapeHTML(summary)}`, `${verb} ${path}`),
    `${badge} \`${path}\``,
    description,
    ...(parameters.length > 0 ? ["#### Parameters", table(parameters.map(parameterRow))] : []),
    ...(body ? ["#### Body", fieldTable(body, "request")] : []),
    "#### Example",
    code("sh", curlOf(place, parameters)),
    "#### Replies",
    ...Object.entries(responses).flatMap(([status, reply]) => success(document, status, reply)),
    `Errors: ${refusals.map((status) => `[${status}](#error-${status})`).join(" ")}`,
  ];
}

/** One event with its payload. */
function eventSection(document: Document, type: string, operation: Operation): string[] {
  const { schema, example } = operation.requestBody!.content["application/json"]!;
  return [
    heading(operation.operationId, `<code>${type}</code>`),
    `${operation.summary}.`,
    operation.description ?? "",
    fieldTable(resolve<Schema>(document, schema), "reply"),
    code("json", pretty(example)),
  ];
}

/** Follows a reference; returns anything else as it is. */
function resolve<T>(document: Document, thing: T | { $ref: string }): T {
  const reference = (thing as { $ref?: string }).$ref;
  if (!reference) return thing as T;
  const steps = reference.slice(2).split("/");
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T;
}

const code = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

type Row = [name: string, type: string, notes: string];

const table = (rows: Row[]) =>
  [["Name", "Type", "Notes"], ["---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

const parameterRow = ({ name, in: where, schema, description }: Parameter): Row => [
  `\`${name}\` *${where}*`,
  typeOf(schema),
  notesOf({ ...schema, ...(description && { description }) }),
];

/** The shared replies, except 304, are errors. */
function success(
  document: Document,
  status: string,
  reference: Operation["responses"][string],
): string[] {
  const reply = resolve<Reply>(document, reference);
  if ("$ref" in reference && status !== "304") return [];
  const { "application/json": content, "text/csv": file } = reply.content ?? {};
  return [
    `**${status}** ${reply.description}`,
    headerList(document, reply),
    ...(content
      ? [fieldTable(content.schema, "reply"), code("json", pretty(content.example))]
      : []),
    ...(file ? [code("csv", String(file.example))] : []),
  ];
}

/** Headers that only some replies have; the others are described once, at the beginning. */
const headerList = (document: Document, { headers = {} }: Reply): string =>
  Object.entries(headers)
    .filter(([name]) => !/^(X-|RateLimit)/.test(name))
    .map(([name, header]) => `- \`${name}\`: ${resolve<Header>(document, header).description}`)
    .join("\n");

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

type Field = { name: string; schema: Schema; isRequired: boolean; isSometimes: boolean };

/** Whether the schema is of a request or a reply: only requests may omit fields. */
type Side = "request" | "reply";

/** The fields of an object as a table, with dotted names for those of inner objects. */
function fieldTable(schema: Schema, side: Side): string {
  const fields = fieldsOf(schema, "");
  return fields.length === 0 ? typeOf(schema) : table(fields.map((field) => fieldRow(field, side)));
}

function fieldRow({ name, schema, isRequired, isSometimes }: Field, side: Side): Row {
  const isMarked = side === "request" ? isRequired : isSometimes || !isRequired;
  const mark = side === "request" ? "*required*" : "*not always there*";
  return [`\`${name}\``, typeOf(schema), `${isMarked ? mark : ""} ${notesOf(schema)}`];
}

const fieldsOf = (schema: Schema, prefix: string): Field[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const path = prefix ? `${prefix}.${name}` : name;
    const isRequired = schema.required?.includes(name) ?? false;
    const field = { name: path, schema: each, isRequired, isSometimes: false };
    return [field, ...innerFields(each, path)];
  });

function innerFields(schema: Schema, path: string): Field[] {
  if (schema.items) return innerFields(schema.items, `${path}[]`);
  if (schema.properties) return fieldsOf(schema, path);
  const shapes = (schema.anyOf ?? []).filter(({ properties }) => properties);
  return merged(shapes.map((shape) => fieldsOf(shape, path)));
}

/** Fields of alternative shapes, each once; those that some shapes lack are marked as optional. */
const merged = (shapes: Field[][]): Field[] =>
  Map.groupBy(shapes.flat(), ({ name }) => name)
    .values()
    .map(([first, ...others]) => ({
      ...first!,
      isSometimes: others.length + 1 < shapes.length,
      schema:
        others.length > 0
          ? { anyOf: [first!, ...others].map(({ schema }) => schema) }
          : first!.schema,
    }))
    .toArray();

/** A type in words: `uuid or null`, `list of Link`, `active | dead`. */
function typeOf(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.slice(SCHEMA_REFERENCE.length);
    return `[${name}](#schema-${name})`;
  }
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return unique(schema.enum.map((value) => `\`${value}\``)).join(" | ");
  if (schema.anyOf && !schema.type) return unique(schema.anyOf.map(typeOf)).join(" or ");
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  const types = [schema.type ?? "any value"].flat();
  return types.map((type) => (type === "string" ? (schema.format ?? type) : type)).join(" or ");
}

const unique = (texts: string[]) => [...new Set(texts)];

/** The constraints of a schema in sentences. */
const notesOf = (schema: Schema): string =>
  [
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items"),
    range(schema.minimum, schema.maximum, ""),
    schema.anyOf && schema.type && "A date and time with offset, or a date.",
    schema.default !== undefined && `Default: \`${JSON.stringify(schema.default)}\`.`,
    schema.description,
  ]
    .filter(Boolean)
    .join(" ");

function range(least: number | undefined, most: number | undefined, what: string) {
  if (least === undefined && most === undefined) return "";
  if (least === undefined) return `At most ${most}${what}.`;
  return most === undefined ? `At least ${least}${what}.` : `${least} to ${most}${what}.`;
}

import { SCHEMA_REFERENCE } from "../openapi/schemas.ts";
import type { Schema } from "../openapi/types.ts";
import { type Html, html, markdown } from "./html.ts";

type Field = { name: string; schema: Schema; isRequired: boolean; isSometimes: boolean };

/** Whether a request or a reply is shown: only requests leave anything out. */
type Side = "request" | "reply";

/** The fields of an object as a table, those of inner objects by their dotted names. */
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

/** Fields of alternative shapes, each once; those that not every shape has are there only sometimes. */
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
export function typeOf(schema: Schema): Html {
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

/** What a schema demands beside its type, as a sentence or two. */
export function notesOf(schema: Schema): Html {
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

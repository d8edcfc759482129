import { FIELDS, LINK_ID, MOMENT } from "./field-samples.ts";
import { SCHEMA_REFERENCE } from "./schemas.ts";
import type { Schema } from "./types.ts";

const FORMATS: Record<string, unknown> = {
  uuid: LINK_ID,
  uri: "https://example.com/a",
  "date-time": MOMENT,
};

/** Makes examples from schemas. `scopes` are the names under which `FIELDS` may know better, best first. */
export type Sampler = (schema: Schema, ...scopes: string[]) => unknown;

/** @param named the schemas that references point to */
export function createSampler(named: Record<string, Schema>): Sampler {
  function sample(schema: Schema, scopes: string[], name = ""): unknown {
    if (schema.$ref) {
      const target = schema.$ref.slice(SCHEMA_REFERENCE.length);
      return sample(named[target]!, [...scopes, target], name);
    }
    const known = [...scopes.map((scope) => FIELDS[`${scope}.${name}`]), FIELDS[name]];
    const value = known.find((each) => each !== undefined && fits(schema, each));
    return value === undefined ? made(schema, scopes, name) : value;
  }

  function made(schema: Schema, scopes: string[], name: string): unknown {
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    if (schema.anyOf && !schema.type) return sample(schema.anyOf[0]!, scopes, name);
    if (schema.properties) return objectOf(schema.properties, scopes);
    if (schema.items) return itemsOf(schema.items, scopes);
    if (schema.format && schema.format in FORMATS) return FORMATS[schema.format];
    return plain([schema.type].flat()[0], schema);
  }

  const objectOf = (properties: Record<string, Schema>, scopes: string[]) =>
    Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, sample(each, scopes, name)]),
    );

  /** A list of alternatives shows each of them once. */
  const itemsOf = (items: Schema, scopes: string[]) =>
    (items.anyOf ?? [items]).map((each) => sample(each, scopes));

  return (schema, ...scopes) => sample(schema, scopes);
}

function plain(type: string | undefined, { minimum = 1, default: standard }: Schema): unknown {
  if (standard !== undefined) return standard;
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return minimum;
  if (type === "object") return {};
  return type === "null" ? null : "text";
}

/** Whether a field of this schema could hold the value, by the look of it. */
function fits(schema: Schema, value: unknown): boolean {
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum) return schema.enum.includes(value);
  if (schema.anyOf && !schema.type) return schema.anyOf.some((each) => fits(each, value));
  if (!schema.type) return !schema.$ref;
  if (!typesOf(value).some((type) => [schema.type].flat().includes(type))) return false;
  return schema.properties ? hasExactly(schema, value as object) : true;
}

function hasExactly({ properties = {}, required = [] }: Schema, value: object): boolean {
  const names = Object.keys(value);
  return names.every((name) => name in properties) && required.every((name) => name in value);
}

function typesOf(value: unknown): string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}

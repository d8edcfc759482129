import * as z from "zod";
import type { Schema } from "./types.ts";

const DIALECT_REFERENCE = "#/$defs/";
export const SCHEMA_REFERENCE = "#/components/schemas/";
/** Names of moments: every field that ends in `At`, and those that other people named. */
const MOMENT = /(_at|At|_since)$|^(timestamp|lastCheck)$/;
/** Keywords that say nothing beside the ones they stand with. */
const SAFE_INTEGERS = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Which side of a schema: what a client may send, or what it gets. */
type Direction = "input" | "output";

/** Turns zod schemas into JSON Schema. Those named by `.meta({ id })` are gathered in `named`. */
export type Describer = {
  named: Record<string, Schema>;
  describe(schema: z.ZodType, direction: Direction): Schema;
};

/** `describe` throws when one name stands for two different shapes. */
export function createDescriber(): Describer {
  const named: Record<string, Schema> = {};

  function describe(schema: z.ZodType, direction: Direction): Schema {
    // Below a root every named schema becomes a reference, the outermost one as well.
    const wrapped = z.object({ root: schema });
    const root = z.toJSONSchema(wrapped, { io: direction, unrepresentable: "any" }) as Schema;
    return tidy({ ...root.properties!.root!, $defs: root.$defs ?? {} });
  }

  function tidy(schema: Schema, name = ""): Schema {
    const { $defs = {}, $schema: _, ...rest } = schema;
    for (const [id, named] of Object.entries($defs)) keep(id, tidy(named));
    const { $ref } = rest;
    if ($ref) return { ...rest, $ref: $ref.replace(DIALECT_REFERENCE, SCHEMA_REFERENCE) };
    return mergeNull(withChildren(withoutNoise(withMoment(rest, name)), name));
  }

  function withChildren(schema: Schema, name: string): Schema {
    const { properties, items, anyOf, additionalProperties } = schema;
    return {
      ...schema,
      ...(properties && { properties: mapValues(properties, tidy) }),
      ...(items && { items: tidy(items) }),
      ...(anyOf && { anyOf: anyOf.map((each) => tidy(each, name)) }),
      ...(typeof additionalProperties === "object" && {
        additionalProperties: isEmpty(additionalProperties) ? true : tidy(additionalProperties),
      }),
    };
  }

  function keep(id: string, schema: Schema) {
    if (named[id] && JSON.stringify(named[id]) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas are named ${id}. Give one of them another id.`);
    }
    named[id] = schema;
  }

  return { named, describe };
}

function withMoment(schema: Schema, name: string): Schema {
  const isText = [schema.type].flat().includes("string");
  return isText && MOMENT.test(name) && !schema.anyOf ? { ...schema, format: "date-time" } : schema;
}

/** zod spells out what `integer`, `uuid` and a record of names mean anyway. */
function withoutNoise(schema: Schema): Schema {
  const { pattern, propertyNames, minimum, maximum, ...rest } = schema;
  const told = schema.format === "uuid" || schema.type === "integer";
  return {
    ...rest,
    ...(pattern !== undefined && !told && { pattern }),
    ...(minimum !== undefined && !SAFE_INTEGERS.includes(minimum) && { minimum }),
    ...(maximum !== undefined && !SAFE_INTEGERS.includes(maximum) && { maximum }),
  };
}

/** "A text or null" as one type instead of two alternatives, where nothing but the type is told. */
function mergeNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  const [value, nothing, ...more] = anyOf ?? [];
  if (nothing?.type !== "null" || more.length > 0 || typeof value?.type !== "string") return schema;
  if (value.enum || value.const !== undefined || value.properties) return schema;
  return { ...rest, ...value, type: [value.type, "null"] };
}

const isEmpty = (value: object) => Object.keys(value).length === 0;

const mapValues = <A, B>(record: Record<string, A>, map: (value: A, name: string) => B) =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]): [string, B] => [name, map(value, name)]),
  );

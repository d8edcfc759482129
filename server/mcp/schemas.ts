import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";

type Schema = Record<string, unknown>;

/**
 * A schema that describes and refuses nothing: the routes validate what they get, with the codes and fields of the API.
 */
const described = (json: Schema): StandardSchemaWithJSON => ({
  "~standard": {
    version: 1,
    vendor: "stillup",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

/** What a tool takes. */
export const inputOf = (schema: z.ZodType): StandardSchemaWithJSON =>
  described({ ...jsonOf(schema, "input"), additionalProperties: false });

/** What a tool returns. Objects are open, so that a new field of the API does not break a client that runs. */
export const outputOf = (schema: z.ZodType): StandardSchemaWithJSON =>
  described(jsonOf(schema, "output"));

const jsonOf = (schema: z.ZodType, io: "input" | "output"): Schema =>
  tidy(z.toJSONSchema(schema, { io, unrepresentable: "any" })) as Schema;

/** Drops what only documents need, and what closes objects. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== "object" || value === null) return value;
  const { $schema, example, additionalProperties, ...rest } = value as Schema;
  const others = additionalProperties === false ? {} : { additionalProperties };
  return Object.fromEntries(
    Object.entries({ ...rest, ...(additionalProperties !== undefined && others) }).map(
      ([name, each]) => [name, tidy(each)],
    ),
  );
}

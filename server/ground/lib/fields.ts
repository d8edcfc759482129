import * as z from "zod";
import type { FieldProblems } from "./errors.ts";
import { parseMoment } from "./moments.ts";

/**
 * The kinds of fields in requests, with their error messages, so that all models use the same ones.
 */

/** Trimmed text of 1 to `max` code points, without control characters and half surrogates. */
export const text = (max: number) =>
  unicode()
    .refine((value) => !hasControls(value), "must not have control characters")
    .trim()
    .refine((value) => value !== "", "must not be empty")
    .refine((value) => codePoints(value) <= max, `must be at most ${max} characters`)
    .meta({ minLength: 1, maxLength: max });

/** As `text`, but may be left empty. */
export const optionalText = (max: number) =>
  unicode()
    .refine((value) => !hasControls(value), "must not have control characters")
    .trim()
    .refine((value) => codePoints(value) <= max, `must be at most ${max} characters`)
    .meta({ maxLength: max });

/** As `optionalText`, but may have several lines. A line feed ends a line, and is the only control character. */
export const lines = (max: number) =>
  unicode()
    .regex(
      new RegExp(NO_CONTROLS_BUT_LF),
      "must not have control characters, except \\n for a new line",
    )
    .trim()
    .refine((value) => codePoints(value) <= max, `must be at most ${max} characters`)
    .meta({
      maxLength: max,
      description:
        "May have several lines, separated by `\\n`. Other control characters are rejected, including `\\r` and tabs.",
    });

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: ifMissing(`must be one of: ${values.join(", ")}`) });

export const flag = () => z.boolean({ error: ifMissing("must be true or false") });

/** The same in a query, where it is a word. */
export const queryFlag = () =>
  z
    .enum(["true", "false"], "must be true or false")
    .transform((word) => word === "true")
    .meta({ type: "boolean", enum: undefined });

/** An id in a body. Accepted in either case, given on in lower case. */
export const id = (problem = "must be a UUID") =>
  z
    .string({ error: ifMissing(problem) })
    .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, problem)
    .toLowerCase()
    .meta({ format: "uuid" });

/** `#RRGGBB` in either case, given on in upper case. */
export const color = () =>
  z
    .string({ error: ifMissing("must be a text") })
    .regex(/^#[0-9A-Fa-f]{6}$/, "must be a colour of the form #RRGGBB")
    .toUpperCase();

/** RFC 3339 with an offset, or a date alone; becomes milliseconds. */
export const moment = (end: "start" | "end" = "start") =>
  z
    .string({ error: ifMissing("must be a text") })
    .meta({ anyOf: [{ format: "date-time" }, { format: "date" }] })
    .transform((value, context) => {
      const at = parseMoment(value, end);
      if (at !== null) return at;
      context.addIssue("must be an RFC 3339 date and time with offset, or a date (YYYY-MM-DD)");
      return z.NEVER;
    });

const LONGEST_GRACE_S = 604_800;

/** The optional body of a rotation: for how long the old value stays valid, and `usual` seconds without one. */
export const rotation = (usual: number) =>
  z
    .object(
      {
        grace_period_seconds: z
          .int("must be a whole number")
          .min(0, "must be at least 0")
          .max(LONGEST_GRACE_S, `must be at most ${LONGEST_GRACE_S}`)
          .optional()
          .default(usual),
      },
      "must be a JSON object",
    )
    .optional()
    .transform((given) => ({ graceSeconds: given?.grace_period_seconds ?? usual }));

const LONGEST_ZONE = 100;

/** The name of a zone of the IANA time zone database. */
export const timeZone = () =>
  text(LONGEST_ZONE)
    .refine(isTimeZone, "must be a time zone such as Europe/Berlin")
    .meta({ example: "Europe/Berlin" });

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** 1 to `max` items, each checked. */
export const list = <T extends z.ZodType>(item: T, max: number) =>
  z
    .array(item, { error: ifMissing("must be a list") })
    .min(1, "must have at least 1 item")
    .max(max, `must have at most ${max} items`);

/** Described as the schema in the API's documentation, but passed on as it came. */
export const unread = <T extends z.ZodType>(schema: T) =>
  z.unknown().meta(z.toJSONSchema(schema, { io: "input" })) as unknown as z.ZodType<z.input<T>>;

/** Returns every problem by field. */
export function problemsOf(error: z.ZodError): FieldProblems {
  const fields: FieldProblems = {};
  for (const { path, message } of error.issues) {
    const name = fieldName(path);
    fields[name] = [...new Set([...(fields[name] ?? []), message])];
  }
  return fields;
}

/** `links[2].url`; the body as a whole is `body`. */
const fieldName = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name ? `${name}.${String(step)}` : String(step);
  }, "") || "body";

/** A whole number in a query: digits only, so that `1e3` and ` 5` are refused. */
export const queryNumber = (max: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,6}$/, "must be a whole number above 0")
    .transform(Number)
    .refine((value) => value <= max, `must be at most ${max}`)
    .meta({ type: "integer", minimum: 1, maximum: max });

/** `page` and `per_page`, as every list takes them. */
export const paging = (perPage = 20) => ({
  page: queryNumber(9_999_999).meta({ description: "Page number, from 1." }).optional().default(1),
  ...perPageOf(perPage),
});

const perPageOf = (perPage: number) => ({
  per_page: queryNumber(100).meta({ description: "Items per page." }).optional().default(perPage),
});

/**
 * `cursor` and `per_page`, for lists that have no page numbers.
 * @param cursor reads the text that the page before has as `next_cursor`
 */
export const cursorPaging = <T>(cursor: (text: string) => T | null, perPage = 20) => ({
  cursor: z
    .string()
    .transform((text, context) => {
      const read = cursor(text);
      if (read !== null) return read;
      context.addIssue("must be the next_cursor of another page");
      return z.NEVER;
    })
    .meta({ description: "The `next_cursor` of the page before; the first page has none." })
    .optional(),
  ...perPageOf(perPage),
});

/** Any text but one with half a character, which no database would keep. */
const unicode = () =>
  z
    .string({ error: ifMissing("must be a text") })
    .refine((value) => value.isWellFormed(), "must be valid Unicode (it has a lone surrogate)");

/** Returns "is required" for a missing value, and another message for a value of the wrong type. */
const ifMissing = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : otherwise;

const codePoints = (value: string) => [...value].length;

/** A text without C0 and C1 control characters and DEL, but for line feeds. */
const NO_CONTROLS_BUT_LF = "^[^\\u0000-\\u0009\\u000B-\\u001F\\u007F-\\u009F]*$";

const hasControls = (value: string) => /\p{Cc}/u.test(value.trim());

import * as z from "zod";
import { invalid } from "../../ground/lib/errors.ts";
import { optionalText } from "../../ground/lib/fields.ts";
import { field } from "./field.ts";

const MOST_KEYS = 20;
const LONGEST_VALUE = 500;
const KEY = /^[A-Za-z0-9_.-]{1,40}$/;
const TOO_MANY_KEYS = `must have at most ${MOST_KEYS} keys`;

/** An object of texts by key. @param value of one key */
const metadataOf = <T extends z.ZodType>(value: T) =>
  z.preprocess(refuseProto, recordOf(value)).nullable().optional();

/** Records leave out this key without a word. */
function refuseProto(given: unknown, context: z.core.$RefinementCtx): unknown {
  if (typeof given === "object" && given !== null && Object.hasOwn(given, "__proto__"))
    context.addIssue({ code: "custom", path: ["__proto__"], message: "cannot be a key" });
  return given;
}

const recordOf = <T extends z.ZodType>(value: T) =>
  z
    .record(z.string(), value, "must be an object of texts")
    .superRefine((given, context) => {
      const keys = Object.keys(given);
      for (const key of keys.filter((each) => !KEY.test(each)))
        context.addIssue({
          code: "custom",
          path: [key],
          message: "must have a key of 1 to 40 letters, digits, dots, hyphens and underscores",
        });
      if (keys.length > MOST_KEYS) context.addIssue(TOO_MANY_KEYS);
    })
    .meta({ example: { cms_id: "p-17" } });

type Part = { metadata: Record<string, string> };

export const metadata = field({
  columns: { metadata: "text" },
  read: ({ metadata }): Part => ({
    metadata: metadata == null ? {} : JSON.parse(metadata as string),
  }),
  write: ({ metadata }) => ({ metadata: jsonOf(metadata) }),
  isListed: false,
  shown: { metadata: z.record(z.string(), z.string()).meta({ example: {} }) },
  show: ({ metadata }) => ({ metadata }),
  creating: { metadata: metadataOf(optionalText(LONGEST_VALUE)) },
  changing: { metadata: metadataOf(optionalText(LONGEST_VALUE).nullable()) },
  /** By the rules of RFC 7396: null removes a key, or all of them. */
  after(before, { metadata }) {
    if (metadata === undefined) return undefined;
    const entries = metadata === null ? [] : Object.entries({ ...before.metadata, ...metadata });
    const kept = entries.filter((entry): entry is [string, string] => entry[1] !== null);
    return { metadata: Object.fromEntries(kept) };
  },
  compared: { metadata: ({ metadata }) => metadata },
  refusal: ({ metadata }) =>
    Object.keys(metadata).length > MOST_KEYS ? invalid({ metadata: [TOO_MANY_KEYS] }) : null,
  exported: {
    metadata: { cell: ({ metadata }) => jsonOf(metadata), example: '{"cms_id":"p-17"}' },
  },
  declared: ({ metadata }) => ({ metadata }),
});

const jsonOf = (metadata: Part["metadata"]) =>
  Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null;

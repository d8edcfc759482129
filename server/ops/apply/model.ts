import * as z from "zod";
import { FREQUENCIES, type Frequency } from "../../db/tables.ts";
import { color, lines, oneOf, text } from "../../lib/fields.ts";

/** So many are kept by hand at most; longer lists are for `import`. */
const MOST_LINKS = 100_000;

/** A name that is not known is refused: what it says would be lost without a word. */
const named = <T extends z.ZodRawShape>(fields: T) =>
  z.strictObject(fields, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys" ? `has an unknown field: ${keys}` : "must have named fields",
  });

const links = z
  .array(
    z.preprocess(
      (value) => (typeof value === "string" ? { url: value } : value),
      named({ url: text(2048), frequency: oneOf(FREQUENCIES).optional() }),
    ),
    "must be a list of links",
  )
  .max(MOST_LINKS, `must have at most ${MOST_LINKS} links; import takes longer lists`)
  .nullable();

const group = named({
  name: text(100),
  description: lines(500).optional(),
  color: color().optional(),
  frequency: oneOf(FREQUENCIES).optional(),
  links: links.optional(),
});

/** What a file may say. */
export const DeclarationFile = named({
  groups: z.array(group, "must be a list of groups").nullable().optional(),
  links: links.optional(),
});

/** A link as the file wants it. What it does not say stays as it is. */
export type WantedLink = {
  line: number;
  url: string;
  frequency: Frequency | undefined;
  /** By its name; null for none. */
  group: string | null;
};

export type WantedGroup = {
  line: number;
  name: string;
  description: string | undefined;
  color: string | undefined;
};

/** What a file says, each thing with the line where it stands. */
export type Declaration = {
  groups: WantedGroup[];
  links: WantedLink[];
  /** Whether the file declares links in no group too. */
  hasUngrouped: boolean;
};

/** Something in the file that cannot be applied. Nothing is done then. */
export class Misdeclared extends Error {
  constructor(line: number, problem: string) {
    super(`Line ${line}: ${problem}`);
  }
}

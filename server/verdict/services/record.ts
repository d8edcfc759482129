import type * as z from "zod";
import { verdictOf } from "../reasons/reasons.ts";
import type { createSchemas, FAMILIES } from "./schema.ts";

type Schemas = ReturnType<typeof createSchemas>;

/**
 * A service of the catalogue. docs/services.md explains each field; an operator's records (STILLUP_SERVICES_FILE) have
 * the same shape in JSON.
 *
 * Patterns are regular expressions, case-insensitive except those of `kinds`. Templates contain `{name}`: a named group
 * of the kind's patterns, or `{url}`, `{host}`, `{random}`. Values are percent-encoded in a URL and escaped in a
 * pattern; `{name|raw}` leaves a value unchanged, and `{name|base64url}` encodes it.
 */
export type Service = z.infer<Schemas["Service"]>;

/** A kind of address of a service. The first kind that matches counts. */
export type Kind = z.infer<Schemas["Kind"]>;

/** A request that shows more than the page. */
export type Ask = z.infer<Schemas["Ask"]>;

/** The meaning of a response: the first rule of which all conditions hold. */
export type Rule = z.infer<Schemas["Rule"]>;

/** How the page of a link is requested and read. */
export type Page = z.infer<Schemas["Page"]>;
export type When = z.infer<Schemas["When"]>;

export type Condition = z.infer<Schemas["Condition"]>;
export type Batch = z.infer<Schemas["Batch"]>;

export type Family = (typeof FAMILIES)[number];

export const asksOf = ({ ask = [] }: Kind): Ask[] => [ask].flat();

const compiled = new Map<string, RegExp>();

/** Compiles each pattern of the records once. */
export function regExpOf(pattern: string, flags: "" | "i" = ""): RegExp {
  const key = `${flags}/${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  const made = new RegExp(pattern, flags);
  compiled.set(key, made);
  return made;
}

type Conditions = Omit<Rule, "means" | "undecided" | "class" | "hours">;

/** A rule with a verdict that needs no confirmation, or that leads on. */
export const means = (meaning: Rule["means"], conditions: Conditions): Rule => ({
  ...conditions,
  means: meaning,
});

/** A rule with a dead verdict, and how that is confirmed. */
export const dead = (
  reason: Rule["means"],
  confirm: NonNullable<Rule["class"]>,
  conditions: Conditions,
): Rule => ({ ...conditions, means: reason, class: confirm });

/** Whether a rule has a dead verdict. */
export const isGone = ({ means }: Rule): boolean =>
  means !== "next" && means !== "page" && verdictOf(means) === "dead";

/** Values of the kind's patterns as they are written in the address, and others that templates may contain. */
export type Values = Record<string, string>;

const SLOT = /\{([a-z]\w*)(?:\|(\w+))?\}/g;

type Encoding = (value: string) => string;

const decoded: Encoding = (value) => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

const ENCODINGS: Record<string, Encoding> = {
  raw: (value) => value,
  lower: (value) => encodeURIComponent(decoded(value).toLowerCase()),
  base64url: (value) => Buffer.from(decoded(value)).toString("base64url"),
};

const filled = (
  template: string,
  values: Values,
  usual: Encoding,
  after: Encoding = ENCODINGS.raw!,
) =>
  template.replace(SLOT, (_, name: string, encoding?: string) =>
    after((encoding === undefined ? usual : ENCODINGS[encoding]!)(values[name] ?? "")),
  );

/** Fills a template of a URL: its values are percent-encoded. */
export const toUrl = (template: string, values: Values) =>
  filled(template, values, (value) => encodeURIComponent(decoded(value)));

/** Fills a template of text: its values are decoded, since they come from an address. */
export const toText = (template: string, values: Values) => filled(template, values, decoded);

/** Fills a template of a regular expression: its values are escaped. */
export const toPattern = (template: string, values: Values) =>
  filled(template, values, ENCODINGS.raw!, escaped);

/** Fills a template of a regular expression with a placeholder. */
export const toSamplePattern = (template: string) => template.replace(SLOT, "x");

const escaped: Encoding = (value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Returns the names in a template, and their encodings. */
export const slotsOf = (template: string) =>
  [...template.matchAll(SLOT)].map(([, name, encoding]) => ({ name: name!, encoding }));

export const isEncoding = (name: string) => Object.hasOwn(ENCODINGS, name);

import type * as z from "zod";
import { verdictOf } from "../reasons/reasons.ts";
import type { createSchemas, FAMILIES } from "./schema.ts";

type Schemas = ReturnType<typeof createSchemas>;

/**
 * One service of the catalogue, as data: whom it owns, how its things are asked about, and what the answers
 * mean. docs/services.md explains each field; an operator's own records (STILLUP_SERVICES_FILE) have the
 * same shape in JSON.
 *
 * Patterns are regular expressions, case-insensitive but for those of `kinds`. Templates hold `{name}`: a
 * named group of the kind's patterns, or `{url}`, `{host}`, `{random}`. In a URL the values are percent-
 * encoded, in a pattern escaped; `{name|raw}` leaves a value as it is, and `{name|base64url}` packs it.
 */
export type Service = z.infer<Schemas["Service"]>;

/** One kind of thing that a service has, recognized by its address. The first kind that matches counts. */
export type Kind = z.infer<Schemas["Kind"]>;

/** A special request that tells more than the page. */
export type Ask = z.infer<Schemas["Ask"]>;

/** What an answer means: the first rule of which all conditions hold. */
export type Rule = z.infer<Schemas["Rule"]>;

/** How the page of a link is read. */
export type Page = z.infer<Schemas["Page"]>;
export type When = z.infer<Schemas["When"]>;

/** What to hold against a value of a JSON answer. */
export type Condition = z.infer<Schemas["Condition"]>;
export type Batch = z.infer<Schemas["Batch"]>;

/** What services of one kind of software or protocol have in common. Own rules go before the family's. */
export type Family = (typeof FAMILIES)[number];

/** The requests of a kind, in their order. */
export const asksOf = ({ ask }: Kind): Ask[] =>
  ask === undefined ? [] : Array.isArray(ask) ? ask : [ask];

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

/** What a kind's patterns found in an address, as it is written there, and what else templates may hold. */
export type Values = Record<string, string>;

const SLOT = /\{([a-z]\w*)(?:\|(\w+))?\}/g;

type Packing = (value: string) => string;

const decoded: Packing = (value) => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

const PACKINGS: Record<string, Packing> = {
  raw: (value) => value,
  lower: (value) => encodeURIComponent(decoded(value).toLowerCase()),
  base64url: (value) => Buffer.from(decoded(value)).toString("base64url"),
};

const filled = (template: string, values: Values, usual: Packing, after: Packing = PACKINGS.raw!) =>
  template.replace(SLOT, (_, name: string, packing?: string) =>
    after((packing === undefined ? usual : PACKINGS[packing]!)(values[name] ?? "")),
  );

/** A template as a URL: its values are percent-encoded. */
export const toUrl = (template: string, values: Values) =>
  filled(template, values, (value) => encodeURIComponent(decoded(value)));

/** A template as text: its values are decoded, since they come from an address. */
export const toText = (template: string, values: Values) => filled(template, values, decoded);

/** A template as a regular expression: its values stand for themselves. */
export const toPattern = (template: string, values: Values) =>
  filled(template, values, PACKINGS.raw!, escaped);

/** A template as a regular expression that stands for no values yet. */
export const asPattern = (template: string) => template.replace(SLOT, "x");

const escaped: Packing = (value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** The names that a template holds, and the packings it asks for. */
export const slotsOf = (template: string) =>
  [...template.matchAll(SLOT)].map(([, name, packing]) => ({ name: name!, packing }));

export const isPacking = (name: string) => Object.hasOwn(PACKINGS, name);

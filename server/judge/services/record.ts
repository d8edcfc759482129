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

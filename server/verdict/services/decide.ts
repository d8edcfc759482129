import { FAMILY_RULES } from "./families.ts";
import {
  type Condition,
  type Family,
  type Rule,
  toPattern,
  toText,
  type Values,
  type When,
} from "./record.ts";
import type { Reply } from "./reply.ts";

type Ruled = { rules?: Rule[] | undefined; family?: Family | undefined };

/** The first rule that holds: the record's own before those of its family. */
export const firstRule = (ruled: Ruled, reply: Reply, values: Values): Rule | null =>
  rulesOf(ruled).find((rule) => applies(rule, reply, values)) ?? null;

/** Whether an answer shows what only living things show, even if it also says "gone". */
export const isContradicted = (ruled: Ruled, reply: Reply, values: Values): boolean =>
  rulesOf(ruled).some(
    (rule) =>
      rule.means === "ok_service" &&
      (rule.text ?? rule.matches) !== undefined &&
      applies(rule, reply, values),
  );

const rulesOf = ({ rules = [], family }: Ruled): readonly Rule[] =>
  family ? [...rules, ...FAMILY_RULES[family]] : rules;

const applies = (rule: Rule, reply: Reply, values: Values) =>
  holds(rule, reply, values) && !(rule.unless && holds(rule.unless, reply, values));

/** Whether a rule reads the answer's body, and not only its status and headers. */
export const readsBody = ({ text, matches, json, title, missing }: Rule): boolean =>
  (text ?? matches ?? json ?? title ?? missing) !== undefined;

function holds(when: When, reply: Reply, values: Values): boolean {
  const { status, header = {}, url, type, title, text, matches, json = {}, bytes, missing } = when;
  return (
    reply.isMissing === (missing ?? false) &&
    (status === undefined || [status].flat().includes(reply.status)) &&
    Object.entries(header).every(([name, pattern]) =>
      fits(pattern, reply.headers.get(name) ?? ""),
    ) &&
    (url === undefined || leadsTo(url, reply.url, values)) &&
    (type === undefined || fits(type, reply.headers.get("content-type") ?? "")) &&
    (title === undefined || fits(title, reply.title)) &&
    (text === undefined ||
      [text].flat().some((some) => reply.folded().includes(toText(some, values).toLowerCase()))) &&
    (matches === undefined || fits(matches, reply.spaced())) &&
    (bytes === undefined ||
      (reply.bytes >= (bytes.min ?? 0) && reply.bytes <= (bytes.max ?? Infinity))) &&
    Object.entries(json).every(([path, condition]) => meets(condition, valueAt(reply.json(), path)))
  );
}

/** Each is compiled once: there are only as many as the records hold. */
const compiled = new Map<string, RegExp>();

function fits(pattern: string, text: string): boolean {
  const known = compiled.get(pattern);
  if (known) return known.test(text);
  const made = new RegExp(pattern, "i");
  compiled.set(pattern, made);
  return made.test(text);
}

/** A pattern with a link's own values is of no use to another link. */
function leadsTo(template: string, url: string, values: Values): boolean {
  const pattern = toPattern(template, values);
  return pattern === template ? fits(pattern, url) : new RegExp(pattern, "i").test(url);
}

/** What is at `a.0.b` in JSON; undefined when the way breaks off. */
export function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const step of path === "" ? [] : path.split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function meets(condition: Condition, value: unknown): boolean {
  if (condition === null || typeof condition !== "object") return value === condition;
  if (Array.isArray(condition)) return condition.includes(value as never);
  if ("exists" in condition) return (value !== undefined && value !== null) === condition.exists;
  if ("empty" in condition) return value !== undefined && isEmpty(value) === condition.empty;
  if ("matches" in condition) return isText(value) && fits(condition.matches, String(value));
  return value !== undefined && ![condition.not].flat().includes(value as never);
}

const isText = (value: unknown) => typeof value === "string" || typeof value === "number";

function isEmpty(value: unknown): boolean {
  // The keys of a long list would take as long as all of it.
  if (Array.isArray(value)) return value.length === 0;
  return (
    value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)
  );
}

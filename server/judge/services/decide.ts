import { lazily } from "../../ground/lib/concurrency.ts";
import type { Answer } from "../probe/probe.ts";
import { FAMILY_RULES } from "./families.ts";
import { type Condition, type Family, type Rule, regExpOf, type When } from "./record.ts";
import { toPattern, toText, type Values } from "./templates.ts";

type Ruled = { rules?: Rule[] | undefined; family?: Family | undefined };

/** Returns the first rule that holds. The record's own rules precede those of its family. */
export const firstRule = (ruled: Ruled, reply: Reply, values: Values): Rule | null =>
  rulesOf(ruled).find((rule) => applies(rule, reply, values)) ?? null;

/** Whether a reply contains a marker of existing items, even if it also says "gone". */
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

/** Whether a rule reads the body, and not only the status and headers. */
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

const fits = (pattern: string, text: string) => regExpOf(pattern, "i").test(text);

/** A pattern that contains values of the link is not cached. */
function leadsTo(template: string, url: string, values: Values): boolean {
  const pattern = toPattern(template, values);
  return pattern === template ? fits(pattern, url) : new RegExp(pattern, "i").test(url);
}

/** Returns the value at a path such as `a.0.b`; undefined if there is none. */
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
  // Object.keys would copy a long list.
  if (Array.isArray(value)) return value.length === 0;
  return (
    value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)
  );
}

/** A response as rules see it. */
export type Reply = {
  status: number;
  headers: Headers;
  /** Where the redirects ended. */
  url: string;
  title: string;
  /** The first MiB, decoded; empty if it is not text. */
  text: string;
  /** `text` in lower case. */
  folded: () => string;
  /** `text` with white space collapsed, since hostile pages have too much of it for patterns. */
  spaced: () => string;
  lines: () => string[];
  /** Undefined if it is not JSON, or nested too deep. */
  json: () => unknown;
  bytes: number;
  /** A response about many items that does not contain this one. */
  isMissing: boolean;
};

/** Cached, since a response about many items is parsed once for all of them. */
export function replyTo(answer: Answer): Reply {
  const known = replies.get(answer);
  if (known) return known;
  const { status, headers, finalUrl, page, bodyBytes } = answer;
  const text = answer.text ?? "";
  const reply = {
    status,
    headers,
    url: finalUrl,
    title: page?.title ?? "",
    text,
    bytes: bodyBytes,
    ...viewsOf(text),
    json: lazily(() => parsed(text)),
    isMissing: false,
  };
  replies.set(answer, reply);
  return reply;
}

const replies = new WeakMap<Answer, Reply>();

/** Returns the part of a response about many items that is about one of them. @param part undefined if there is none */
export function partOf(reply: Reply, part: unknown): Reply {
  const text = typeof part === "string" ? part : JSON.stringify(part ?? null);
  return { ...reply, text, ...viewsOf(text), json: () => part, isMissing: part === undefined };
}

const viewsOf = (text: string) => ({
  folded: lazily(() => text.toLowerCase()),
  lines: lazily(() => text.split(/\r?\n/)),
  spaced: lazily(() => text.replace(/\s+/g, " ")),
});

/** No service nests deeper, and JSON.stringify overflows the stack with such values. */
const DEEPEST = 500;

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, DEEPEST) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  if (levels === 0) return true;
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isDeeper(part, levels - 1));
}

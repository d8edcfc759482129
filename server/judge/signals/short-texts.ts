import {
  dead,
  type Finding,
  type Need,
  needs,
  type Reader,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import type { Probe } from "../probe/probe.ts";
import { isSiteAddress, speaksOfErrors } from "./addresses.ts";
import { unlessSameAtControl } from "./controlled.ts";
import { isExcuse, quoted } from "./phrases.ts";
import { compare, HOME_SAME } from "./same-page.ts";

/** Detects short texts, XML and JSON that only say, with a success status, that something is missing. */
export const readShortText: Reader = (seen): Finding | Need | null => {
  const { answer, url, facts, serving } = seen;
  const said = missingInText(answer.shortText);
  if (said === null || isSiteAddress(url) || speaksOfErrors(url)) return null;
  const signal: Signal = { rule: "missing_text", text: `The response says ${quoted(said)}.` };
  if (serving?.target) return suspected("soft404_suspected", [signal]);
  if (facts.sibling === undefined) return needs("sibling");
  const same = [signal, SIBLING_SAYS_SO];
  if (saidBy(facts.sibling) !== said) return suspected("soft404_suspected", [signal]);
  if (facts.home === undefined) return needs("home");
  if (saidBy(facts.home) === said) return suspected("soft404_suspected", [...same, HOME_SAME]);
  return compare(answer, facts.home) === "nothing"
    ? suspected("soft404_suspected", same)
    : unlessSameAtControl(seen, dead("soft404_probe", "C2", same));
};

const SIBLING_SAYS_SO: Signal = {
  rule: "sibling_same",
  text: "A random address next to the link says the same.",
};

/** What a short text at another address, with a success, says is missing; null if it says anything else. */
export const saidBy = (probe: Probe | null): string | null =>
  probe?.kind === "answered" && probe.status >= 200 && probe.status < 300
    ? missingInText(probe.shortText)
    : null;

/** Returns the sentence or the code that says so; null if the text says anything else. */
export function missingInText(text: string | undefined): string | null {
  const words = text?.replace(/^\ufeff/, "").trim() ?? "";
  if (words === "") return null;
  if (words.startsWith("<")) return missingInXml(words);
  if (words.startsWith("{") || words.startsWith("[")) return missingInJson(words);
  const line = words.replace(/\s+/g, " ");
  return isExcuse(line) || NO_FILE.test(line) ? line : null;
}

/** PHP-FPM. */
const NO_FILE = /^no input file specified\.?$/i;

/** Codes of object stores and of APIs. */
const CODE =
  /^(?:404|not[ _-]?found|no[ _]?such[ _]?\w{1,30}|(?:\w{1,30}[ _-]?)?not[ _-]?found|does[ _]not[ _]exist|(?:blob|container|resource|object|key|page|file|item|record)(?:not(?:found|exists?)|doesnotexist))$/i;

/** The error document of object stores, and others with the same elements. */
function missingInXml(xml: string): string | null {
  if (!/^(?:<\?xml[^>]{0,200}>\s*)?<(?:error|errorresponse|response)\b/i.test(xml)) return null;
  const [, code] = /<code>\s*([\w -]{1,60}?)\s*<\/code>/i.exec(xml) ?? [];
  const [, message] = /<message>\s*([^<]{1,120}?)\s*<\/message>/i.exec(xml) ?? [];
  return [code, message].find(saysMissing) ?? null;
}

const saysMissing = (words: string | undefined) =>
  words !== undefined && (CODE.test(words) || isExcuse(words));

/** Keys of messages, in their order of worth. */
const MESSAGES = ["error", "message", "msg", "detail", "title", "reason", "error_description"];
const CODES = ["code", "status", "statusCode", "status_code", "error_code", "errorCode"];
/**
 * What else stands with an error (RFC 9457, AWS, Google, GitHub, Spring, Rails, JSON:API), in lower case. Any other key is
 * data: the object may be a thing with such a name, or the answer of a search.
 */
const ABOUT_ERRORS =
  /^(?:errors?|errortype|type|instance|details?|description|path|url|uri|method|timestamp|time|date|requestid|traceid|correlationid|hostid|resource|key|bucketname|success|ok|exception|documentationurl|moreinfo|help|hint|version|apiversion|meta|links|domain|source|parameters?)$/;
const KNOWN_KEYS = new Set([...MESSAGES, ...CODES].map(plainKey));
const MOST_KEYS = 8;

function plainKey(key: string) {
  return key.replace(/[_-]/g, "").toLowerCase();
}

function missingInJson(json: string): string | null {
  const root = asObject(parsed(json));
  if (root && !isOnlyError(root)) return null;
  const nested = [root?.error, Array.isArray(root?.errors) ? root.errors[0] : root?.errors];
  for (const part of [root, ...nested.map(asObject)]) {
    const said = part && missingInPart(part);
    if (said) return said;
  }
  return null;
}

function missingInPart(part: Record<string, unknown>): string | null {
  if (!isOnlyError(part)) return null;
  const messages = MESSAGES.map((key) => part[key]).filter((value) => typeof value === "string");
  const said = messages.find(saysMissing);
  if (said !== undefined) return said;
  const isCoded = CODES.some((key) => CODE.test(String(part[key] ?? "")));
  return isCoded ? (messages[0] ?? null) : null;
}

function isOnlyError(part: Record<string, unknown>): boolean {
  const keys = Object.keys(part);
  const isKnown = (key: string) =>
    KNOWN_KEYS.has(plainKey(key)) || ABOUT_ERRORS.test(plainKey(key));
  return keys.length <= MOST_KEYS && keys.every((key) => isKnown(key) || isEmpty(part[key]));
}

/** What it would hold is missing. */
const isEmpty = (value: unknown) =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

function asObject(value: unknown): Record<string, unknown> | null {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

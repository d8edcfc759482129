import { lazily } from "../../lib/concurrency.ts";
import type { Answer } from "../probe/probe.ts";

/** An answer as rules see it. */
export type Reply = {
  status: number;
  headers: Headers;
  /** Where the redirects ended. */
  url: string;
  title: string;
  /** The first MiB as it was sent, decoded; empty for what is no text. */
  text: string;
  /** The same in lower case. */
  folded: () => string;
  /** The same with its white space folded, of which hostile pages have too much for patterns. */
  spaced: () => string;
  lines: () => string[];
  /** Undefined for what is not JSON, or is nested too deep. */
  json: () => unknown;
  bytes: number;
  /** It answers to many, and does not tell about this one. */
  isMissing: boolean;
};

/** Of an answer to many there is one for all of them, so that it is read only once. */
export function replyTo(answer: Answer): Reply {
  const known = replies.get(answer);
  if (known) return known;
  const reply = newReplyTo(answer);
  replies.set(answer, reply);
  return reply;
}

const replies = new WeakMap<Answer, Reply>();

function newReplyTo(answer: Answer): Reply {
  const { status, headers, finalUrl, page, bodyBytes } = answer;
  const text = answer.text ?? "";
  return {
    ...{ status, headers, url: finalUrl, title: page?.title ?? "", text, bytes: bodyBytes },
    ...viewsOf(text),
    json: lazily(() => parsed(text)),
    isMissing: false,
  };
}

/** The part of an answer to many that is about one of them; undefined when there is none. */
export const partOf = (reply: Reply, part: unknown): Reply => {
  const text = typeof part === "string" ? part : JSON.stringify(part ?? null);
  return {
    ...reply,
    text,
    ...viewsOf(text),
    json: () => part,
    isMissing: part === undefined,
  };
};

const viewsOf = (text: string) => ({
  folded: lazily(() => text.toLowerCase()),
  lines: lazily(() => text.split(/\r?\n/)),
  spaced: lazily(() => text.replace(/\s+/g, " ")),
});

/** No service nests deeper, and writing a value that does runs out of stack. */
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

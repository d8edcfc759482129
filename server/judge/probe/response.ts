import * as z from "zod";
import { beginningOf, PageText, pageTextOf } from "../page/page-text.ts";
import type { Probe } from "./probe.ts";

const Header = z.object({
  name: z.string().meta({ example: "content-type" }),
  value: z.string().nullable().meta({ example: "text/html" }),
});

/** What is shown of a response. A header whose value may be a secret has none. */
export const ResponseContent = z.object({
  headers: z.array(Header),
  text: z.string().nullable().meta({ example: "<!doctype html><title>A page</title>" }),
  truncated: z.boolean(),
  ...PageText.omit({ title: true }).shape,
});
export type ResponseContent = z.infer<typeof ResponseContent>;

/** A response to be stored. `content` is a packed `ResponseContent`; without a page there are no `title` and `words`. */
export type CapturedResponse = {
  fingerprint: number;
  statusCode: number;
  title: string | null;
  words: number | null;
  content: string;
};

const MOST_HEADERS = 60;
const VALUE_CHARS = 500;

/**
 * Identifies responses that need not be stored again: status, final URL without its query, type, and title without
 * digits, since many titles count or contain the time.
 */
function fingerprintOf(answer: Probe & { kind: "answered" }): number {
  const { origin, pathname } = new URL(answer.finalUrl);
  const { status, headers, page } = answer;
  const parts = [
    status,
    origin,
    pathname,
    page?.title.replace(/\d+/g, ""),
    headers.get("content-type"),
  ];
  return Bun.hash.xxHash32(JSON.stringify(parts));
}

/** Returns the response of a check, unless there is none or it is known. @param known the fingerprint of the stored one */
export function captureResponse(probe: Probe, known: number | null): CapturedResponse | null {
  if (probe.kind === "failed") return null;
  const fingerprint = fingerprintOf(probe);
  if (fingerprint === known) return null;
  const { page, status, headers } = probe;
  const { title, ...read } = pageTextOf(page);
  const text = page && beginningOf(page.markup);
  const truncated = (page?.markup.length ?? 0) > (text?.length ?? 0);
  return {
    fingerprint,
    statusCode: status,
    title,
    words: page && countWords(page.text),
    content: pack({ headers: shownHeaders(headers), text, truncated, ...read }),
  };
}

/** Counts spaces: an array of the words would cost more than the rest of a stored response. @param text with single spaces */
function countWords(text: string): number {
  let words = text === "" ? 0 : 1;
  for (let at = text.indexOf(" "); at !== -1; at = text.indexOf(" ", at + 1)) words++;
  return words;
}

/** Names of headers whose values may be secrets. */
const SECRET =
  /cookie|auth|token|secret|session|csrf|xsrf|key|signature|credential|passw|jwt|^location$|^refresh$|^link$/i;

function shownHeaders(headers: Headers): ResponseContent["headers"] {
  const names = [...new Set(headers.keys())].slice(0, MOST_HEADERS);
  return names.map((name) => ({
    name,
    value: SECRET.test(name) ? null : (headers.get(name) ?? "").slice(0, VALUE_CHARS),
  }));
}

/** A higher level would save 1 % and take twice as long. */
const PACKING = { library: "libdeflate", level: 1 } as const;

/** The inverse of `unpack`. */
export const pack = (content: ResponseContent): string =>
  Buffer.from(Bun.deflateSync(Buffer.from(JSON.stringify(content)), PACKING)).toString("base64");

export const unpack = (packed: string): ResponseContent =>
  JSON.parse(Buffer.from(Bun.inflateSync(Buffer.from(packed, "base64"))).toString());

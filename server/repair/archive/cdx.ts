import * as z from "zod";
import { jsonOf } from "../../judge/identity/rdap.ts";

/** A capture as an index lists it. */
export type Capture = {
  /** The page as it was captured, without the archive's own additions. */
  rawUrl: string;
  /** The address of the captured page. */
  original: string;
  /** In milliseconds since 1970. */
  capturedAt: number;
  /** Of the content, equal for equal captures; null if the index does not say it. */
  digest: string | null;
  /** The captured content type; null if the index does not say it. */
  type: string | null;
};

/** What is looked for: captures of a URL between two moments, the latest or the first ones. */
export type Question = {
  url: string;
  from: number | null;
  to: number;
  order: "newest" | "oldest";
};

const MOST_ROWS = 20;
const FIELDS = "timestamp,original,mimetype,statuscode,digest,length";

/** The address of a query to a CDX server, whose negative limit asks for the end of the range. */
export function indexUrl(base: string, { url, from, to, order }: Question): URL {
  const query = [
    `url=${encodeURIComponent(url)}`,
    `output=json&fl=${FIELDS}&filter=statuscode:200`,
    ...(from === null ? [] : [`from=${toTimestamp(from)}`]),
    `to=${toTimestamp(to)}`,
    `limit=${order === "newest" ? -MOST_ROWS : MOST_ROWS}`,
  ];
  return new URL(`${base}/cdx/search/cdx?${query.join("&")}`);
}

const Rows = z.array(z.array(z.string()));

/** Reads the answer of a CDX server in the order of the question. Null if it is not one. */
export function readIndex(body: Uint8Array, base: string, question: Question): Capture[] | null {
  if (new TextDecoder().decode(body.subarray(0, 16)).trim() === "" && body.length < 16) return [];
  const read = Rows.safeParse(jsonOf(body));
  if (!read.success) return null;
  const [names = [], ...rows] = read.data;
  if (rows.length > MOST_ROWS || (names.length > 0 && !names.includes("timestamp"))) return null;
  const captures = rows.flatMap((cells) => {
    const row = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
    return toCapture(base, row) ?? [];
  });
  return chosen(captures, question);
}

function toCapture(base: string, row: Record<string, string>): Capture | null {
  const { timestamp = "", original = "", digest = "", mimetype = "", statuscode = "200" } = row;
  const capturedAt = readTimestamp(timestamp);
  if (capturedAt === null || !URL.canParse(original) || statuscode !== "200") return null;
  return {
    rawUrl: `${base}/web/${timestamp}id_/${original}`,
    original,
    capturedAt,
    digest: digest === "" || digest === "-" ? null : digest,
    type: /^[\w.+-]+\/[\w.+-]+$/.test(mimetype) ? mimetype.toLowerCase() : null,
  };
}

/** Those that answer the question, whatever the archive says, one for each content. */
export function chosen(captures: readonly Capture[], question: Question): Capture[] {
  const { url, from, to, order } = question;
  const seen = new Set<string>();
  const sign = order === "newest" ? -1 : 1;
  return captures
    .filter(
      ({ capturedAt, original }) =>
        capturedAt >= (from ?? 0) && capturedAt <= to && hostOf(original) === hostOf(url),
    )
    .toSorted((a, b) => sign * (a.capturedAt - b.capturedAt))
    .filter(({ digest, capturedAt }) => {
      const content = digest ?? String(capturedAt);
      return !seen.has(content) && seen.add(content);
    });
}

/** As archives compare hosts. */
const hostOf = (url: string) => URL.parse(url)?.hostname.replace(/^www\d*\./, "") ?? url;

/** `yyyyMMddhhmmss` in UTC. */
const toTimestamp = (at: number) => new Date(at).toISOString().replace(/\D/g, "").slice(0, 14);

/** Returns the milliseconds since 1970 of `yyyyMMddhhmmss`; null for anything else. */
export function readTimestamp(text: string): number | null {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  if (year === undefined || second === undefined) return null;
  return Date.UTC(year, month! - 1, day, hour, minute, second);
}

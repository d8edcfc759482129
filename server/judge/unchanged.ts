import { lazily } from "../ground/lib/concurrency.ts";
import { expectKey } from "./expectations.ts";
import { hashOfRules } from "./hash-of-rules.ts";
import {
  type Conclusion,
  LONGEST_URL,
  type Reading,
  sawNothing,
  type Unchanged,
} from "./probe/conclusion.ts";
import type { Answer, Comparison, Received } from "./probe/probe.ts";
import type { Catalogue } from "./services/catalogue.ts";

/** The last reading, what it showed, and whether a check may ask if that still holds. */
export type KnownReading = {
  reading: Reading;
  reason: Conclusion["reason"];
  statusCode: number | null;
  /**
   * `yes`: its validators are sent. `proves`: one that is made up, so that a server that answers 304 to anything is
   * found out while the page is read in full. `no`: none.
   */
  asks: "yes" | "proves" | "no";
};

const hash53 = (data: string | Uint8Array, seed = 0n) => Number(Bun.hash(data, seed) >> 11n);

/** The same for two checks that may rely on the same, whenever it was read. */
export const readingKey = ({ asks, reading: { rules, path, content } }: KnownReading) =>
  JSON.stringify([asks, rules, path, content]);

const hashOnce = lazily(hashOfRules);

/** Identifies the rules and the services. */
export const rulesOf = (catalogue: Catalogue): string =>
  `${hashOnce()} ${Bun.hash(JSON.stringify(catalogue.services))}`;

/** The rules for one link, whose page must be read in full to look for another fragment. */
export const rulesFor = (
  rules: string,
  { expect, fragments = [] }: { expect?: Parameters<typeof expectKey>[0]; fragments?: string[] },
) => hash53(`${rules} ${expectKey(expect)} ${fragments.join(" ")}`);

/** The headers that rules read; `tests/architecture.test.ts` compares them with the code. */
export const COUNTED_HEADERS = [
  "content-type",
  "content-disposition",
  "content-encoding",
  "location",
  "refresh",
  "x-robots-tag",
  "x-squid-error",
  "proxy-status",
];

type Way = Pick<Received, "hops" | "finalUrl" | "tlsExpiresAt">;

const pathKey = ({ hops, finalUrl, tlsExpiresAt }: Way) =>
  hash53(JSON.stringify([hops, finalUrl, tlsExpiresAt]));

function contentKey({ status, headers, body, ...way }: Received): number {
  const counted = COUNTED_HEADERS.map((name) => headers.get(name));
  const head = JSON.stringify([pathKey(way), status, ...counted]);
  return hash53(body, Bun.hash(head) as bigint);
}

/** Longer ones are not kept. */
const LONGEST_VALIDATOR = 200;
const ETAG = /^(W\/)?"[\x21\x23-\x7e]*"$/;
/** A date that is younger may be that of several versions (RFC 9110 §8.8.2.2). */
const LEAST_AGE_MS = 60_000;

/** The validators of a response, unless it depends on more than our request. */
function validatorsOf({ headers }: Answer): Pick<Reading, "etag" | "lastModified"> {
  const vary = headers.get("vary") ?? "";
  if (/\*|\bcookie\b/i.test(vary)) return { etag: null, lastModified: null };
  const etag = headers.get("etag") ?? "";
  return {
    etag: etag.length <= LONGEST_VALIDATOR && ETAG.test(etag) ? etag : null,
    lastModified: lastModifiedOf(headers),
  };
}

/** Both dates are by the clock of the server, which may be wrong. */
function lastModifiedOf(headers: Headers): string | null {
  const given = headers.get("last-modified") ?? "";
  const ageMs = Date.parse(headers.get("date") ?? "") - Date.parse(given);
  return given.length <= LONGEST_VALIDATOR && ageMs >= LEAST_AGE_MS ? given : null;
}

/** @param known null if all that is wanted is what to compare with next time */
export const comparisonWith = (known: KnownReading | null, made: string): Comparison => ({
  condition: known ? conditionOf(known, made) : {},
  finalUrl: known?.reading.finalUrl ?? null,
  keyOf: contentKey,
  known: known?.reading.content ?? null,
});

/** The headers that ask whether the reading still holds. */
function conditionOf(
  { asks, reading: { etag, lastModified } }: KnownReading,
  made: string,
): Record<string, string> {
  if (asks === "no" || (etag === null && lastModified === null)) return {};
  if (asks === "proves") return { "If-None-Match": `"${made}"` };
  return etag ? { "If-None-Match": etag } : { "If-Modified-Since": lastModified! };
}

/** Whether an answer shows that nothing has changed since the reading; null if it has, or if that is not sure. */
export function unchangedSince({ asks, reading }: KnownReading, answer: Answer): Unchanged | null {
  if (answer.contentKey === reading.content) return "same_bytes";
  const isSame = pathKey(answer) === reading.path && isSameVersion(reading, answer.headers);
  return answer.status === 304 && asks === "yes" && isSame ? "not_modified" : null;
}

/** RFC 9110 §15.4.5: a 304 has the validators that a 200 would have. */
function isSameVersion({ etag, lastModified }: Reading, headers: Headers): boolean {
  const weak = (tag: string) => tag.replace(/^W\//, "");
  const [tag, date] = [headers.get("etag"), headers.get("last-modified")];
  if (tag !== null && etag !== null) return weak(tag) === weak(etag);
  return date === null || lastModified === null || date === lastModified;
}

/** What is kept of an answer that was read in full; null if it was not. */
export function readingOf(answer: Answer, rules: number): Reading | null {
  const { contentKey: content, finalUrl, hops, bodyProblem, truncated } = answer;
  const isWhole = content !== undefined && bodyProblem === null && !truncated;
  if (!isWhole || finalUrl.length > LONGEST_URL) return null;
  return {
    rules,
    path: pathKey(answer),
    content,
    finalUrl,
    redirectCount: hops.length,
    ...validatorsOf(answer),
  };
}

/** What a check that found nothing changed adds to the last reading. */
export type StillSame = {
  unchanged: Unchanged;
  responseTimeMs: number;
  validators?: Conclusion["validators"];
  /** The validators of the response, if it was read in full. */
  newest: Pick<Reading, "etag" | "lastModified"> | null;
};

/** The conclusion of a check that found nothing changed: that of the reading, whose evidence is with the link. */
export const sameAs = (
  { reason, statusCode, reading }: KnownReading,
  { newest, ...same }: StillSame,
): Conclusion => ({
  ...sawNothing(reason),
  statusCode,
  finalUrl: reading.finalUrl,
  redirectCount: reading.redirectCount,
  ...same,
  ...(newest && { reading: { ...reading, ...newest } }),
});

/** The reverse of `sameAs`, where the reading is known; null if something has changed. */
export function stillSameIn(conclusion: Conclusion): StillSame | null {
  const { unchanged, responseTimeMs, validators, reading } = conclusion;
  if (!unchanged) return null;
  const newest = reading ? { etag: reading.etag, lastModified: reading.lastModified } : null;
  return { unchanged, responseTimeMs: responseTimeMs!, validators, newest };
}

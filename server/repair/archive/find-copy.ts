import type { Trace } from "../../judge/identity/matches.ts";
import { urlKeyOf } from "../../judge/services/catalogue.ts";
import type { Deps } from "../../work/deps.ts";
import { viewCapture, type Wish } from "./capture.ts";
import { type Capture, indexUrl, type Question, readIndex } from "./cdx.ts";
import { ask, byStatus } from "./client.ts";
import { keepCopy, keepNothing, type Needs, readCopy } from "./copies.ts";
import type { Copy, Found, Refusal, Wanted } from "./model.ts";
import { isPrivate } from "./private.ts";
import { createTimemapReader, TIMEMAP_BYTES } from "./timemap.ts";

const DAY_MS = 86_400_000;
const YEARS_MS = 2 * 365 * DAY_MS;
const MOST_VIEWED = 5;
const INDEX_BYTES = 256 * 1024;

/** Listed captures, or that an archive could not be asked. */
type Listed =
  | { state: "listed"; url: string; captures: Capture[]; isRefused?: boolean }
  | { state: "unavailable"; retryAt: number };

/**
 * Looks for an archived copy of a dead link's page which our own rules judge active. Waits for its turn at the archive,
 * so it may take minutes. Does not look whether the account wants that: see `lookupsOf`.
 */
export async function findCopy(deps: Deps, wanted: Wanted): Promise<Found> {
  const { store, clock, catalogue } = deps;
  const urlKey = urlKeyOf(catalogue, new URL(wanted.url));
  if (await isPrivate(store, { ...wanted, urlKey }))
    return { state: "not_asked", reason: "private" };
  const needs = needsOf(wanted, clock.now());
  const { trace, latestAt, now } = needs;
  const { signal } = wanted;
  const known = await readCopy(store, urlKey, needs);
  if (known) return known;

  const listed = await listCaptures(deps, wanted, latestAt);
  if (listed.state === "unavailable") return listed;
  const kept = { urlKey, now, latestAt };
  if (listed.captures.length === 0) {
    const reason = listed.isRefused ? "archive_refuses" : "not_archived";
    const reasons = [{ reason, captured_at: null }];
    await keepNothing(store, kept, reasons);
    return { state: "nothing_good", reasons };
  }
  const wish = { url: listed.url, trace, latestAt, signal };
  const chosen = await chooseCapture(deps, listed.captures.slice(0, MOST_VIEWED), wish);
  if (chosen.state === "unavailable") return chosen;
  if (chosen.state === "nothing_good") await keepNothing(store, kept, chosen.reasons);
  else await keepCopy(store, kept, chosen.copy, chosen.good);
  return chosen.state === "found" ? { state: "found", copy: chosen.copy } : chosen;
}

/** What a copy must be to be suggested: of the page that was linked, and not of what came after it. */
export function needsOf(wanted: Omit<Wanted, "signal">, now: number): Needs {
  const { lastActiveAt, isByHand } = wanted;
  const latestAt = lastActiveAt === null ? now : Math.min(now, lastActiveAt + DAY_MS);
  return { trace: traceOf(wanted), latestAt, now, isByHand };
}

/** The page that the copy must show: the first one where others have been accepted since. */
function traceOf({ memory, hasChanged }: Pick<Wanted, "memory" | "hasChanged">): Trace | null {
  const page = memory?.page;
  if (!page) return null;
  const isOther = hasChanged && memory.firstTitle !== null;
  if (isOther) return { title: memory.firstTitle!, print: null };
  return { title: page.title, print: page.print };
}

/** Asks the archive, at most three times, and others only if it has nothing. */
async function listCaptures(deps: Deps, wanted: Wanted, latestAt: number): Promise<Listed> {
  const questions = questionsAbout(wanted, latestAt);
  let isRefused = false;
  for (const question of questions) {
    const listed = await askIndex(deps, question, wanted.signal);
    if (listed.state === "unavailable" || listed.captures.length > 0) return listed;
    isRefused ||= listed.isRefused === true;
  }
  const nearest = { ...questions[0]!, from: null };
  let failed: Listed | null = null;
  for (const prefix of deps.config.archiveTimemaps) {
    const listed = await askTimemap(deps, prefix, nearest, wanted.signal);
    if (listed.state === "unavailable") failed = listed;
    else if (listed.captures.length > 0) return listed;
  }
  return failed ?? { state: "listed", url: wanted.url, captures: [], isRefused };
}

/** A page that became another one is looked for as it was first seen, all others as they were last. */
function questionsAbout(wanted: Wanted, latestAt: number): Question[] {
  const { url, finalUrl, firstSeenAt, hasChanged } = wanted;
  const isOld = hasChanged && firstSeenAt !== null;
  const to = isOld ? Math.min(firstSeenAt + DAY_MS, latestAt) : latestAt;
  const newest = { url, to, order: "newest" } as const;
  const own: Question[] = isOld
    ? [
        { ...newest, from: null },
        { url, from: firstSeenAt, to: latestAt, order: "oldest" },
      ]
    : [
        { ...newest, from: to - YEARS_MS },
        { ...newest, from: null },
      ];
  return finalUrl === null || finalUrl === url
    ? own
    : [...own, { ...newest, url: finalUrl, from: null }];
}

/** An archive that is asked again at once would be asked too much. */
const SOON_MS = 60_000;

/** Asks for captures of a URL. */
export async function askIndex(
  deps: Deps,
  question: Question,
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const { archiveUrl } = deps.config;
  const read = (body: Uint8Array) => readIndex(body, archiveUrl, question);
  const asked = await ask(deps, indexUrl(archiveUrl, question), {
    kind: "index",
    counted: "index",
    bodyCap: INDEX_BYTES,
    saidBy: (answer) => {
      const said = byStatus(answer);
      if (said !== "works" || isRefusal(answer.status)) return said;
      return answer.status === 200 && !answer.truncated && read(answer.body) ? "works" : "down";
    },
    signal,
  });
  if (asked.state === "unavailable") return asked;
  const { value: got } = asked;
  if (got.state === "answered" && isRefusal(got.answer.status)) {
    return { state: "listed", url: question.url, captures: [], isRefused: true };
  }
  const isWhole = got.state === "answered" && got.answer.status === 200 && !got.answer.truncated;
  const captures = isWhole ? read(got.answer.body) : null;
  return captures
    ? { state: "listed", url: question.url, captures }
    : { state: "unavailable", retryAt: asked.heldUntil ?? deps.clock.now() + SOON_MS };
}

/** Sites may forbid that their captures are shown. */
const isRefusal = (status: number) => status === 403 || status === 404 || status === 451;

async function askTimemap(
  deps: Deps,
  prefix: string,
  question: Question,
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const reader = createTimemapReader(question);
  const asked = await ask(deps, new URL(prefix + question.url), {
    kind: "other",
    counted: "timemap",
    bodyCap: (status) => (status === 200 ? TIMEMAP_BYTES : 1),
    onBody: (chunk) => reader.take(chunk),
    saidBy: byStatus,
    signal,
  });
  if (asked.state === "unavailable") return asked;
  const { value: got } = asked;
  if (got.state === "answered" && got.answer.status < 500 && got.answer.status !== 429) {
    const captures = got.answer.status === 200 ? reader.end() : [];
    return { state: "listed", url: question.url, captures };
  }
  return { state: "unavailable", retryAt: asked.heldUntil ?? deps.clock.now() + SOON_MS };
}

type Chosen =
  | { state: "found"; copy: Copy; good: { title: string; print: string | null } }
  | Extract<Found, { state: "nothing_good" | "unavailable" }>;

/** The first capture that is good, in their order. */
async function chooseCapture(deps: Deps, captures: Capture[], wish: Wish): Promise<Chosen> {
  const reasons: Refusal[] = [];
  for (const capture of captures) {
    const viewed = await viewCapture(deps, capture, wish);
    if (viewed.state === "unavailable") return viewed;
    if (viewed.state === "good") {
      const { url, capturedAt, matches } = viewed;
      const copy = { url, captured_at: capturedAt, matches };
      return { state: "found", copy, good: viewed };
    }
    reasons.push({ reason: viewed.reason, captured_at: viewed.capturedAt });
  }
  return { state: "nothing_good", reasons };
}

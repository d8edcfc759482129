import { and, eq, lte, or, sql } from "drizzle-orm";
import { preparedOnce, type Store } from "../../ground/db/store.ts";
import { archiveHosts } from "../../ground/db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import { newLease } from "../../work/queue.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Longer than any request takes. */
export const LEASE_MS = 2 * MINUTE_MS;
/** Who would wait longer comes back. */
const LONGEST_WAIT_MS = 10 * MINUTE_MS;
/** Another process may end its request at any time. */
const LOOK_AGAIN_MS = 1000;
const OTHERS_PER_MINUTE = 30;
const SAVES_PER_MINUTE = 4;

/** How long an archive is left alone after a first refusal, and at most. Each one in a row doubles it. */
const HOLDS = {
  refused: { firstMs: HOUR_MS, longestMs: 24 * HOUR_MS },
  down: { firstMs: 5 * MINUTE_MS, longestMs: 6 * HOUR_MS },
};
const LONGEST_HOLD_MS = HOLDS.refused.longestMs;
/** So many captures in a row that are none show that the archive does not work. */
const MOST_MISSING = 3;

/** What is asked: the index of captures, that a page is saved, or anything else. */
export type Kind = "index" | "save" | "other";

/**
 * What a request says of the archive: that it works, that it wants no requests (`refused`), that it does not work
 * (`down`), or that there was no capture where there should be one (`missing`). `nothing`: the request was given up.
 */
export type Said = {
  archive: "works" | "refused" | "down" | "missing" | "nothing";
  /** What its `Retry-After` asks for. */
  wishedMs?: number | null;
};

/** Done in a turn, or when to come back. */
export type Taken<T> =
  | { state: "done"; value: T; heldUntil: number | null }
  | { state: "unavailable"; retryAt: number };

type Pacing = Pick<Deps, "store" | "clock" | "nodes" | "config">;
type Asked = { host: string; kind: Kind; signal?: AbortSignal | undefined };

/** The last of those in this process that wait for an archive, by host. */
const lines = preparedOnce((_: Store) => new Map<string, Promise<unknown>>());

/**
 * Makes a request to an archive when its turn comes. There is one at a time, and so many a minute, of all nodes together;
 * this is kept in the database, so that a restart forgets nothing.
 */
export async function inTurn<T>(
  deps: Pacing,
  asked: Asked,
  request: () => Promise<{ value: T; said: Said }>,
): Promise<Taken<T>> {
  const line = lines(deps.store);
  const before = line.get(asked.host);
  const own = Promise.withResolvers<void>();
  line.set(asked.host, own.promise);
  try {
    await before;
    const turn = await take(deps, asked);
    if (turn.state === "unavailable") return turn;
    return { state: "done", ...(await carryOut(deps, asked, turn, request)) };
  } finally {
    if (line.get(asked.host) === own.promise) line.delete(asked.host);
    own.resolve();
  }
}

type Turn = { state: "taken"; lease: string };

async function take(
  { store, clock, nodes }: Pacing,
  { host, kind, signal }: Asked,
): Promise<Turn | { state: "unavailable"; retryAt: number }> {
  const since = clock.now();
  for (;;) {
    const [lease, now] = [newLease(nodes), clock.now()];
    const taken = await store
      .update(archiveHosts)
      .set({ lease, dueAt: now + LEASE_MS })
      .where(and(eq(archiveHosts.host, host), mayBegin(kind, now)))
      .returning({ host: archiveHosts.host });
    if (taken.length > 0) return { state: "taken", lease };
    const row = await rowOf(store, host);
    if (row.heldUntil > now) return { state: "unavailable", retryAt: row.heldUntil };
    const freeAt = Math.max(row.dueAt, row[COLUMN[kind]]);
    const isLong = Math.max(freeAt, now) - since > LONGEST_WAIT_MS;
    if (isLong || signal?.aborted) return { state: "unavailable", retryAt: freeAt };
    const isTaken = row.lease !== null && row.dueAt > now;
    const waitMs = Math.max(1, freeAt - now);
    await clock.sleep(isTaken ? Math.min(waitMs, LOOK_AGAIN_MS) : waitMs, signal);
  }
}

const COLUMN = { index: "indexDueAt", save: "saveDueAt", other: "otherDueAt" } as const;

/** A moment further away than any that is ever written is from a wrong clock. */
function mayBegin(kind: Kind, now: number) {
  const isPast = (
    column: (typeof archiveHosts)["dueAt" | "heldUntil" | (typeof COLUMN)[Kind]],
    longestMs: number,
  ) => or(lte(column, now), sql`${column} > ${now + 2 * longestMs}`);
  return and(
    isPast(archiveHosts.dueAt, LEASE_MS),
    isPast(archiveHosts[COLUMN[kind]], LEASE_MS),
    isPast(archiveHosts.heldUntil, LONGEST_HOLD_MS),
  );
}

async function rowOf(store: Store, host: string) {
  const select = () => store.select().from(archiveHosts).where(eq(archiveHosts.host, host));
  const [row] = await select();
  if (row) return row;
  const free = { dueAt: 0, indexDueAt: 0, saveDueAt: 0, otherDueAt: 0, heldUntil: 0 };
  await store
    .insert(archiveHosts)
    .values({ host, lease: null, ...free, refusals: 0, missingCaptures: 0 })
    .onConflictDoNothing();
  return (await select())[0]!;
}

async function carryOut<T>(
  deps: Pacing,
  { host, kind }: Asked,
  { lease }: Turn,
  request: () => Promise<{ value: T; said: Said }>,
): Promise<{ value: T; heldUntil: number | null }> {
  const startedAt = deps.clock.now();
  const end = (said: Said) => endTurn(deps, { host, kind, lease, startedAt, said });
  try {
    const { value, said } = await request();
    return { value, heldUntil: await end(said) };
  } catch (error) {
    await end({ archive: "nothing" });
    throw error;
  }
}

/** How far the starts of two requests are apart. */
function gapOf({ config }: Pick<Deps, "config">, kind: Kind): number {
  if (kind === "index") return MINUTE_MS / config.archivePerMinute;
  return MINUTE_MS / (kind === "save" ? SAVES_PER_MINUTE : OTHERS_PER_MINUTE);
}

type Ended = Asked & { lease: string; startedAt: number; said: Said };

/** Returns until when the archive is left alone; null if the next request may be made in its turn. */
async function endTurn(
  deps: Pacing,
  { host, kind, lease, startedAt, said }: Ended,
): Promise<number | null> {
  const { store, clock } = deps;
  const now = clock.now();
  const row = await rowOf(store, host);
  const missing = missingAfter(said, row.missingCaptures);
  const isDown = said.archive === "down" || missing >= MOST_MISSING;
  const hold = isDown ? HOLDS.down : said.archive === "refused" ? HOLDS.refused : null;
  const wishedMs = hold ? (said.wishedMs ?? 0) : 0;
  const heldMs = hold ? Math.min(hold.firstMs * 2 ** row.refusals, hold.longestMs) : 0;
  const until = hold ? now + Math.max(heldMs, wishedMs) : null;
  const nextAt = Math.max(now, startedAt + gapOf(deps, kind));
  // A save is one of the other requests too.
  const paced = kind === "save" ? { otherDueAt: startedAt + gapOf(deps, "other") } : {};
  await store
    .update(archiveHosts)
    .set({
      lease: null,
      dueAt: now,
      [COLUMN[kind]]: nextAt,
      ...paced,
      ...(until !== null && { heldUntil: until }),
      refusals: refusalsAfter(said, row.refusals, hold !== null),
      missingCaptures: hold ? 0 : missing,
    })
    .where(and(eq(archiveHosts.host, host), eq(archiveHosts.lease, lease)));
  return until;
}

function missingAfter({ archive }: Said, before: number): number {
  if (archive === "nothing") return before;
  return archive === "missing" ? before + 1 : 0;
}

/** The first answer other than a refusal ends the doubling. */
function refusalsAfter({ archive }: Said, before: number, isHeld: boolean): number {
  if (isHeld) return Math.min(before + 1, 16);
  return archive === "works" ? 0 : before;
}

/** Returns the latest moment until which an archive is left alone; null if there is none. */
export async function heldUntil({ store, clock }: Pick<Deps, "store" | "clock">) {
  const [row] = await store
    .select({ until: sql<number | null>`max(${archiveHosts.heldUntil})` })
    .from(archiveHosts);
  const until = Number(row?.until ?? 0);
  return until > clock.now() ? until : null;
}

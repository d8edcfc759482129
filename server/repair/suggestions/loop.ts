import { eq } from "drizzle-orm";
import { type LinkRow, links } from "../../ground/db/tables.ts";
import { logFailure } from "../../ground/lib/log.ts";
import { readFragments } from "../../links/fragments.ts";
import { readMemories } from "../../links/memories.ts";
import type { LookupReason } from "../../links/suggestions/model.ts";
import type { NewSuggestion } from "../../links/suggestions/rows.ts";
import type { Deps } from "../../work/deps.ts";
import { NEVER_DUE, startQueue } from "../../work/queue.ts";
import { findCopy } from "../archive/find-copy.ts";
import { lookupsOf } from "../archive/settings.ts";
import { type Candidate, candidatesFor, type Dead } from "./candidates.ts";
import { copyFound, wantedOf } from "./copy.ts";
import {
  askForAll,
  breakLeases,
  type Claimed,
  claimLookups,
  limitWaits,
  nextDue,
  postpone,
  readWanting,
  type Settled,
  STEPS,
  type Step,
  settle,
} from "./lookups.ts";
import { record, type Tried } from "./record.ts";
import { traceOf, type Viewed, viewPage } from "./view-page.ts";

const DAY_MS = 86_400_000;
/** Few, so that checks have the sites and this process for themselves. An archive is asked one thing at a time. */
const AT_ONCE: Record<Step, number> = { own: 4, archive: 1 };
/** An address that cannot be asked so often is given up. */
const MOST_MISSES = 5;
const NOTHING_KEPT_MS = 7 * DAY_MS;
const STILL_NOTHING_KEPT_MS = 30 * DAY_MS;

type Looking = {
  deps: Deps;
  signal: AbortSignal;
  running: Record<Step, Set<Promise<void>>>;
  /** The accounts that want archives to be asked, as they were last read. */
  wanting: ReadonlySet<number>;
  wake(): void;
};

/** Looks for what could stand in the place of dead links until it is stopped. */
export function startLookupLoop(deps: Deps): { wake(): void; stop(): Promise<void> } {
  const ending = new AbortController();
  const { wake, ended } = startQueue(deps, ending.signal, {
    rows: "lookups",
    async prepare() {
      const isOffline = deps.online.known().state === "offline";
      return deps.troubles.stoppingWrites() || isOffline ? "paused" : "ready";
    },
    claim: () => claimAndLook(looking),
    limitWaits: () => limitWaits(deps),
  });
  const looking = createLooking(deps, ending.signal, wake);
  return {
    wake,
    async stop() {
      ending.abort();
      await ended;
      await Promise.all(runningIn(looking));
    },
  };
}

/** @param signal ends requests that are under way */
export const createLooking = (deps: Deps, signal: AbortSignal, wake: () => void): Looking => ({
  deps,
  signal,
  running: { own: new Set(), archive: new Set() },
  wanting: new Set(),
  wake,
});

export const runningIn = ({ running }: Looking) => STEPS.flatMap((step) => [...running[step]]);

/** Begins the lookups that may begin now. Returns when something is due next. */
export async function claimAndLook(looking: Looking): Promise<number> {
  const { deps, running } = looking;
  await breakLeases(deps);
  const wanting = await readWanting(deps);
  await askForAll(
    deps,
    wanting.filter((no) => !looking.wanting.has(no)),
  );
  looking.wanting = new Set(wanting);
  let nextAt = NEVER_DUE;
  for (const step of STEPS) {
    const isDue = (await nextDue(deps, step)) <= deps.clock.now();
    const most = isDue ? AT_ONCE[step] - running[step].size : 0;
    for (const lookup of await claimLookups(deps, step, most)) begin(looking, lookup);
    nextAt = Math.min(nextAt, await nextDue(deps, step));
  }
  return nextAt;
}

function begin(looking: Looking, lookup: Claimed): void {
  const { deps, running } = looking;
  const look = lookup.step === "own" ? lookAround : askArchive;
  const work = withLink(looking, lookup, look)
    .catch(async (error) => {
      logFailure("failed to look for suggestions")(error);
      await settle(deps.store, lookup, { dueAt: deps.clock.now() + DAY_MS });
    })
    .catch(logFailure("failed to end a lookup"))
    .finally(() => {
      running[lookup.step].delete(work);
      looking.wake();
    });
  running[lookup.step].add(work);
}

type Look = (looking: Looking, lookup: Claimed, link: LinkRow & Dead) => Promise<void>;

/** Nothing is looked for that is alive again. */
async function withLink(looking: Looking, lookup: Claimed, look: Look): Promise<void> {
  const { store } = looking.deps;
  const [link] = await store.select().from(links).where(eq(links.no, lookup.linkNo));
  // It went with its link.
  if (!link) return;
  if (link.status === "active") return void (await settle(store, lookup, { dueAt: null }));
  const memories = await readMemories(store, [link.no]);
  await look(looking, lookup, { ...link, memory: memories.get(link.no) });
}

/** Requests the addresses that the link may have now. */
async function lookAround(
  { deps, signal }: Looking,
  lookup: Claimed,
  link: LinkRow & Dead,
): Promise<void> {
  const { store, clock } = deps;
  const tried: Tried[] = [];
  let retryMs: number | null = null;
  for (const candidate of await candidatesFor(store, link, clock.now())) {
    const hasForm = tried.some(({ found }) => found?.kind === "variant");
    if (candidate.kind === "variant" && hasForm) continue;
    const seen = await view(deps, link, candidate, signal);
    if (signal.aborted) return void (await settle(store, lookup, { dueAt: clock.now() }));
    if (seen.retryMs !== null) retryMs = Math.max(retryMs ?? 0, seen.retryMs);
    else tried.push({ candidate, found: foundIn(candidate, seen, clock.now()) });
  }
  const isOpen = retryMs !== null && lookup.misses < MOST_MISSES;
  const next: Settled = isOpen
    ? { state: "looking", dueAt: clock.now() + retryMs!, misses: lookup.misses + 1 }
    : await afterOwn(deps, link);
  await record(deps, { lookup, link, tried, next });
}

async function view(
  deps: Deps,
  { no, accountId, memory }: LinkRow & Dead,
  { kind, url }: Candidate,
  signal: AbortSignal,
): Promise<Viewed> {
  const known = kind === "moved" ? (await readFragments(deps.store, [no])).get(no) : undefined;
  const fragments = (known ?? [])
    .filter(({ foundAt }) => foundAt !== null)
    .map(({ fragment }) => fragment);
  return viewPage(deps, { accountId, url, trace: traceOf(memory), fragments, signal });
}

function foundIn(
  { mustMatch, ...candidate }: Candidate,
  { status, matches, title, fragments = [] }: Viewed,
  now: number,
): NewSuggestion | null {
  const isPage = mustMatch ? matches === "yes" : matches !== "no";
  const isWhole = fragments.every(({ state }) => state !== "missing");
  if (status !== "active" || !isPage || !isWhole) return null;
  return { ...candidate, matches, title, capturedAt: null, checkedAt: now };
}

const NOT_LEFT = { step: "own", state: "done", dueAt: null, misses: 0 } as const;

/** An archive is asked if the owners of the account want that. */
async function afterOwn(deps: Deps, { accountNo }: Dead): Promise<Settled> {
  if ((await lookupsOf(deps, accountNo)) !== "on") return NOT_LEFT;
  return { step: "archive", state: "looking", dueAt: deps.clock.now(), misses: 0 };
}

async function askArchive(
  { deps, signal }: Looking,
  lookup: Claimed,
  link: LinkRow & Dead,
): Promise<void> {
  const { store, clock } = deps;
  if ((await lookupsOf(deps, link.accountNo)) !== "on") {
    return void (await settle(store, lookup, NOT_LEFT));
  }
  const { isByHand } = lookup;
  const asked = await findCopy(deps, { ...wantedOf(link, link.memory), isByHand, signal });
  if (signal.aborted) return void (await settle(store, lookup, { dueAt: clock.now() }));
  const found = asked.state === "found" ? [copyFound(asked.copy, clock.now())] : [];
  await record(deps, {
    lookup,
    link,
    tried: found.map((each) => ({ candidate: null, found: each })),
    next: afterArchive(asked, lookup, clock.now()),
  });
  if (asked.state === "unavailable") await postpone(deps, asked.retryAt);
}

function afterArchive(
  asked: Awaited<ReturnType<typeof findCopy>>,
  { misses }: Claimed,
  now: number,
): Settled {
  if (asked.state === "found") return { state: "done", dueAt: null, reasons: null };
  if (asked.state === "not_asked") return { state: "not_asked", dueAt: null, reasons: null };
  if (asked.state === "unavailable") return { state: "unavailable", dueAt: asked.retryAt };
  const keptMs = misses > 0 ? STILL_NOTHING_KEPT_MS : NOTHING_KEPT_MS;
  const reasons: LookupReason[] = asked.reasons;
  return {
    state: "nothing_good",
    dueAt: now + keptMs,
    misses: misses + 1,
    reasons: JSON.stringify(reasons),
  };
}

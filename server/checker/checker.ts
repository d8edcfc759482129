import type { Deps } from "../deps.ts";
import { createBell } from "../lib/bell.ts";
import { newId } from "../lib/ids.ts";
import { describeError, log } from "../lib/log.ts";
import { completeBatches } from "./batches.ts";
import { type ClaimedLink, claimDueLinks, releaseLinks, renewLeases } from "./claim.ts";
import { type Conclusion, sawNothing } from "./conclusion.ts";
import type { KnownLink } from "./confirm.ts";
import { createDispatch } from "./dispatch.ts";
import { LEASE_MS } from "./lease.ts";
import { recordResults } from "./record.ts";
import type { Result } from "./settled.ts";

/** Everything the loop may need: what checks one link comes in from outside. */
type CheckerDeps = Deps & {
  /** One whole check; ends early when the signal aborts. Never throws for network reasons. */
  check: (link: KnownLink, signal: AbortSignal) => Promise<Conclusion>;
};

/** Results wait so long at most, or until so many are there. */
const GROUP_MS = 250;
const GROUP_SIZE = 200;
const POLL_MS = 1000;
const STOP_MS = 10_000;

/** One round: claims what is due, checks it all and records it. Returns how many. */
export async function checkDueLinks(deps: CheckerDeps): Promise<number> {
  const claimed = await claimDueLinks(deps, deps.config.checkConcurrency);
  const { signal } = new AbortController();
  const results = await Promise.all(claimed.map((link) => checkOne(deps, link, signal)));
  await recordResults(deps, results);
  await completeBatches(deps);
  return claimed.length;
}

type CheckLoop = {
  /** Looks for due links now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more, ends the checks under way and gives their links back. */
  stop(): Promise<void>;
};

/** Keeps as many checks in flight as configured: a slow one never holds up the others. */
export function startCheckLoop(deps: CheckerDeps): CheckLoop {
  const ending = new AbortController();
  const held = new Map<string, ClaimedLink>();
  const running = new Set<Promise<void>>();
  const bell = createBell(deps.clock);
  const recorder = createRecorder(deps, letGo);
  const dispatch = createDispatch(deps);

  async function start(link: ClaimedLink) {
    const result = await checkOne(deps, link, ending.signal);
    dispatch.note(link, result.conclusion);
    await recorder.add(result);
  }

  /** Its lease is renewed until its result is written. */
  function letGo(link: ClaimedLink) {
    // Claimed a second time meanwhile, it is held by that check.
    if (held.get(link.id) === link) held.delete(link.id);
  }

  async function fill() {
    const free = deps.config.checkConcurrency - running.size;
    const claimed = free > 0 ? await dispatch.claim(free) : [];
    for (const link of claimed) held.set(link.id, link);
    // Told to stop meanwhile, which gives back what is held.
    if (ending.signal.aborted) return;
    for (const link of claimed) {
      const check = start(link).finally(() => {
        running.delete(check);
        if (claimed.length === free) bell.ring();
      });
      running.add(check);
    }
  }

  async function poll() {
    while (!ending.signal.aborted) {
      await fill().catch(logFailure("no links could be claimed"));
      await bell.wait(POLL_MS);
    }
  }

  const renew = () =>
    renewLeases(deps, [...held.values()]).catch(logFailure("leases were not renewed"));

  const loops = [
    poll(),
    repeat(deps, GROUP_MS, ending.signal, recorder.flush),
    repeat(deps, LEASE_MS / 4, ending.signal, renew),
  ];
  return {
    wake: bell.ring,
    async stop() {
      ending.abort();
      bell.ring();
      await within(deps, STOP_MS, Promise.all(running));
      await Promise.all(loops);
      await recorder.flush();
      const left = [...held.values()].map((link) => ({ link, dueAt: deps.clock.now() }));
      await releaseLinks(deps, left).catch(logFailure("links were not given back"));
    },
  };
}

/** Writes results in groups, so that a durable commit costs one sync and not one per check. */
function createRecorder(deps: Deps, letGo: (link: ClaimedLink) => void) {
  let done: Result[] = [];

  /** What could not be written is lost, but not forgotten: its links become due when their leases end. */
  async function flush() {
    const results = done;
    done = [];
    if (results.length === 0) return;
    await recordResults(deps, results).catch(logFailure("results were not written"));
    for (const { link } of results) letGo(link);
    deps.loops.wake();
    if (results.some(({ link }) => link.batchId !== null)) {
      await completeBatches(deps).catch(logFailure("batches were not completed"));
    }
  }

  async function add(result: Result) {
    done.push(result);
    if (done.length >= GROUP_SIZE) await flush();
  }

  return { add, flush };
}

async function checkOne(
  deps: CheckerDeps,
  link: ClaimedLink,
  signal: AbortSignal,
): Promise<Result> {
  const conclusion =
    concludeOffline(deps) ?? (await deps.check(knownOf(deps, link), signal).catch(ourFault));
  return { checkId: newId(), link, conclusion, at: deps.clock.now() };
}

const knownOf = ({ clock }: Deps, link: ClaimedLink): KnownLink => ({
  id: link.id,
  url: link.url,
  lastDecided: link.decidedStatus,
  decidedReason: link.decidedReason,
  lastActiveAt: link.lastActiveAt,
  unconfirmedSince: link.unconfirmedSince,
  isFlapping: (link.flappingUntil ?? 0) > clock.now(),
  isAsked: link.nextTrigger === "manual",
});

/** Known to be offline, we need not try. */
function concludeOffline({ online }: Deps): Conclusion | null {
  const known = online.known();
  return known.state === "offline"
    ? sawNothing("monitor_offline", { monitor: known.report })
    : null;
}

/** A bug of ours is not the link's fault. */
function ourFault(error: unknown): Conclusion {
  log.error("a check failed by itself", describeError(error));
  return sawNothing("internal_error");
}

/** Waits for the work, but no longer than that. */
async function within({ clock }: Deps, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, clock.sleep(ms, done.signal)]);
  done.abort();
}

async function repeat(
  { clock }: Deps,
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal);
    await work();
  }
}

const logFailure = (what: string) => (error: unknown) => log.error(what, describeError(error));

import { isUnavailable } from "../ground/db/store.ts";
import { repeat } from "../ground/lib/clock.ts";
import { describeError, log, logFailure } from "../ground/lib/log.ts";
import { type FoundHost, hostSettingFor } from "../hosts/lookup.ts";
import type { KnownLink } from "../judge/confirm.ts";
import type { CheckLink } from "../judge/create-check.ts";
import { type Conclusion, sawNothing } from "../judge/probe/conclusion.ts";
import { tendBatches } from "../links/complete-batches.ts";
import type { Deps } from "../work/deps.ts";
import { earliestDue } from "../work/due.ts";
import { createLookWhenNeeded, NEVER_DUE, startQueue } from "../work/queue.ts";
import type { ClaimedLink } from "./claim.ts";
import { createDispatch, createHeldLinks, createIntake, type HeldLinks } from "./dispatch.ts";
import { mustBeSeen, rememberedOf } from "./identity.ts";
import type { Learning } from "./learning.ts";
import { limitWaits } from "./longest-waits.ts";
import { knownReading } from "./readings.ts";
import { createRecorder, GROUP_MS, type Recorder } from "./record.ts";
import type { SiteHolds } from "./site-holds.ts";
import { createSlots, type Slots } from "./slots.ts";

export type CheckerDeps = Deps & {
  /** Checks a link completely; ends early when the signal aborts. Never throws for network reasons. */
  check: CheckLink;
  /** Whether this machine, and not the sites, makes checks take long; false by default. */
  isLate?: () => boolean;
  /** Cooldowns of sites, where they are shared with other processes. */
  holds?: SiteHolds;
  /** What checks learn, which is written with their results. */
  learning?: Learning;
};

/** How often new batches are looked for, and complete ones; the latter also when results are written. */
const BATCHES_EVERY_MS = 500;
const HAND_OVER_EVERY_MS = 500;
const HOLDS_EVERY_MS = 2000;
const STOP_MS = 8000;

type CheckLoop = {
  /** Looks for due links now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more, aborts the checks under way and releases their links. */
  stop(): Promise<void>;
};

/** What this process checks at the moment. */
type Checking = {
  deps: CheckerDeps;
  /** After it nothing more is claimed. */
  ending: AbortSignal;
  /** Links under a lease, until their results are written. */
  held: HeldLinks;
  slots: Slots;
  recorder: Recorder;
  dispatch: ReturnType<typeof createDispatch>;
  intake: ReturnType<typeof createIntake>;
  /** Looks for due links now. */
  wake(): void;
  /** The last claim got as many as it asked for, so that there may be more. */
  mayBeMore: boolean;
  /** Writes were stopped in the last round. */
  wasStopped: boolean;
};

/** Keeps as many checks under way as configured: a slow check never delays the others. */
export function startCheckLoop(deps: CheckerDeps): CheckLoop {
  const ending = new AbortController();
  const { signal } = ending;
  const { wake, ended } = startQueue(deps, signal, {
    rows: "links",
    work: "checks",
    prepare: () => prepare(checking),
    claim: () => claim(checking),
    limitWaits: (signal, atStart) => limitWaits(deps, signal, atStart),
    catchUp: () => dispatch.catchUp(),
  });
  const checking = createChecking(deps, signal, wake);
  const { recorder, dispatch, intake, slots, held } = checking;

  /** In a loop of its own, since filling a large batch takes a while. */
  const lookAtBatches = createLookWhenNeeded(deps);
  const updateBatches = unlessStopped(deps, "failed to update batches", () =>
    lookAtBatches(async () => {
      await tendBatches(deps, signal, dispatch.shareWith);
      return NEVER_DUE;
    }),
  );
  const saveHolds = unlessStopped(deps, "failed to save site cooldowns", async () =>
    deps.holds?.save(),
  );
  const loops = [
    ended,
    repeat(deps, GROUP_MS, signal, recorder.flush),
    repeat(deps, BATCHES_EVERY_MS, signal, updateBatches),
    repeat(deps, HAND_OVER_EVERY_MS, signal, intake.handOver),
    repeat(deps, HOLDS_EVERY_MS, signal, saveHolds),
  ];
  return {
    wake,
    async stop() {
      ending.abort();
      await within(deps, STOP_MS, slots.stop());
      await Promise.all(loops);
      await Promise.all([recorder.drain(), saveHolds()]);
      await held.releaseAll().catch(logFailure("failed to release links"));
    },
  };
}

function createChecking(deps: CheckerDeps, ending: AbortSignal, wake: () => void): Checking {
  const { clock } = deps;
  const held = createHeldLinks(deps);
  const recorder = createRecorder(deps, held.remove, deps.learning);
  const dispatch = createDispatch(deps);
  const hasShare = () => deps.nodes.share("checks").buckets.length > 0;
  const add = (link: ClaimedLink, conclusion: Conclusion) =>
    recorder.add({ link, conclusion, at: clock.now() });
  const slots = createSlots({
    clock,
    size: deps.config.checkConcurrency,
    check: (link, signal, onWait) =>
      checkOne(deps, link, signal, (isWaiting) => {
        deps.metrics.checkWaits(isWaiting);
        onWait(isWaiting);
      }),
    ended(link, conclusion) {
      dispatch.note(link, conclusion);
      add(link, conclusion);
      if (dispatch.isInDoubt() || needsMore(checking)) wake();
    },
    defer(link, deferMs) {
      deps.metrics.checkNotBegun();
      add(link, { ...sawNothing("check_aborted"), deferMs });
    },
    isOpen: () =>
      !dispatch.isInDoubt() && recorder.hasRoom() && !areWritesStopped(deps) && hasShare(),
    isHeld: held.has,
    isLate: deps.isLate ?? (() => false),
  });
  const checking: Checking = {
    deps,
    ending,
    held,
    slots,
    recorder,
    dispatch,
    intake: createIntake(deps, { held, slots, recorder }, ending),
    wake,
    mayBeMore: false,
    wasStopped: false,
  };
  return checking;
}

const needsMore = ({ mayBeMore, slots }: Checking) => mayBeMore && slots.isLow();

/** Renews leases, takes over those of dead nodes, and looks whether this monitor and the sites can be asked. */
async function prepare(checking: Checking) {
  const { deps, held, slots, dispatch } = checking;
  slots.tick();
  const { wasStopped } = checking;
  checking.wasStopped = areWritesStopped(deps);
  if (checking.wasStopped) return "paused";
  // What has come due meanwhile is a backlog.
  if (wasStopped) dispatch.catchUp();
  await held.renew();
  await held.releaseDead();
  await dispatch.look();
  await deps.holds?.learn(deps.nodes.share("checks"));
  return "ready";
}

/** Returns when the next link is due; null while links are being checked. */
async function claim(checking: Checking): Promise<number | null> {
  const { deps, held, slots, dispatch, intake } = checking;
  await intake.take(slots.roomForRequested(), dispatch.claimRequested);
  // Not for every slot that becomes free, since each claim is a commit.
  if (slots.isLow()) checking.mayBeMore = await intake.take(slots.room(), dispatch.claimDue);
  if (needsMore(checking)) checking.wake();
  if (!held.isEmpty()) return null;
  return (await earliestDue(deps, deps.nodes.share("checks").buckets)) ?? NEVER_DUE;
}

/** Claims are writes, and so are results. */
const areWritesStopped = ({ troubles }: Deps) => troubles.stoppingWrites() !== null;

const unlessStopped =
  (deps: Deps, failure: string, work: () => Promise<void>) => async (): Promise<void> => {
    if (!areWritesStopped(deps)) await work().catch(logFailure(failure));
  };

/** Waits for the work, but no longer than that. */
async function within({ clock }: Deps, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, clock.sleep(ms, done.signal)]);
  done.abort();
}

/** Checks a claimed link, unless this monitor is known to be offline. Never throws. */
export function checkOne(
  deps: CheckerDeps,
  link: ClaimedLink,
  signal: AbortSignal,
  onWait?: (isWaiting: boolean) => void,
): Promise<Conclusion> {
  const known = deps.online.known();
  if (known.state === "offline") {
    return Promise.resolve(sawNothing("monitor_offline", { monitor: known.report }));
  }
  const responses = { alive: link.aliveResponse, dead: link.deadResponse };
  const now = deps.clock.now();
  const reading = mustBeSeen(deps, link) ? null : knownReading(link, now);
  const remembered = rememberedOf(deps, link, now);
  const checkIt = (known: KnownLink) => {
    const page = remembered === undefined ? {} : { remembered };
    return deps.check({ ...known, responses, known: reading, ...page }, signal, onWait);
  };
  return counted(deps, () =>
    Promise.try(() => checkAtHost(deps, link, checkIt)).catch((error) => {
      // What is set for its host could not be read, so the link is checked once the database is back.
      if (isUnavailable(error)) return sawNothing("check_aborted");
      // A bug of ours is not the link's fault.
      log.error("check failed: internal error", { link: link.id, ...describeError(error) });
      return sawNothing("internal_error");
    }),
  );
}

/** What is known of a link when its check begins. */
export type CheckedLink = Omit<ClaimedLink, "lease" | "bucket" | "override">;

/**
 * Checks a link with what its account sends to its host. At once for an account without settings for hosts, so that
 * checks begin in the order of their claims.
 */
export function checkAtHost(
  deps: Deps,
  link: CheckedLink,
  check: (link: KnownLink) => Promise<Conclusion>,
): Promise<Conclusion> {
  const found = hostSettingFor(deps, link.accountId, link.url);
  const begin = (host: Awaited<typeof found>) =>
    // Without its credentials everything there looks dead.
    host === "unreadable"
      ? Promise.resolve(sawNothing("credentials_unreadable"))
      : check(knownOf(deps, link, host));
  return found instanceof Promise ? found.then(begin) : begin(found);
}

async function counted({ metrics, clock }: Deps, check: () => Promise<Conclusion>) {
  const startedAt = clock.elapsed();
  metrics.checkStarted();
  const conclusion = await check();
  if (conclusion.deferMs === null) metrics.checkEnded(conclusion, clock.elapsed() - startedAt);
  else metrics.checkDeferred();
  return conclusion;
}

const DAY_MS = 86_400_000;
/** Longer than any check, which may have begun while the credentials still worked. */
const PROVES_AFTER_MS = 15 * 60_000;

/**
 * Whether the credentials work, as far as is known, and have found a page since the link was first missing. They may
 * have expired between their last success and that. A link that is known to be dead needs no such proof again.
 */
function isProven(link: CheckedLink, lastSuccessAt: number | null, now: number): boolean {
  if (lastSuccessAt === null || now - lastSuccessAt > DAY_MS) return false;
  if (link.decidedStatus === "dead") return true;
  const since = link.failingClass === "unproven" ? link.failingSince : null;
  return since !== null && lastSuccessAt > since + PROVES_AFTER_MS;
}

function hostOf(link: CheckedLink, found: Exclude<FoundHost, "unreadable">, now: number) {
  if (found === null) return null;
  const { lastSuccessAt, ...host } = found;
  return { ...host, isProven: isProven(link, lastSuccessAt, now) };
}

const knownOf = (
  { clock }: Deps,
  link: CheckedLink,
  host: Exclude<FoundHost, "unreadable">,
): KnownLink => ({
  id: link.id,
  url: link.url,
  lastDecided: link.decidedStatus,
  decidedReason: link.decidedReason,
  lastActiveAt: link.lastActiveAt,
  unconfirmedSince: link.unconfirmedSince,
  isFlapping: (link.flappingUntil ?? 0) > clock.now(),
  isRequested: link.nextTrigger === "manual",
  ...(link.expect && { expect: link.expect }),
  ...(link.fragments && { fragments: link.fragments.map(({ fragment }) => fragment) }),
  host: hostOf(link, host, clock.now()),
});

import type { Deps } from "../../work/deps.ts";
import { NEVER_DUE, startQueue } from "../../work/queue.ts";
import { viewCapture } from "./capture.ts";
import { keepCopy } from "./copies.ts";
import { askIndex } from "./find-copy.ts";
import { beginSave, type NotNow, readLimits, readSave, type Said } from "./save.ts";
import {
  breakLeases,
  type ClaimedSave,
  claimSave,
  DAY_MS,
  dropSave,
  isStillWanted,
  limitWaits,
  nextSave,
  type Settled,
  settleSave,
  startedSince,
} from "./saves.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** When a save is looked at again; the archive's index may lack a capture for hours. Then it is given up. */
const LOOKS_MS = [MINUTE_MS / 2, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];
/** An older capture than this was not good enough for the archive either. */
const RECENT_MS = 31 * DAY_MS;
/** After the archive has refused the key. */
const REFUSED_MS = HOUR_MS;

type Saving = {
  deps: Deps;
  signal: AbortSignal;
  /** The archive is not asked before. */
  restsUntil: number;
  /** No save begins before: those of the day are used up. */
  startsAt: number;
  /** When the limits of the key were read. */
  limitsReadAt: number | null;
};

/** @param signal ends requests that are under way */
export const createSaving = (deps: Deps, signal: AbortSignal): Saving => ({
  deps,
  signal,
  restsUntil: 0,
  startsAt: 0,
  limitsReadAt: null,
});

/** Saves pages of alive links in the archive until it is stopped. */
export function startSaveLoop(deps: Deps): { wake(): void; stop(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const saving = createSaving(deps, signal);
  const { wake, ended } = startQueue(deps, signal, {
    rows: "pages to save",
    async prepare() {
      const isOffline = deps.online.known().state === "offline";
      return deps.troubles.stoppingWrites() || isOffline ? "paused" : "ready";
    },
    claim: () => saveDue(saving),
    limitWaits: () => limitWaits(deps),
  });
  return {
    wake,
    async stop() {
      ending.abort();
      await ended;
    },
  };
}

/** Does what is due, one page after another. Returns when something is due next. */
export async function saveDue(saving: Saving): Promise<number> {
  const { deps, signal } = saving;
  await breakLeases(deps);
  for (;;) {
    const now = deps.clock.now();
    if (signal.aborted || saving.restsUntil > now) return saving.restsUntil;
    const isOpen = saving.startsAt <= now;
    const next = await nextSave(deps, isOpen);
    const dueAt = next?.dueAt ?? NEVER_DUE;
    if (!next || dueAt > now) return isOpen ? dueAt : Math.min(dueAt, saving.startsAt);
    if (next.state === "waiting" && !(await mayStart(saving))) continue;
    const claimed = await claimSave(deps, next);
    if (claimed) await takeStep(saving, claimed);
  }
}

/** Whether the day's saves are not used up, neither those of the settings nor those of the key. */
async function mayStart(saving: Saving): Promise<boolean> {
  const { deps, signal } = saving;
  const now = deps.clock.now();
  const today = now - (now % DAY_MS);
  if ((await startedSince(deps, today)) >= deps.config.archiveSavesPerDay) {
    saving.startsAt = today + DAY_MS;
    return false;
  }
  if (saving.limitsReadAt !== null && now - saving.limitsReadAt < HOUR_MS) return true;
  const limits = await readLimits(deps, signal);
  if (limits.state !== "known") {
    rest(saving, limits);
    return false;
  }
  saving.limitsReadAt = now;
  if (limits.isNearlyUsedUp) saving.startsAt = today + DAY_MS;
  return !limits.isNearlyUsedUp;
}

/** Asks the archive for nothing until it may be asked again. Returns when that is. */
function rest(saving: Saving, said: NotNow): number {
  const { clock, troubles } = saving.deps;
  if (said.state === "refused") {
    troubles.set(
      "archive_key",
      "The archive refuses the key in STILLUP_ARCHIVE_KEY_FILE, so no pages are saved. Create a new key at archive.org/account/s3.php and restart.",
    );
  }
  saving.restsUntil = said.state === "refused" ? clock.now() + REFUSED_MS : said.retryAt;
  return saving.restsUntil;
}

async function takeStep(saving: Saving, save: ClaimedSave): Promise<void> {
  const { deps, signal } = saving;
  if (!(await isStillWanted(deps, save))) return void (await dropSave(deps, save));
  const settled = await (save.state === "waiting" ? start(saving, save) : look(saving, save));
  await settleSave(deps, save, signal.aborted ? { dueAt: deps.clock.now() } : settled);
}

async function start(saving: Saving, save: ClaimedSave): Promise<Settled> {
  const { deps, signal } = saving;
  const said = await beginSave(deps, save.url.replace(/#.*/s, ""), signal);
  if (said.state !== "begun") return after(saving, save, said);
  deps.troubles.set("archive_key", null);
  const now = deps.clock.now();
  return { state: "saving", job: said.job, startedAt: now, dueAt: now + LOOKS_MS[save.looks]! };
}

/** Asks what became of a save, and looks for the capture in the index once it has ended. */
async function look(saving: Saving, save: ClaimedSave): Promise<Settled> {
  const { deps, signal } = saving;
  const said: Said =
    save.job === null ? { state: "saved" } : await readSave(deps, save.job, signal);
  return said.state === "saved" ? keepSaved(saving, save) : after(saving, save, said);
}

function after(saving: Saving, save: ClaimedSave, said: Said): Settled {
  switch (said.state) {
    case "refused":
    case "unavailable":
      return { dueAt: rest(saving, said) };
    case "pending":
      return later(saving, save, {});
    case "failed":
      return later(saving, save, { state: "waiting", job: null }, HOUR_MS);
    default:
      return { state: "ended", job: null, dueAt: null };
  }
}

/** The next look, or the end after the last one. */
function later(
  { deps }: Saving,
  { looks }: ClaimedSave,
  columns: Partial<Settled>,
  leastMs = 0,
): Settled {
  const waitMs = LOOKS_MS[looks + 1];
  if (waitMs === undefined) return { state: "ended", job: null, dueAt: null };
  return {
    ...columns,
    looks: looks + 1,
    dueAt: deps.clock.now() + Math.max(waitMs, leastMs),
  };
}

/** These change when the archive is asked again. */
const PASSING = new Set(["no_answer", "not_a_capture", "leads_elsewhere"]);

/** Keeps the capture of the page that the index has, if it shows the page. */
async function keepSaved(saving: Saving, save: ClaimedSave): Promise<Settled> {
  const { deps, signal } = saving;
  const { url, urlKey, startedAt } = save;
  const now = deps.clock.now();
  const from = (startedAt ?? now) - RECENT_MS;
  const question = { url, from, to: now + DAY_MS, order: "newest" } as const;
  const listed = await askIndex(deps, question, signal);
  if (listed.state === "unavailable") return { job: null, dueAt: rest(saving, listed) };
  const [capture] = listed.captures;
  if (!capture) return later(saving, save, { job: null });
  const latestAt = deps.clock.now();
  const viewed = await viewCapture(deps, capture, { url, trace: null, latestAt, signal });
  if (viewed.state === "unavailable") return { job: null, dueAt: rest(saving, viewed) };
  if (viewed.state === "refused") {
    return PASSING.has(viewed.reason)
      ? later(saving, save, { job: null })
      : { state: "ended", job: null, dueAt: null };
  }
  const copy = { url: viewed.url, captured_at: viewed.capturedAt, matches: viewed.matches };
  await keepCopy(deps.store, { urlKey, now, latestAt }, copy, { ...viewed, isSaved: true });
  return { state: "saved", job: null, dueAt: null };
}

import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Frequency } from "../../../server/ground/lib/vocabulary.ts";
import { api, asSent, newKey, unwrap } from "./api.ts";
import { useAskBeforeLeaving } from "./browser.ts";
import { counted } from "./format.ts";
import { reloadRows } from "./link-rows.ts";
import type { Conditions } from "./links.ts";
import type { TriageChange } from "./triage.ts";

/** The links to change: named ones, or all that match. */
export type Target = { kind: "ids"; ids: string[] } | Matching;
type Matching = { kind: "matching"; conditions: Conditions; total: number };

export type Change =
  | { kind: "delete" }
  | { kind: "move"; group: { id: string; name: string } | null }
  | { kind: "frequency"; frequency: Frequency }
  | { kind: "accept" }
  | TriageChange;

/** Result of one request; `next` is the cursor of the next one. */
export type Step = {
  done: number;
  unchanged: number;
  failed: number;
  reasons: string[];
  next: string | null;
};

/**
 * Changes the named links, or the next thousand that match.
 * @param before cursor of the last step; null at first
 * @param key makes repeating a step harmless
 */
export async function takeStep(change: Change, target: Target, before: string | null, key: string) {
  const part = partOf(target, before);
  // Carried out even if the page is left meanwhile.
  const options = { headers: { "idempotency-key": key }, fetch: { keepalive: true } };
  if (change.kind === "delete") {
    const { summary, results, next } = await unwrap(api.links["batch-delete"].post(part, options));
    const { deleted: done, failed } = summary;
    return { done, unchanged: 0, failed, reasons: reasonsIn(results), next };
  }
  const { summary, results, next } = await unwrap(
    change.kind === "accept"
      ? api.links["batch-accept"].post(part, options)
      : api.links["batch-change"].post({ ...part, change: bodyOf(change) }, options),
  );
  const { changed: done, unchanged, failed } = summary;
  return { done, unchanged, failed, reasons: reasonsIn(results), next };
}

/** Changes up to a thousand links at once. @throws if none could be changed */
export async function changeNamed(change: Change, ids: string[]): Promise<Step> {
  const step = await takeStep(change, { kind: "ids", ids }, null, newKey());
  if (step.failed === ids.length) throw new Error(step.reasons[0]);
  return step;
}

/** Starts a check of each link, as one batch. Links that are being checked are omitted. */
export async function startChecks(target: Target) {
  if (target.kind === "ids") return unwrap(api.links.check.post({ link_ids: target.ids }));
  const { status, ...conditions } = target.conditions;
  if (status === "checking") return { batch_id: null, failures: [] };
  return unwrap(
    api.links.check.post({ filter: asSent<object>({ ...conditions, ...(status && { status }) }) }),
  );
}

type NotChecked = { id: string; error: { message: string } };

/** "Checking 2 links. 1 link could not be checked: No such link." */
export function checkingText(count: number, failures: NotChecked[] = []): string {
  const started = count - failures.length;
  const [first] = failures;
  return [
    started > 0 && `Checking ${counted(started, "link")}.`,
    first && `${counted(failures.length, "link")} could not be checked: ${first.error.message}`,
  ]
    .filter(Boolean)
    .join(" ");
}

const partOf = (target: Target, before: string | null) =>
  target.kind === "ids"
    ? { link_ids: target.ids }
    : { filter: asSent<object>(target.conditions), ...(before && { before: asRead(before) }) };

/** The client's type is the parsed cursor, a number; a string is sent. */
const asRead = (cursor: string) => cursor as unknown as number;

function bodyOf(change: Exclude<Change, { kind: "delete" | "accept" }>) {
  // The client's type is the parsed moment, a number; a string is sent.
  if (change.kind === "triage") return asSent<{ handling?: "open" }>(change.decision);
  return change.kind === "move"
    ? { group_id: change.group?.id ?? null }
    : { check_frequency: change.frequency };
}

type Result = { status: string } | { status: "failed"; error: { message: string } };

const reasonsIn = (results: Result[]) =>
  results.flatMap((result) => ("error" in result ? [result.error.message] : []));

/** A change of all that match, in steps of a thousand. */
export type Work = {
  change: Change;
  target: Matching;
  state: "running" | "stopping" | "stopped" | "refused" | "finished";
  done: number;
  unchanged: number;
  failed: number;
  /** Reason of failure → number of links. */
  reasons: Map<string, number>;
  /** Why the last step failed. */
  error: Error | null;
  before: string | null;
  key: string;
};

export function reachedOf({ done, unchanged, failed, target }: Work) {
  const reached = done + unchanged + failed;
  return { reached, total: Math.max(reached, target.total) };
}

export const isGoing = (work: Work | null) =>
  work?.state === "running" || work?.state === "stopping";

/** Runs one change at a time, until it is stopped or the page is closed. */
export function useBulkWork(onEnded: (work: Work) => void) {
  const client = useQueryClient();
  const [work, setWork] = useState<Work | null>(null);
  const isStopped = useRef(false);
  const stopQuietly = () => {
    isStopped.current = true;
  };
  const stop = () => {
    stopQuietly();
    setWork((now) => now && { ...now, state: "stopping" });
  };
  const run = async (from: Work) => {
    isStopped.current = false;
    const end = await workOff(from, () => isStopped.current, setWork);
    setWork(end);
    onEnded(end);
    for (const topic of ["groups", "overview"]) client.invalidateQueries({ queryKey: [topic] });
    await reloadRows(client);
  };
  useEffect(() => stopQuietly, []);
  useAskBeforeLeaving(work?.state === "running");
  return {
    work,
    stop,
    begin: (change: Change, target: Matching) => run(begun(change, target)),
    goOn: () => work && run({ ...work, state: "running", error: null }),
    dismiss: () => setWork(null),
  };
}

const begun = (change: Change, target: Matching): Work => ({
  change,
  target,
  state: "running",
  done: 0,
  unchanged: 0,
  failed: 0,
  reasons: new Map(),
  error: null,
  before: null,
  key: newKey(),
});

async function workOff(
  from: Work,
  isStopped: () => boolean,
  show: (work: Work) => void,
): Promise<Work> {
  let work = from;
  do {
    if (!isStopped()) show(work);
    work = await stepOf(work);
  } while (work.state === "running" && !isStopped());
  return work.state === "running" ? { ...work, state: "stopped" } : work;
}

async function stepOf(work: Work): Promise<Work> {
  try {
    const step = await takeStep(work.change, work.target, work.before, work.key);
    return { ...work, ...countedIn(work, step), before: step.next, key: newKey() };
  } catch (error) {
    return {
      ...work,
      state: "refused",
      error: error instanceof Error ? error : new Error(String(error)),
    };
  }
}

function countedIn(work: Work, step: Step) {
  const reasons = new Map(work.reasons);
  for (const reason of step.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return {
    state: step.next === null ? ("finished" as const) : ("running" as const),
    done: work.done + step.done,
    unchanged: work.unchanged + step.unchanged,
    failed: work.failed + step.failed,
    reasons,
  };
}

/** "Deleting links" */
export function doingWords(change: Change): string {
  if (change.kind === "delete") return "Deleting links";
  if (change.kind === "frequency") return `Changing links to ${change.frequency} checks`;
  if (change.kind === "accept") return "Accepting the pages of links";
  if (change.kind === "triage") return change.doing;
  return change.group ? `Moving links to ${change.group.name}` : "Taking links out of their groups";
}

/** "2,100 links were deleted." */
export function doneWords(work: Work): string {
  const { reached, total } = reachedOf(work);
  return [
    sentenceOf(work.change, work.done),
    work.unchanged > 0 && `${counted(work.unchanged, "link")} needed no change.`,
    work.failed > 0 && `${counted(work.failed, "link")} could not be changed.`,
    work.state !== "finished" && `${(total - reached).toLocaleString("en")} are as they were.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** "2 links were moved to Docs." */
export const sentenceOf = (change: Change, count: number): string =>
  `${counted(count, "link")} ${count === 1 ? "was" : "were"} ${didWords(change)}.`;

function didWords(change: Change): string {
  if (change.kind === "delete") return "deleted";
  if (change.kind === "frequency") return `set to ${change.frequency} checks`;
  if (change.kind === "accept") return "accepted as they are now";
  if (change.kind === "triage") return change.did;
  return change.group ? `moved to ${change.group.name}` : "taken out of their groups";
}

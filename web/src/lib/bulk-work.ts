import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAskBeforeLeaving } from "./browser.ts";
import { type Deed, type Step, sizeOf, type Target, takeStep } from "./bulk.ts";
import { counted } from "./format.ts";
import { GROUPS } from "./groups.ts";
import { LINKS } from "./links.ts";

/** A bulk change, step by step. */
export type Work = {
  deed: Deed;
  target: Target;
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

export const reachedOf = ({ done, unchanged, failed, target }: Work) => {
  const reached = done + unchanged + failed;
  return { reached, total: Math.max(reached, sizeOf(target)) };
};

export const isGoing = (work: Work | null) =>
  work?.state === "running" || work?.state === "stopping";

type Ended = (work: Work) => void;

/** Runs one bulk change at a time, until it is stopped or the page is closed. */
export function useBulkWork(onEnded: Ended) {
  const client = useQueryClient();
  const [work, setWork] = useState<Work | null>(null);
  const isStopped = useRef(false);
  const stop = () => {
    isStopped.current = true;
    setWork((now) => now && { ...now, state: "stopping" });
  };
  const run = async (from: Work) => {
    isStopped.current = false;
    const end = await workOff(from, () => isStopped.current, setWork);
    setWork(end);
    onEnded(end);
    for (const queryKey of [LINKS, GROUPS, ["overview"]]) client.invalidateQueries({ queryKey });
  };
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  useAskBeforeLeaving(work?.state === "running");
  return {
    work,
    stop,
    begin: (deed: Deed, target: Target) => run(begun(deed, target)),
    goOn: () => work && run({ ...work, state: "running", error: null }),
    dismiss: () => setWork(null),
  };
}

const begun = (deed: Deed, target: Target): Work => ({
  ...{ deed, target, state: "running", done: 0, unchanged: 0, failed: 0, reasons: new Map() },
  ...{ error: null, before: null, key: newKey() },
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
    const step = await takeStep(work.deed, work.target, work.before, work.key);
    return { ...work, ...countedIn(work, step), before: step.next, key: newKey() };
  } catch (error) {
    return { ...work, state: "refused", error: toError(error) };
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

const toError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** `crypto.randomUUID` is missing without TLS. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** "Deleting links" */
export function doingWords(deed: Deed): string {
  if (deed.kind === "delete") return "Deleting links";
  if (deed.kind === "frequency") return `Changing links to ${deed.frequency} checks`;
  return deed.group ? `Moving links to ${deed.group.name}` : "Taking links out of their groups";
}

/** "2,100 links were deleted." */
export function doneWords(work: Work): string {
  const { reached, total } = reachedOf(work);
  const done = `${counted(work.done, "link")} ${work.done === 1 ? "was" : "were"} ${didWords(work.deed)}.`;
  return [
    done,
    work.unchanged > 0 && `${counted(work.unchanged, "link")} needed no change.`,
    work.failed > 0 && `${counted(work.failed, "link")} could not be changed.`,
    work.state !== "finished" && `${(total - reached).toLocaleString("en")} are as they were.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function didWords(deed: Deed): string {
  if (deed.kind === "delete") return "deleted";
  if (deed.kind === "frequency") return `set to ${deed.frequency} checks`;
  return deed.group ? `moved to ${deed.group.name}` : "taken out of their groups";
}

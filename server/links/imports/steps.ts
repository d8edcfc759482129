import { eq } from "drizzle-orm";
import { findPeople } from "../../accounts/people.ts";
import { operatorOf } from "../../accounts/users.ts";
import type { Store } from "../../ground/db/store.ts";
import { imports } from "../../ground/db/tables.ts";
import { createWakeSignal } from "../../ground/lib/clock.ts";
import { AppError } from "../../ground/lib/errors.ts";
import { logFailure } from "../../ground/lib/log.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { ItemOutcome } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { deleteLinks } from "../delete.ts";
import { deleteGroup, findGroup, openGroupBook } from "../groups/groups.ts";
import {
  type Claimed,
  claim,
  countsOf,
  deleteItems,
  hold,
  LeaseLost,
  linesOf,
  nextItems,
  type Placed,
  resumeLeft,
  updateItems,
} from "./items.ts";
import { addPart, type ImportOptions, PART, previewPart, type Result, type Work } from "./part.ts";

const POLL_MS = 1000;
const DELETED_AT_ONCE = 2000;

/** Takes steps of imports until it is stopped. What it leaves goes on elsewhere, or later. */
export function startImportLoop(deps: Deps) {
  const ending = new AbortController();
  const { signal } = ending;
  const wakeSignal = createWakeSignal(deps.clock);

  async function poll() {
    await resumeLeft(deps).catch(logFailure("failed to resume imports of an earlier process"));
    while (!signal.aborted) {
      if (deps.troubles.stoppingWrites() === null)
        await runImports(deps, signal).catch(logFailure("failed to import links"));
      await wakeSignal.wait(POLL_MS);
    }
  }

  const polling = poll();
  return {
    wake: wakeSignal.wake,
    async stop() {
      ending.abort();
      wakeSignal.wake();
      await polling;
    },
  };
}

/** Takes steps of all due imports in turn, until there are none or the signal aborts. */
export async function runImports(deps: Deps, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const claimed = await claim(deps);
    if (!claimed) return;
    await step(deps, claimed);
    await yieldToEventLoop();
  }
}

/** Takes a step of an import, and gives it back. */
async function step(deps: Deps, claimed: Claimed): Promise<void> {
  try {
    if ((await takeStep(deps, claimed)) !== null)
      await hold(deps, claimed, { dueAt: deps.clock.now(), lease: null });
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (!(error instanceof AppError)) throw error;
    await end(deps, claimed, { status: "stopped", problem: error.message });
  }
}

/** @returns what became of the items of this step; null after the last one */
export function takeStep(deps: Deps, claimed: Claimed): Promise<Result[] | null> {
  switch (claimed.status) {
    case "previewing":
      return previewStep(deps, claimed);
    case "adding":
      return addStep(deps, claimed);
    case "undoing":
      return undoStep(deps, claimed);
    default:
      return deleteStep(deps, claimed);
  }
}

/** Ends what is done with an import. */
async function end(deps: Deps, claimed: Claimed, change: Parameters<typeof hold>[2]) {
  await hold(deps, claimed, { ...change, dueAt: null, lease: null });
  deps.topics.counted(new Set([claimed.accountId]));
  return null;
}

async function previewStep(deps: Deps, claimed: Claimed): Promise<Result[] | null> {
  const items = await nextItems(deps.store, claimed, ["waiting"], PART);
  if (items.length === 0) return end(deps, claimed, { status: "ready" });
  const work = await workOf(deps, claimed);
  const results = await previewPart(
    work,
    items.map(({ item }) => item),
    {
      count: countsOf(claimed).new,
      linesOf: (hashes) => linesOf(deps.store, claimed, hashes),
    },
  );
  await deps.store.transaction((tx) => save(deps, claimed, tx, { items, results }));
  return results;
}

async function addStep(deps: Deps, claimed: Claimed): Promise<Result[] | null> {
  const items = await nextItems(deps.store, claimed, ["waiting", "new"], PART);
  if (items.length === 0)
    return end(deps, claimed, { status: "complete", completedAt: deps.clock.now() });
  const work = await workOf(deps, claimed);
  const saved = new Map<number, Result>();
  const results = await addPart(
    work,
    items.map(({ item }) => item),
    async (tx, placed, batchId) => {
      for (const [place, result] of placed) saved.set(place, result);
      const some = placed.map(([place]) => items[place]!);
      await save(deps, claimed, tx, { items: some, results: placed.map(([, result]) => result) });
      if (batchId) await noteBatch(tx, claimed, batchId);
    },
  );
  // Those that were refused without being tried, and those of which more is known now.
  const places = results.flatMap((result, i) => {
    const before = saved.get(i);
    const isKnown =
      before?.outcome === result.outcome &&
      before.item.notKept.length === result.item.notKept.length;
    return isKnown ? [] : [i];
  });
  await deps.store.transaction((tx) =>
    save(deps, claimed, tx, {
      items: places.map((i) => ({
        ...items[i]!,
        outcome: saved.get(i)?.outcome ?? items[i]!.outcome,
      })),
      results: places.map((i) => results[i]!),
    }),
  );
  return results;
}

/** Deletes the next links that were created, and at the end the groups that were made and are empty. */
async function undoStep(deps: Deps, claimed: Claimed): Promise<Result[] | null> {
  const items = await nextItems(deps.store, claimed, ["created"], PART);
  const caller = await callerOf(deps, claimed);
  if (items.length === 0) {
    await deleteEmptyGroups(deps, caller, claimed);
    return end(deps, claimed, {
      status: "ready",
      batchIds: "[]",
      groupIds: "[]",
      startedAt: null,
      completedAt: null,
    });
  }
  const results = items.map(
    ({ item }): Result => ({
      item: { ...item, notKept: item.notKept ?? [] },
      outcome: "new",
      linkId: null,
      detail: null,
      urlHash: null,
    }),
  );
  const ids = items.map(({ linkId }) => linkId!);
  await deleteLinks(deps, caller, ids, (tx) => save(deps, claimed, tx, { items, results }));
  return results;
}

async function deleteEmptyGroups(deps: Deps, caller: Caller, { groupIds }: Claimed) {
  for (const id of JSON.parse(groupIds) as string[]) {
    // Someone else may have deleted it.
    const group = await findGroup(deps, caller, id).catch(() => null);
    if (!group) continue;
    const { active, dead, unknown } = group.counts;
    if (active + dead + unknown === 0) await deleteGroup(deps, caller, id);
  }
}

async function deleteStep(deps: Deps, claimed: Claimed): Promise<Result[] | null> {
  const count = await deleteItems(deps.store, claimed, DELETED_AT_ONCE);
  if (count === DELETED_AT_ONCE) return [];
  await deps.store.delete(imports).where(eq(imports.no, claimed.no));
  return null;
}

/** Stores what became of items, in the transaction of their links. */
async function save(
  deps: Deps,
  claimed: Claimed,
  tx: Store,
  { items, results }: { items: Pick<Placed, "n" | "outcome">[]; results: Result[] },
): Promise<void> {
  const [row] = await tx
    .select({ counts: imports.counts })
    .from(imports)
    .where(eq(imports.no, claimed.no));
  if (!row) throw new LeaseLost("This import was deleted.");
  const counts = countsOf(row);
  const move = (from: ItemOutcome, to: ItemOutcome) => {
    counts[from]--;
    counts[to]++;
  };
  for (const [i, { outcome }] of results.entries()) move(items[i]!.outcome, outcome);
  await hold({ ...deps, store: tx }, claimed, { counts: JSON.stringify(counts) });
  await updateItems(
    tx,
    claimed,
    results.map((result, i) => [items[i]!.n, result]),
  );
}

async function noteBatch(tx: Store, { no }: Claimed, id: string): Promise<void> {
  const [row] = await tx
    .select({ batchIds: imports.batchIds })
    .from(imports)
    .where(eq(imports.no, no));
  const batchIds = JSON.stringify([...JSON.parse(row!.batchIds), id]);
  await tx.update(imports).set({ batchIds }).where(eq(imports.no, no));
}

/** Who gave the list, with what the account may have now. */
async function callerOf(deps: Deps, claimed: Claimed): Promise<Caller> {
  const { accountId, actorKind: kind, actorId: id, actorName: name } = claimed;
  const caller = await operatorOf(deps, accountId);
  const by = { kind, id, name, address: () => null };
  return { ...caller, by: kind === "user" ? { ...by, accountId } : by };
}

async function workOf(deps: Deps, claimed: Claimed): Promise<Work> {
  const caller = await callerOf(deps, claimed);
  const options = JSON.parse(claimed.options) as ImportOptions;
  const groups = await openGroupBook(deps, caller);
  return {
    deps,
    caller,
    options,
    groups: {
      ...groups,
      async make(input) {
        const group = await groups.make(input);
        const groupIds = JSON.stringify([...JSON.parse(claimed.groupIds), group.id]);
        await hold(deps, claimed, { groupIds });
        claimed.groupIds = groupIds;
        return group;
      },
    },
    people: options.withState ? await peopleByEmail(deps, caller) : null,
  };
}

export async function peopleByEmail(deps: Deps, caller: Caller): Promise<Map<string, string>> {
  const people = await findPeople(deps, caller);
  return new Map([...people.values()].map(({ id, email }) => [email.toLowerCase(), id]));
}

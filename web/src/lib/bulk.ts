import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, unwrap } from "./api.ts";
import type { Conditions, Frequency } from "./links.ts";

/** The links to change: selected ones, or all that match. */
export type Target =
  | { kind: "ids"; ids: string[] }
  | { kind: "matching"; conditions: Conditions; total: number };

/** The limit of one request. */
export const MOST_NAMED = 1000;

export const sizeOf = (target: Target) =>
  target.kind === "ids" ? target.ids.length : target.total;

export type Deed =
  | { kind: "delete" }
  | { kind: "move"; group: { id: string; name: string } | null }
  | { kind: "frequency"; frequency: Frequency };

/** Result of one request; `next` is the cursor of the next one. */
export type Step = {
  done: number;
  unchanged: number;
  failed: number;
  reasons: string[];
  next: string | null;
};

/**
 * Changes the selected links, or the next thousand that match.
 * @param before cursor of the last step; null at first
 * @param key makes repeating a step harmless
 */
export async function takeStep(
  deed: Deed,
  target: Target,
  before: string | null,
  key: string,
): Promise<Step> {
  const part = partOf(target, before);
  const options = { headers: { "idempotency-key": key } };
  if (deed.kind === "delete") {
    const { summary, results, next } = await unwrap(api.links["batch-delete"].post(part, options));
    const { deleted: done, failed } = summary;
    return { done, unchanged: 0, failed, reasons: reasonsIn(results), next };
  }
  const body = { ...part, change: changeOf(deed) };
  const { summary, results, next } = await unwrap(api.links["batch-change"].post(body, options));
  const { changed: done, unchanged, failed } = summary;
  return { done, unchanged, failed, reasons: reasonsIn(results), next };
}

/** Starts a check of each link, as one batch. Links that are being checked are omitted. */
export async function startChecks(target: Target) {
  if (target.kind === "ids") return unwrap(api.links.check.post({ link_ids: target.ids }));
  const { status, ...conditions } = target.conditions;
  if (status === "checking") return { batch_id: null, failures: [] };
  const filter = { ...conditions, ...(status && { status }) };
  return unwrap(api.links.check.post({ filter }));
}

export const findBatch = (id: string) => unwrap(api.batches({ id }).get());
export type Batch = Awaited<ReturnType<typeof findBatch>>;

const partOf = (target: Target, before: string | null) =>
  target.kind === "ids"
    ? { link_ids: target.ids }
    : { filter: target.conditions, ...(before && { before: asRead(before) }) };

/** The client's type is the parsed cursor, a number; a string is sent. */
const asRead = (cursor: string) => cursor as unknown as number;

const changeOf = (deed: Exclude<Deed, { kind: "delete" }>) =>
  deed.kind === "move" ? { group_id: deed.group?.id ?? null } : { check_frequency: deed.frequency };

type Result = { status: string } | { status: "failed"; error: { message: string } };

const reasonsIn = (results: Result[]) =>
  results.flatMap((result) => ("error" in result ? [result.error.message] : []));

const WATCHED = "stillup.batch";
/** A fallback: progress normally arrives as a live update. */
const LOOK_AGAIN_MS = 5_000;

/** The batch that this tab started last. It outlives a reload, until it is dismissed. */
export function useWatchedBatch() {
  const [id, setId] = useState(() => sessionStorage.getItem(WATCHED));
  const { data: batch } = useQuery({
    queryKey: ["batches", id],
    queryFn: () => findBatch(id!),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.status === "complete" ? false : LOOK_AGAIN_MS),
  });
  const watch = (next: string | null) => {
    setId(next);
    if (next) sessionStorage.setItem(WATCHED, next);
    else sessionStorage.removeItem(WATCHED);
  };
  return { batch: id ? batch : undefined, watch };
}

import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { findBatch } from "./bulk.ts";

const WATCHED = "stillup.batch";
/** News of a batch arrive by themselves; this is for when they do not. */
const LOOK_AGAIN_MS = 5_000;

/** The batch of checks that this tab started last, also after a reload, until it is dismissed. */
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

import { useEffect, useState } from "preact/hooks";

let held: ReadonlySet<string> = new Set();
const readers = new Set<(ids: ReadonlySet<string>) => void>();

/** Ids whose deletion can still be undone. Lists hide them. */
export function useHeld(): ReadonlySet<string> {
  const [ids, setIds] = useState(held);
  useEffect(() => {
    setIds(held);
    readers.add(setIds);
    return () => void readers.delete(setIds);
  }, []);
  return ids;
}

/**
 * Hides what is to be deleted until the request was sent or the deletion was taken back.
 * @returns how to go on; only the first call counts
 */
export function hold(ids: string[], send: () => Promise<unknown>) {
  let isOpen = true;
  const show = () => {
    for (const reader of readers) reader(held);
  };
  const release = () => {
    held = new Set([...held].filter((id) => !ids.includes(id)));
    show();
  };
  const once =
    <T>(then: () => T) =>
    (): T | undefined => {
      if (!isOpen) return undefined;
      isOpen = false;
      removeEventListener("pagehide", carryOut);
      return then();
    };
  const carryOut = once(() => send().finally(release));
  held = new Set([...held, ...ids]);
  show();
  addEventListener("pagehide", carryOut);
  return { carryOut, takeBack: once(release) };
}

import { oneAtATime } from "../lib/concurrency.ts";
import type { Engine } from "./store.ts";

/** What an engine needs no database for that a single process serves. */
export function onlyProcess(): Pick<
  Engine,
  "isShared" | "now" | "alone" | "inTurn" | "notify" | "listen"
> {
  const underWay = new Set<string>();
  return {
    isShared: false,
    now: async () => Date.now(),
    async alone(name, work) {
      if (underWay.has(name)) return null;
      underWay.add(name);
      const { signal } = new AbortController();
      return work(signal).finally(() => underWay.delete(name));
    },
    inTurn: oneAtATime,
    notify: async () => {},
    listen: async () => null,
  };
}

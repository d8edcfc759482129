import { sized } from "./long.ts";

/** Two minutes, four in long stories. */
export const WITHIN_MS = sized(120_000, 240_000);

/** What tests are waiting for now, each in words that also say what was seen, with what ends the wait. */
const open = new Map<() => string, Timer>();

/**
 * Passes the result on. A test that ends before it comes fails with the words, such as "3 requests; seen: 2".
 * @throws the words when it does not come in time
 */
export async function waitFor<T>(awaited: Promise<T>, inWords: () => string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(new Error(`Waited ${WITHIN_MS / 1000} s for ${inWords()}`));
  const timer = setTimeout(giveUp, WITHIN_MS);
  open.set(inWords, timer);
  try {
    return await Promise.race([awaited, late.promise]);
  } finally {
    clearTimeout(timer);
    open.delete(inWords);
  }
}

/** Fails a test that has ended while it waited: its time was over. */
export function failOnOpenWaits(): void {
  const waits = [...open.keys()].map((inWords) => inWords());
  for (const timer of open.values()) clearTimeout(timer);
  open.clear();
  if (waits.length > 0)
    throw new Error(`The test was still waiting for ${waits.join(", and for ")}`);
}

/** Something in the world of a test that changes, and that the test waits for. */
export type Watch = {
  /** To be called after each change. */
  changed(): void;
  /** Resolves once this is so. */
  when(isSo: () => boolean, inWords: () => string): Promise<void>;
};

export function createWatch(): Watch {
  const looks = new Set<() => void>();
  return {
    changed() {
      for (const look of looks) look();
    },
    when(isSo, inWords) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (!isSo()) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
      return waitFor(promise, inWords);
    },
  };
}

/** Resolves once the list is so long. The watch is called after each that is added. */
export const hasCome = ({ when }: Watch, list: unknown[], count: number, what: string) =>
  when(
    () => list.length >= count,
    () => `${count} ${what}; seen: ${list.length}`,
  );

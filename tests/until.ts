import { WITHIN_MS } from "./waits.ts";

type Falsy = false | 0 | "" | null | undefined;
type Look<T> = () => T | Promise<T>;

type Waiting = {
  everyMs?: number;
  /** Where what is awaited may take longer. */
  withinMs?: number;
  /** What processes logged, for the error. */
  log?: () => string;
};

/** Resolves with what the look returns once that is truthy. @throws what was seen last when it is not so within two minutes, four in long stories */
export function until<T>(
  what: string,
  look: Look<T>,
  waiting?: Waiting,
): Promise<Exclude<T, Falsy>>;
export function until<T>(look: Look<T>, waiting?: Waiting): Promise<Exclude<T, Falsy>>;
export async function until<T>(
  first: string | Look<T>,
  second?: Look<T> | Waiting,
  third?: Waiting,
): Promise<T> {
  const [what, look, waiting] =
    typeof first === "string" ? [first, second, third] : [String(first), first, second];
  return seek(what, look as Look<T>, Boolean, waiting as Waiting);
}

/** Resolves once the look returns this. @throws what was seen last, as `until` does */
export const untilIs = <T>(what: string, look: Look<T>, wanted: T, waiting?: Waiting): Promise<T> =>
  seek(
    `${what} to be ${Bun.inspect(wanted)}`,
    look,
    (seen) => Bun.deepEquals(seen, wanted),
    waiting,
  );

async function seek<T>(
  what: string,
  look: Look<T>,
  isSo: (seen: T) => boolean,
  { everyMs = 1, withinMs = WITHIN_MS, log = () => "" }: Waiting = {},
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > giveUpAt) throw notSo(what, withinMs, Bun.inspect(seen), log());
    await Bun.sleep(everyMs);
  }
}

const notSo = (what: string, withinMs: number, seen: string, log: string) =>
  new Error(`Waited ${withinMs / 1000} s for: ${what}. Last seen: ${seen}\n${log}`);

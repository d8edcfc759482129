import { sized } from "./long.ts";

const WITHIN_MS = sized(60_000, 240_000);

type Falsy = false | 0 | "" | null | undefined;

type Waiting = {
  everyMs?: number;
  /** Where what is awaited may take longer. */
  withinMs?: number;
  /** What processes logged, for the error. */
  log?: () => string;
};

/** Resolves with what the look returns once that is truthy. @throws when it is not so within a minute, four in long stories */
export async function until<T>(
  look: () => T | Promise<T>,
  { everyMs = 1, withinMs = WITHIN_MS, log = () => "" }: Waiting = {},
): Promise<Exclude<T, Falsy>> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found as Exclude<T, Falsy>;
    if (performance.now() > giveUpAt)
      throw new Error(`Not so within ${withinMs / 1000} s: ${look}\n${log()}`);
    await Bun.sleep(everyMs);
  }
}

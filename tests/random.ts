/** The same numbers from 0 to 1 for the same seed (mulberry32), so that a failure can be repeated. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Random = (below: number) => number;

/** The same whole numbers from 0 up to, but not with, `below`. */
export function randomFrom(seed: number): Random {
  const next = dice(seed);
  return (below) => Math.floor(next() * below);
}

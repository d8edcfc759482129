import { getDomain } from "tldts";
import type { Clock } from "../lib/clock.ts";

type MannersOptions = {
  clock: Clock;
  /** Requests at once to one site. */
  hostConcurrency: number;
  /** Milliseconds between the starts of two requests to one site. */
  hostGapMs: number;
};

/** What is under way per site: the name one can register, or the address. */
export type Manners = MannersOptions & { sites: Map<string, Site> };

const SITES_KEPT = 1000;

type Site = { running: number; nextStartAt: number; waiting: (() => void)[] };

export const createManners = (options: MannersOptions): Manners => ({
  ...options,
  sites: new Map(),
});

/** Runs `fn` when the site of `host` is not too busy: first come, first served. A signal cuts the gap short. */
export async function withManners<T>(
  manners: Manners,
  host: string,
  fn: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const key = getDomain(host) ?? host;
  const site = manners.sites.get(key) ?? { running: 0, nextStartAt: 0, waiting: [] };
  if (manners.sites.size >= SITES_KEPT) forgetIdle(manners);
  manners.sites.set(key, site);
  await takeTurn(manners, site, signal);
  try {
    return await fn();
  } finally {
    leave(site);
  }
}

async function takeTurn(
  { clock, hostConcurrency, hostGapMs }: Manners,
  site: Site,
  signal: AbortSignal | undefined,
): Promise<void> {
  // Whoever leaves hands its place over, so that a newcomer cannot slip in between.
  if (site.running < hostConcurrency) site.running += 1;
  else await new Promise<void>((resolve) => site.waiting.push(resolve));
  const startAt = Math.max(site.nextStartAt, clock.elapsed());
  site.nextStartAt = startAt + hostGapMs;
  const waitMs = startAt - clock.elapsed();
  if (waitMs > 0) await clock.sleep(waitMs, signal);
}

function leave(site: Site): void {
  const next = site.waiting.shift();
  if (next) next();
  else site.running -= 1;
}

/** A site is remembered for its gap only. */
function forgetIdle({ clock, sites }: Manners): void {
  for (const [key, site] of sites) {
    if (site.running === 0 && site.nextStartAt <= clock.elapsed()) sites.delete(key);
  }
}

import { lt, sql } from "drizzle-orm";
import { isUnavailable, rowsOf, type Statement, type Store } from "../db/store.ts";
import { siteHolds } from "../db/tables.ts";
import type { Clock } from "../lib/clock.ts";
import { chunksOf } from "../lib/steps.ts";
import { type Manners, remember } from "../verdict/politeness/politeness.ts";
import { TROUBLE_KEPT_MS } from "../verdict/politeness/site-line.ts";
import type { SiteLoad } from "../verdict/politeness/site-load.ts";
import { bucketOf } from "../work/buckets.ts";
import type { Deps } from "../work/deps.ts";
import type { Share } from "../work/nodes.ts";

/** What sites want is kept in the database, for whoever asks them next: another process, or this one anew. */
export type SiteHolds = {
  /** Goes by what is kept of the sites in these buckets. Before any of them is asked. */
  learn(share: Share): Promise<void>;
  /** The same for buckets that were another's until now, whatever was known of them before. */
  learnTaken(buckets: readonly number[]): Promise<void>;
  /** Writes what has changed. */
  keep(): Promise<void>;
  /** The buckets of sites of which that is still to be written: nobody else knows yet what they want. */
  pending(): number[];
};

/** Shorter rests are over before another process asks. */
const LEAST_HOLD_MS = 10_000;
const LEAST_PENALTY_MS = 2000;
/** A site in trouble is written once in so long, and not with every answer. */
const STEP_MS = 60_000;
const FORGOTTEN_EVERY_MS = 10 * 60_000;
const ROWS = 500;

export function createSiteHolds(
  { store, clock }: Pick<Deps, "store" | "clock">,
  manners: Manners,
): SiteHolds {
  /** Of sites that were written, until when they are kept. */
  const written = new Map<string, number>();
  const changed = new Map<string, SiteLoad>();
  let learned: ReadonlySet<number> = new Set();
  let learnedFor: readonly number[] | null = null;
  let forgetAt = clock.elapsed();

  manners.onLoad = (site, load) => {
    if (changed.has(site) || isNews(site, load)) changed.set(site, load);
  };

  /** Whether something else is kept of the site than what it wants now. */
  function isNews(site: string, load: SiteLoad): boolean {
    const [before, until] = [written.get(site), keptUntil(clock, load)];
    if (until === null) return before !== undefined;
    return Math.abs(until - (before ?? 0)) > LEAST_HOLD_MS / 2;
  }

  async function learn({ buckets }: Share) {
    // Asked for with each look for links, most of which find the share that the last one found.
    if (buckets === learnedFor) return;
    const ours = new Set(buckets);
    learned = learned.intersection(ours);
    await learnTaken([...ours.difference(learned)]);
    learnedFor = buckets;
  }

  async function learnTaken(buckets: readonly number[]) {
    for (const some of chunksOf(ROWS, buckets)) {
      for (const [site, json] of await findHolds(store, some, clock.now())) {
        remember(manners, site, toLoad(clock, json));
      }
    }
    learned = learned.union(new Set(buckets));
  }

  async function keep() {
    try {
      for (const some of chunksOf(ROWS, [...changed])) await write(some);
      await store.write(forget());
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }

  async function write(some: [site: string, load: SiteLoad][]) {
    const news = some.filter(([site, load]) => isNews(site, load));
    const kept = news.flatMap(([site, load]) => {
      const until = keptUntil(clock, load);
      return until === null ? [] : [{ site, until, load: toJson(clock, load) }];
    });
    const over = news.flatMap(([site, load]) => {
      const until = written.get(site);
      return until !== undefined && keptUntil(clock, load) === null ? [{ site, until }] : [];
    });
    await store.write([...keepHolds(store, kept), ...endHolds(store, over)]);
    for (const [site, load] of some) if (changed.get(site) === load) changed.delete(site);
    for (const { site, until } of kept) written.set(site, until);
    for (const { site } of over) written.delete(site);
  }

  /** What is over, whoever wrote it. */
  function forget(): Statement[] {
    if (clock.elapsed() < forgetAt) return [];
    forgetAt = clock.elapsed() + FORGOTTEN_EVERY_MS;
    const now = clock.now();
    for (const [site, until] of written) if (until < now) written.delete(site);
    return [store.delete(siteHolds).where(lt(siteHolds.until, now))];
  }

  const pending = () => [...changed.keys()].map(bucketOf);

  return { learn, learnTaken, keep, pending };
}

/** Until when a site's load counts for whoever asks it next, by wall time; null when that is not worth a row. */
function keptUntil(clock: Clock, { hold, penaltyMs }: SiteLoad): number | null {
  const now = clock.now();
  const heldFor = (hold?.until ?? 0) - clock.elapsed();
  const untils = [
    ...(heldFor > LEAST_HOLD_MS ? [now + heldFor] : []),
    ...(penaltyMs >= LEAST_PENALTY_MS ? [inSteps(now + TROUBLE_KEPT_MS)] : []),
  ];
  return untils.length === 0 ? null : Math.ceil(Math.max(...untils));
}

const inSteps = (at: number) => Math.ceil(at / STEP_MS) * STEP_MS;

/** Moments are by wall time there, since no other process knows how long this one has run. */
const toJson = (clock: Clock, { hold, ...load }: SiteLoad): string =>
  JSON.stringify({
    ...load,
    hold: hold && { reason: hold.reason, until: hold.until - clock.elapsed() + clock.now() },
  });

/** What is in the table was written by `toJson`. */
function toLoad(clock: Clock, json: string): SiteLoad {
  const { hold, ...load } = JSON.parse(json) as SiteLoad;
  const since = clock.elapsed();
  return { ...load, hold: hold && { ...hold, since, until: hold.until - clock.now() + since } };
}

async function findHolds(store: Store, buckets: number[], now: number) {
  const given = rowsOf(
    store,
    { given: "bigint" },
    buckets.map((bucket) => [bucket]),
  );
  const rows: [site: string, load: string][] = await store.all(sql`
    select site, load from site_holds where bucket in (select given from ${given} as ours) and until > ${now}
  `);
  return rows;
}

type Hold = { site: string; until: number; load: string };

/** Another process may know of a longer rest, as sites are also asked on the way to others. */
function keepHolds(store: Store, kept: Hold[]): Statement[] {
  if (kept.length === 0) return [];
  const columns = { site: "text", bucket: "bigint", until: "bigint", load: "text" } as const;
  const rows = inOrder(kept).map(({ site, until, load }) => [site, bucketOf(site), until, load]);
  return [
    store.run(sql`
      insert into site_holds (site, bucket, until, load)
      select site, bucket, until, load from ${rowsOf(store, columns, rows)} as kept where true
      on conflict (site) do update set until = excluded.until, load = excluded.load
      where excluded.until >= site_holds.until
    `),
  ];
}

/** By name, so that two processes do not wait for each other. */
const inOrder = <T extends { site: string }>(holds: T[]) =>
  holds.toSorted((a, b) => (a.site < b.site ? -1 : 1));

function endHolds(store: Store, over: { site: string; until: number }[]): Statement[] {
  if (over.length === 0) return [];
  const rows = inOrder(over).map(({ site, until }) => [site, until]);
  return [
    store.run(sql`
      delete from site_holds where exists (
        select 1 from ${rowsOf(store, { site: "text", until: "bigint" }, rows)} as ended
        where ended.site = site_holds.site and site_holds.until <= ended.until
      )
    `),
  ];
}

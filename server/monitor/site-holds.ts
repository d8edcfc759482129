import { lt, sql } from "drizzle-orm";
import { isUnavailable, numbersOf, rowsOf, type Store } from "../ground/db/store.ts";
import { siteHolds } from "../ground/db/tables.ts";
import type { Clock } from "../ground/lib/clock.ts";
import { chunksOf } from "../ground/lib/steps.ts";
import type { SiteLoads } from "../judge/politeness/politeness.ts";
import { TROUBLE_KEPT_MS } from "../judge/politeness/site-line.ts";
import { loadFromJson, loadToJson, type SiteLoad } from "../judge/politeness/site-load.ts";
import type { Deps } from "../work/deps.ts";
import { bucketOf, LEASE_MS, type Share } from "../work/nodes.ts";

/** Keeps cooldowns of sites in the database, for the process that checks their links next. */
export type SiteHolds = {
  /**
   * Reads cooldowns of sites that are new in this share, and again for as long as their former node may still have
   * checks under way. Call it before links of the share are checked.
   */
  learn(share: Share): Promise<void>;
  /** Reads the cooldowns of sites in these buckets. */
  read(buckets: readonly number[]): Promise<void>;
  /** Writes what has changed. */
  save(): Promise<void>;
};

/** Shorter cooldowns end before another process sends a request. */
const LEAST_HOLD_MS = 10_000;
const LEAST_PENALTY_MS = 2000;
/** A site that keeps failing is written once in this time, not with every answer. */
const STEP_MS = 60_000;
const DELETE_EVERY_MS = 10 * 60_000;
const LEARN_EVERY_MS = 5000;
const ROWS = 500;

export function createSiteHolds(
  { store, clock }: Pick<Deps, "store" | "clock">,
  loads: SiteLoads,
): SiteHolds {
  /** Sites that were written, and until when their rows count. */
  const written = new Map<string, number>();
  const changed = new Map<string, SiteLoad>();
  let deleteAt = clock.elapsed();

  loads.onLoad = (site, load) => {
    if (changed.has(site) || isOutdated(site, load)) changed.set(site, load);
  };

  /** Whether the row of the site is outdated. */
  function isOutdated(site: string, load: SiteLoad): boolean {
    const [before, until] = [written.get(site), neededUntil(clock, load)];
    if (until === null) return before !== undefined;
    return Math.abs(until - (before ?? 0)) > LEAST_HOLD_MS / 2;
  }

  async function save() {
    try {
      for (const some of chunksOf(ROWS, [...changed])) await write(some);
      await deleteEnded();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }

  async function write(some: [site: string, load: SiteLoad][]) {
    const outdated = some.filter(([site, load]) => isOutdated(site, load));
    const held = outdated.flatMap(([site, load]) => {
      const until = neededUntil(clock, load);
      return until === null ? [] : [{ site, until, load: loadToJson(clock, load) }];
    });
    const ended = outdated.flatMap(([site, load]) => {
      const until = written.get(site);
      return until !== undefined && neededUntil(clock, load) === null ? [{ site, until }] : [];
    });
    await insertHolds(store, held);
    await deleteHolds(store, ended);
    for (const [site, load] of some) if (changed.get(site) === load) changed.delete(site);
    for (const { site, until } of held) written.set(site, until);
    for (const { site } of ended) written.delete(site);
  }

  /** Deletes rows that no longer count, of all processes. */
  async function deleteEnded(): Promise<void> {
    if (clock.elapsed() < deleteAt) return;
    deleteAt = clock.elapsed() + DELETE_EVERY_MS;
    const now = clock.now();
    for (const [site, until] of written) if (until < now) written.delete(site);
    await store.delete(siteHolds).where(lt(siteHolds.until, now));
  }

  async function read(buckets: readonly number[]) {
    for (const some of chunksOf(ROWS, buckets)) {
      for (const [site, json] of await findHolds(store, some, clock.now())) {
        // What is still to be written is newer.
        if (!changed.has(site)) loads.remember(site, loadFromJson(clock, json));
      }
    }
  }

  return { learn: createLearning(clock, store.engine.isShared, read), read, save };
}

/** Decides when the holds of which buckets are read. */
function createLearning(
  { elapsed }: Clock,
  isShared: boolean,
  read: (buckets: readonly number[]) => Promise<void>,
): SiteHolds["learn"] {
  let known: readonly number[] | null = null;
  let learned: ReadonlySet<number> = new Set();
  /** Buckets that this node got lately. */
  let gained: readonly number[] = [];
  let [nextAt, gainedUntil] = [0, 0];

  return async ({ buckets }) => {
    if (buckets !== known) {
      const ours = new Set(buckets);
      const added = ours.difference(learned);
      await read([...added]);
      gained = [...added.union(new Set(gained)).intersection(ours)];
      gainedUntil = isShared ? elapsed() + LEASE_MS : 0;
      nextAt = elapsed() + LEARN_EVERY_MS;
      learned = ours;
      known = buckets;
    }
    if (elapsed() >= gainedUntil) gained = [];
    if (gained.length === 0 || elapsed() < nextAt) return;
    nextAt = elapsed() + LEARN_EVERY_MS;
    await read(gained);
  };
}

/** Returns until when other processes need a site's load, by the wall clock; null if they do not. */
function neededUntil(clock: Clock, { hold, penaltyMs }: SiteLoad): number | null {
  const now = clock.now();
  const heldFor = (hold?.until ?? 0) - clock.elapsed();
  const untils = [
    ...(heldFor > LEAST_HOLD_MS ? [now + heldFor] : []),
    ...(penaltyMs >= LEAST_PENALTY_MS ? [inSteps(now + TROUBLE_KEPT_MS)] : []),
  ];
  return untils.length === 0 ? null : Math.ceil(Math.max(...untils));
}

const inSteps = (at: number) => Math.ceil(at / STEP_MS) * STEP_MS;

const findHolds = (store: Store, buckets: number[], now: number) =>
  store.all<[site: string, load: string]>(sql`
    select site, load from site_holds
    where bucket in (select no from ${numbersOf(store, buckets)} as ours) and until > ${now}
  `);

type Hold = { site: string; until: number; load: string };

/** Another process may know a longer cooldown, since redirects lead from one site to another. */
async function insertHolds(store: Store, holds: Hold[]): Promise<void> {
  if (holds.length === 0) return;
  const columns = { site: "text", bucket: "bigint", until: "bigint", load: "text" } as const;
  const rows = bySite(holds).map(({ site, until, load }) => [site, bucketOf(site), until, load]);
  await store.run(sql`
    insert into site_holds (site, bucket, until, load)
    select site, bucket, until, load from ${rowsOf(store, columns, rows)} as held where true
    on conflict (site) do update set until = excluded.until, load = excluded.load
    where excluded.until >= site_holds.until
  `);
}

/** Sorted, so that two processes do not wait for each other. */
const bySite = <T extends { site: string }>(holds: T[]) =>
  holds.toSorted((a, b) => (a.site < b.site ? -1 : 1));

async function deleteHolds(store: Store, ended: { site: string; until: number }[]): Promise<void> {
  if (ended.length === 0) return;
  const rows = bySite(ended).map(({ site, until }) => [site, until]);
  await store.run(sql`
    delete from site_holds where exists (
      select 1 from ${rowsOf(store, { site: "text", until: "bigint" }, rows)} as ended
      where ended.site = site_holds.site and site_holds.until <= ended.until
    )
  `);
}

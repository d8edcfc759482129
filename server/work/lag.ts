import { sql } from "drizzle-orm";
import type { Work } from "../db/tables.ts";
import { bucketOf } from "./buckets.ts";
import type { Deps } from "./deps.ts";
import { earliestDue } from "./due.ts";
import type { Share } from "./nodes.ts";
import { ROLE_OF } from "./rendezvous.ts";

type Lags = Record<Work, number | null>;

/** It is looked for seldom: that is a step down an index for each bucket, or for each webhook. */
export const LAG_EVERY_MS = 15_000;

const NO_LAG: Lags = { checks: null, deliveries: null };

/** For how long the work that is due longest has been due, in milliseconds; null for work that others do. */
export type LagWatch = {
  /** As it was last seen. */
  latest(): Lags;
  /** Looks again, once that is old. */
  look(): Promise<void>;
};

export function createLagWatch(deps: Deps): LagWatch {
  let latest = NO_LAG;
  let isOldAt = 0;
  return {
    latest: () => latest,
    async look() {
      if (deps.clock.elapsed() < isOldAt) return;
      isOldAt = deps.clock.elapsed() + LAG_EVERY_MS;
      latest = await readLags(deps).catch(() => NO_LAG);
    },
  };
}

async function readLags(deps: Deps): Promise<Lags> {
  const { config, nodes } = deps;
  const read = async (work: Work, earliest: typeof earliestDelivery) => {
    if (!config.role.includes(ROLE_OF[work])) return null;
    const dueAt = await earliest(deps, nodes.share(work));
    return dueAt === null ? 0 : Math.max(0, deps.clock.now() - dueAt);
  };
  const [checks, deliveries] = await Promise.all([
    read("checks", (_, { buckets }) => earliestDue(deps, buckets)),
    read("deliveries", earliestDelivery),
  ]);
  return { checks, deliveries };
}

/** One step down the index for each webhook; the buckets of few are looked at. */
async function earliestDelivery({ store, clock }: Deps, share: Share): Promise<number | null> {
  const rows = await store.readPool.all<[id: string, dueAt: number]>(sql`
    select id, due from (
      select w.id, (select min(d.due_at) from deliveries d where d.webhook_id = w.id and d.due_at > 0) as due
      from webhooks w where w.is_active = 1
    ) as next where due <= ${clock.now()}`);
  const own = rows.filter(([id]) => share.has(bucketOf(id))).map(([, dueAt]) => dueAt);
  return own.length === 0 ? null : Math.min(...own);
}

import { type AnyColumn, and, eq, gt, gte, lt, sql } from "drizzle-orm";
import { cached } from "../../ground/db/cached.ts";
import type { Store } from "../../ground/db/store.ts";
import { changes, statusDays } from "../../ground/db/tables.ts";
import { toIso } from "../../ground/lib/moments.ts";
import { DAY_MS } from "../../history/roll-ups.ts";
import type { Deps } from "../../work/deps.ts";
import type { Overview } from "./model.ts";

type Counts = { died: number; cameBack: number; becameUnknown: number };

/** Counts changes of status since a moment. Whole days are read from their counts, so that any span takes as long. */
export async function findChangesSince(
  deps: Deps,
  accountNo: number,
  at: number,
): Promise<Overview["since"]> {
  const { died, cameBack, becameUnknown } = await cached(deps, `since ${accountNo} ${at}`, () =>
    countSince(deps.store.readPool, accountNo, at),
  );
  return { at: toIso(at), died, came_back: cameBack, became_unknown: becameUnknown };
}

async function countSince(
  store: Pick<Store, "select">,
  accountNo: number,
  at: number,
): Promise<Counts> {
  const nextDay = Math.floor(at / DAY_MS) + 1;
  const [rest, days] = await Promise.all([
    countRows(store, accountNo, { after: at, before: nextDay * DAY_MS }),
    countDays(store, accountNo, nextDay),
  ]);
  return {
    died: rest.died + days.died,
    cameBack: rest.cameBack + days.cameBack,
    becameUnknown: rest.becameUnknown + days.becameUnknown,
  };
}

async function countRows(
  store: Pick<Store, "select">,
  accountNo: number,
  { after, before }: { after: number; before: number },
): Promise<Counts> {
  const of = (...kinds: string[]) =>
    sql`coalesce(sum(case when ${changes.kind} in ${kinds} then 1 else 0 end), 0)`.mapWith(Number);
  const [counts] = await store
    .select({
      died: of("died"),
      cameBack: of("came_back"),
      becameUnknown: of("became_unknown", "certificate"),
    })
    .from(changes)
    .where(
      and(
        eq(changes.accountNo, accountNo),
        gt(changes.changedAt, after),
        lt(changes.changedAt, before),
      ),
    );
  return counts!;
}

const total = (column: AnyColumn) => sql`coalesce(sum(${column}), 0)`.mapWith(Number);

async function countDays(
  store: Pick<Store, "select">,
  accountNo: number,
  first: number,
): Promise<Counts> {
  const [counts] = await store
    .select({
      died: total(statusDays.died),
      cameBack: total(statusDays.cameBack),
      becameUnknown: total(statusDays.becameUnknown),
    })
    .from(statusDays)
    .where(
      and(
        eq(statusDays.accountNo, accountNo),
        eq(statusDays.groupNo, 0),
        eq(statusDays.site, ""),
        gte(statusDays.day, first),
      ),
    );
  return counts!;
}

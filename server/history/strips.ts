import { sql } from "drizzle-orm";
import { numbersOf, type Store } from "../ground/db/store.ts";
import type { LinkSummary } from "../ground/db/tables.ts";
import type { Verdict } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { DAY_MS } from "./roll-ups.ts";

/** The days (UTC) of a strip; today is the last. */
const STRIP_DAYS = 30;

export const STRIP_STATES = ["alive", "dead", "unknown", "none"] as const;
type StripState = (typeof STRIP_STATES)[number];

/** Consecutive days of one state, and how many, oldest first. The days add up to `STRIP_DAYS`. */
export type Strip = [state: StripState, days: number][];

const STATE: Record<Verdict, StripState> = { active: "alive", dead: "dead", unknown: "unknown" };

type ListedLink = Pick<LinkSummary, "no" | "status" | "statusChangedAt" | "lastCheckedAt">;

/**
 * Returns the strips of links by their numbers. A link keeps its state between checks. A day shows the worst state that
 * the link had on it, and `none` before the first check.
 */
export async function stripsOf(
  { store, clock }: Pick<Deps, "store" | "clock">,
  links: ListedLink[],
): Promise<Map<number, Strip>> {
  const today = dayOf(clock.now());
  const firstDay = today - STRIP_DAYS + 1;
  const checked = links.filter(({ lastCheckedAt }) => lastCheckedAt !== null);
  const changed = checked.filter(({ statusChangedAt }) => dayOf(statusChangedAt) >= firstDay);
  const [changes, firstChecks] = await Promise.all([
    readChanges(store, changed.map(numberOf), firstDay),
    readFirstDays(store, checked.map(numberOf)),
  ]);
  return new Map(
    links.map((link) => {
      const checkedFrom = firstChecks.get(link.no) ?? Number.POSITIVE_INFINITY;
      const days = daysOf(link, changes.get(link.no) ?? [], { today, firstDay, checkedFrom });
      return [link.no, inRuns(days)];
    }),
  );
}

const dayOf = (at: number) => Math.floor(at / DAY_MS);
const numberOf = ({ no }: { no: number }) => no;

type Change = { day: number; previousStatus: Verdict };

/** The changes of status of each link since that day, newest first. Roll-ups lead to the days that have any. */
async function readChanges(
  store: Store,
  nos: number[],
  firstDay: number,
): Promise<Map<number, Change[]>> {
  if (nos.length === 0) return new Map();
  const day = sql.raw(String(DAY_MS));
  const rows = await store.readPool.all<[linkNo: number, at: number, previousStatus: Verdict]>(sql`
    select c.link_no, c.checked_at, k.previous_status
    from ${numbersOf(store, nos)} as listed
    cross join history_days h cross join checks c cross join check_kinds k
    where h.subject = listed.no and h.day >= ${firstDay} and h.changes > 0
      and c.link_no = listed.no and c.checked_at >= h.day * ${day} and c.checked_at < (h.day + 1) * ${day}
      and k.no = c.kind_no and k.status_changed = 1
    order by c.link_no, c.checked_at desc
  `);
  const changes = rows.map(([linkNo, at, previousStatus]) => ({
    linkNo: Number(linkNo),
    day: dayOf(Number(at)),
    previousStatus,
  }));
  return Map.groupBy(changes, ({ linkNo }) => linkNo);
}

/** The day of the first check of each link, which may be deleted. */
async function readFirstDays(store: Store, nos: number[]): Promise<Map<number, number>> {
  if (nos.length === 0) return new Map();
  const rows = await store.all<[linkNo: number, day: number | null]>(sql`
    select no, (select min(day) from history_days h where h.subject = listed.no)
    from ${numbersOf(store, nos)} as listed
  `);
  return new Map(rows.map(([no, day]) => [Number(no), Number(day)]));
}

const BADNESS: Record<Verdict, number> = { active: 0, unknown: 1, dead: 2 };

/** The state of each day, oldest first. Walks back from the present status. */
function daysOf(
  link: ListedLink,
  changes: Change[],
  { today, firstDay, checkedFrom }: { today: number; firstDay: number; checkedFrom: number },
): StripState[] {
  const days: StripState[] = [];
  let status = link.status;
  let next = 0;
  for (let day = today; day >= firstDay; day--) {
    let worst = status;
    for (; changes[next]?.day === day; next++) {
      status = changes[next]!.previousStatus;
      const isBeforeFirstCheck = day === checkedFrom && changes[next + 1] === undefined;
      if (!isBeforeFirstCheck && BADNESS[status] > BADNESS[worst]) worst = status;
    }
    days.push(day < checkedFrom ? "none" : STATE[worst]);
  }
  return days.reverse();
}

function inRuns(days: StripState[]): Strip {
  const runs: Strip = [];
  for (const state of days) {
    const last = runs.at(-1);
    if (last?.[0] === state) last[1] += 1;
    else runs.push([state, 1]);
  }
  return runs;
}

import { and, count, desc, eq, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { groups, linkCounts, links, type Verdict } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import { MOST_SHOWN } from "./attention.ts";
import { sumOf } from "./counts.ts";
import { kept } from "./kept.ts";
import type {
  CountedGroup,
  CountedService,
  FirstOf,
  UnknownLinks,
  UnknownReason,
} from "./model.ts";

/** After a million links were added, all are unknown: as many tell what the reasons are. */
const MOST_COUNTED = 50_000;

/**
 * Why links are unknown, the most frequent reason first; only of the newest where they are very many. There
 * are not many more reasons than can be shown.
 * @param total how many are unknown, which the kept counts know
 */
export async function tallyUnknown(
  deps: Deps,
  { accountNo }: Caller,
  total: number,
): Promise<UnknownLinks> {
  const items = await kept(deps, `unknown ${accountNo}`, () => readUnknown(deps, accountNo));
  const counted = items.reduce((sum, item) => sum + item.count, 0);
  return { total, isWhole: counted < MOST_COUNTED, items };
}

/** In the order of their numbers, in which their rows are adjacent. */
function readUnknown({ store: { readPool } }: Deps, accountNo: number): Promise<UnknownReason[]> {
  const newest = readPool
    .select({ reason: links.reason })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), eq(links.status, "unknown")))
    .orderBy(desc(links.no))
    .limit(MOST_COUNTED)
    .as("newest");
  return readPool
    .select({ reason: newest.reason, count: count() })
    .from(newest)
    .groupBy(newest.reason)
    .orderBy(desc(count()), sql`coalesce(${newest.reason}, '')`);
}

/** The groups with most links first. */
export const tallyGroups = (deps: Deps, caller: Caller): Promise<FirstOf<CountedGroup>> =>
  kept(deps, `groups ${caller.accountNo}`, () => readGroups(deps, caller));

async function readGroups(
  { store: { readPool } }: Deps,
  { accountId }: Caller,
): Promise<FirstOf<CountedGroup>> {
  const { id, name, color, no } = groups;
  const { active, dead, unknown, subject } = linkCounts;
  const ours = eq(groups.accountId, accountId);
  const [items, [counted]] = await Promise.all([
    readPool
      .select({
        id,
        name,
        color,
        active: sumOf(active),
        dead: sumOf(dead),
        unknown: sumOf(unknown),
      })
      .from(groups)
      .leftJoin(linkCounts, eq(subject, no))
      .where(ours)
      .groupBy(id, name, color)
      .orderBy(desc(sql`coalesce(sum(${active} + ${dead} + ${unknown}), 0)`), id)
      .limit(MOST_SHOWN),
    readPool.select({ total: count() }).from(groups).where(ours),
  ]);
  return { total: counted!.total, items };
}

/** The services with most links first. */
export async function tallyServices(deps: Deps, caller: Caller): Promise<FirstOf<CountedService>> {
  const all = await kept(deps, `services ${caller.accountNo}`, () => readServices(deps, caller));
  return { total: all.length, items: all.slice(0, MOST_SHOWN) };
}

async function readServices(deps: Deps, caller: Caller): Promise<CountedService[]> {
  const services = new Map<string, CountedService & { total: number }>();
  for (const { service, status, count: many } of await readTallies(deps, caller)) {
    const known = services.get(service) ?? { service, total: 0, active: 0, dead: 0, unknown: 0 };
    if (status === "all") known.total = many;
    else known[status] = many;
    services.set(service, known);
  }
  return [...services.values()]
    .map((each) => ({ ...each, active: each.total - each.dead - each.unknown }))
    .sort((a, b) => b.total - a.total || (a.service < b.service ? -1 : 1));
}

/**
 * All links are counted from an index alone. Only of those that are not active the rows are read, which
 * are few where there are many links.
 */
const readTallies = ({ store: { readPool } }: Deps, { accountNo }: Caller) =>
  readPool
    .select({
      service: sql`service`.mapWith(String),
      status: sql`status`.mapWith((text) => text as Verdict | "all"),
      count: sql`many`.mapWith(Number),
    })
    .from(sql`(
      select service, 'all' as status, count(*) as many from links where account_no = ${accountNo} group by service
      union all
      select service, status, count(*) from links
      where account_no = ${accountNo} and status in ('dead', 'unknown') group by status, service
    ) as told`);

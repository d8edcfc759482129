import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  isNull,
  lte,
  or,
  type SQL,
  sql,
  sum,
} from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { LEASE_MS } from "../checker/lease.ts";
import { nextCheckAt } from "../checker/schedule.ts";
import type { Deps } from "../deps.ts";
import { existingGroups } from "../groups/exist.ts";
import { type FieldProblems, foreign, invalid, notFound } from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { parseId } from "../lib/ids.ts";
import { type Page, windowOf } from "../lib/paging.ts";
import { contains, preparedOnce } from "../store/store.ts";
import { type LinkRow, linkCounts, links, type Verdict } from "../store/tables.ts";
import { LinkChange, type LinkQuery, type LinkSummary, toLink } from "./model.ts";

const { evidence: _, ...summary } = getTableColumns(links);

export async function listLinks(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
): Promise<Page<LinkSummary>> {
  const { limit, offset } = windowOf(query);
  const now = deps.clock.now();
  const [items, total] = await Promise.all([
    deps.store
      .select(summary)
      .from(links)
      .where(matching(caller.accountId, query, now))
      .orderBy(desc(links.createdAt), desc(links.id))
      .limit(limit)
      .offset(offset),
    countLinks(deps, caller.accountId, query, now),
  ]);
  return { items, total };
}

export async function findLink({ store }: Deps, caller: Caller, id: string): Promise<LinkRow> {
  const [link] = await linkById(store).execute({ id: parseId(id) ?? "" });
  if (!link) throw notFound("link");
  if (link.accountId !== caller.accountId) throw foreign("link");
  return link;
}

/** @throws VALIDATION_ERROR with every problem at once, also for fields that cannot be changed */
export async function changeLink(
  deps: Deps,
  caller: Caller,
  id: string,
  input: unknown,
): Promise<LinkRow> {
  const link = await findLink(deps, caller, id);
  const change = await readChange(deps, link, input);
  if (change.group_id === undefined && change.check_frequency === undefined) return link;
  const now = deps.clock.now();
  const [changed] = await deps.store
    .update(links)
    .set({ ...columnsOf(deps, link, change, now), updatedAt: now })
    .where(and(eq(links.id, link.id), eq(links.accountId, caller.accountId)))
    .returning();
  if (!changed) throw notFound("link");
  deps.loops.wake();
  return changed;
}

/** @returns whether a check was started; false while one is under way already */
export async function startCheck(deps: Deps, caller: Caller, id: string): Promise<boolean> {
  const link = await findLink(deps, caller, id);
  const now = deps.clock.now();
  const started = await deps.store
    .update(links)
    .set({ nextCheckAt: now, nextTrigger: "manual", checkingUntil: now + LEASE_MS })
    .where(and(eq(links.id, link.id), notChecking(now)))
    .returning({ id: links.id });
  if (started.length === 1) deps.loops.wake();
  return started.length === 1;
}

/** How many links of the account, or of one of its groups, match; from kept counts where they suffice. */
async function countLinks(
  deps: Deps,
  accountId: string,
  query: LinkFilter,
  now: number,
): Promise<number> {
  const { status, service, search, group_id: groupId } = query;
  if (service || search || status === "checking") return countRows(deps, accountId, query, now);
  const [row] = await deps.store
    .select({ total: sum(linkCounts.count).mapWith(Number) })
    .from(linkCounts)
    .where(
      and(
        eq(linkCounts.accountId, accountId),
        groupId ? eq(linkCounts.groupId, groupId) : undefined,
        status ? eq(linkCounts.status, status) : undefined,
      ),
    );
  const settled = row?.total ?? 0;
  return status
    ? settled - (await countBeingChecked(deps, accountId, groupId, status, now))
    : settled;
}

export type LinkFilter = Pick<LinkQuery, "status" | "service" | "search" | "group_id">;

async function countRows(
  deps: Deps,
  accountId: string,
  query: LinkFilter,
  now: number,
): Promise<number> {
  const [row] = await deps.store
    .select({ total: count() })
    .from(links)
    .where(matching(accountId, query, now));
  return row!.total;
}

/** Those that show as `checking` now, and so are missing from their settled status. */
function countBeingChecked(
  deps: Deps,
  accountId: string,
  groupId: string | undefined,
  status: Verdict,
  now: number,
): Promise<number> {
  return deps.store
    .select({ total: count() })
    .from(links)
    .where(
      and(
        eq(links.accountId, accountId),
        gt(links.checkingUntil, now),
        eq(links.status, status),
        groupId ? eq(links.groupId, groupId) : undefined,
      ),
    )
    .then(([row]) => row!.total);
}

function matching(accountId: string, query: LinkFilter, now: number): SQL | undefined {
  return and(
    eq(links.accountId, accountId),
    withStatus(query.status, now),
    query.service ? eq(links.service, query.service) : undefined,
    query.group_id ? eq(links.groupId, query.group_id) : undefined,
    query.search ? contains(links.url, query.search) : undefined,
  );
}

function withStatus(status: LinkFilter["status"], now: number): SQL | undefined {
  if (!status) return undefined;
  if (status === "checking") return gt(links.checkingUntil, now);
  return and(eq(links.status, status), notChecking(now));
}

const notChecking = (now: number) => or(isNull(links.checkingUntil), lte(links.checkingUntil, now));

const linkById = preparedOnce((store) =>
  store
    .select()
    .from(links)
    .where(eq(links.id, sql.placeholder("id")))
    .prepare(),
);

async function readChange(deps: Deps, link: LinkRow, input: unknown): Promise<LinkChange> {
  const shape = LinkChange.safeParse(input);
  const problems = {
    ...(shape.success ? {} : problemsOf(shape.error)),
    ...unchangeable(toLink(deps.clock.now())(link), input),
  };
  const groupId = shape.data?.group_id ?? groupIn(input);
  if (groupId && !(await existingGroups(deps, link.accountId, [groupId])).has(groupId)) {
    problems.group_id = ["no such group"];
  }
  if (!shape.success || Object.keys(problems).length > 0) throw invalid(problems);
  return shape.data;
}

function groupIn(input: unknown): string | null {
  const id = (input as { group_id?: unknown } | null)?.group_id;
  return typeof id === "string" ? parseId(id) : null;
}

/** An intended change that would be lost without a word is refused; the present value may be repeated. */
function unchangeable(
  shown: { id: string; url: string; status: string },
  input: unknown,
): FieldProblems {
  const given = Object.entries((input ?? {}) as object);
  const lost = given.filter(
    ([name, value]) =>
      (name === "id" || name === "url" || name === "status") && shown[name] !== value,
  );
  return Object.fromEntries(lost.map(([name]) => [name, ["cannot be changed"]]));
}

/** A new frequency counts from the last check; a check that is under way or due at once stays so. */
function columnsOf({ config }: Deps, link: LinkRow, change: LinkChange, now: number) {
  const columns: Partial<LinkRow> = {};
  if (change.group_id !== undefined) columns.groupId = change.group_id;
  if (change.check_frequency === undefined) return columns;
  columns.checkFrequency = change.check_frequency;
  const isChecking = link.checkingUntil !== null && link.checkingUntil > now;
  if (isChecking || link.lastCheckedAt === null) return columns;
  const frequencySeconds = config.frequencySeconds[change.check_frequency];
  const next = nextCheckAt({ linkId: link.id, frequencySeconds, from: link.lastCheckedAt });
  return { ...columns, nextCheckAt: Math.max(next, now), nextTrigger: "scheduled" as const };
}

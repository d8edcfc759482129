import { and, asc, eq, gt, inArray, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import { lockAccounts, lockLinks } from "../ground/db/queries.ts";
import { numbersOf, onRows, type Store } from "../ground/db/store.ts";
import { accounts, type BatchRow, batches, type LinkRow, links } from "../ground/db/tables.ts";
import { oneAtATime } from "../ground/lib/concurrency.ts";
import { inSteps, yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Verdict } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { type LinkFilter, matching, NO_GROUP, SETTLED } from "./links.ts";

/** Batches that take turns, and the links that are read for one of them in a turn. */
const BATCHES_AT_ONCE = 20;
const LINKS_IN_TURN = 2000;

/**
 * Adds all links that match to the batches that are not full yet, in short steps, until the signal. Only one process
 * does so at a time. Each step stores its position, so that another process can continue.
 * @param onFilling called for each batch, whichever process fills it: its links are due as of this moment
 */
export const fillBatches = (
  deps: Deps,
  signal?: AbortSignal,
  onFilling: (startedAt: number) => void = () => {},
): Promise<void> =>
  oneAtATime("fill batches", async () => {
    const filling = await notFilled(deps.store);
    for (const { startedAt } of filling) onFilling(startedAt);
    if (filling.length === 0 || signal?.aborted) return;
    await deps.store.engine.alone("fill batches", (lost) =>
      fillAll(deps, AbortSignal.any(signal ? [signal, lost] : [lost]), onFilling),
    );
  });

async function fillAll(deps: Deps, signal: AbortSignal, onFilling: (startedAt: number) => void) {
  while (!signal.aborted) {
    const filling = await notFilled(deps.store);
    if (filling.length === 0) return;
    for (const { id, startedAt } of filling) {
      onFilling(startedAt);
      const step = (rows: number) => fillStep(deps, id, rows);
      await inSteps(deps.clock, step, { most: LINKS_IN_TURN, signal });
      deps.loops.wake();
      await yieldToEventLoop();
    }
  }
}

const notFilled = (store: Store) =>
  store
    .select({ id: batches.id, startedAt: batches.startedAt })
    .from(batches)
    .where(isNotNull(batches.filledTo))
    .orderBy(asc(batches.startedAt), asc(batches.id))
    .limit(BATCHES_AT_ONCE);

/** @returns how many links were read, at most `rows` */
export const fillStep = ({ store, clock }: Deps, batchId: string, rows: number): Promise<number> =>
  store.transaction(async (tx) => {
    const account = await accountOf(tx, batchId);
    if (!account) return 0;
    await lockAccounts(tx, [account.no]);
    const [batch] = await tx.select().from(batches).where(eq(batches.id, batchId));
    const filledTo = batch?.filledTo ?? null;
    if (!batch || filledTo === null) return 0;
    const filling = { ...batch, filledTo, accountNo: account.no };
    const { seen, joining } = await nextToJoin(tx, filling, rows);
    await joinBatch(tx, filling, joining, clock.now());
    return seen;
  });

async function accountOf(tx: Store, batchId: string) {
  const [account] = await tx
    .select({ no: accounts.no })
    .from(batches)
    .innerJoin(accounts, eq(accounts.id, batches.accountId))
    .where(eq(batches.id, batchId));
  return account;
}

type Filter = Pick<
  BatchRow,
  | "filterGroupId"
  | "filterStatus"
  | "filterService"
  | "filterSearch"
  | "filterFrequency"
  | "filterSite"
  | "filterReason"
  | "filterMore"
  | "accountId"
  | "lastNo"
> & { accountNo: number; filledTo: number };

/**
 * Reads the next links in the order of their numbers, and which of them match. The query has only conditions that an
 * index holds in that order: with more, a database could scan any number of links for each one that it returns.
 */
export async function nextToJoin(
  store: Store,
  filter: Filter,
  rows: number,
): Promise<{ seen: number; joining: Joining }> {
  const { no, status, service, groupId, checkFrequency, url, site, reason } = links;
  const seen = await store
    .select({ no, status, service, groupId, checkFrequency, url, site, reason })
    .from(links)
    .where(and(isCandidate(filter), gt(no, filter.filledTo), lte(no, filter.lastNo)))
    .orderBy(asc(no))
    .limit(rows);
  const wanted = seen.filter((link) => isWanted(link, filter)).map((link) => link.no);
  const nos = await withMore(store, filter, wanted);
  const isLast = seen.length < rows;
  return { seen: seen.length, joining: { nos, filledTo: isLast ? null : seen.at(-1)!.no } };
}

/** Returns the links that also fit the conditions of `filter_more`. */
async function withMore(store: Store, filter: Filter, nos: number[]): Promise<number[]> {
  if (filter.filterMore === null || nos.length === 0) return nos;
  const more = JSON.parse(filter.filterMore) as LinkFilter;
  const search = filter.filterSearch ?? undefined;
  const fits = matching(filter, { ...more, search }, SETTLED);
  const rows = await store
    .select({ no: links.no })
    .from(links)
    .where(and(fits, inArray(links.no, sql`${numbersOf(store, nos)}`)))
    .orderBy(asc(links.no));
  return rows.map(({ no }) => no);
}

/** The group belongs to the account. With both conditions a database would choose the wrong index. */
function isCandidate({ accountNo, ...filter }: Filter) {
  const { filterGroupId, filterStatus, filterService, filterSite } = filter;
  const isOurs = eq(links.accountNo, accountNo);
  if (filterSite !== null) return and(isOurs, eq(links.site, filterSite));
  if (filterGroupId !== null && filterGroupId !== NO_GROUP) return eq(links.groupId, filterGroupId);
  if (filterService !== null) return and(isOurs, eq(links.service, filterService));
  return filterStatus === null ? isOurs : and(isOurs, eq(links.status, filterStatus));
}

type Candidate = Pick<
  LinkRow,
  "status" | "service" | "groupId" | "checkFrequency" | "url" | "site" | "reason"
>;

const isWanted = (link: Candidate, filter: Filter): boolean =>
  isInGroup(link, filter) &&
  (filter.filterSite === null || link.site === filter.filterSite) &&
  (filter.filterReason === null || link.reason === filter.filterReason) &&
  (filter.filterStatus === null || link.status === filter.filterStatus) &&
  (filter.filterService === null || link.service === filter.filterService) &&
  (filter.filterFrequency === null || link.checkFrequency === filter.filterFrequency) &&
  (filter.filterMore !== null ||
    link.url.toLowerCase().includes((filter.filterSearch ?? "").toLowerCase()));

function isInGroup({ groupId }: Candidate, { filterGroupId }: Filter): boolean {
  if (filterGroupId === NO_GROUP) return groupId === null;
  return filterGroupId === null || groupId === filterGroupId;
}

/** A batch that is being filled with links. */
type Filling = { id: string; accountNo: number; startedAt: number };

/**
 * Whether a batch still counts results. One that was ended before all of its links were checked keeps them until
 * they are, but their results would exceed its total.
 */
export const HAS_ROOM = sql`(filled_to is not null or total > active + dead + unknown + skipped)`;

/** A link that was checked under its lease, and the result. */
type Judged = {
  link: { no: number; lease: string };
  outcome: { conclusion: { status: Verdict } };
};

type NewBatchRow = Pick<BatchRow, "id" | "accountId" | "startedAt" | "lastNo" | "expected">;

/** A batch without links, which is still to be filled. */
export const emptyBatch = (batch: NewBatchRow): BatchRow => ({
  ...batch,
  total: 0,
  active: 0,
  dead: 0,
  unknown: 0,
  skipped: 0,
  completedAt: null,
  filterGroupId: null,
  filterStatus: null,
  filterService: null,
  filterSearch: null,
  filterFrequency: null,
  filterSite: null,
  filterReason: null,
  filterMore: null,
  filledTo: 0,
});

/** Inserts a batch with links that were created with it and are due already. */
export async function insertFullBatch(tx: Store, batch: NewBatchRow, nos: number[]): Promise<void> {
  const row = { ...emptyBatch(batch), total: nos.length, filledTo: null };
  await tx.insert(batches).values(row);
  await tx.run(sql`
    insert into batch_links (link_no, batch_id)
    select no, cast(${batch.id} as text) from ${numbersOf(tx, nos)} as named
  `);
}

/** The links that join a batch, and up to which number the batch is filled then: null when it is full. */
export type Joining = { nos: number[]; filledTo: number | null };

/**
 * Adds links to a batch, in a transaction that has locked the account. All become due as of the start of the batch,
 * however long it takes to fill it, which tells them apart from other due links. Links that are gone are left out.
 */
export async function joinBatch(
  tx: Store,
  { id, accountNo, startedAt }: Filling,
  joining: Joining,
  now: number,
): Promise<void> {
  await lockLinks(tx, joining.nos);
  const areThere = sql`links.account_no = ${accountNo}
    and links.no in (select no from ${numbersOf(tx, joining.nos)} as named)`;
  await tx.run(sql`
    insert into batch_links (link_no, batch_id)
    select links.no, cast(${id} as text) from watched_links as links where ${areThere}
  `);
  await tx.run(sql`${makeDue(Math.min(startedAt, now), now)} and ${areThere}`);
  await tx.run(sql`
    update batches set total = total + (select count(*) from watched_links as links where ${areThere}),
      filled_to = ${joining.filledTo}
    where id = ${id}
  `);
}

/**
 * A link that is being checked, or that a user asked to check, is not checked twice. It does not show as checking
 * before its check starts.
 */
const makeDue = (dueAt: number, now: number) => sql`
  update links set
    next_check_at = case when next_check_at < ${dueAt} then next_check_at else ${dueAt} end,
    next_trigger = case when next_trigger = 'scheduled' then 'batch' else next_trigger end
  where (checking_until is null or checking_until <= ${now})`;

/**
 * Adds each result to the batches that wait for its link, and removes the link from them. Costs almost nothing
 * when there are no batches. The links must still be held under their leases.
 */
export async function countForBatches(tx: Store, results: Judged[]): Promise<void> {
  const rows = results.map(({ link, outcome }) => [link.no, link.lease, outcome.conclusion.status]);
  await addJudged(tx, rows);
  await leaveBatches(tx, rows);
}

const JUDGED = { link_no: "bigint", lease: "text", verdict: "text" } as const;

const waitedFor = (rows: SQL) => sql`${rows} as done
  join batch_links m on m.link_no = done.link_no
  join watched_links l on l.no = m.link_no and l.lease = done.lease
  where exists (select 1 from batch_links)`;

const addJudged = onRows(
  JUDGED,
  (rows) => sql`
    update batches set active = active + counted.n_active, dead = dead + counted.n_dead,
      unknown = unknown + counted.n_unknown
    from (
      select m.batch_id,
        sum(case when verdict = 'active' then 1 else 0 end) as n_active,
        sum(case when verdict = 'dead' then 1 else 0 end) as n_dead,
        sum(case when verdict = 'unknown' then 1 else 0 end) as n_unknown
      from ${waitedFor(rows)} group by m.batch_id
    ) as counted
    where batches.id = counted.batch_id and ${HAS_ROOM}
  `,
);

const leaveBatches = onRows(
  JUDGED,
  (rows) =>
    sql`delete from batch_links where link_no in (select m.link_no from ${waitedFor(rows)})`,
);

/** Counts links as skipped in the batches that wait for them. Must run before the links are deleted. */
export async function countSkipped(tx: Store, nos: number[]): Promise<void> {
  await tx.run(sql`
    update batches set skipped = skipped + gone.n
    from (
      select batch_id, count(*) as n from batch_links
      where link_no in (select no from ${numbersOf(tx, nos)} as named) group by batch_id
    ) as gone
    where batches.id = gone.batch_id and ${HAS_ROOM}
  `);
}

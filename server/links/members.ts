import { sql } from "drizzle-orm";
import { lockLinks } from "../db/queries.ts";
import { numbersOf, rowsOf, type Statement, type Store } from "../db/store.ts";
import { type BatchRow, batches, type Verdict } from "../db/tables.ts";

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
  await tx.write([
    tx.run(sql`
      insert into batch_links (link_no, batch_id)
      select links.no, cast(${id} as text) from links where ${areThere}
    `),
    tx.run(sql`${makeDue(Math.min(startedAt, now), now)} and ${areThere}`),
    tx.run(sql`
      update batches set total = total + (select count(*) from links where ${areThere}),
        filled_to = ${joining.filledTo}
      where id = ${id}
    `),
  ]);
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
export function countForBatches(store: Store, results: Judged[]): Statement[] {
  if (results.length === 0) return [];
  const rows = results.map(({ link, outcome }) => [link.no, link.lease, outcome.conclusion.status]);
  const columns = { link_no: "bigint", lease: "text", verdict: "text" } as const;
  const waitedFor = sql`${rowsOf(store, columns, rows)} as done
    join batch_links m on m.link_no = done.link_no
    join links l on l.no = m.link_no and l.lease = done.lease
    where exists (select 1 from batch_links)`;
  return [
    store.run(sql`
      update batches set active = active + counted.n_active, dead = dead + counted.n_dead,
        unknown = unknown + counted.n_unknown
      from (
        select m.batch_id,
          sum(case when verdict = 'active' then 1 else 0 end) as n_active,
          sum(case when verdict = 'dead' then 1 else 0 end) as n_dead,
          sum(case when verdict = 'unknown' then 1 else 0 end) as n_unknown
        from ${waitedFor} group by m.batch_id
      ) as counted
      where batches.id = counted.batch_id and ${HAS_ROOM}
    `),
    store.run(sql`delete from batch_links where link_no in (select m.link_no from ${waitedFor})`),
  ];
}

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

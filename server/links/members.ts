import { sql } from "drizzle-orm";
import { holdAccounts, holdLinks } from "../db/hold.ts";
import { numbersOf, rowsOf, type Statement, type Store } from "../db/store.ts";
import type { BatchRow, Verdict } from "../db/tables.ts";

/** A batch that links are to join. It has been filled up to that number. */
type Filling = { id: string; accountNo: number; startedAt: number; filledTo: number };

/**
 * Whether a batch still counts. One that was ended before all of its links were judged keeps them until they
 * are, but what they come to then would take it past its total.
 */
export const HAS_ROOM = sql`(filled_to is not null or total > active + dead + unknown + skipped)`;

/** A link that was checked under its lease, and what its check came to. */
type Judged = {
  link: { no: number; lease: string };
  outcome: { conclusion: { status: Verdict } };
};

/** A batch as it begins: without a link, and with all that fit still to join. */
export const emptyBatch = (
  batch: Pick<BatchRow, "id" | "accountId" | "startedAt" | "lastNo" | "expected">,
): BatchRow => ({
  ...batch,
  total: 0,
  active: 0,
  dead: 0,
  unknown: 0,
  skipped: 0,
  completedAt: null,
  completedEventId: null,
  filterGroupId: null,
  filterStatus: null,
  filterService: null,
  filterSearch: null,
  filterFrequency: null,
  filledTo: 0,
});

/** Who joins, and up to which number the batch is filled with that: null is to the end. */
export type Joining = { nos: number[]; filledTo: number | null };

/**
 * Lets links join the batch, for the caller's own writing. All are due since it began, however long it takes
 * to fill, so that others can be told from them by when they are due. Nobody joins if somebody else has filled
 * the batch meanwhile, or when the link is gone.
 */
export function joinBatch(
  store: Store,
  { id, accountNo, startedAt, filledTo }: Filling,
  joining: Joining,
  now: number,
): Statement[] {
  const isOurs = sql`batches.id = ${id} and batches.filled_to = ${filledTo}`;
  const areThere = sql`links.account_no = ${accountNo}
    and links.no in (select no from ${numbersOf(store, joining.nos)} as named)`;
  return [
    ...holdAccounts(store, [accountNo]),
    ...holdLinks(store, joining.nos),
    store.run(sql`
      insert into batch_links (link_no, batch_id)
      select links.no, batches.id from links join batches on ${isOurs} where ${areThere}
    `),
    store.run(sql`
      ${makeDue(Math.min(startedAt, now), now)} and ${areThere} and exists (select 1 from batches where ${isOurs})
    `),
    store.run(sql`
      update batches set total = total + (select count(*) from links where ${areThere}),
        filled_to = ${joining.filledTo}
      where ${isOurs}
    `),
  ];
}

/**
 * What is being checked, or was asked for by hand, is not checked twice. It is not shown as checking
 * before its turn comes.
 */
const makeDue = (dueAt: number, now: number) => sql`
  update links set
    next_check_at = case when next_check_at < ${dueAt} then next_check_at else ${dueAt} end,
    next_trigger = case when next_trigger = 'scheduled' then 'batch' else next_trigger end
  where (checking_until is null or checking_until <= ${now})`;

/** Lets new links join the new batch that they came with: they are due already. */
export const bringAlong = (store: Store, batchId: string, nos: number[]): Statement[] => [
  store.run(sql`
    insert into batch_links (link_no, batch_id)
    select no, cast(${batchId} as text) from ${numbersOf(store, nos)} as named
  `),
];

/**
 * Adds each verdict to all batches that wait for its link, which then wait for it no more. Costs next to
 * nothing where there are none. The links must still be held under their leases.
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

/** Counts links that go, and before they do, as skipped in all batches that wait for them. */
export const countSkipped = (store: Store, nos: number[]): Statement[] => [
  store.run(sql`
    update batches set skipped = skipped + gone.n
    from (
      select batch_id, count(*) as n from batch_links
      where link_no in (select no from ${numbersOf(store, nos)} as named) group by batch_id
    ) as gone
    where batches.id = gone.batch_id and ${HAS_ROOM}
  `),
];

import { and, eq, inArray, lt, sql } from "drizzle-orm";
import { rowsOf, type Statement, type Store } from "../../db/store.ts";
import { deliveries, type EventType, events, webhookEvents, webhooks } from "../../db/tables.ts";
import { newIdAt } from "../../lib/ids.ts";
import { chunksOf, inSteps, type StepLimits } from "../../lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import type { EventData } from "./types.ts";

/** One thing that happened. */
export type NewEvent = {
  [T in EventType]: { type: T; data: EventData[T] };
}[EventType] & {
  accountId: string;
  at: number;
  id?: string;
  /** It is the first verdict about its link; those of a batch reach chats in a digest. */
  first?: "single" | "batch";
  /**
   * It happened only if this holds when the statement runs: the link is there, or even held under this
   * lease, or a statement before it completed the batch with this event.
   */
  onlyIf?: { link: string } | { held: { id: string; lease: string } } | { batchEvent: string };
};

/** Rows of one statement; both databases take far more parameters than these need. */
const ROWS = 500;

/**
 * Records events and queues them for every webhook that subscribes to them. Call it inside the transaction that makes
 * the change, so that the change and its events are committed together:
 *
 *     await store.transaction(async (tx) => {
 *       // … the change …
 *       await publishEvents(tx, [{ type: "link.created", accountId, at, data }]);
 *     });
 *
 * It takes any number of events, also of several accounts; an empty list does nothing. An event without subscribers
 * leaves no row. Wake the loops (`deps.loops.wake()`) after the commit.
 */
export async function publishEvents(tx: Store, happened: NewEvent[]): Promise<void> {
  for (const statement of recordEvents(tx, happened)) await statement;
}

/** Returns the statements of `publishEvents`, for callers that write in a batch. New code calls `publishEvents`. */
export function recordEvents(store: Store, happened: NewEvent[]): Statement[] {
  return chunksOf(ROWS, happened).flatMap((some) => {
    const rows = some.map((event) => ({ ...event, id: event.id ?? newIdAt(event.at) }));
    return [insertEvents(store, rows), insertDeliveries(store, rows)];
  });
}

/**
 * Which events anybody waits for now: a check tells of itself, which is rarely asked for and costs more to
 * write down than the check.
 */
export async function subscriptionsOf(
  store: Store,
  accountIds: string[],
): Promise<(event: NewEvent) => boolean> {
  const rows = await store
    .selectDistinct({
      accountId: webhooks.accountId,
      type: webhookEvents.type,
      firstVerdicts: webhooks.firstVerdicts,
    })
    .from(webhooks)
    .innerJoin(webhookEvents, eq(webhookEvents.webhookId, webhooks.id))
    .where(and(inArray(webhooks.accountId, accountIds), eq(webhooks.isActive, true)));
  const keyOf = ({ accountId, type }: { accountId: string; type: EventType }, isNews: boolean) =>
    `${accountId} ${type} ${isNews}`;
  const wanted = new Set(
    rows.flatMap((row) => [keyOf(row, true), ...(row.firstVerdicts ? [keyOf(row, false)] : [])]),
  );
  return (event) => wanted.has(keyOf(event, !isNoNews(event)));
}

/** That a link is alive which no check has called dead: most do not ask for that. */
const isNoNews = ({ type, first }: NewEvent) => type === "link.alive" && first !== undefined;

type Identified = NewEvent & { id: string };

function insertEvents(store: Store, rows: Identified[]): Statement {
  return store.run(sql`
    insert into ${events} (id, account_id, type, data, created_at, link_id)
    select happened.id, happened.account_id, happened.type, happened.data, happened.created_at, happened.link_id
    from ${rowsOf(store, HAPPENED, rows.map(cellsOf))} as happened
    where exists (
      select 1 from ${webhooks} join ${webhookEvents} on ${webhookEvents.webhookId} = ${webhooks.id}
      where ${webhooks.accountId} = happened.account_id and ${webhooks.isActive} = 1
        and ${webhookEvents.type} = happened.type
        and (happened.no_news = 0 or ${webhooks.firstVerdicts} = 1)
    )
    and (only_link is null or exists (select 1 from links
      where links.id = only_link and (links.lease = happened.lease or happened.lease is null)))
    and (batch_event is null or exists (select 1 from batches where completed_event_id = batch_event))
  `);
}

const HAPPENED = {
  id: "text",
  account_id: "text",
  type: "text",
  data: "text",
  created_at: "bigint",
  link_id: "text",
  only_link: "text",
  lease: "text",
  batch_event: "text",
  no_news: "bigint",
} as const;

function cellsOf(event: Identified) {
  const { id, accountId, type, data, at, onlyIf } = event;
  const held = onlyIf && "held" in onlyIf ? onlyIf.held : null;
  const link = onlyIf && "link" in onlyIf ? onlyIf.link : null;
  const batchEvent = onlyIf && "batchEvent" in onlyIf ? onlyIf.batchEvent : null;
  const conditions = [held?.id ?? link, held?.lease ?? null, batchEvent];
  const linkId = "linkId" in data ? data.linkId : null;
  return [
    id,
    accountId,
    type,
    JSON.stringify(data),
    at,
    linkId,
    ...conditions,
    isNoNews(event) ? 1 : 0,
  ];
}

/** Holds the webhooks: one that is being deleted is waited for and left out, and the change stands. */
function insertDeliveries(store: Store, rows: Identified[]): Statement {
  const { id, type, createdAt } = events;
  const cells = rows.map((row) => [row.id, isNoNews(row) ? 1 : 0, row.first === "batch" ? 1 : 0]);
  return store.run(sql`
    insert into ${deliveries}
      (webhook_id, event_id, type, status, attempts, unplanned_attempts, next_attempt_at, due_at, created_at, of_batch)
    select ${webhooks.id}, ${id}, ${type}, 'pending', 0, 0, ${createdAt}, ${createdAt}, ${createdAt},
      case when ${webhooks.format} = 'standard' then 0 else happened.of_batch end
    from ${rowsOf(store, { id: "text", no_news: "bigint", of_batch: "bigint" }, cells)} as happened
    join ${events} on ${id} = happened.id
    join ${webhooks} on ${webhooks.accountId} = ${events.accountId} and ${webhooks.isActive} = 1
    join ${webhookEvents} on ${webhookEvents.webhookId} = ${webhooks.id} and ${webhookEvents.type} = ${type}
    where (happened.no_news = 0 or ${webhooks.firstVerdicts} = 1)
    ${sql.raw(store.engine.holdWebhooks)}
  `);
}

const KEPT_MS = 30 * 86_400_000;

/**
 * Deletes events older than 30 days with their deliveries, but none that an active webhook still waits
 * for. What was held back for a webhook that is off would not be sent any more anyway. Returns how many.
 */
export async function forgetOldEvents(deps: Deps, limits: StepLimits = {}): Promise<number> {
  // By a clock that is a year ahead, all of it would be old.
  if (deps.online.clockIsOff()) return 0;
  const { rows } = await inSteps(deps.clock, (most) => forgetSome(deps, most), limits);
  return rows;
}

async function forgetSome({ store, clock }: Deps, most: number): Promise<number> {
  const old = store
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        lt(events.createdAt, clock.now() - KEPT_MS),
        sql`not exists (
          select 1 from deliveries d join webhooks w on w.id = d.webhook_id
          where d.event_id = events.id and w.is_active = 1 and d.due_at is not null)`,
      ),
    )
    .orderBy(events.createdAt, events.id)
    .limit(most);
  const gone = await store
    .delete(events)
    .where(inArray(events.id, old))
    .returning({ id: events.id });
  return gone.length;
}

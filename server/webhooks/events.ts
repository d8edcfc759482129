import { and, inArray, lt, sql } from "drizzle-orm";
import { onRows, type Store } from "../db/store.ts";
import { deliveries, type EventType, events, webhookEvents, webhooks } from "../db/tables.ts";
import { newIdAt } from "../lib/ids.ts";
import { chunksOf, inSteps, type StepLimits } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import type { EventData } from "./event-types.ts";
import { FILTER_CELLS, type Filtered, filterCellsOf, passesFilter } from "./filter.ts";

export type NewEvent = {
  [T in EventType]: { type: T; data: EventData[T] };
}[EventType] & {
  accountId: string;
  at: number;
  id?: string;
  /** It is about the first verdict of its link; chats get those of a batch in a digest. */
  first?: "single" | "batch";
  /** What filters of webhooks look at; not set for events that are not about a link. */
  about?: Filtered;
};

/** Rows of one statement. */
const ROWS = 500;

/**
 * Records events and queues them for every webhook that subscribes to them. Call it inside the transaction that makes
 * the change, so that both are committed together, and wake the loops (`deps.loops.wake()`) after the commit. It takes
 * any number of events, also of several accounts. An event whose type has no subscribers is not stored.
 */
export async function publishEvents(tx: Store, happened: NewEvent[]): Promise<void> {
  for (const some of chunksOf(ROWS, happened)) {
    const rows = some.map((event) => ({ ...event, id: event.id ?? newIdAt(event.at) }));
    await insertEvents(tx, rows.map(cellsOf));
    await insertDeliveries(tx, rows.map(deliveryCellsOf));
  }
}

/**
 * Returns a test for whether an event has subscribers now. `check.complete` rarely has any, and writing it costs more
 * than the check itself.
 */
export async function readSubscriptions(
  store: Store,
  accountIds: string[],
): Promise<(event: NewEvent) => boolean> {
  const rows = await selectSubscriptions(
    store,
    accountIds.map((accountId) => [accountId]),
  );
  const keyOf = (accountId: unknown, type: unknown, isFirst: boolean) =>
    `${accountId} ${type} ${isFirst}`;
  const wanted = new Set(
    rows.flatMap(([accountId, type, firstVerdicts]) => [
      keyOf(accountId, type, false),
      ...(firstVerdicts ? [keyOf(accountId, type, true)] : []),
    ]),
  );
  return (event) => wanted.has(keyOf(event.accountId, event.type, isFirstAlive(event)));
}

const selectSubscriptions = onRows(
  { account: "text" },
  (rows) => sql`
    select distinct w.account_id, e.type, w.first_verdicts
    from ${rows} as named join webhooks w on w.account_id = account and w.is_active = 1
    join webhook_events e on e.webhook_id = w.id
  `,
);

/** The first verdict of a link is "alive": most webhooks do not subscribe to that. */
const isFirstAlive = ({ type, first }: NewEvent) => type === "link.alive" && first !== undefined;

type Identified = NewEvent & { id: string };

const insertEvents = onRows(
  {
    id: "text",
    account_id: "text",
    type: "text",
    data: "text",
    created_at: "bigint",
    link_id: "text",
    first_alive: "bigint",
  },
  (rows) => sql`
    insert into ${events} (id, account_id, type, data, created_at, link_id)
    select happened.id, happened.account_id, happened.type, happened.data, happened.created_at, happened.link_id
    from ${rows} as happened
    where exists (
      select 1 from ${webhooks} join ${webhookEvents} on ${webhookEvents.webhookId} = ${webhooks.id}
      where ${webhooks.accountId} = happened.account_id and ${webhooks.isActive} = 1
        and ${webhookEvents.type} = happened.type
        and (happened.first_alive = 0 or ${webhooks.firstVerdicts} = 1)
    )
  `,
);

function cellsOf(event: Identified) {
  const { id, accountId, type, data, at } = event;
  const linkId = "linkId" in data ? data.linkId : null;
  return [id, accountId, type, JSON.stringify(data), at, linkId, isFirstAlive(event) ? 1 : 0];
}

const deliveryCellsOf = (row: Identified) => [
  row.id,
  isFirstAlive(row) ? 1 : 0,
  row.first === "batch" ? 1 : 0,
  ...filterCellsOf(row.about ?? null),
];

/** Locks the webhooks: it waits for one that is being deleted and then excludes it. */
const insertDeliveries = onRows(
  { id: "text", first_alive: "bigint", of_batch: "bigint", ...FILTER_CELLS },
  (rows, { holdWebhooks }) => sql`
    insert into ${deliveries}
      (webhook_id, event_id, type, status, attempts, unplanned_attempts, next_attempt_at, due_at, created_at, of_batch)
    select ${webhooks.id}, ${events.id}, ${events.type}, 'pending', 0, 0, ${events.createdAt}, ${events.createdAt}, ${events.createdAt},
      case when ${webhooks.format} = 'standard' then 0 else happened.of_batch end
    from ${rows} as happened
    join ${events} on ${events.id} = happened.id
    join ${webhooks} on ${webhooks.accountId} = ${events.accountId} and ${webhooks.isActive} = 1
    join ${webhookEvents} on ${webhookEvents.webhookId} = ${webhooks.id} and ${webhookEvents.type} = ${events.type}
    where (happened.first_alive = 0 or ${webhooks.firstVerdicts} = 1) and ${passesFilter}
    ${sql.raw(holdWebhooks)}
  `,
);

const RETENTION_MS = 30 * 86_400_000;

/**
 * Deletes events older than 30 days with their deliveries, except those that an active webhook still has to receive.
 * Returns how many.
 */
export async function deleteOldEvents(deps: Deps, limits: StepLimits = {}): Promise<number> {
  // If the clock were a year ahead, all events would be old.
  if (deps.online.clockIsOff()) return 0;
  const { rows } = await inSteps(deps.clock, (most) => deleteSome(deps, most), limits);
  return rows;
}

async function deleteSome({ store, clock }: Deps, most: number): Promise<number> {
  const old = store
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        lt(events.createdAt, clock.now() - RETENTION_MS),
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

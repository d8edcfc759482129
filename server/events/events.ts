import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../lib/chunks.ts";
import { newId } from "../lib/ids.ts";
import type { Statement, Store } from "../store/store.ts";
import {
  deliveries,
  type EventType,
  events,
  type Frequency,
  type Trigger,
  type Verdict,
  webhookEvents,
  webhooks,
} from "../store/tables.ts";

/** What each event tells, in the API's own words. Moments are ISO 8601. */
export type EventData = {
  "link.dead": StatusChange;
  "link.alive": StatusChange;
  "link.created": {
    linkId: string;
    url: string;
    groupId: string | null;
    service: string;
    checkFrequency: Frequency;
    status: Verdict;
    createdAt: string;
    batchId: string | null;
  };
  "link.deleted": {
    linkId: string;
    url: string;
    groupId: string | null;
    lastStatus: Verdict;
    deletedAt: string;
  };
  "check.complete": {
    checkId: string;
    linkId: string;
    url: string;
    previousStatus: Verdict;
    currentStatus: Verdict;
    statusChanged: boolean;
    statusCode: number | null;
    reason: string;
    responseTimeMs: number | null;
    trigger: Trigger;
    checkedAt: string;
  };
  "batch.complete": {
    batchId: string;
    total: number;
    checked: number;
    active: number;
    dead: number;
    unknown: number;
    skipped: number;
    startedAt: string;
    completedAt: string;
  };
};

export type StatusChange = {
  linkId: string;
  url: string;
  previousStatus: Verdict;
  currentStatus: Verdict;
  checkedAt: string;
  groupId: string | null;
  statusCode: number | null;
  reason: string;
  responseTimeMs: number | null;
  checkId: string;
};

/** One thing that happened. */
export type NewEvent = {
  [T in EventType]: { type: T; data: EventData[T] };
}[EventType] & {
  accountId: string;
  at: number;
  id?: string;
  /** It happened only if this row is there when the statement runs: what a batch before it made or left. */
  onlyIf?: { check: string } | { link: string } | { batchEvent: string };
};

/** Rows of one statement; both databases take far more parameters than these need. */
const ROWS = 500;

/**
 * Statements that record what happened and queue it for every webhook that subscribes. They are not
 * run here: the caller puts them into its own batch, so a change and its notification cannot part.
 * What nobody subscribes to leaves no row.
 */
export function recordEvents(store: Store, happened: NewEvent[]): Statement[] {
  return chunksOf(ROWS, happened).flatMap((some) => {
    const rows = some.map((event) => ({ ...event, id: event.id ?? newId() }));
    return [insertEvents(store, rows), insertDeliveries(store, rows)];
  });
}

type Identified = NewEvent & { id: string };

function insertEvents(store: Store, rows: Identified[]): Statement {
  return store.run(sql`
    insert into ${events} (id, account_id, type, data, created_at)
    select column1, column2, column3, column4, column5
    from (values ${sql.join(rows.map(valuesOf), sql`, `)}) as happened
    where exists (
      select 1 from ${webhooks} join ${webhookEvents} on ${webhookEvents.webhookId} = ${webhooks.id}
      where ${webhooks.accountId} = column2 and ${webhooks.isActive} = 1 and ${webhookEvents.type} = column3
    )
    and (column6 is null or exists (select 1 from checks where id = column6))
    and (column7 is null or exists (select 1 from links where id = column7))
    and (column8 is null or exists (select 1 from batches where completed_event_id = column8))
  `);
}

/** Casts tell PostgreSQL the types of the columns, which it cannot see in placeholders. */
function valuesOf({ id, accountId, type, data, at, onlyIf }: Identified): SQL {
  const check = onlyIf && "check" in onlyIf ? onlyIf.check : null;
  const link = onlyIf && "link" in onlyIf ? onlyIf.link : null;
  const batchEvent = onlyIf && "batchEvent" in onlyIf ? onlyIf.batchEvent : null;
  const texts = [id, accountId, type, JSON.stringify(data)].map(asText);
  return sql`(${sql.join(texts, sql`, `)}, cast(${at} as bigint), ${asText(check)}, ${asText(link)}, ${asText(batchEvent)})`;
}

const asText = (value: string | null) => sql`cast(${value} as text)`;

/** Holds the webhooks: one that is being deleted is waited for and left out, and the change stands. */
function insertDeliveries(store: Store, rows: Identified[]): Statement {
  const ids = sql.join(
    rows.map(({ id }) => sql`${id}`),
    sql`, `,
  );
  return store.run(sql`
    insert into ${deliveries} (event_id, webhook_id, status, attempts, next_attempt_at, created_at)
    select ${events.id}, ${webhooks.id}, 'pending', 0, ${events.createdAt}, ${events.createdAt}
    from ${events}
    join ${webhooks} on ${webhooks.accountId} = ${events.accountId} and ${webhooks.isActive} = 1
    join ${webhookEvents} on ${webhookEvents.webhookId} = ${webhooks.id} and ${webhookEvents.type} = ${events.type}
    where ${events.id} in (${ids})
    ${sql.raw(store.engine.holdWebhooks)}
  `);
}

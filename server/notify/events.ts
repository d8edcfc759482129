import { and, inArray, lt, sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import { deliveries, events, webhookEvents, webhooks } from "../ground/db/tables.ts";
import { newIdAt } from "../ground/lib/ids.ts";
import { toIsoOrNull } from "../ground/lib/moments.ts";
import { chunksOf, inSteps, type StepLimits } from "../ground/lib/steps.ts";
import type { EventType } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import {
  type EventData,
  type FoundOn,
  type LinkNotes,
  NO_NOTES,
  type SuggestedInstead,
} from "./event-types.ts";
import { FILTER_CELLS, type Filtered, filterCellsOf, passesFilter } from "./filter.ts";

export type NewEvent = {
  [T in EventType]: {
    type: T;
    data: Omit<EventData[T], keyof LinkNotes | "foundOn" | "suggestion">;
  };
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
    const notesOf = await readNotes(tx, some);
    const rows = some.map((event) => ({
      ...event,
      id: event.id ?? newIdAt(event.at),
      ...notesOf(event),
    }));
    await insertEvents(tx, rows.map(cellsOf));
    await insertDeliveries(tx, rows.map(deliveryCellsOf));
  }
}

const linkIdOf = ({ data }: NewEvent) => ("linkId" in data ? data.linkId : null);

/** What is noted about the link of an event; a link that is gone has the number 0 and no notes. */
type Noted = {
  linkNo: number;
  notes: LinkNotes;
  foundOn: FoundOn | null;
  suggestion: SuggestedInstead | null;
};

/** Events that say where their link stands. */
const isOfStatus = ({ type }: { type: EventType }) => type === "link.dead" || type === "link.alive";

async function readNotes(tx: Store, some: NewEvent[]): Promise<(event: NewEvent) => Noted> {
  const ids = new Set(some.map(linkIdOf).filter((id) => id !== null));
  const found = await selectNotes(
    tx,
    [...ids].map((id) => [id]),
  );
  const changed = new Set(some.filter(isOfStatus).map(linkIdOf));
  const places = new Map(
    found.flatMap((cells): [number, number][] =>
      changed.has(cells[0] as string) && cells[2] !== null
        ? [[cells[1] as number, Number(cells[2])]]
        : [],
    ),
  );
  const foundOn = await readFoundOn(tx, places);
  const died = new Set(some.filter(({ type }) => type === "link.dead").map(linkIdOf));
  const dead = found.flatMap(([id, no]) => (died.has(id as string) ? [no as number] : []));
  const suggested = await readSuggested(tx, dead);
  const byId = new Map(
    found.map((cells) => [cells[0] as string, toNoted(cells, foundOn, suggested)]),
  );
  return (event) => byId.get(linkIdOf(event) ?? "") ?? GONE;
}

const GONE: Noted = { linkNo: 0, notes: NO_NOTES, foundOn: null, suggestion: null };

/** The best suggestions for links that have died, by their numbers. */
async function readSuggested(tx: Store, nos: number[]): Promise<Map<number, SuggestedInstead>> {
  const rows = await selectSuggested(
    tx,
    nos.map((no) => [no]),
  );
  return new Map(
    rows.map(([no, kind, url, confidence, capturedAt]) => [
      no as number,
      {
        kind: kind as SuggestedInstead["kind"],
        url: url as string,
        confidence: confidence as SuggestedInstead["confidence"],
        capturedAt: toIsoOrNull(capturedAt === null ? null : Number(capturedAt)),
      },
    ]),
  );
}

const selectSuggested = onRows(
  { link: "bigint" },
  (rows) => sql`
    select link, kind, url, confidence, captured_at from ${rows} as died join suggestions best on best.id = (
      select id from suggestions where link_no = link order by rank, id limit 1)
  `,
);

const selectNotes = onRows(
  { link_id: "text" },
  (rows) => sql`
    select links.id, links.no, nullif(details.places, 0), details.title, details.external_id, details.metadata, details.note,
      details.handling, details.assignee_id, users.email, named_group.name, (select string_agg(tags.name, ',') from link_tags join tags on tags.no = tag_no where link_no = links.no)
    from ${rows} as named join watched_links as links on links.id = link_id
    left join link_details details on details.link_no = links.no
    left join users on users.id = details.assignee_id
    left join groups named_group on named_group.id = links.group_id
  `,
);

const PAGES_NAMED = 5;
const LONGEST_TEXT = 200;

/** @param places how many places links have, by their numbers */
async function readFoundOn(tx: Store, places: Map<number, number>): Promise<Map<number, FoundOn>> {
  if (places.size === 0) return new Map();
  const rows = await selectFirstPages(
    tx,
    [...places.keys()].map((no) => [no]),
  );
  const pages = Map.groupBy(rows, ([no]) => no as number);
  return new Map(
    [...places].map(([no, total]) => [
      no,
      { total, pages: (pages.get(no) ?? []).map(toFoundPage) },
    ]),
  );
}

function toFoundPage(cells: unknown[]): FoundOn["pages"][number] {
  const [, sourceId, sourceName, pageUrl, title, text, line, column] = cells;
  return {
    sourceId: sourceId as string,
    sourceName: sourceName as string,
    pageUrl: pageUrl as string,
    title: title === null ? null : cut(title as string),
    text: text === null ? null : cut(text as string),
    line: line === null ? null : Number(line),
    column: column === null ? null : Number(column),
  };
}

const cut = (text: string) => text.slice(0, LONGEST_TEXT).toWellFormed();

/**
 * The first place on each of the first pages of links. A place leads to the link, or to a page that is this link. An
 * index finds the last of these pages, however many there are.
 */
const selectFirstPages = onRows(
  { link: "bigint" },
  (rows) => sql`
    with targets as (
      select link, link as target from ${rows} as given
      union all select link_no, no from source_pages where link_no in (select link from ${rows} as also)
    ), near as materialized (
      select link, target, coalesce((
        select page_no from occurrences where target_no = target and place = 0
        order by target_no, page_no limit 1 offset ${sql.raw(String(PAGES_NAMED - 1))}
      ), ${sql.raw(String(Number.MAX_SAFE_INTEGER))}) as last_page
      from targets
    ), first as (
      select link, o.page_no, o.target_no,
        row_number() over (partition by link order by o.page_no, o.target_no) as n
      from near join occurrences o on o.target_no = target and o.page_no <= last_page and o.place = 0
    )
    select link, s.id, s.name, p.url, p.title, o.text, o.line + p.line_offset, o.col
    from first join occurrences o on o.page_no = first.page_no and o.target_no = first.target_no and o.place = 0
    join source_pages p on p.no = first.page_no join sources s on s.no = p.source_no
    where n <= ${sql.raw(String(PAGES_NAMED))} and s.deleted_at is null order by link, n
  `,
);

function toNoted(
  cells: unknown[],
  foundOn: Map<number, FoundOn>,
  suggested: Map<number, SuggestedInstead>,
): Noted {
  const [, no, , title, externalId, metadata, note, handling, assigneeId, email, groupName, tags] =
    cells;
  return {
    linkNo: no as number,
    foundOn: foundOn.get(no as number) ?? null,
    suggestion: suggested.get(no as number) ?? null,
    notes: {
      title: title as string | null,
      tags: tags === null ? [] : (tags as string).split(",").sort(),
      externalId: externalId as string | null,
      metadata: metadata === null ? {} : JSON.parse(metadata as string),
      note: note as string | null,
      assignee: email === null ? null : { id: assigneeId as string, email: email as string },
      groupName: groupName as string | null,
      muted: handling === "muted",
    },
  };
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

type Identified = NewEvent & { id: string } & Noted;

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
  const { id, accountId, type, at, notes, foundOn, suggestion } = event;
  const noted = isOfStatus(event) ? { ...notes, foundOn, suggestion } : notes;
  const data = type.startsWith("link.") ? { ...event.data, ...noted } : event.data;
  const first = isFirstAlive(event) ? 1 : 0;
  return [id, accountId, type, JSON.stringify(data), at, linkIdOf(event), first];
}

const deliveryCellsOf = (row: Identified) => [
  row.id,
  isFirstAlive(row) ? 1 : 0,
  row.first === "batch" ? 1 : 0,
  row.notes.muted ? 1 : 0,
  "late" in row.data ? 1 : 0,
  row.linkNo,
  ...filterCellsOf(row.about ?? null, row.type === "link.changed" ? row.data.kind : null),
];

/**
 * Locks the webhooks: it waits for one that is being deleted and then excludes it. Only programs get events about muted
 * links, and only people those that are late, which programs had in time.
 */
const insertDeliveries = onRows(
  {
    id: "text",
    first_alive: "bigint",
    of_batch: "bigint",
    muted: "bigint",
    late: "bigint",
    link_no: "bigint",
    ...FILTER_CELLS,
  },
  (rows, { holdWebhooks }) => sql`
    insert into ${deliveries}
      (webhook_id, event_id, type, status, attempts, unplanned_attempts, next_attempt_at, due_at, created_at, of_batch)
    select ${webhooks.id}, ${events.id}, ${events.type}, 'pending', 0, 0, ${events.createdAt}, ${events.createdAt}, ${events.createdAt},
      case when ${webhooks.format} = 'standard' then 0 else happened.of_batch end
    from ${rows} as happened
    join ${events} on ${events.id} = happened.id
    join ${webhooks} on ${webhooks.accountId} = ${events.accountId} and ${webhooks.isActive} = 1
    join ${webhookEvents} on ${webhookEvents.webhookId} = ${webhooks.id} and ${webhookEvents.type} = ${events.type}
    where (happened.first_alive = 0 or ${webhooks.firstVerdicts} = 1)
      and (happened.muted = 0 or happened.late = 1 or ${webhooks.format} = 'standard')
      and (happened.late = 0 or ${webhooks.format} <> 'standard') and ${passesFilter}
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

import { inArray, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { onRows, type Store } from "../../db/store.ts";
import { users } from "../../db/tables.ts";
import { invalid } from "../../lib/errors.ts";
import type { LinkAction } from "../../lib/vocabulary.ts";
import type { AllLinkExtras } from "./extras.ts";
import { writeTags } from "./tags.ts";

/** What is known of a link before and after a change. */
export type ExtrasChange = { no: number; before: AllLinkExtras; after: AllLinkExtras };

/**
 * Writes what changes about links, other than in `links` itself: only tables that differ. A link whose handling changes
 * gets `at` as the time of its update. Call it in a transaction that holds the locks of the account and the links.
 */
export async function writeExtras(
  tx: Store,
  caller: Pick<Caller, "accountId" | "accountNo">,
  changes: ExtrasChange[],
  at: number,
): Promise<void> {
  const { accountNo } = caller;
  await refuseRemovedPeople(tx, changes);
  const differing = (cellsOf: (extras: AllLinkExtras) => Cell[]) =>
    changes.flatMap(({ no, before, after }) =>
      Bun.deepEquals(cellsOf(before), cellsOf(after)) ? [] : [[no, accountNo, ...cellsOf(after)]],
    );
  await writeTriage(tx, differing(triageOf), at);
  await upsertTexts(tx, differing(textsOf));
  await upsertSettings(tx, differing(settingsOf));
  await upsertOrigins(tx, differing(originOf));
  await writeTags(
    tx,
    caller,
    changes.map(({ no, before, after }) => ({ no, before: before.tags, after: after.tags })),
  );
}

/** A person may have been removed since the request named them. @throws VALIDATION_ERROR */
async function refuseRemovedPeople(tx: Store, changes: ExtrasChange[]): Promise<void> {
  const named = new Set(
    changes.flatMap(({ before, after }) =>
      after.assignee && after.assignee.id !== before.assignee?.id ? [after.assignee.id] : [],
    ),
  );
  if (named.size === 0) return;
  const found = await tx.$count(users, inArray(users.id, [...named]));
  if (found < named.size) throw invalid({ assignee_id: ["no such person"] });
}

type Cell = string | number | null;

const triageOf = (extras: AllLinkExtras): Cell[] => [
  ...[extras.handling, extras.handledAt, extras.handledBy, extras.mutedUntil],
  ...[extras.silentDeathAt, extras.assignee?.id ?? null, extras.overrideUntil],
  jsonOf(extras.override),
];

const textsOf = (extras: AllLinkExtras): Cell[] => [
  ...[extras.externalId, extras.title, extras.note],
  Object.keys(extras.metadata).length > 0 ? jsonOf(extras.metadata) : null,
];

const settingsOf = ({ schedule, expect }: AllLinkExtras): Cell[] => {
  const own = schedule?.from === "link" ? schedule : null;
  return [own?.cron ?? null, own?.timeZone ?? null, jsonOf(expect)];
};

const originOf = ({ isPinned }: AllLinkExtras): Cell[] => [isPinned ? 1 : 0];

const jsonOf = (value: object | null) => value && JSON.stringify(value);

/** Writes the decisions about links, and copies their handling to `links`. */
async function writeTriage(tx: Store, rows: Cell[][], at: number): Promise<void> {
  await upsertTriage(tx, rows);
  await copyHandling(
    tx,
    rows.map(([no, account, handling]) => [no!, account!, handling!]),
    { at },
  );
}

const OF_LINK = { link: "bigint", account: "bigint" } as const;

const upsertTriage = onRows(
  {
    ...OF_LINK,
    handling: "text",
    handled_at: "bigint",
    handled_by: "text",
    muted_until: "bigint",
    silent_death_at: "bigint",
    assignee_id: "text",
    override_until: "bigint",
    override: "text",
  },
  (rows) => sql`
    insert into link_triage (link_no, account_no, handling, handled_at, handled_by, muted_until, silent_death_at,
      assignee_id, override_until, override)
    select * from ${rows} as given where true
    on conflict (link_no) do update set handling = excluded.handling, handled_at = excluded.handled_at,
      handled_by = excluded.handled_by, muted_until = excluded.muted_until,
      silent_death_at = excluded.silent_death_at, assignee_id = excluded.assignee_id,
      override_until = excluded.override_until, override = excluded.override
  `,
);

/** SQLite would scan all links of the account if its number were not in each row. */
const copyHandling = onRows(
  { ...OF_LINK, given: "text" },
  (rows) => sql`
    update links set handling = given, updated_at = ${sql.placeholder("at")} from ${rows} as decided
    where links.no = link and links.account_no = account and handling <> given
  `,
);

const upsertTexts = onRows(
  { ...OF_LINK, external_id: "text", title: "text", note: "text", metadata: "text" },
  (rows) => sql`
    insert into link_texts (link_no, account_no, external_id, title, note, metadata)
    select * from ${rows} as given where true
    on conflict (link_no) do update set external_id = excluded.external_id, title = excluded.title,
      note = excluded.note, metadata = excluded.metadata
  `,
);

const upsertSettings = onRows(
  { ...OF_LINK, cron: "text", time_zone: "text", expect: "text" },
  (rows) => sql`
    insert into link_settings (link_no, cron, time_zone, expect)
    select link, cron, time_zone, expect from ${rows} as given where true
    on conflict (link_no) do update set cron = excluded.cron, time_zone = excluded.time_zone,
      expect = excluded.expect
  `,
);

/** How many sources and places a link has is counted by its sources. */
const upsertOrigins = onRows(
  { ...OF_LINK, is_pinned: "bigint" },
  (rows) => sql`
    insert into link_origins (link_no, is_pinned, sources, places)
    select link, is_pinned, 0, 0 from ${rows} as given where true
    on conflict (link_no) do update set is_pinned = excluded.is_pinned
  `,
);

/** Opens links, whatever was decided about them. */
export async function openLinks(tx: Store, nos: number[]): Promise<void> {
  const rows = nos.map((no) => [no]);
  await openTriage(tx, rows);
  await openHandling(tx, rows);
}

const openTriage = onRows(
  { link: "bigint" },
  (rows) => sql`
    update link_triage set handling = 'open', handled_at = null, handled_by = null, muted_until = null,
      silent_death_at = null
    where link_no in (select link from ${rows} as opened)
  `,
);

const openHandling = onRows(
  { link: "bigint" },
  (rows) =>
    sql`update links set handling = 'open' where no in (select link from ${rows} as opened)`,
);

/** An entry of a link's timeline. Without `actor` it ended without anyone's doing. */
export type Action = {
  no: number;
  at: number;
  kind: LinkAction;
  actor: string | null;
  detail?: string | null;
};

export const recordActions = (tx: Store, actions: Action[]): Promise<unknown> =>
  insertActions(
    tx,
    actions.map(({ no, at, kind, actor, detail = null }) => [no, at, kind, actor, detail]),
  );

const insertActions = onRows(
  { link: "bigint", happened_at: "bigint", kind: "text", actor: "text", detail: "text" },
  (rows) => sql`
    insert into link_actions (link_no, at, kind, actor, detail)
    select link, happened_at, kind, actor, detail from ${rows} as given where true
    on conflict (link_no, at, kind) do update set actor = excluded.actor, detail = excluded.detail
  `,
);

import { count, desc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { onRows, type Store } from "../../ground/db/store.ts";
import { type LinkRow, linkActions, linkUrls } from "../../ground/db/tables.ts";
import { toIso } from "../../ground/lib/moments.ts";
import { type Page, type PageQuery, windowOf } from "../../ground/lib/paging.ts";
import { LINK_ACTIONS, type LinkAction } from "../../ground/lib/vocabulary.ts";
import type { Deps } from "../../work/deps.ts";

/** An entry of a link's timeline: what people did, and what of it ended. */
export type TimelineEntry = typeof linkActions.$inferSelect & { previousUrl: string | null };

export const TimelineRecord = z
  .object({
    at: z.string(),
    kind: z.enum(LINK_ACTIONS),
    by: z.string().meta({ example: "ada@example.org" }).nullable(),
    detail: z.string().nullable(),
    previous_url: z.string().nullable(),
  })
  .meta({
    id: "TimelineEntry",
    description:
      "`by` is null for what ended without anyone's doing. `detail` depends on `kind`: the end of a mute or an override, why an override ended, the assignee's address, all tags, the names of changed fields, the note of a new URL, or the URL that was accepted in place of the link's.",
    example: { kind: "acknowledged", detail: null, previous_url: null },
  });

/** A URL is kept until the change, or until the last check if the clock was set back since. */
const PREVIOUS_URL = sql<string | null>`case when ${linkActions.kind} = 'url_changed' then (
  select ${linkUrls.url} from ${linkUrls}
  where ${linkUrls.linkNo} = ${linkActions.linkNo} and ${linkUrls.until} >= ${linkActions.at}
  order by ${linkUrls.until} limit 1) end`;

/** Lists what people did to a link, newest first. */
export async function listTimeline(
  { store }: Deps,
  { no }: Pick<LinkRow, "no">,
  query: PageQuery,
): Promise<Page<TimelineEntry>> {
  const isOfLink = eq(linkActions.linkNo, no);
  const { limit, offset } = windowOf(query);
  const { linkNo, at, kind, actor, detail } = linkActions;
  const [rows, [total]] = await Promise.all([
    store
      .select({ linkNo, at, kind, actor, detail, previousUrl: PREVIOUS_URL })
      .from(linkActions)
      .where(isOfLink)
      .orderBy(desc(at), desc(kind))
      .limit(limit)
      .offset(offset),
    store.select({ count: count() }).from(linkActions).where(isOfLink),
  ]);
  return { items: rows, total: total!.count };
}

export const toTimelineRecord = (row: TimelineEntry): z.infer<typeof TimelineRecord> => ({
  at: toIso(row.at),
  kind: row.kind,
  by: row.actor,
  detail: row.detail,
  previous_url: row.previousUrl,
});

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

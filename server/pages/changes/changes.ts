import { and, desc, eq, gte, lte, sql } from "drizzle-orm";
import { changes, groups, links } from "../../ground/db/tables.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import type { ChangeKind } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { readMessages } from "./messages.ts";
import type { ChangeEntry, ChangesPage, ChangesQuery } from "./model.ts";

/** Changes that are read for one page. An entry of more continues as another one on the next page. */
const MOST_READ = 2000;
/** Changes that are read at first for each entry of a page. */
const FEW_PER_ENTRY = 10;
/** Longest pause between two changes of one entry. */
const PAUSE_MS = 10 * 60_000;
const SHOWN_LINKS = 3;

type ChangeRow = Awaited<ReturnType<typeof readRows>>[number];

/** Changes of one site that have the same reason, newest first. */
type Entry = { rows: ChangeRow[]; newest: number; oldest: number };

/** Lists changes in groups, the latest first. */
export async function listChanges(
  deps: Deps,
  caller: Caller,
  query: ChangesQuery,
): Promise<ChangesPage> {
  const { shown, next } = await readPage(deps, caller, query);
  const messages = await readMessages(deps, caller, shown);
  return {
    items: shown.map((entry, index) => ({ ...toEntry(entry), messages: messages[index]! })),
    next: toIsoOrNull(next),
  };
}

/** Mostly a few changes are enough. A mass death needs more, to count it in one entry. */
async function readPage(deps: Deps, caller: Caller, query: ChangesQuery) {
  const few = query.per_page * FEW_PER_ENTRY;
  const rows = await readRows(deps, caller, query, few);
  const page = pageOf(entriesOf(rows), query.per_page);
  if (rows.length < few || (page.next !== null && areWhole(page.shown, rows))) return page;
  const most = wholeMoments(await readRows(deps, caller, query, MOST_READ));
  const { shown, next } = pageOf(entriesOf(most.rows), query.per_page);
  return { shown, next: next ?? most.next };
}

/** Whether changes that were not read cannot belong to the entries. */
function areWhole(entries: Entry[], rows: ChangeRow[]): boolean {
  const last = rows.at(-1)!.at;
  return entries.every(({ oldest }) => oldest - last > PAUSE_MS);
}

/** Leaves the last moment to the next page if there are more rows, since more of them may have it. */
function wholeMoments(rows: ChangeRow[]): { rows: ChangeRow[]; next: number | null } {
  if (rows.length < MOST_READ) return { rows, next: null };
  const last = rows.at(-1)!.at;
  const whole = rows.filter(({ at }) => at > last);
  return whole.length > 0 ? { rows: whole, next: last } : { rows, next: last - 1 };
}

/** SQLite uses the index of rare kinds only for queries that repeat its condition. */
const IS_RARE = sql`${changes.kind} not in ('died', 'came_back', 'became_unknown')`;
const RARE: ReadonlySet<ChangeKind> = new Set(["moved", "changed_hands", "certificate"]);

async function readRows(
  { store }: Deps,
  { accountId, accountNo }: Caller,
  query: ChangesQuery,
  limit: number,
) {
  const { kind, group_id: groupId, site, since, before } = query;
  const ofGroup =
    groupId &&
    store
      .select({ no: groups.no })
      .from(groups)
      .where(and(eq(groups.id, groupId), eq(groups.accountId, accountId)));
  // The columns of an index only: SQLite would take the primary key for more, and search all changes for a site.
  const found = store
    .select({ accountNo: changes.accountNo, at: changes.changedAt, no: changes.linkNo })
    .from(changes)
    .where(
      and(
        // A group has one account, and the index of groups does not contain it.
        ofGroup ? eq(changes.groupNo, sql`(${ofGroup})`) : eq(changes.accountNo, accountNo),
        kind && eq(changes.kind, kind),
        kind && RARE.has(kind) ? IS_RARE : undefined,
        site ? eq(changes.site, site) : undefined,
        since === undefined ? undefined : gte(changes.changedAt, since),
        before === undefined ? undefined : lte(changes.changedAt, before),
      ),
    )
    .orderBy(desc(changes.changedAt), desc(changes.linkNo))
    .limit(limit)
    .as("found");
  const isFound = and(
    eq(changes.accountNo, found.accountNo),
    eq(changes.changedAt, found.at),
    eq(changes.linkNo, found.no),
  );
  return store.readPool
    .select({
      no: changes.linkNo,
      at: changes.changedAt,
      kind: changes.kind,
      site: changes.site,
      reason: changes.reason,
      cause: changes.cause,
      lastedMs: changes.lastedMs,
      finalUrl: changes.finalUrl,
      id: links.id,
      url: links.url,
    })
    .from(found)
    .innerJoin(changes, isFound)
    .innerJoin(links, eq(links.no, changes.linkNo))
    .orderBy(desc(changes.changedAt), desc(changes.linkNo));
}

/** Groups changes of one site with the same kind and reason with no long pause between them. */
function entriesOf(rows: ChangeRow[]): Entry[] {
  const entries: Entry[] = [];
  const open = new Map<string, Entry>();
  for (const row of rows) {
    const key = `${row.kind} ${row.reason} ${row.site}`;
    const entry = open.get(key);
    if (entry && entry.oldest - row.at <= PAUSE_MS) {
      entry.rows.push(row);
      entry.oldest = row.at;
      continue;
    }
    const begun = { rows: [row], newest: row.at, oldest: row.at };
    open.set(key, begun);
    entries.push(begun);
  }
  return entries;
}

/** Cuts where no entry reaches beyond the cut, so that none is shown twice. @returns also where the next page begins */
function pageOf(entries: Entry[], count: number): { shown: Entry[]; next: number | null } {
  let oldest = Number.POSITIVE_INFINITY;
  for (const [index, entry] of entries.entries()) {
    if (index >= count && entry.newest < oldest) {
      return { shown: entries.slice(0, index), next: entry.newest };
    }
    oldest = Math.min(oldest, entry.oldest);
  }
  return { shown: entries, next: null };
}

function toEntry({ rows }: Entry): Omit<ChangeEntry, "messages"> {
  const [{ no, at, kind, site, reason, cause, lastedMs, finalUrl }] = rows as [ChangeRow];
  const hosts = new Set(rows.map(({ url }) => new URL(url).host));
  return {
    id: `${at}-${no}`,
    kind,
    changed_at: toIso(at),
    site,
    host: hosts.size === 1 ? [...hosts][0]! : null,
    reason,
    cause,
    count: rows.length,
    lasted_ms: lastedMs,
    final_url: rows.length === 1 ? finalUrl : null,
    links: rows.slice(0, SHOWN_LINKS).map(({ id, url }) => ({ id, url })),
  };
}

import { and, desc, eq, gte, inArray, lte } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { changes, groups, links } from "../../db/tables.ts";
import { toIso } from "../../lib/moments.ts";
import type { Deps } from "../../work/deps.ts";
import { readMessages } from "./messages.ts";
import type { ChangeEntry, ChangesPage, ChangesQuery } from "./model.ts";

/** Changes that are read for one page. */
const MOST_READ = 2000;
/** Longest pause between two changes of one entry. */
const PAUSE_MS = 10 * 60_000;
const SHOWN_LINKS = 3;

export type ChangeRow = Awaited<ReturnType<typeof readRows>>[number];

/** Changes of one site that have the same reason, newest first. */
export type Entry = { rows: ChangeRow[]; newest: number; oldest: number };

/** Lists changes in groups, the latest first. */
export async function listChanges(
  deps: Deps,
  caller: Caller,
  query: ChangesQuery,
): Promise<ChangesPage> {
  const rows = await readRows(deps, caller, query);
  const entries = entriesOf(rows);
  const { shown, next } = pageOf(entries, query.per_page);
  const isCut = rows.length === MOST_READ && next === null;
  const messages = await readMessages(deps, caller, shown);
  return {
    items: shown.map((entry, index) => ({ ...toEntry(entry), messages: messages[index]! })),
    next: toIsoOf(next ?? (isCut ? rows.at(-1)!.at : null)),
  };
}

const toIsoOf = (at: number | null) => (at === null ? null : toIso(at));

async function readRows({ store }: Deps, { accountId, accountNo }: Caller, query: ChangesQuery) {
  const { kind, group_id: groupId, site, since, before } = query;
  const ofGroup =
    groupId &&
    store
      .select({ no: groups.no })
      .from(groups)
      .where(and(eq(groups.id, groupId), eq(groups.accountId, accountId)));
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
    .from(changes)
    .innerJoin(links, eq(links.no, changes.linkNo))
    .where(
      and(
        eq(changes.accountNo, accountNo),
        kind && eq(changes.kind, kind),
        site ? eq(changes.site, site) : undefined,
        ofGroup ? inArray(changes.groupNo, ofGroup) : undefined,
        since === undefined ? undefined : gte(changes.changedAt, since),
        before === undefined ? undefined : lte(changes.changedAt, before),
      ),
    )
    .orderBy(desc(changes.changedAt), desc(changes.linkNo))
    .limit(MOST_READ);
}

/** Groups changes of one site with the same kind and reason between which no long pause is. */
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

import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { lockLinks } from "../../ground/db/queries.ts";
import { onRows, type Store } from "../../ground/db/store.ts";
import { links, mutes } from "../../ground/db/tables.ts";
import { invalid } from "../../ground/lib/errors.ts";
import { toIso } from "../../ground/lib/moments.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { makeChange, type Unit } from "../../work/unit.ts";
import { problemOfMute } from "../fields/handling.ts";
import { openLinks, publishLateDeaths } from "./open.ts";
import { recordActions } from "./timeline.ts";

/** A group by its id, or a site by its name. */
export type Muted = { kind: "group" | "site"; subject: string };

/** A mute that a link has from its group or site, or `null` if it has one no longer. */
export type Inherited = (Pick<Muted, "kind"> & { until: number; at: number; by: string }) | null;

/**
 * Brings links in line with the mutes of their groups and sites, of which the longest counts: open ones are muted, and
 * those that were muted with one that no longer is are opened. What was decided about a link itself stays. Call it in a
 * transaction that holds the locks of the links, after each change of their group, their site, or what was decided.
 * @returns what has changed, by the number of the link
 */
export async function inheritMutes(
  tx: Store,
  nos: number[],
  now: number,
): Promise<Map<number, Inherited>> {
  if (nos.length === 0) return new Map();
  const found = await selectMutes(
    tx,
    nos.map((no) => [no]),
    { now },
  );
  const byLink = Map.groupBy(found, ([no]) => no as number);
  const changed = new Map(
    [...byLink].flatMap(([no, rows]): [number, Inherited][] => {
      const next = nextOf(rows, now);
      return next === undefined ? [] : [[no, next]];
    }),
  );
  const opened = [...changed].flatMap(([no, next]) => (next === null ? [no] : []));
  await publishLateDeaths(tx, opened, now);
  await openLinks(tx, opened);
  const muted = [...changed].flatMap(([no, next]) => (next ? [[no, next] as const] : []));
  const cells = muted.map(([no, { kind, until, at, by }]) => [no, kind, until, at, by]);
  await muteDetails(tx, cells);
  await muteLinks(tx, cells, { now });
  await recordActions(tx, [
    ...opened.map((no) => ({ no, at: now, kind: "mute_ended" as const, actor: null })),
    ...muted.map(([no, { until, by }]) => ({
      no,
      at: now,
      kind: "muted" as const,
      actor: by,
      detail: toIso(until),
    })),
  ]);
  return changed;
}

/** What becomes of a link; undefined if nothing does. */
function nextOf(rows: unknown[][], now: number): Inherited | undefined {
  const [, handling, from, mutedUntil] = rows[0]!;
  const [longest = null] = rows
    .filter(([, , , , kind]) => kind !== null)
    .map(([, , , , kind, until, at, by]) => ({
      kind: kind as Muted["kind"],
      until: until as number,
      at: at as number,
      by: by as string,
    }))
    .sort((a, b) => b.until - a.until);
  if (handling === "acknowledged") return undefined;
  if (handling === "open") return longest ?? undefined;
  const isOver = (mutedUntil as number) <= now;
  if (from === null) return isOver ? (longest ?? undefined) : undefined;
  return longest && longest.kind === from && longest.until === mutedUntil ? undefined : longest;
}

const selectMutes = onRows(
  { link: "bigint" },
  (rows) => sql`
    select links.no, links.handling, details.muted_from, details.muted_until, m.kind, m.until, m.muted_at, m.muted_by
    from ${rows} as given join watched_links as links on links.no = link
    left join link_details details on details.link_no = links.no
    left join mutes m on m.account_no = links.account_no and m.until > ${sql.placeholder("now")}
      and ((m.kind = 'group' and m.subject = links.group_id) or (m.kind = 'site' and m.subject = links.site))
  `,
);

const MUTED = {
  link: "bigint",
  kind: "text",
  until: "bigint",
  muted_at: "bigint",
  muted_by: "text",
} as const;

const muteDetails = onRows(
  MUTED,
  (rows) => sql`
    insert into link_details (link_no, account_no, handling, handled_at, handled_by, muted_until, muted_from)
    select link, links.account_no, 'muted', given.muted_at, given.muted_by, given.until, given.kind
    from ${rows} as given join watched_links as links on links.no = link where true
    on conflict (link_no) do update set handling = 'muted', handled_at = excluded.handled_at,
      handled_by = excluded.handled_by, muted_until = excluded.muted_until, muted_from = excluded.muted_from
  `,
);

const muteLinks = onRows(
  MUTED,
  (rows) => sql`
    update links set handling = 'muted', updated_at = ${sql.placeholder("now")}
    where no in (select link from ${rows} as given)
  `,
);

const AT_ONCE = 250;

export type Mute = typeof mutes.$inferSelect;

/** The mutes of groups by their ids, or of sites by their names. */
export async function findMutes(
  store: Pick<Store, "select">,
  { accountNo }: Pick<Caller, "accountNo">,
  kind: Muted["kind"],
  subjects: string[],
): Promise<Map<string, Mute>> {
  if (subjects.length === 0) return new Map();
  const rows = await store
    .select()
    .from(mutes)
    .where(
      and(eq(mutes.accountNo, accountNo), eq(mutes.kind, kind), inArray(mutes.subject, subjects)),
    );
  return new Map(rows.map((row) => [row.subject, row]));
}

/** @throws VALIDATION_ERROR for a moment that a link could not be muted until either */
export function refuseMute({ clock }: Pick<Deps, "clock">, until: number | null | undefined): void {
  if (!until) return;
  const problem = problemOfMute({ handling: "muted", muted_until: until }, clock.now());
  if (problem) throw invalid({ muted_until: [problem] });
}

/** Mutes a group or a site until a moment, or no longer with null. Its links follow with `inheritAll`. */
export async function setMute(
  { store, clock }: Unit,
  caller: Caller,
  { kind, subject }: Muted,
  until: number | null,
): Promise<Mute | null> {
  const { accountNo } = caller;
  const isIt = [eq(mutes.accountNo, accountNo), eq(mutes.kind, kind), eq(mutes.subject, subject)];
  await store.delete(mutes).where(and(...isIt));
  if (until === null) return null;
  const mute = {
    accountNo,
    kind,
    subject,
    until,
    mutedAt: clock.now(),
    mutedBy: caller.by.name,
  };
  await store.insert(mutes).values(mute);
  return mute;
}

/** Mutes or opens the links of a group or a site, in pieces. Those that join later inherit its mute when they do. */
export async function inheritAll(
  deps: Deps,
  caller: Caller,
  { kind, subject }: Muted,
): Promise<void> {
  const isIn =
    kind === "group"
      ? eq(links.groupId, subject)
      : and(eq(links.accountNo, caller.accountNo), eq(links.site, subject));
  for (let after = 0; ; await yieldToEventLoop()) {
    const some = await deps.store
      .select({ no: links.no })
      .from(links)
      .where(and(isIn, gt(links.no, after)))
      .orderBy(asc(links.no))
      .limit(AT_ONCE);
    if (some.length === 0) return;
    after = some.at(-1)!.no;
    const nos = some.map(({ no }) => no);
    await makeChange(deps, caller, async (unit) => {
      await lockLinks(unit.store, nos);
      await inheritMutes(unit.store, nos, unit.clock.now());
    });
  }
}

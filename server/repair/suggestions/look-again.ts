import { eq, sql } from "drizzle-orm";
import { onRows } from "../../ground/db/store.ts";
import { type LinkRow, linkLookups } from "../../ground/db/tables.ts";
import { conflict } from "../../ground/lib/errors.ts";
import { logFailure } from "../../ground/lib/log.ts";
import type { Caller } from "../../http/caller.ts";
import { refusalBeyond } from "../../http/rate-limit.ts";
import { findAnyLink, findLink } from "../../links/links.ts";
import { FRESH_MS } from "../../links/suggestions/rows.ts";
import type { Deps, SaveReply } from "../../work/deps.ts";
import { makeChange, type Unit } from "../../work/unit.ts";
import { demandLookups } from "../archive/settings.ts";
import { findSuggestions } from "./read.ts";

const refuseTooMany = refusalBeyond({ perMinute: 10, perHour: 0 }, "lookups");

type Found = Awaited<ReturnType<typeof findSuggestions>>;

/**
 * Looks for suggestions again, before all others.
 * @param archive whether an archive is asked also about a URL that may be private
 * @throws CONFLICT with `not_dead` for a link that is not, and with `archive_off`
 */
export async function lookAgain(
  deps: Deps,
  caller: Caller,
  { id, archive }: { id: string; archive: boolean },
  saveReply: SaveReply<Found>,
): Promise<Found> {
  await refuseTooMany(deps, caller.accountId);
  return makeChange(deps, caller, async (unit) => {
    const link = await findLink(unit, caller, id);
    if (archive) await demandLookups(unit, link.accountNo);
    if (link.status !== "dead") throw NOT_DEAD;
    await begin(unit, link, archive);
    const found = await findSuggestions(unit.store, link);
    await saveReply(unit.store, found);
    return found;
  });
}

const NOT_DEAD = conflict("The link is not dead.", { reason: "not_dead" });

/** What a person looks at comes first. */
const FIRST = 0;

const begin = ({ store: tx, clock }: Unit, link: LinkRow, isByHand: boolean) =>
  beginFirst(tx, [[link.no, link.accountNo, clock.now(), Number(isByHand)]]);

const beginFirst = onRows(
  { link: "bigint", account: "bigint", at: "bigint", by_hand: "bigint" },
  (rows) => sql`
    insert into link_lookups (link_no, account_no, state, step, rank, due_at, is_by_hand)
    select link, account, 'waiting', 'own', ${sql.raw(String(FIRST))}, at, by_hand from ${rows} as wanted where true
    on conflict (link_no) do update set state = excluded.state, step = excluded.step, rank = excluded.rank,
      due_at = excluded.due_at, lease = null, misses = 0,
      is_by_hand = case when excluded.is_by_hand = 1 then 1 else link_lookups.is_by_hand end
  `,
);

/**
 * Returns the suggestions of a link. For a person, what is looked for comes before others, and what was found long ago is
 * looked for again.
 */
export async function openSuggestions(deps: Deps, caller: Caller, id: string): Promise<Found> {
  const link = await findAnyLink(deps, caller, id);
  const found = await findSuggestions(deps.store, link);
  const isDead = link.status === "dead" && link.retiredAt === 0;
  if (isDead && caller.by.kind === "user" && !deps.troubles.stoppingWrites()) {
    await hurry(deps, link, found).catch(logFailure("failed to hurry a lookup"));
  }
  return found;
}

async function hurry(deps: Deps, link: LinkRow, { items, lookup }: Found): Promise<void> {
  const oldest = deps.clock.now() - FRESH_MS;
  const isOld = items.some(({ kind, checkedAt }) => kind !== "archive" && checkedAt < oldest);
  const isLooking = lookup?.state === "waiting" || lookup?.state === "looking";
  if (!lookup || (isOld && !isLooking)) {
    await makeChange(deps, link, (unit) => begin(unit, link, false));
  } else if (isLooking && lookup.rank !== FIRST) {
    await deps.store
      .update(linkLookups)
      .set({ rank: sql`${FIRST}` })
      .where(eq(linkLookups.linkNo, link.no));
  }
}

import { inArray, sql } from "drizzle-orm";
import { lookupsIn, savesIn } from "../../accounts/archive.ts";
import { onRows, type Store } from "../../ground/db/store.ts";
import { accounts, archiveCopies } from "../../ground/db/tables.ts";
import { placeOf } from "../../judge/identity/way.ts";
import { urlKeyOf } from "../../judge/services/catalogue.ts";
import type { StoredMemory } from "../../links/memories.ts";
import { FRESH_MS, moveIn, toRow, writeSuggestions } from "../../links/suggestions/rows.ts";
import type { Deps } from "../../work/deps.ts";
import { usableOf } from "../archive/copies.ts";
import { needsOf } from "../archive/find-copy.ts";
import { notePatternDeath } from "../patterns/patterns.ts";
import { copyFound, wantedOf } from "./copy.ts";

/** A link that has died at `at`. */
export type Death = {
  link: {
    no: number;
    id: string;
    accountNo: number;
    url: string;
    lastActiveAt: number | null;
    createdAt: number;
    memory?: StoredMemory | undefined;
  };
  at: number;
  /** Where its redirects led when it was found dead. */
  finalUrl: string | null;
};

/**
 * Begins to look for what could stand in the place of links, in the transaction in which they die. What is known already
 * is suggested at once, so that the events about their deaths have it.
 */
export async function noteDeaths(
  tx: Store,
  deps: Pick<Deps, "config" | "catalogue">,
  deaths: Death[],
): Promise<void> {
  if (deaths.length === 0) return;
  await forgetOld(
    tx,
    deaths.map(({ link, at }) => [link.no, at - FRESH_MS]),
  );
  const moves = deaths.flatMap((death) => {
    const move = moveAt(death);
    return move ? [toRow(death.link, move)] : [];
  });
  await writeSuggestions(tx, [...moves, ...(await knownCopies(tx, deps, deaths))]);
  await beginLookups(
    tx,
    deaths.map(({ link, at }) => [link.no, link.accountNo, at]),
  );
  for (const { link, at } of deaths) {
    await notePatternDeath(tx, { accountNo: link.accountNo, url: link.url, now: at });
  }
}

/** Where a link had moved to, unless it is that which has died. */
function moveAt({ link: { memory, lastActiveAt }, at, finalUrl }: Death) {
  if (lastActiveAt === null || at - lastActiveAt > FRESH_MS) return null;
  const move = moveIn(memory, lastActiveAt);
  return move && finalUrl !== null && placeOf(finalUrl) === placeOf(move.url) ? null : move;
}

/** The copies that archives are known to have, for those accounts that want to know. */
async function knownCopies(
  tx: Store,
  { config, catalogue }: Pick<Deps, "config" | "catalogue">,
  deaths: Death[],
) {
  if (config.archive === "off") return [];
  const keyed = deaths.flatMap((death) => {
    const url = URL.parse(death.link.url);
    return url ? [{ ...death, key: urlKeyOf(catalogue, url) }] : [];
  });
  const keys = [...new Set(keyed.map(({ key }) => key))];
  const rows = await tx.select().from(archiveCopies).where(inArray(archiveCopies.urlKey, keys));
  if (rows.length === 0) return [];
  const nos = [...new Set(deaths.map(({ link }) => link.accountNo))];
  const owners = await tx.select().from(accounts).where(inArray(accounts.no, nos));
  const noOf = (those: typeof owners) => new Set(those.map(({ no }) => no));
  const wanting = noOf(owners.filter((owner) => lookupsIn(config, owner) === "on"));
  const saving = noOf(owners.filter((owner) => savesIn(config, owner) === "on"));
  const byKey = new Map(rows.map((row) => [row.urlKey, row]));
  return keyed.flatMap(({ link, at, key }) => {
    const row = byKey.get(key);
    const isWanted = wanting.has(link.accountNo) || (row?.isSaved && saving.has(link.accountNo));
    if (!row || !isWanted) return [];
    const wanted = { ...wantedOf(link, link.memory), isByHand: false };
    const known = usableOf(row, needsOf(wanted, at));
    return known?.state === "found" ? [toRow(link, copyFound(known.copy, row.askedAt))] : [];
  });
}

const forgetOld = onRows(
  { link: "bigint", before: "bigint" },
  (rows) => sql`
    delete from suggestions where kind <> 'archive' and id in (
      select s.id from ${rows} as died join suggestions s on s.link_no = link and s.checked_at < before)
  `,
);

/**
 * The newest deaths come first: before others those of links that stand somewhere, and last those that people have decided
 * about.
 */
const RANK = sql.raw(`
  (case when links.handling <> 'open' then 4 when coalesce(details.places, 0) > 0 then 2 else 3 end) * 10000000000000 - at`);

const beginLookups = onRows(
  { link: "bigint", account: "bigint", at: "bigint" },
  (rows) => sql`
    insert into link_lookups (link_no, account_no, state, step, rank, due_at, lease, reasons, misses, is_by_hand, is_reported)
    select link, account, 'waiting', 'own', ${RANK}, at, null, null, 0, 0,
      case when exists (select 1 from suggestions s where s.link_no = link) then 1 else 0 end
    from ${rows} as died join watched_links as links on links.no = link left join link_details details on details.link_no = link
    where true
    on conflict (link_no) do update set state = excluded.state, step = excluded.step, rank = excluded.rank,
      due_at = excluded.due_at, lease = null, reasons = null, misses = 0, is_by_hand = 0,
      is_reported = excluded.is_reported
  `,
);

import { inArray, sql } from "drizzle-orm";
import { onRows, rowsOf, type Store } from "../../ground/db/store.ts";
import { type DomainRow, domains } from "../../ground/db/tables.ts";
import { registrableDomainOf } from "../../ground/lib/site.ts";
import { type DomainFacts, UNASKED } from "../../judge/identity/registry.ts";

const DAY_MS = 86_400_000;

/** Returns what registries said about these domains, in one statement. Those that are missing were never noted. */
export async function readDomainFacts(
  store: Store,
  names: readonly string[],
): Promise<Map<string, DomainFacts>> {
  if (names.length === 0) return new Map();
  const wanted = rowsOf(
    store,
    { name: "text" },
    names.map((name) => [name]),
  );
  const rows = await store
    .select()
    .from(domains)
    .where(inArray(domains.domain, sql`(select name from ${wanted} as wanted)`));
  return new Map(rows.map((row) => [row.domain, toFacts(row)]));
}

export const toFacts = (row: DomainRow): DomainFacts => ({
  state: row.state,
  registeredAt: row.registeredAt,
  registrationConfirmedAt: row.registrationConfirmedAt,
  expiresAt: row.expiresAt,
  absentConfirmedAt: row.absentConfirmedAt,
  checkedAt: row.answeredAt,
});

/** A link's domain, with what its registry said. */
export type LinkDomain = DomainFacts & { name: string };

/** Returns the domain of a link; null where its host has none, as addresses do. */
export async function domainOfLink(store: Store, url: string): Promise<LinkDomain | null> {
  const name = registrableDomainOf(url);
  if (name === null) return null;
  const facts = (await readDomainFacts(store, [name])).get(name);
  return { name, ...(facts ?? UNASKED) };
}

/**
 * Makes domains due sooner than in their turn, but none within a day of its last request. Those that are not noted, such
 * as internal ones, stay unasked.
 * @param isUrgent whether they come before all others of their registry
 */
export const hurryDomains = (
  tx: Store,
  names: readonly string[],
  { now, isUrgent }: { now: number; isUrgent: boolean },
) =>
  bringForward(
    tx,
    [...new Set(names)].toSorted().map((name) => [name, now, now - DAY_MS, isUrgent ? 1 : 0]),
  );

const bringForward = onRows(
  { name: "text", soonest: "bigint", day_before: "bigint", urgent: "bigint" },
  (rows) => sql`
    update domains set is_urgent = case when urgent = 1 then 1 else is_urgent end,
      next_at = case when coalesce(asked_at, 0) > day_before then asked_at + ${sql.raw(String(DAY_MS))} else soonest end
    from ${rows} as hurried where domains.domain = name
      and (is_urgent < urgent or next_at > case when coalesce(asked_at, 0) > day_before
        then asked_at + ${sql.raw(String(DAY_MS))} else soonest end)
  `,
);

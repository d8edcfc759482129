import { lt, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { onRows, preparedOnce, type Store } from "../ground/db/store.ts";
import { domainSites, domains } from "../ground/db/tables.ts";
import { registrableDomainOf } from "../ground/lib/site.ts";
import { ASKED_EVERY_MS } from "../judge/identity/registry.ts";
import type { Deps } from "../work/deps.ts";
import type { Settled } from "./outcome.ts";

const DAY_MS = 86_400_000;
/** Domains without an active link for so long are forgotten. */
const KEPT_MS = 30 * DAY_MS;
const MOST_KNOWN = 100_000;

/** When sites were noted by this process, which is repeated after a day. */
const notedSites = preparedOnce(() => new LRUCache<string, number>({ max: MOST_KNOWN }));

type Noted = { site: string; at: number };

/**
 * Notes the domains of links that are active, inside the transaction of the results. Registries learn no name that the
 * internet does not know: links that were found at an internal address are left out, and so are those of hosts for which
 * their account has settings.
 * @returns what `rememberNoted` gets after the commit
 */
export async function noteDomains(
  tx: Store,
  { store, config }: Pick<Deps, "store" | "config">,
  settled: Settled[],
): Promise<Noted[]> {
  const known = notedSites(store);
  const rows = settled.flatMap(({ link, outcome: { conclusion }, at }) => {
    const isOpen = conclusion.status === "active" && !conclusion.isInside;
    const isDue = at >= (known.get(link.site) ?? 0) + DAY_MS;
    const domain = isOpen && isDue && config.rdap === "on" ? registrableDomainOf(link.url) : null;
    if (domain === null) return [];
    const { host, hostname } = new URL(link.url);
    return [[link.site, domain, at, link.accountId, host, hostname]];
  });
  const open = (await selectOpen(tx, rows)) as [site: string, domain: string, at: number][];
  await insertDomains(tx, open);
  await insertSites(tx, open);
  return open.map(([site, , at]) => ({ site, at: Number(at) }));
}

/** Call it once what was noted is committed. */
export function rememberNoted({ store }: Pick<Deps, "store">, noted: Noted[]): void {
  for (const { site, at } of noted) notedSites(store).set(site, at);
}

const selectOpen = onRows(
  {
    of_site: "text",
    name: "text",
    at: "bigint",
    account: "text",
    host_name: "text",
    bare_name: "text",
  },
  (rows) => sql`
    select of_site, name, max(at) from ${rows} as seen where not exists (
      select 1 from host_settings where account_id = account
        and (host in (host_name, bare_name) or (host like '*.%' and bare_name like replace(host, '*', '%')))
    ) group by of_site, name order by name, of_site
  `,
);

const NOTED = { of_site: "text", name: "text", at: "bigint" } as const;
const WEEK = sql.raw(String(ASKED_EVERY_MS));

const insertDomains = onRows(
  NOTED,
  (rows) => sql`
    insert into domains (domain, state, noted_at, seen_at, next_at, is_urgent)
    select name, 'unasked', max(at), max(at), max(at) + ${WEEK}, 0 from ${rows} as noted where true group by name order by name
    on conflict (domain) do update set seen_at = excluded.seen_at where excluded.seen_at >= domains.seen_at + ${WEEK}
  `,
);

const insertSites = onRows(
  NOTED,
  (rows) => sql`
    insert into domain_sites (site, domain) select of_site, name from ${rows} as noted where true
    on conflict (site) do nothing
  `,
);

/** Run by housekeeping. */
export async function forgetOldDomains({ store, clock }: Pick<Deps, "store" | "clock">) {
  await store.delete(domains).where(lt(domains.seenAt, clock.now() - KEPT_MS));
  await store
    .delete(domainSites)
    .where(sql`${domainSites.domain} not in (select domain from domains)`);
}

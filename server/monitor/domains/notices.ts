import { and, between, inArray, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { domains, LINK_SUMMARY, links, siteHosts } from "../../ground/db/tables.ts";
import { chunksOf } from "../../ground/lib/steps.ts";
import {
  certificateExpiring,
  certificateReports,
  domainExpiring,
  EXPIRY_SOON_MS,
  ROOM_MS,
  registeredAgain,
} from "../../judge/identity/registry.ts";
import { type LinkNotice, recordNotices, type Said } from "../../links/notices.ts";
import { readSubscriptions } from "../../notify/events.ts";
import type { Deps } from "../../work/deps.ts";
import { accountIdsOf } from "../../work/topics.ts";
import { inUnit } from "../../work/unit.ts";

/** What is said about a link. */
type About = { linkNo: number; notice: LinkNotice };

/**
 * Reports domains that were registered again, and domains and certificates that expire soon: each once to an account,
 * about its oldest link of the domain or host. Run by housekeeping.
 */
export async function reportDomains(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const said = await inUnit(deps, async ({ store: tx }) => {
    const about = [
      ...(await takeRegistrations(tx)),
      ...(await takeDomains(tx, now)),
      ...(await takeCertificates(tx, now)),
    ];
    const said = await withLinks(tx, about, now);
    const isWanted = await readSubscriptions(tx, [...accountIdsOf(said.map(({ link }) => link))]);
    await recordNotices(tx, said, isWanted);
    return said;
  });
  if (said.length > 0) deps.loops.wake();
  for (const { kind } of said.flatMap(({ notices }) => notices)) deps.metrics.pageChanged(kind);
}

/** All that is said about a link is one entry of its history. */
async function withLinks(tx: Store, about: About[], now: number): Promise<Said[]> {
  const noticesOf = Map.groupBy(about, ({ linkNo }) => linkNo);
  const said: Said[] = [];
  for (const nos of chunksOf(LINKS_AT_ONCE, [...noticesOf.keys()])) {
    const rows = await tx.select(LINK_SUMMARY).from(links).where(inArray(links.no, nos));
    for (const link of rows) {
      const notices = noticesOf.get(link.no)!.map(({ notice }) => notice);
      said.push({ link, at: now, checkedAt: now, reason: link.reason, finalUrl: null, notices });
    }
  }
  return said;
}

const LINKS_AT_ONCE = 500;

async function takeRegistrations(tx: Store): Promise<About[]> {
  const { domain, registeredAt, registrationSeenAt, registrationConfirmedAt } = domains;
  const { reportedRegisteredAt } = domains;
  const confirmed = await tx
    .update(domains)
    .set({ reportedRegisteredAt: sql`${registeredAt}` })
    .where(
      and(
        isNotNull(registrationConfirmedAt),
        or(isNull(reportedRegisteredAt), ne(reportedRegisteredAt, registeredAt)),
      ),
    )
    .returning({ domain, registeredAt, registrationSeenAt });
  const found = await oldestRemembered(
    tx,
    confirmed.map((row) => [row.domain, row.registeredAt, row.registrationSeenAt]),
  );
  return found.map(([name, at, seenAt, linkNo]) => ({
    linkNo: Number(linkNo),
    notice: { ...registeredAgain(String(name), Number(at)), firstSeenAt: Number(seenAt) },
  }));
}

/** The links whose pages were remembered before their domains were registered. */
const oldestRemembered = onRows(
  { name: "text", registered_at: "bigint", seen_at: "bigint" },
  (rows) => sql`
    select name, given.registered_at, seen_at, min(links.no) from ${rows} as given
    join domain_sites on domain_sites.domain = name join sites s on s.site = domain_sites.site
    join watched_links as links on links.account_no = s.account_no and links.site = s.site
    join page_memories as memory on memory.link_no = links.no and memory.since <= given.registered_at - ${sql.raw(String(ROOM_MS))}
    group by name, given.registered_at, seen_at, links.account_no order by name, links.account_no
  `,
);

async function takeDomains(tx: Store, now: number): Promise<About[]> {
  const { domain, expiresAt, reportedExpiresAt } = domains;
  const expiring = await tx
    .update(domains)
    .set({ reportedExpiresAt: sql`${expiresAt}` })
    .where(
      and(
        between(expiresAt, now, now + EXPIRY_SOON_MS),
        or(isNull(reportedExpiresAt), ne(reportedExpiresAt, expiresAt)),
      ),
    )
    .returning({ domain, expiresAt });
  const found = await oldestOfDomains(
    tx,
    expiring.map((row) => [row.domain, row.expiresAt]),
  );
  return found.map(([name, at, linkNo]) => ({
    linkNo: Number(linkNo),
    notice: { ...domainExpiring(String(name), Number(at)), firstSeenAt: now },
  }));
}

const oldestOfDomains = onRows(
  { name: "text", expires_at: "bigint" },
  (rows) => sql`
    select name, expires_at, min(oldest) from (
      select name, expiring.expires_at, s.account_no, (
        select min(no) from watched_links as links where links.account_no = s.account_no and links.site = s.site
      ) as oldest
      from ${rows} as expiring join domain_sites on domain_sites.domain = name join sites s on s.site = domain_sites.site
    ) as found where oldest is not null group by name, expires_at, account_no order by name, account_no
  `,
);

async function takeCertificates(tx: Store, now: number): Promise<About[]> {
  const { accountNo, site, host, tlsExpiresAt, tlsLifetimeMs, tlsReported } = siteHosts;
  const soon = await tx
    .select()
    .from(siteHosts)
    .where(
      and(
        between(tlsExpiresAt, now, now + EXPIRY_SOON_MS),
        isNotNull(tlsLifetimeMs),
        lt(tlsReported, 2),
      ),
    )
    .orderBy(accountNo, site, host);
  const due = soon.flatMap((row) => {
    const reports = certificateReports(row.tlsExpiresAt!, row.tlsLifetimeMs, now);
    return reports > row.tlsReported
      ? [[row.accountNo, row.site, row.host, row.tlsExpiresAt, reports]]
      : [];
  });
  await markReported(tx, due);
  const found = await oldestOfHosts(tx, due);
  return found.map(([name, at, linkNo]) => ({
    linkNo: Number(linkNo),
    notice: { ...certificateExpiring(String(name), Number(at)), firstSeenAt: now },
  }));
}

const EXPIRING = {
  of_account: "bigint",
  of_site: "text",
  of_host: "text",
  expires_at: "bigint",
  reports: "bigint",
} as const;

const markReported = onRows(
  EXPIRING,
  (rows) => sql`
    update site_hosts set tls_reported = reports from ${rows} as expiring
    where site_hosts.account_no = of_account and site_hosts.site = of_site and site_hosts.host = of_host
  `,
);

const oldestOfHosts = onRows(
  EXPIRING,
  (rows) => sql`
    select of_host, expires_at, min(no) from ${rows} as expiring
    join watched_links as links on links.account_no = of_account and links.site = of_site
      and links.tls_expires_at = expires_at and links.url like 'https://' || of_host || '/%'
    group by of_host, expires_at, of_account order by of_account, of_host
  `,
);

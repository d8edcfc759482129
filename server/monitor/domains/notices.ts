import { and, between, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { domains, siteHosts } from "../../ground/db/tables.ts";
import {
  certificateExpiring,
  certificateReports,
  domainExpiring,
  EXPIRY_SOON_MS,
  type Notice,
} from "../../judge/identity/registry.ts";

/** What is to be reported of a link. */
export type LinkNotice = { accountNo: number; linkNo: number; notice: Notice };

/**
 * Returns what is to be reported now about domains and certificates that expire soon, once for each account, about its
 * oldest link of the domain or host, and marks it as reported. Call it in the transaction that publishes the notices.
 */
export async function takeExpiryNotices(tx: Store, now: number): Promise<LinkNotice[]> {
  return [...(await takeDomains(tx, now)), ...(await takeCertificates(tx, now))];
}

async function takeDomains(tx: Store, now: number): Promise<LinkNotice[]> {
  const { domain, expiresAt, reportedExpiry } = domains;
  const expiring = await tx
    .update(domains)
    .set({ reportedExpiry: sql`${expiresAt}` })
    .where(
      and(
        between(expiresAt, now, now + EXPIRY_SOON_MS),
        or(isNull(reportedExpiry), ne(reportedExpiry, expiresAt)),
      ),
    )
    .returning({ domain, expiresAt });
  const links = await oldestOfDomains(
    tx,
    expiring.map((row) => [row.domain, row.expiresAt]),
  );
  return links.map(([name, at, accountNo, linkNo]) => ({
    accountNo: Number(accountNo),
    linkNo: Number(linkNo),
    notice: domainExpiring(String(name), Number(at)),
  }));
}

const oldestOfDomains = onRows(
  { name: "text", expires_at: "bigint" },
  (rows) => sql`
    select name, expires_at, account_no, min(oldest) from (
      select name, expiring.expires_at, s.account_no, (
        select min(no) from watched_links as links where links.account_no = s.account_no and links.site = s.site
      ) as oldest
      from ${rows} as expiring join domain_sites on domain_sites.domain = name join sites s on s.site = domain_sites.site
    ) as found where oldest is not null group by name, expires_at, account_no order by name, account_no
  `,
);

async function takeCertificates(tx: Store, now: number): Promise<LinkNotice[]> {
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
  const links = await oldestOfHosts(tx, due);
  return links.map(([name, at, account, linkNo]) => ({
    accountNo: Number(account),
    linkNo: Number(linkNo),
    notice: certificateExpiring(String(name), Number(at)),
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
    select of_host, expires_at, of_account, min(no) from ${rows} as expiring
    join watched_links as links on links.account_no = of_account and links.site = of_site
      and links.tls_expires_at = expires_at and links.url like 'https://' || of_host || '/%'
    group by of_host, expires_at, of_account order by of_account, of_host
  `,
);

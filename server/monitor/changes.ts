import { sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import type { ChangeKind } from "../ground/lib/vocabulary.ts";
import { type Change, insertChanges } from "../history/changes.ts";
import { addToStatusDays, bucketOfTimeDead, type DayChange } from "../history/status-days.ts";
import { isTrustProblem } from "../judge/reasons/reasons.ts";
import type { Settled } from "./outcome.ts";

/**
 * Records what results change: changes of status, their days, and certificates. Runs inside a transaction that has
 * changed the links already. Writes nothing for results that find what was found before.
 */
export async function writeChanges(tx: Store, settled: Settled[]): Promise<void> {
  await insertChanges(tx, settled.flatMap(changesOf));
  await addToStatusDays(tx, settled.flatMap(daysOf));
  await noteCertificates(tx, settled);
}

/** Whether the result changes its link, of which there is one row at a time. */
export const isAmongChanges = (result: Settled): boolean => changesOf(result).length > 0;

/** The first verdict of a link is not a change. */
const isFirst = ({ link }: Settled) => link.decidedStatus === null;

function changesOf(result: Settled): Change[] {
  const kind = isFirst(result) ? null : kindOf(result);
  if (!kind) return [];
  const { link, checkedAt, outcome } = result;
  const { reason, cause, finalUrl } = outcome.conclusion;
  return [
    {
      linkNo: link.no,
      at: checkedAt,
      kind,
      previousStatus: link.status,
      lastedMs: timeDead(result) ?? checkedAt - link.statusChangedAt,
      reason,
      cause: cause ?? null,
      finalUrl: kind === "moved" ? finalUrl : null,
    },
  ];
}

function kindOf({ link, outcome: { status, statusChanged, reason } }: Settled): ChangeKind | null {
  if (!statusChanged) {
    const isMove = reason === "ok_redirected" && link.reason !== reason && status === "active";
    return isMove ? "moved" : null;
  }
  if (status === "dead") return "died";
  if (status === "active") return "came_back";
  return isTrustProblem(reason) ? "certificate" : "became_unknown";
}

const KIND_BY_STATUS = {
  active: "came_back",
  dead: "died",
  unknown: "became_unknown",
} as const;

function daysOf(result: Settled): DayChange[] {
  const { link, checkedAt, outcome } = result;
  if (!outcome.statusChanged) return [];
  const dead = timeDead(result);
  return [
    {
      linkNo: link.no,
      at: checkedAt,
      kind: isFirst(result) ? "first" : KIND_BY_STATUS[outcome.status],
      bucket: dead === null ? null : bucketOfTimeDead(dead),
    },
  ];
}

/**
 * Returns for how long a link was dead that has come back, in milliseconds; null for any other. If it was unknown
 * since, the time since it was last alive comes closest.
 */
function timeDead({ link, outcome, checkedAt }: Settled): number | null {
  const isBack = outcome.status === "active" && link.decidedStatus === "dead";
  if (!isBack || !outcome.statusChanged) return null;
  if (link.status === "dead") return checkedAt - link.statusChangedAt;
  return checkedAt - (link.lastActiveAt ?? link.createdAt);
}

/** Stores certificates that were not seen at their links before. */
async function noteCertificates(tx: Store, settled: Settled[]): Promise<void> {
  const rows = settled.flatMap(({ link, outcome }) => {
    const { tls_expires_at: seen } = outcome.conclusion.evidence;
    const expiresAt = seen === null ? null : Date.parse(seen);
    if (expiresAt === null || expiresAt === link.tlsExpiresAt) return [];
    const { host } = new URL(link.url);
    const { finalUrl } = outcome.conclusion;
    // The certificate is that of the last server on the way.
    const isOther = finalUrl !== null && URL.parse(finalUrl)?.host !== host;
    const lifetimeMs = outcome.conclusion.tlsLifetimeMs ?? null;
    return isOther ? [] : [[link.no, host, expiresAt, lifetimeMs]];
  });
  await setExpiry(tx, rows);
  await setHostExpiry(tx, rows);
}

const CERTIFICATE = {
  link_no: "bigint",
  of_host: "text",
  expires_at: "bigint",
  lifetime_ms: "bigint",
} as const;

const setExpiry = onRows(
  CERTIFICATE,
  (rows) => sql`
    update links set tls_expires_at = expires_at from ${rows} as seen where links.no = seen.link_no
  `,
);

const setHostExpiry = onRows(
  CERTIFICATE,
  (rows) => sql`
    update site_hosts set tls_expires_at = seen.expires_at, tls_lifetime_ms = seen.lifetime_ms, tls_reported = 0
    from (
      select l.account_no, l.site, of_host, max(expires_at) as expires_at, max(lifetime_ms) as lifetime_ms
      from ${rows} as given join watched_links l on l.no = given.link_no group by l.account_no, l.site, of_host
    ) as seen
    where site_hosts.account_no = seen.account_no and site_hosts.site = seen.site
      and site_hosts.host = seen.of_host and (site_hosts.tls_expires_at is null or site_hosts.tls_expires_at <> seen.expires_at)
  `,
);

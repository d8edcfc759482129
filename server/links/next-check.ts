import { type SQL, sql } from "drizzle-orm";
import { type Frequency, type LinkRow, links } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { followUpAt, nextCheckAt } from "../work/schedule.ts";

/** What decides when a link is checked next. */
type Scheduled = Pick<
  LinkRow,
  "id" | "lastCheckedAt" | "nextCheckAt" | "unconfirmedSince" | "failingSince"
>;

/**
 * When a link is checked next under a new frequency, which counts from its last check, in milliseconds
 * since 1970; null when it waits for its first one.
 */
export function nextCheckUnder(
  { config }: Deps,
  link: Scheduled,
  frequency: Frequency,
  now: number,
): number | null {
  if (link.lastCheckedAt === null) return null;
  const frequencySeconds = config.frequencySeconds[frequency];
  const regular = nextCheckAt({ linkId: link.id, frequencySeconds, from: link.lastCheckedAt });
  return Math.max(now, Math.min(regular, secondLookAt(link, link.lastCheckedAt) ?? regular));
}

/**
 * Whether a link's next check stays when it is: it is under way, or a batch waits for it. For the update to
 * decide itself, since either may begin after the link was read.
 */
export const nextCheckStays = (now: number): SQL =>
  sql`(${links.checkingUntil} > ${now}
    or exists (select 1 from batch_links where link_no = ${links.no}))`;

/** When a link that may be dying is looked at again, however seldom it is checked. */
function secondLookAt(link: Scheduled, lastCheckedAt: number): number | null {
  if (link.unconfirmedSince !== null) return link.nextCheckAt;
  if (link.failingSince === null) return null;
  return followUpAt({ linkId: link.id, since: link.failingSince, after: lastCheckedAt });
}

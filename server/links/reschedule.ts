import { and, asc, eq, gt, sql } from "drizzle-orm";
import { onRows } from "../ground/db/store.ts";
import { type LinkRow, links } from "../ground/db/tables.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { followUpAt, nextCheckAt, turnAfter } from "../work/schedule.ts";
import { makeChange } from "../work/unit.ts";
import { withListedDetails } from "./fields/details.ts";
import type { ListedDetails } from "./fields/registry.ts";
import { hasNumber, lockSome } from "./selection.ts";

const RESCHEDULED = {
  no: links.no,
  id: links.id,
  checkFrequency: links.checkFrequency,
  lastCheckedAt: links.lastCheckedAt,
  nextCheckAt: links.nextCheckAt,
  unconfirmedSince: links.unconfirmedSince,
  failingSince: links.failingSince,
  checkingUntil: links.checkingUntil,
  isInBatch: sql`exists (select 1 from batch_links where link_no = ${links.no})`.mapWith(Boolean),
};

/** A link's frequency and schedule. */
type Timed = Pick<LinkRow, "no" | "checkFrequency"> & { details: Pick<ListedDetails, "schedule"> };

/**
 * Moves the next checks of links whose frequency or schedule has just changed, in the transaction that changes it.
 * @param before the change
 */
export async function rescheduleLinks(deps: Deps, before: Timed[]): Promise<void> {
  if (before.length === 0) return;
  const { store: tx } = deps;
  const known = new Map(before.map((link) => [link.no, link]));
  const nos = [...known.keys()];
  const rows = await tx.select(RESCHEDULED).from(links).where(hasNumber(tx, nos));
  const moved = (await withListedDetails(tx, rows)).flatMap((link) => {
    const { checkFrequency, details } = known.get(link.no)!;
    const isSame =
      link.checkFrequency === checkFrequency &&
      isSameSchedule(link.details.schedule, details.schedule);
    const at = isSame ? null : nextCheckOf(deps, link);
    return at === null ? [] : [[link.no, at]];
  });
  await moveChecks(tx, moved);
}

const MOVED_AT_ONCE = 250;

/** Moves the next checks of a group's links that have no schedules of their own, in pieces. */
export async function rescheduleGroup(
  deps: Deps,
  caller: Pick<Caller, "accountNo">,
  groupId: string,
): Promise<void> {
  for (let after = 0; ; await yieldToEventLoop()) {
    const some = await deps.store
      .select({ no: links.no })
      .from(links)
      .where(and(eq(links.groupId, groupId), gt(links.no, after)))
      .orderBy(asc(links.no))
      .limit(MOVED_AT_ONCE);
    if (some.length === 0) return;
    after = some.at(-1)!.no;
    await makeChange(deps, caller, async (unit) => {
      const { store: tx } = unit;
      const nos = await lockSome(tx, some);
      const rows = await tx
        .select(RESCHEDULED)
        .from(links)
        .where(and(hasNumber(tx, nos), eq(links.groupId, groupId)));
      const moved = (await withListedDetails(tx, rows)).flatMap((link) => {
        const at = link.details.schedule?.from === "link" ? null : nextCheckOf(unit, link);
        return at === null ? [] : [[link.no, at]];
      });
      await moveChecks(tx, moved);
    });
  }
}

const isSameSchedule = (a: ListedDetails["schedule"], b: ListedDetails["schedule"]) =>
  a?.cron === b?.cron && a?.timeZone === b?.timeZone;

const moveChecks = onRows(
  { link: "bigint", next_at: "bigint" },
  (rows) => sql`
    update links set next_check_at = next_at, next_trigger = 'scheduled'
    from ${rows} as moved where links.no = link
  `,
);

type Row = LinkRow & { isInBatch: boolean };
type Rescheduled = Pick<Row, keyof typeof RESCHEDULED> & { details: ListedDetails };

type Regular = Pick<LinkRow, "id" | "checkFrequency" | "lastCheckedAt"> & {
  details: Pick<ListedDetails, "schedule">;
};

/** When a link is checked next by its schedule or frequency, in milliseconds since 1970. */
export function regularCheckAt({ config, clock }: Deps, link: Regular): number {
  const now = clock.now();
  const { id: linkId, lastCheckedAt, details, checkFrequency } = link;
  const turn = details.schedule && turnAfter(details.schedule, { linkId, from: now });
  const frequencySeconds = config.frequencySeconds[checkFrequency];
  return turn ?? nextCheckAt({ linkId, frequencySeconds, from: lastCheckedAt ?? now });
}

/**
 * When a link is checked next under a new frequency, which counts from its last check, or a new schedule, in milliseconds
 * since 1970. Null when its next check stays as it is: its first check is due, or a check is running, or a batch waits
 * for it.
 */
function nextCheckOf(deps: Deps, link: Rescheduled): number | null {
  const now = deps.clock.now();
  const { lastCheckedAt } = link;
  if (lastCheckedAt === null || link.isInBatch || (link.checkingUntil ?? 0) > now) return null;
  const regular = regularCheckAt(deps, link);
  return Math.max(now, Math.min(regular, confirmationAt(link, lastCheckedAt) ?? regular));
}

/** When a link that may be dying is checked again, whatever its frequency. */
function confirmationAt(link: Rescheduled, lastCheckedAt: number): number | null {
  if (link.unconfirmedSince !== null) return link.nextCheckAt;
  if (link.failingSince === null) return null;
  return followUpAt({ linkId: link.id, since: link.failingSince, after: lastCheckedAt });
}

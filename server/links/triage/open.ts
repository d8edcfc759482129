import { sql } from "drizzle-orm";
import { numbersOf, onRows, type Store } from "../../ground/db/store.ts";
import { linkDetails, links } from "../../ground/db/tables.ts";
import { checkIdOf } from "../../ground/lib/ids.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import { toEvidence } from "../../judge/probe/conclusion.ts";
import { evidenceSentences } from "../../judge/reasons/evidence-words.ts";
import { type NewEvent, publishEvents } from "../../notify/events.ts";

/** Opens links, whatever was decided about them. */
export async function openLinks(tx: Store, nos: number[]): Promise<void> {
  const rows = nos.map((no) => [no]);
  await openDetails(tx, rows);
  await openHandling(tx, rows);
}

const openDetails = onRows(
  { link: "bigint" },
  (rows) => sql`
    update link_details set handling = 'open', handled_at = null, handled_by = null, muted_until = null,
      muted_from = null, silent_death_at = null
    where link_no in (select link from ${rows} as opened)
  `,
);

const openHandling = onRows(
  { link: "bigint" },
  (rows) =>
    sql`update links set handling = 'open' where no in (select link from ${rows} as opened)`,
);

/**
 * Publishes the deaths of links that died while they were muted and are still dead, for people, in the transaction that
 * ends the mutes.
 */
export async function publishLateDeaths(tx: Store, nos: number[], now: number): Promise<void> {
  const dead = await tx
    .select({
      id: links.id,
      accountId: links.accountId,
      url: links.url,
      groupId: links.groupId,
      service: links.service,
      reason: links.reason,
      statusCode: links.lastStatusCode,
      responseTimeMs: links.lastResponseTimeMs,
      lastActiveAt: links.lastActiveAt,
      evidence: links.evidence,
      diedAt: linkDetails.silentDeathAt,
    })
    .from(links)
    .innerJoin(linkDetails, sql`${linkDetails.linkNo} = ${links.no}`)
    .where(
      sql`${links.no} in ${numbersOf(tx, nos)} and ${links.status} = 'dead' and silent_death_at is not null`,
    );
  const events = dead.map(
    ({ id, accountId, diedAt, evidence, groupId, service, ...rest }): NewEvent => {
      const reason = rest.reason ?? "";
      return {
        type: "link.dead",
        accountId,
        at: now,
        about: { groupId, service, reason },
        data: {
          ...rest,
          reason,
          lastActiveAt: toIsoOrNull(rest.lastActiveAt),
          evidence: evidence === null ? [] : evidenceSentences(toEvidence(evidence)!, "dead"),
          linkId: id,
          groupId,
          previousStatus: "active",
          currentStatus: "dead",
          late: true,
          checkedAt: toIso(diedAt!),
          checkId: checkIdOf(id, diedAt!),
        },
      };
    },
  );
  await publishEvents(tx, events);
}

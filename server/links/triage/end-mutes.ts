import { and, asc, inArray, lte, sql } from "drizzle-orm";
import { lockAccounts, lockLinks } from "../../ground/db/queries.ts";
import { numbersOf, type Store } from "../../ground/db/store.ts";
import { linkDetails, links } from "../../ground/db/tables.ts";
import { checkIdOf } from "../../ground/lib/ids.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import { toEvidence } from "../../judge/probe/conclusion.ts";
import { evidenceSentences } from "../../judge/reasons/evidence-words.ts";
import { type NewEvent, publishEvents } from "../../notify/events.ts";
import type { Deps } from "../../work/deps.ts";
import { accountIdsOf } from "../../work/topics.ts";
import { openLinks } from "./after-checks.ts";
import { recordActions } from "./timeline.ts";

const ENDED_AT_ONCE = 250;

/** Ends mutes whose time is over, once on all nodes. Run every minute. */
export async function endMutes(deps: Deps): Promise<void> {
  if (deps.troubles.stoppingWrites()) return;
  while ((await endSome(deps)) === ENDED_AT_ONCE) await yieldToEventLoop();
}

async function endSome({ store, clock, loops, topics }: Deps): Promise<number> {
  const now = clock.now();
  const isOver = and(lte(linkDetails.mutedUntil, now));
  const due = await store
    .select({ no: linkDetails.linkNo, accountNo: linkDetails.accountNo })
    .from(linkDetails)
    .where(isOver)
    .orderBy(asc(linkDetails.mutedUntil))
    .limit(ENDED_AT_ONCE);
  if (due.length === 0) return 0;
  const accountIds = await store.transaction(async (tx) => {
    await lockAccounts(
      tx,
      due.map(({ accountNo }) => accountNo),
    );
    await lockLinks(
      tx,
      due.map(({ no }) => no),
    );
    // Another node may have ended some of them, or a person.
    const nos = due.map(({ no }) => no);
    const ended = await tx
      .select({ no: linkDetails.linkNo })
      .from(linkDetails)
      .where(and(isOver, inArray(linkDetails.linkNo, sql`${numbersOf(tx, nos)}`)));
    const stillMuted = ended.map(({ no }) => no);
    await publishLateDeaths(tx, stillMuted, now);
    await openLinks(tx, stillMuted);
    await recordActions(
      tx,
      stillMuted.map((no) => ({ no, at: now, kind: "mute_ended", actor: null })),
    );
    const rows = await tx
      .select({ accountId: links.accountId })
      .from(links)
      .where(inArray(links.no, sql`${numbersOf(tx, stillMuted)}`));
    return accountIdsOf(rows);
  });
  topics.counted(accountIds);
  loops.wake();
  return due.length;
}

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

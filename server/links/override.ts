import { eq } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { lockLinks } from "../ground/db/queries.ts";
import { type LinkRow, links } from "../ground/db/tables.ts";
import { conflict, invalid, notFound } from "../ground/lib/errors.ts";
import { checkIdOf } from "../ground/lib/ids.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { noteSites } from "../history/status-days.ts";
import type { Caller } from "../http/caller.ts";
import type { StoredEvidence } from "../judge/probe/conclusion.ts";
import { type NewEvent, publishEvents } from "../notify/events.ts";
import type { Unit } from "../work/unit.ts";
import { withDetails, writeDetails } from "./fields/details.ts";
import type { Override } from "./fields/override.ts";
import type { LinkDetails } from "./fields/registry.ts";
import { findLink, findLinkDetail } from "./links.ts";
import type { LinkDetailRow } from "./model.ts";
import { regularCheckAt } from "./reschedule.ts";
import { publishChanges } from "./triage/change-events.ts";
import { recordActions } from "./triage/timeline.ts";

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 90;
const USUAL_DAYS = 30;

/** What a person says about a link that a check found dead or unknown. `until` is in milliseconds since 1970. */
export type OverrideInput = { until?: number | undefined; note: string };

type Found = LinkRow & { details: LinkDetails };

/**
 * Makes a link alive by a person's word, until a check finds something else than what is overruled, or the time is over.
 * A check that is under way counts for nothing.
 * @throws CONFLICT when there is nothing to overrule; VALIDATION_ERROR for a time that is past or too far away
 */
export async function setOverride(
  unit: Unit,
  caller: Caller,
  id: string,
  { until: wanted, note }: OverrideInput,
): Promise<LinkDetailRow> {
  const now = unit.clock.now();
  const until = wanted ?? now + USUAL_DAYS * DAY_MS;
  if (until <= now) throw invalid({ until: ["must be in the future"] });
  if (until > now + LONGEST_DAYS * DAY_MS)
    throw invalid({ until: [`must be within ${LONGEST_DAYS} days`] });
  return edit(unit, caller, id, async (link) => {
    if (link.status === "active" || link.reason === null || link.lastStatus !== link.status)
      throw NOTHING;
    const override = overrideOf(link, { until, note, by: caller.by.name, at: now });
    const after: LinkDetails = {
      ...link.details,
      ...(link.details.handling === "acknowledged" && OPEN),
      overrideUntil: until,
      override,
      silentDeathAt: null,
    };
    await publishEvents(unit.store, aliveEvents(link, now));
    await unit.store
      .update(links)
      .set({
        status: "active",
        reason: OVERRIDDEN,
        statusChangedAt: now,
        decidedStatus: "active",
        decidedReason: OVERRIDDEN,
        ...NOTHING_SUSPECTED,
        nextCheckAt: regularCheckAt(unit, link),
        updatedAt: now,
      })
      .where(eq(links.no, link.no));
    await noteSites(unit.store, { accountNo: link.accountNo, at: now }, [link.site]);
    return { after, kind: "override_set", detail: toIso(until) };
  });
}

/**
 * Ends an override, and makes the link due.
 * @throws NOT_FOUND when there is none
 */
export const endOverride = (unit: Unit, caller: Caller, id: string): Promise<LinkDetailRow> =>
  edit(unit, caller, id, async (link) => {
    if (!link.details.override) throw notFound("override");
    const now = unit.clock.now();
    await unit.store
      .update(links)
      .set({ ...FREE, nextCheckAt: now, nextTrigger: "manual", updatedAt: now })
      .where(eq(links.no, link.no));
    const after = { ...link.details, override: null, overrideUntil: null };
    return { after, kind: "override_ended", detail: null };
  });

const OVERRIDDEN = "ok_overridden";

const NOTHING = conflict(
  "Only links that the last check found dead or unknown can be overridden.",
  { reason: "nothing_to_override" },
);

const OPEN = { handling: "open", handledAt: null, handledBy: null } as const;

/** The result of a check that is under way does not count. */
const FREE = { lease: null, checkingUntil: null };

export const NOTHING_SUSPECTED = {
  ...FREE,
  inconclusiveChecks: 0,
  unconfirmedSince: null,
  failingClass: null,
  failingSince: null,
  failingChecks: null,
  nextTrigger: "scheduled",
} as const;

type Edit = {
  after: LinkDetails;
  kind: "override_set" | "override_ended";
  detail: string | null;
};

async function edit(
  unit: Unit,
  caller: Caller,
  id: string,
  write: (link: Found) => Promise<Edit>,
): Promise<LinkDetailRow> {
  const { no } = await findLink(unit, caller, id);
  await lockLinks(unit.store, [no]);
  const [link] = await withDetails(unit.store, [await findLink(unit, caller, id)]);
  const { after, kind, detail } = await write(link!);
  const at = unit.clock.now();
  await writeDetails(unit.store, caller, [{ no, before: link!.details, after }], at);
  await recordActions(unit.store, [{ no, at, kind, actor: caller.by.name, detail }]);
  await auditChange(unit, caller, { action: `link.${kind}`, target: linkTarget([link!]) });
  await publishChanges(unit, caller, [{ link: link!, after, fields: ["override"] }], at);
  return findLinkDetail(unit, caller, id);
}

function overrideOf(link: Found, said: Pick<Override, "until" | "note" | "by" | "at">): Override {
  const evidence = link.evidence === null ? null : (JSON.parse(link.evidence) as StoredEvidence);
  return {
    ...said,
    overruled: {
      status: link.status,
      reason: link.lastReason!,
      cause: link.lastCause,
      status_code: link.lastStatusCode,
      final_host: URL.parse(evidence?.final_url ?? "")?.host ?? null,
    },
    evidence,
  };
}

/** As if a check had found it alive, unless it was when last decided. */
function aliveEvents(link: Found, now: number): NewEvent[] {
  if (link.decidedStatus === "active") return [];
  const { id: linkId, accountId, url, groupId, service, lastCheckedAt } = link;
  const reason = link.decidedStatus === "dead" ? link.decidedReason : link.reason;
  return [
    {
      type: "link.alive",
      accountId,
      at: now,
      about: { groupId, service, reason },
      data: {
        linkId,
        url,
        groupId,
        previousStatus: link.status,
        currentStatus: "active",
        statusCode: link.lastStatusCode,
        reason: OVERRIDDEN,
        responseTimeMs: link.lastResponseTimeMs,
        checkedAt: toIso(lastCheckedAt!),
        checkId: checkIdOf(linkId, lastCheckedAt!),
        lastActiveAt: toIsoOrNull(link.lastActiveAt),
        evidence: [],
      },
    },
  ];
}

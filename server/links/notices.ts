import type { Store } from "../ground/db/store.ts";
import type { LinkSummary } from "../ground/db/tables.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import type { ChangeKind, LinkChangeKind } from "../ground/lib/vocabulary.ts";
import { insertChanges } from "../history/changes.ts";
import type { Sign } from "../judge/identity/signs.ts";
import { type NewEvent, publishEvents } from "../notify/events.ts";
import { withDetails } from "./fields/details.ts";
import { recordActions } from "./triage/timeline.ts";

/** What is said about a link, other than its status. Times are in milliseconds since 1970. */
export type LinkNotice = {
  kind: Exclude<LinkChangeKind, "edited">;
  before: string | null;
  after: string | null;
  sentence: string;
  signs?: Sign[];
  firstSeenAt: number;
};

export type Said = {
  link: Pick<
    LinkSummary,
    "no" | "id" | "accountId" | "groupId" | "service" | "url" | "status" | "statusChangedAt"
  >;
  /** When it was found out, and the time of its check in history, if it was a check. */
  at: number;
  checkedAt: number;
  reason: string | null;
  finalUrl: string | null;
  /** One or more. */
  notices: LinkNotice[];
  /** The check changed the status of its link as well, and there is one change of a link at a time. */
  isAmongChanges?: boolean;
};

/** What is not here is only an event, for those who asked for its kind. */
const CHANGES: Partial<Record<LinkChangeKind, ChangeKind>> = {
  redirect_changed: "moved",
  content_changed: "changed",
  identity_lost: "changed_hands",
  domain_registered_again: "changed_hands",
  parameters_lost: "changed",
  parameters_changed: "changed",
  fragment_missing: "changed",
  fragment_found: "changed",
  suggestion: "suggested",
};

/**
 * Records what is said about links, in the transaction of what it is concluded from: in the links' timelines, among all
 * changes, and as events for the webhooks that name their kinds.
 */
export async function recordNotices(
  tx: Store,
  said: Said[],
  isWanted: (event: NewEvent) => boolean,
): Promise<void> {
  if (said.length === 0) return;
  const shown = said.flatMap((each) => {
    const notices = each.notices.filter(({ kind }) => CHANGES[kind]);
    return notices.length > 0 ? [{ ...each, notices }] : [];
  });
  await recordActions(tx, shown.map(actionOf));
  await insertChanges(tx, shown.filter(({ isAmongChanges }) => !isAmongChanges).map(changeOf));
  const links = await withDetails(
    tx,
    said.map(({ link }) => link),
  );
  const events = said.flatMap((each, i) => eventsOf(each, links[i]!.details));
  await publishEvents(tx, events.filter(isWanted));
}

const actionOf = ({ link, checkedAt, notices }: Said) => ({
  no: link.no,
  at: checkedAt,
  kind: "page_changed" as const,
  actor: null,
  detail: notices.map(({ sentence }) => sentence).join(" "),
});

function changeOf({ link, checkedAt, reason, finalUrl, notices }: Said) {
  const [{ kind, after }] = notices as [LinkNotice];
  return {
    linkNo: link.no,
    at: checkedAt,
    kind: CHANGES[kind]!,
    previousStatus: link.status,
    lastedMs: checkedAt - link.statusChangedAt,
    // Of what is among changes every link was checked.
    reason: reason!,
    cause: null,
    finalUrl: kind === "redirect_changed" || kind === "suggestion" ? after : finalUrl,
  };
}

type Details = Awaited<ReturnType<typeof withDetails>>[number]["details"];

const eventsOf = (
  { link, at, checkedAt, reason, notices }: Said,
  { assignee, handling, mutedUntil }: Details,
): NewEvent[] =>
  notices.map(({ kind, before, after, signs = [], sentence, firstSeenAt }) => ({
    type: "link.changed",
    accountId: link.accountId,
    at,
    about: { groupId: link.groupId, service: link.service, reason },
    data: {
      linkId: link.id,
      url: link.url,
      previousUrl: null,
      fields: [],
      assigneeId: assignee?.id ?? null,
      handling,
      mutedUntil: toIsoOrNull(mutedUntil),
      changedAt: toIso(checkedAt),
      kind,
      before,
      after,
      signs,
      sentence,
      firstSeenAt: toIso(firstSeenAt),
    },
  }));

import type { Actor } from "../api/caller.ts";
import { type AppError, conflict, invalid } from "../lib/errors.ts";
import { toIsoOrNull } from "../lib/moments.ts";
import type { Frequency, LinkAction, Verdict } from "../lib/vocabulary.ts";
import type { CheckSchedule } from "../work/schedule.ts";
import type { LinkChange } from "./model.ts";
import type { AllLinkExtras } from "./triage/extras.ts";
import { hasTooMany, TOO_MANY_KEYS, TOO_MANY_TAGS } from "./triage/fields.ts";
import type { Action } from "./triage/write-extras.ts";

/** What a request wants to change about links, by the names of the API. What is undefined stays. */
export type LinkEdit = LinkChange & {
  add_tags?: string[] | undefined;
  remove_tags?: string[] | undefined;
};

/** When links are edited, who does it, and the people that edits may name, by what they are named. */
export type EditContext = {
  now: number;
  by: Pick<Actor, "name">;
  people: ReadonlyMap<string, NonNullable<AllLinkExtras["assignee"]>>;
};

type Editable = {
  status: Verdict;
  groupId: string | null;
  checkFrequency: Frequency;
  extras: AllLinkExtras;
};

/** A link with what it becomes, and the names of the fields that change. */
export type Edited<Link extends Editable> = {
  link: Link;
  edit: LinkEdit;
  after: AllLinkExtras;
  fields: string[];
};

/** Applies an edit to a link, without writing. */
export function applyEdit<Link extends Editable>(
  link: Link,
  edit: LinkEdit,
  context: EditContext,
): Edited<Link> {
  const after = {
    ...link.extras,
    ...textsAfter(link.extras, edit),
    ...handlingAfter(link.extras, edit, context),
    ...(edit.tags !== undefined || edit.add_tags || edit.remove_tags
      ? { tags: tagsAfter(link.extras.tags, edit) }
      : {}),
    ...(edit.assignee_id !== undefined && {
      assignee: context.people.get(edit.assignee_id ?? "") ?? null,
    }),
    ...(edit.check_schedule !== undefined && { schedule: scheduleAfter(link.extras, edit) }),
    ...(edit.expect !== undefined && { expect: edit.expect }),
    ...(edit.pinned !== undefined && { isPinned: edit.pinned }),
  };
  return { link, edit, after, fields: changedFields(link, edit, after) };
}

function textsAfter(
  before: AllLinkExtras,
  { title, note, external_id: externalId, metadata }: LinkEdit,
): Partial<AllLinkExtras> {
  return {
    ...(title !== undefined && { title: title || null }),
    ...(note !== undefined && { note: note || null }),
    ...(externalId !== undefined && { externalId }),
    ...(metadata !== undefined && { metadata: merged(before.metadata, metadata) }),
  };
}

/** By the rules of RFC 7396: null removes. */
function merged(
  before: AllLinkExtras["metadata"],
  change: Record<string, string | null> | null,
): AllLinkExtras["metadata"] {
  if (change === null) return {};
  const entries = Object.entries({ ...before, ...change });
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

function tagsAfter(
  before: string[],
  { tags, add_tags: add = [], remove_tags: remove = [] }: LinkEdit,
) {
  const kept = (tags === undefined ? before : (tags ?? [])).filter((tag) => !remove.includes(tag));
  return [...new Set([...kept, ...add])].sort();
}

/** What a decision changes; nothing if it was made before. */
export function handlingAfter(
  before: AllLinkExtras,
  { handling, muted_until: mutedUntil = null }: Pick<LinkEdit, "handling" | "muted_until">,
  { now, by }: Pick<EditContext, "now" | "by">,
): Partial<AllLinkExtras> {
  if (handling === undefined) return {};
  if (handling === before.handling && before.mutedUntil === mutedUntil) return {};
  const isOpen = handling === "open";
  return {
    handling,
    handledAt: isOpen ? null : now,
    handledBy: isOpen ? null : by.name,
    mutedUntil: handling === "muted" ? mutedUntil : null,
    silentDeathAt: handling === "muted" ? before.silentDeathAt : null,
  };
}

/** The group's schedule holds again when that of the link is removed; reading the link shows it. */
function scheduleAfter(
  { schedule }: AllLinkExtras,
  { check_schedule: wanted }: LinkEdit,
): AllLinkExtras["schedule"] {
  const isPresent = schedule?.cron === wanted?.cron && schedule?.timeZone === wanted?.time_zone;
  if (wanted && isPresent) return schedule;
  if (wanted) return { cron: wanted.cron, timeZone: wanted.time_zone, from: "link" };
  return schedule?.from === "group" ? schedule : null;
}

const ownSchedule = ({ schedule }: AllLinkExtras): CheckSchedule | null =>
  schedule?.from === "link" ? schedule : null;

function changedFields(link: Editable, edit: LinkEdit, after: AllLinkExtras): string[] {
  const { extras: before } = link;
  const changes: Record<string, boolean> = {
    group_id: edit.group_id !== undefined && edit.group_id !== link.groupId,
    check_frequency:
      edit.check_frequency !== undefined && edit.check_frequency !== link.checkFrequency,
    title: before.title !== after.title,
    note: before.note !== after.note,
    tags: !Bun.deepEquals(before.tags, after.tags),
    external_id: before.externalId !== after.externalId,
    metadata: !Bun.deepEquals(before.metadata, after.metadata),
    assignee_id: before.assignee?.id !== after.assignee?.id,
    handling: before.handling !== after.handling,
    muted_until: before.mutedUntil !== after.mutedUntil,
    check_schedule: !Bun.deepEquals(ownSchedule(before), ownSchedule(after)),
    expect: !Bun.deepEquals(before.expect, after.expect),
    pinned: before.isPinned !== after.isPinned,
  };
  return Object.keys(changes).filter((name) => changes[name]);
}

/** Why a link cannot be edited like this; null if it can. */
export function refusalOf({ link, after, fields }: Edited<Editable>): AppError | null {
  if (fields.includes("handling") && after.handling === "acknowledged" && link.status === "active")
    return conflict("Only dead and unknown links can be acknowledged.", {
      reason: "nothing_to_acknowledge",
    });
  const tooMany = hasTooMany(after);
  if (tooMany.keys) return invalid({ metadata: [TOO_MANY_KEYS] });
  return tooMany.tags ? invalid({ tags: [TOO_MANY_TAGS] }) : null;
}

/** The entries of the timeline of an edited link. */
export function actionsOf(
  { link, after, fields }: Edited<Editable & { no: number }>,
  { now, by }: EditContext,
): Action[] {
  const action = (kind: LinkAction, detail: string | null = null): Action => ({
    ...{ no: link.no, at: now, kind, actor: by.name, detail },
  });
  const has = (name: string) => fields.includes(name);
  const others = fields.filter((name) => !OWN_ENTRY.has(name));
  return [
    ...(has("handling") || has("muted_until")
      ? [handlingAction(after, { no: link.no, at: now, by })]
      : []),
    ...(has("assignee_id") ? [action("assigned", after.assignee?.email ?? null)] : []),
    ...(has("tags") ? [action("tagged", after.tags.join(", ") || null)] : []),
    ...(others.length > 0 ? [action("changed", others.join(", "))] : []),
  ];
}

/** The entry of the timeline for what was decided about a link. */
export const handlingAction = (
  { handling, mutedUntil }: AllLinkExtras,
  { by, ...about }: { no: number; at: number; by: Pick<Actor, "name"> },
): Action => ({
  ...about,
  ...{ kind: KIND_OF_HANDLING[handling], actor: by.name, detail: toIsoOrNull(mutedUntil) },
});

const OWN_ENTRY = new Set(["handling", "muted_until", "assignee_id", "tags"]);

const KIND_OF_HANDLING = {
  open: "reopened",
  acknowledged: "acknowledged",
  muted: "muted",
} as const;

/** The action of the audit log for a change of these fields. */
export function auditActionOf(fields: string[], { handling }: LinkEdit) {
  const isOnly = (...names: string[]) => fields.every((name) => names.includes(name));
  if (handling && isOnly("handling", "muted_until"))
    return `link.${KIND_OF_HANDLING[handling]}` as const;
  if (isOnly("assignee_id")) return "link.assigned";
  return isOnly("tags") ? "link.tagged" : "link.changed";
}

import type { AppError } from "../ground/lib/errors.ts";
import type { Frequency, Verdict } from "../ground/lib/vocabulary.ts";
import type { EditContext } from "./fields/field.ts";
import {
  changedBetween,
  detailsAfter,
  entriesOf,
  type LinkDetails,
  refusalOf as refusalOfDetails,
} from "./fields/registry.ts";
import type { LinkChange, ManyChange } from "./model.ts";
import type { Action } from "./triage/timeline.ts";

/** What a request wants to change about links, by the names of the API. What is undefined stays. */
export type LinkEdit = LinkChange & ManyChange;

type Editable = {
  status: Verdict;
  groupId: string | null;
  checkFrequency: Frequency;
  details: LinkDetails;
};

/** A link with what it becomes, and the names of the fields that change. */
export type Edited<Link extends Editable> = {
  link: Link;
  edit: LinkEdit;
  after: LinkDetails;
  fields: string[];
};

/** Applies an edit to a link, without writing. */
export function applyEdit<Link extends Editable>(
  link: Link,
  edit: LinkEdit,
  context: EditContext,
): Edited<Link> {
  const { details: before, groupId, checkFrequency } = link;
  const after = detailsAfter(before, edit, context);
  const fields = changedBetween(before, after);
  const { group_id: group = groupId, check_frequency: frequency = checkFrequency } = edit;
  if (frequency !== checkFrequency) fields.unshift("check_frequency");
  if (group !== groupId) fields.unshift("group_id");
  return { link, edit, after, fields };
}

/** Why a link cannot be edited like this; null if it can. */
export const refusalOf = ({ link, after, fields }: Edited<Editable>): AppError | null =>
  refusalOfDetails(after, { status: link.status, changed: fields });

/** The entries of the timeline of an edited link. */
export const actionsOf = (
  { link, after, fields }: Edited<Editable & { no: number }>,
  { now, by }: EditContext,
): Action[] =>
  entriesOf(after, fields).map(({ kind, detail }) => ({
    no: link.no,
    at: now,
    kind,
    actor: by.name,
    detail,
  }));

/** The action of the audit log for the changes of links: that of the timeline, if it is the same for all. */
export function auditActionOf(edits: Pick<Edited<Editable>, "after" | "fields">[]) {
  const kinds = edits
    .flatMap(({ after, fields }) => entriesOf(after, fields))
    .map(({ kind }) => kind);
  const [first = "changed", ...others] = new Set(kinds);
  return `link.${others.length === 0 ? first : "changed"}` as const;
}

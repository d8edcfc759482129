import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { queueAssignedMails } from "../accounts/mails.ts";
import { findPeople, noSuchPerson } from "../accounts/people.ts";
import { onRows } from "../ground/db/store.ts";
import { type LinkRow, links } from "../ground/db/tables.ts";
import { type FieldProblems, findForChange, invalid, notFound } from "../ground/lib/errors.ts";
import { problemsOf } from "../ground/lib/fields.ts";
import type { Caller } from "../http/caller.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import type { Unit } from "../work/unit.ts";
import { existingGroups, groupIdIn, hasAssignee, refuseUnknownGroup } from "./create.ts";
import {
  actionsOf,
  applyEdit,
  auditActionOf,
  type Edited,
  type LinkEdit,
  refusalOf,
} from "./edit.ts";
import { countByAssignee } from "./fields/assignee.ts";
import { withDetails, writeDetails } from "./fields/details.ts";
import { duplicateId, findTakenIds } from "./fields/external-id.ts";
import type { EditContext } from "./fields/field.ts";
import type { LinkDetails } from "./fields/registry.ts";
import { problemsIn } from "./fields/registry.ts";
import { findLink, findLinkDetail, type LinkFilter } from "./links.ts";
import { nextMatching } from "./list.ts";
import { LinkChange, type LinkDetailRow, statusAt } from "./model.ts";
import { rescheduleLinks } from "./reschedule.ts";
import { hasNumber, judgeNamed, lockSome, type Outcome, writeInPieces } from "./selection.ts";
import { publishChanges } from "./triage/change-events.ts";
import { inheritMutes } from "./triage/inherit.ts";
import { publishLateDeaths } from "./triage/open.ts";
import { recordActions } from "./triage/timeline.ts";

/** Takes SQLite, which has one writer, about 8 ms. PostgreSQL lets others write, and is slower with small steps. */
const changedAtOnce = ({ engine }: Deps["store"]) => (engine.isShared ? 1000 : 250);

/** A link is `unchanged` if it already had the wanted values. */
export type Change = Outcome<"changed" | "unchanged">;

/** `next` is where the next step starts; null when no link is left. */
export type StepOfChange = {
  changed: number;
  unchanged: number;
  failed: number;
  next: number | null;
};

const FOUND = {
  no: links.no,
  id: links.id,
  url: links.url,
  accountId: links.accountId,
  groupId: links.groupId,
  status: links.status,
  checkFrequency: links.checkFrequency,
};
type FoundRow = Pick<LinkRow, keyof typeof FOUND>;
/** A link as edits need it. */
export type Found = FoundRow & { details: LinkDetails };

/** What the audit log shows of a change of links. */
type Entry = {
  action: "link.moved" | ReturnType<typeof auditActionOf>;
  target?: { id: string; name: string | null } | undefined;
  fields?: string[];
};

/** @throws VALIDATION_ERROR with every problem at once, also for fields that cannot be changed */
export async function changeLink(
  unit: Unit,
  caller: Caller,
  id: string,
  input: unknown,
): Promise<LinkDetailRow> {
  const link = await findForChange(findLink(unit, caller, id), () => readShape(input));
  const edit = await readChange(unit, link, input);
  const context = await contextOf(unit, caller, edit, "");
  const [change] = await editSome(unit, caller, { editOf: () => edit, context }, [link]);
  if (!change) throw notFound("link");
  const refusal = refusalOf(change);
  if (refusal) throw refusal;
  const { fields } = change;
  const action = auditActionOf([change]);
  await auditChange(unit, caller, { target: linkTarget([link]), action, fields });
  return findLinkDetail(unit, caller, id);
}

/**
 * Changes the account's links and reports why the others were not changed. Repeated ids count once.
 * @throws VALIDATION_ERROR when what the change refers to does not exist
 */
export async function changeLinks(
  deps: Deps,
  caller: Caller,
  ids: string[],
  edit: LinkEdit,
  saveReply: SaveReply<Change[]> = saveNoReply,
  entry?: Entry,
): Promise<Change[]> {
  refuseUnfit(deps, edit);
  const context = await contextOf(deps, caller, edit, "change.");
  await refuseUnknownGroup(deps, caller, edit.group_id, "change.group_id");
  return changeNamed(deps, caller, ids, { editOf: () => edit, context }, { saveReply, entry });
}

/**
 * As `changeLinks`, but with an edit for each link, by its id. The edits are valid.
 * @throws VALIDATION_ERROR when a group does not exist
 */
export async function changeEach(
  deps: Deps,
  caller: Caller,
  edits: ReadonlyMap<string, LinkEdit>,
): Promise<Change[]> {
  const context = await contextFor(deps, caller, [...edits.values()]);
  for (const groupId of new Set([...edits.values()].map(({ group_id }) => group_id)))
    await refuseUnknownGroup(deps, caller, groupId, "group_id");
  const editOf = (id: string) => edits.get(id)!;
  return changeNamed(deps, caller, [...edits.keys()], { editOf, context });
}

/** Returns the fields that each edit would change of the account's link with the id, and writes nothing. */
export async function previewChanges(
  deps: Deps,
  caller: Caller,
  edits: (readonly [id: string, edit: LinkEdit])[],
): Promise<string[][]> {
  const context = await contextFor(
    deps,
    caller,
    edits.map(([, edit]) => edit),
  );
  const ids = edits.filter(([, edit]) => Object.keys(edit).length > 0).map(([id]) => id);
  if (ids.length === 0) return edits.map(() => []);
  const rows = await deps.store
    .select(FOUND)
    .from(links)
    .where(and(eq(links.accountId, caller.accountId), inArray(links.id, ids)));
  const found = await withDetails(deps.store, rows);
  const byId = new Map(found.map((link) => [link.id, link]));
  return edits.map(([id, edit]) => {
    const link = byId.get(id);
    return link ? applyEdit(link, edit, context).fields : [];
  });
}

async function changeNamed(
  deps: Deps,
  caller: Caller,
  ids: string[],
  wanted: Wanted,
  {
    saveReply = saveNoReply,
    entry,
  }: { saveReply?: SaveReply<Change[]>; entry?: Entry | undefined } = {},
): Promise<Change[]> {
  const edits = new Map<string, Edited<Found>>();
  const { outcomes, ours } = await judgeNamed(
    deps,
    caller,
    ids,
    async (isNamed) => {
      const rows = await deps.store.select(FOUND).from(links).where(isNamed);
      return withDetails(deps.store, rows);
    },
    (link) => {
      const change = applyEdit(link, wanted.editOf(link.id), wanted.context);
      edits.set(link.id, change);
      return refusalOf(change) ?? (change.fields.length > 0 ? "changed" : "unchanged");
    },
  );
  const chosen = ours.map(({ id }) => edits.get(id)!).filter(isWanted);
  await changeInPieces(deps, caller, wanted, {
    chosen,
    entry: entry ?? entryOf(chosen),
    saveReply: (tx) => saveReply(tx, outcomes),
  });
  return outcomes;
}

/**
 * Changes the next links that match, newest first.
 * @throws VALIDATION_ERROR when what the change refers to does not exist
 */
export async function changeMatching(
  deps: Deps,
  caller: Caller,
  { filter, before }: { filter: LinkFilter; before: number | undefined },
  edit: LinkEdit,
  saveReply: SaveReply<StepOfChange> = saveNoReply,
): Promise<StepOfChange> {
  refuseUnfit(deps, edit);
  const context = await contextOf(deps, caller, edit, "change.");
  await refuseUnknownGroup(deps, caller, edit.group_id, "change.group_id");
  const { nos, next } = await nextMatching(deps, caller, filter, { before });
  const wanted = { editOf: () => edit, context };
  const edits = await findEdits(deps, nos, wanted);
  const failed = edits.filter((change) => refusalOf(change)).length;
  const chosen = edits.filter(isWanted);
  const changed = chosen.length;
  const step = { changed, unchanged: edits.length - changed - failed, failed, next };
  await changeInPieces(deps, caller, wanted, {
    chosen,
    entry: entryOf(chosen),
    saveReply: (tx) => saveReply(tx, step),
  });
  return step;
}

/** The edit of each link, by its id. */
type Wanted = { editOf: (id: string) => LinkEdit; context: EditContext };

const isWanted = (change: Edited<Found>) => change.fields.length > 0 && !refusalOf(change);

async function changeInPieces(
  deps: Deps,
  caller: Caller,
  wanted: Wanted,
  work: { chosen: Edited<Found>[]; entry: Entry; saveReply: SaveReply<void> },
): Promise<void> {
  await writeInPieces(deps, caller, {
    ...work,
    chosen: work.chosen.map(({ link }) => link),
    atOnce: changedAtOnce(deps.store),
    write: async (within, some) => {
      const edits = await editSome(within, caller, wanted, some);
      return edits.filter(isWanted).length;
    },
  });
}

/** One entry for all links, with the fields that change in any of them. */
function entryOf(chosen: Edited<Found>[]): Entry {
  const fields = [...new Set(chosen.flatMap((change) => change.fields))];
  return { action: auditActionOf(chosen), fields };
}

/**
 * Finds the person that an edit names.
 * @param prefix of the names of its fields, for errors
 * @throws VALIDATION_ERROR
 */
async function contextOf(
  deps: Deps,
  caller: Caller,
  { assignee_id: id }: LinkEdit,
  prefix: string,
): Promise<EditContext> {
  const people = id ? await findPeople(deps, caller) : new Map();
  if (id && !people.has(id)) throw invalid({ [`${prefix}assignee_id`]: [noSuchPerson(id)] });
  return { now: deps.clock.now(), by: caller.by, people };
}

/** The same for many edits at once, each of which checks its own names. */
export async function contextFor(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
): Promise<EditContext> {
  const people = inputs.some(hasAssignee) ? await findPeople(deps, caller) : new Map();
  return { now: deps.clock.now(), by: caller.by, people };
}

/** Returns what an edit makes of links, without writing. */
async function findEdits(
  { store }: Pick<Deps, "store">,
  nos: number[],
  { editOf, context }: Wanted,
): Promise<Edited<Found>[]> {
  const rows = await store.select(FOUND).from(links).where(hasNumber(store, nos));
  const found = await withDetails(store, rows);
  return found.map((link) => applyEdit(link, editOf(link.id), context));
}

/**
 * Locks the links and edits those that are still there.
 * @returns what the edit makes of each; those that it changes nothing of, or that are refused, are not written
 */
async function editSome(
  deps: Deps,
  caller: Caller,
  wanted: Wanted,
  some: { no: number }[],
): Promise<Edited<Found>[]> {
  const edits = await findEdits(deps, await lockSome(deps.store, some), wanted);
  const changed = edits.filter(isWanted);
  await refuseTakenIds(deps.store, caller, changed);
  await writeEdits(deps, caller, wanted.context, changed);
  return edits;
}

/** Writes edits of links, in a transaction that has locked them. */
export async function writeEdits(
  deps: Deps,
  caller: Caller,
  context: EditContext,
  edits: Edited<Found>[],
): Promise<void> {
  if (edits.length === 0) return;
  const { store: tx } = deps;
  const { now } = context;
  const rowsFor = (field: string, given: (edit: LinkEdit) => string | null) =>
    edits
      .filter(({ fields }) => fields.includes(field))
      .map(({ link, edit }) => [link.no, caller.accountNo, given(edit)]);
  await moveToGroups(
    tx,
    rowsFor("group_id", (edit) => edit.group_id ?? null),
  );
  await setFrequencies(
    tx,
    rowsFor("check_frequency", (edit) => edit.check_frequency ?? null),
  );
  // The others are updated with their handling.
  const touched = edits.filter(({ link, after }) => link.details.handling === after.handling);
  await touch(
    tx,
    touched.map(({ link }) => [link.no, caller.accountNo, ""]),
    { now },
  );
  await publishLateDeaths(
    tx,
    edits.filter(isUnmuted).map(({ link }) => link.no),
    now,
  );
  await writeDetails(
    tx,
    caller,
    edits.map(({ link, after }) => ({ no: link.no, before: link.details, after })),
    now,
  );
  await recordActions(
    tx,
    edits.flatMap((change) => actionsOf(change, context)),
  );
  const moved = edits.filter(({ fields }) => fields.includes("group_id"));
  await inheritMutes(
    tx,
    moved.map(({ link }) => link.no),
    now,
  );
  const assigned = edits.filter(({ fields }) => fields.includes("assignee_id"));
  await queueAssignedMails(deps, caller, countByAssignee(assigned.map(({ after }) => after)));
  const timed = edits.filter(({ fields }) => fields.some(isOfTime));
  await rescheduleLinks(
    deps,
    timed.map(({ link }) => link),
  );
  await publishChanges(deps, caller, edits, now);
}

/** Whether a field decides when a link is checked. */
const isOfTime = (field: string) =>
  field === "check_frequency" || field === "check_schedule" || field === "group_id";

/** Only links of the account: SQLite would scan all of them if its number were not in each row. */
const updateNamed = (assignment: SQL) =>
  onRows(
    { link: "bigint", account: "bigint", given: "text" },
    (rows) => sql`
      update links set ${assignment} from ${rows} as named
      where links.no = link and links.account_no = account
    `,
  );

const moveToGroups = updateNamed(sql`group_id = given`);
const setFrequencies = updateNamed(sql`check_frequency = given`);
const touch = updateNamed(sql`updated_at = ${sql.placeholder("now")}`);

const isUnmuted = ({ link, after }: Edited<Found>) =>
  link.details.silentDeathAt !== null && after.handling === "open";

/** @throws CONFLICT when another link of the account has an external id that a link would get */
async function refuseTakenIds(
  tx: Deps["store"],
  caller: Caller,
  edits: Edited<Found>[],
): Promise<void> {
  const wanted = edits.filter(
    ({ edit, fields }) => edit.external_id && fields.includes("external_id"),
  );
  if (wanted.length === 0) return;
  const taken = await findTakenIds(
    tx,
    caller,
    wanted.map(({ edit }) => edit.external_id!),
  );
  for (const { edit, link } of wanted) {
    const existingId = taken.get(edit.external_id!);
    if (existingId && existingId !== link.id) throw duplicateId({ existingId });
  }
}

function readShape(input: unknown): LinkChange {
  const shape = LinkChange.safeParse(input);
  if (!shape.success) throw invalid(problemsOf(shape.error));
  return shape.data;
}

async function readChange(deps: Deps, link: LinkRow, input: unknown): Promise<LinkChange> {
  const shape = LinkChange.safeParse(input);
  const problems = {
    ...(shape.success ? problemsIn(shape.data, deps.clock.now()) : problemsOf(shape.error)),
    ...unchangeable({ ...link, status: statusAt(deps.clock.now(), link) }, input),
  };
  const groupId = groupIdIn(input);
  if (groupId && !(await existingGroups(deps, link.accountId, [groupId])).has(groupId)) {
    problems.group_id = ["no such group"];
  }
  if (!shape.success || Object.keys(problems).length > 0) throw invalid(problems);
  return shape.data;
}

/** @throws VALIDATION_ERROR */
function refuseUnfit({ clock }: Deps, edit: LinkEdit): void {
  const problems = Object.entries(problemsIn(edit, clock.now()));
  if (problems.length > 0)
    throw invalid(Object.fromEntries(problems.map(([name, why]) => [`change.${name}`, why])));
}

/** Refuses a different value for a field that cannot be changed, which would be lost silently otherwise. */
function unchangeable(
  shown: { id: string; url: string; status: string },
  input: unknown,
): FieldProblems {
  const given = Object.entries((input ?? {}) as object);
  const lost = given.filter(
    ([name, value]) =>
      (name === "id" || name === "url" || name === "status") && shown[name] !== value,
  );
  return Object.fromEntries(
    lost.map(([name]) => [
      name,
      [name === "url" ? "cannot be changed; use POST /links/{id}/url" : "cannot be changed"],
    ]),
  );
}

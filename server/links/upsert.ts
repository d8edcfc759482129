import { inArray } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { noSuchPerson } from "../accounts/people.ts";
import { lockLinks } from "../ground/db/queries.ts";
import { type LinkRow, links } from "../ground/db/tables.ts";
import { AppError, invalid } from "../ground/lib/errors.ts";
import { problemsOf } from "../ground/lib/fields.ts";
import type { Caller } from "../http/caller.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { makeChange } from "../work/unit.ts";
import { contextFor, writeEdits } from "./change.ts";
import { readUrl, writeUrls } from "./change-url.ts";
import { createAmong, existingGroups, groupIdIn, readItems } from "./create.ts";
import { applyEdit, type LinkEdit, refusalOf } from "./edit.ts";
import { withDetails } from "./fields/details.ts";
import { duplicateId, findTakenIds } from "./fields/external-id.ts";
import type { EditContext } from "./fields/field.ts";
import { type LinkDetails, problemsIn } from "./fields/registry.ts";
import { UpsertItem } from "./model.ts";

/** What became of one item, in the order of the request. */
export type Upserted =
  | { status: "created" | "updated" | "unchanged"; id: string }
  | { status: "failed"; error: AppError };

type Item = { index: number; edit: LinkEdit; externalId: string; url: string | undefined };

/**
 * Creates the links whose external ids are new, and changes those that are known: only the fields that an item has. All in
 * one transaction, so that repeating the request changes nothing more.
 */
export async function upsertLinks(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
  saveReply: SaveReply<Upserted[]> = saveNoReply,
): Promise<Upserted[]> {
  const context = await contextFor(deps, caller, inputs);
  const read = await readUpserts(deps, caller, inputs, context);
  const readAsNew = await readItems(deps, caller, inputs);
  return makeChange(deps, caller, async (within) => {
    const items = read.filter((item): item is Item => !(item instanceof AppError));
    const known = await findKnown(within, caller, items);
    const results = new Map<unknown, Upserted>();
    const changed: Changed[] = [];
    const present = items.filter(({ externalId }) => known.has(externalId));
    const updates = await updateKnown(within, caller, { items: present, known, context });
    present.forEach((item, i) => {
      const link = known.get(item.externalId)!;
      const fields = updates[i]!;
      if (fields instanceof AppError) results.set(item, { status: "failed", error: fields });
      else results.set(item, { status: fields.length > 0 ? "updated" : "unchanged", id: link.id });
      if (!(fields instanceof AppError) && fields.length > 0) changed.push({ link, fields });
    });
    // After the others, which may give up a URL.
    const fresh = items.filter(({ externalId }) => !known.has(externalId));
    const created = await createAmong(
      within,
      caller,
      fresh.map(({ index }) => readAsNew[index]!),
    );
    created.forEach((result, i) => {
      results.set(
        fresh[i],
        "link" in result
          ? { status: "created", id: result.link.id }
          : { status: "failed", error: result.error },
      );
    });
    await auditUpdates(within, caller, changed);
    const outcomes = read.map(
      (item): Upserted =>
        item instanceof AppError ? { status: "failed", error: item } : results.get(item)!,
    );
    await saveReply(within.store, outcomes);
    return outcomes;
  });
}

/** Validates each item separately, as far as that needs nothing of the others but their external ids. */
async function readUpserts(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
  { people }: EditContext,
): Promise<(Item | AppError)[]> {
  const groupIds = inputs.map(groupIdIn).filter((id) => id !== null);
  const groups = await existingGroups(deps, caller.accountId, groupIds);
  const firstIndex = new Map<string, number>();
  return inputs.map((input, index) => {
    const shape = UpsertItem.safeParse(input);
    if (!shape.success) return invalid(problemsOf(shape.error), INVALID);
    const { url, external_id: externalId, ...rest } = shape.data;
    // A link that is named stays, whatever its sources have.
    const edit = { pinned: true, ...rest };
    const problems = problemsIn(edit, deps.clock.now());
    if (edit.group_id && !groups.has(edit.group_id)) problems.group_id = ["no such group"];
    if (edit.assignee_id && !people.has(edit.assignee_id))
      problems.assignee_id = [noSuchPerson(edit.assignee_id)];
    if (Object.keys(problems).length > 0) return invalid(problems, INVALID);
    const first = firstIndex.get(externalId);
    if (first !== undefined) return duplicateId({ firstIndex: first });
    firstIndex.set(externalId, index);
    return { index, edit, externalId, url };
  });
}

const INVALID = "The item is not valid.";

type Known = LinkRow & { details: LinkDetails };

/** The account's links that have the external ids of items, by these, locked. */
async function findKnown(
  { store: tx }: Deps,
  caller: Caller,
  items: Item[],
): Promise<Map<string, Known>> {
  const taken = await findTakenIds(
    tx,
    caller,
    items.map(({ externalId }) => externalId),
  );
  if (taken.size === 0) return new Map();
  const isKnown = inArray(links.id, [...taken.values()]);
  const numbers = await tx.select({ no: links.no }).from(links).where(isKnown);
  await lockLinks(
    tx,
    numbers.map(({ no }) => no),
  );
  const rows = await withDetails(tx, await tx.select().from(links).where(isKnown));
  return new Map(rows.map((row) => [row.details.externalId!, row]));
}

type Changed = { link: Known; fields: string[] };

/** One entry for all links, with the fields that change in any of them. */
const auditUpdates = (deps: Deps, caller: Caller, changed: Changed[]): Promise<void> =>
  auditChange(deps, caller, {
    action: "link.changed",
    target: linkTarget(changed.map(({ link }) => link)),
    fields: [...new Set(changed.flatMap(({ fields }) => fields))],
    count: changed.length,
  });

/** Returns the fields of each that changed, or why the link cannot be changed like this; then nothing of it is. */
async function updateKnown(
  deps: Deps,
  caller: Caller,
  { items, known, context }: { items: Item[]; known: Map<string, Known>; context: EditContext },
): Promise<(string[] | AppError)[]> {
  const updates = items.map(({ edit, url, externalId }) => {
    const link = known.get(externalId)!;
    const change = applyEdit(link, edit, context);
    try {
      const wanted = url === undefined ? null : readUrl(deps, url);
      return { link, edit, change, url: wanted, refusal: refusalOf(change) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { link, edit, change, url: null, refusal: error };
    }
  });
  const moves = updates.flatMap(({ link, url, refusal }) =>
    url && !refusal ? [{ link, url, note: null }] : [],
  );
  const written = await writeUrls(deps, caller, moves);
  const moved = new Map(moves.map(({ link }, i) => [link.no, written[i]!]));
  const outcomes = updates.map(({ link, change: { fields }, refusal }) => {
    const isMoved = refusal ?? moved.get(link.no) ?? false;
    if (isMoved instanceof AppError) return isMoved;
    return isMoved ? ["url", ...fields] : fields;
  });
  const edited = updates.filter(
    ({ change }, i) => change.fields.length > 0 && !(outcomes[i] instanceof AppError),
  );
  // A new URL has ended what was decided about the old one.
  const fresh = await withDetails(
    deps.store,
    edited.map(({ link }) => link),
  );
  const edits = fresh.map((link, i) => applyEdit(link, edited[i]!.edit, context));
  await writeEdits(deps, caller, context, edits);
  return outcomes;
}

import type { Store } from "../../ground/db/store.ts";
import type { AppError } from "../../ground/lib/errors.ts";
import { problemsOf } from "../../ground/lib/fields.ts";
import { parseId } from "../../ground/lib/ids.ts";
import type { Frequency, ItemOutcome } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import { urlKeyOf } from "../../judge/services/catalogue.ts";
import {
  adding,
  NOTED,
  type NotKept,
  withoutDecisions,
  withoutRefused,
} from "../../read/lists/noted.ts";
import type { Item } from "../../read/lists/reading.ts";
import type { Deps } from "../../work/deps.ts";
import { changeEach, previewChanges } from "../change.ts";
import { createLinks, duplicateUrl, type Preview, previewLinks, reasonOf } from "../create.ts";
import type { LinkEdit } from "../edit.ts";
import { findTakenIds } from "../fields/external-id.ts";
import { problemOfMute } from "../fields/handling.ts";
import { type GroupBook, problemOfName } from "../groups/groups.ts";
import { LinkChange, NewLink } from "../model.ts";
import { type Upserted, upsertLinks } from "../upsert.ts";

/** What is done with the links of a list. */
export type ImportOptions = {
  /** The name or id of a group for all links; null for none. It is made if there is none. */
  group: string | null;
  frequency: Frequency | null;
  /** Whether these two count more than what the list says. */
  overrides: boolean;
  /** Whether links are put into the groups that the list names. */
  usesGroups: boolean;
  /** Whether a link that has the external id of an item is changed. */
  updates: boolean;
  /** Whether the import takes what people decided about links. */
  withState: boolean;
};

/** An import while a part of it is previewed or added. */
export type Work = {
  deps: Deps;
  caller: Caller;
  options: ImportOptions;
  groups: GroupBook;
  /** The ids of the account's people by e-mail; null takes nothing of what people decided. */
  people: ReadonlyMap<string, string> | null;
};

/** What became of an item, or would. */
export type Result = {
  item: Item & { notKept: NotKept[] };
  outcome: ItemOutcome;
  /** Of the link that was created or changed, or is already there. */
  linkId: string | null;
  /** Why it was refused, in a sentence; the line of which it is a duplicate. */
  detail: string | null;
  /** By which duplicates of a new link are found. */
  urlHash: string | null;
};

/** The number of items that are added at once: as many as one request of the API may have. */
export const PART = 1000;

/** What earlier parts of the list would add: how many links, and the lines of some of them by their hashes. */
export type Earlier = {
  count: number;
  linesOf(hashes: string[]): Promise<Map<string, number>>;
};

/** Says what would become of the items, and writes nothing. */
export async function previewPart(work: Work, items: Item[], earlier: Earlier): Promise<Result[]> {
  const { ready, results } = sorted(work, items);
  const { deps, caller, options } = work;
  const previews = await previewLinks(deps, caller, toInputs(work, ready), earlier.count);
  const hashes = previews.map((preview) => hashOf(deps, preview));
  const lines = await earlier.linesOf(hashes.flatMap((hash) => hash ?? []));
  const ownIds = await ownIdsOf(work, ready);
  const changes = await previewChanges(
    deps,
    caller,
    ready.map((each) => [ownIds.get(each.externalId ?? "") ?? "", editOf(work, each)]),
  );
  const found = previews.map((preview, i) => {
    const { item, externalId } = ready[i]!;
    const hash = hashes[i] ?? null;
    if ("error" in preview) {
      const ownId = ownIds.get(externalId ?? "");
      const { reason, existingId } = preview.error.details ?? {};
      if (ownId === undefined || existingId !== ownId) return failed(work, ready, i, preview.error);
      const isSame = reason === "duplicate_url" && changes[i]!.length === 0;
      return resultOf(item, isSame ? "already_there" : "changed", { linkId: ownId });
    }
    const line = lines.get(hash!);
    if (line !== undefined && options.updates && externalId !== null)
      return refused(item, duplicateUrl({ firstIndex: 0 }).message);
    if (line !== undefined) return resultOf(item, "duplicate", { detail: String(line) });
    return resultOf(item, "new", { urlHash: hash });
  });
  await noteKnown(work, ready, found);
  return inPlaces(results, ready, found);
}

const hashOf = ({ catalogue }: Deps, preview: Preview): string | null =>
  "error" in preview
    ? null
    : Bun.hash.xxHash64(urlKeyOf(catalogue, new URL(preview.url))).toString(36);

/** The links that have the external ids of items, if the import changes those. */
const ownIdsOf = ({ deps, caller, options }: Work, ready: Ready[]) =>
  findTakenIds(
    deps.store,
    caller,
    options.updates ? ready.flatMap(({ externalId }) => externalId ?? []) : [],
  );

/** Stores results in the transaction that has written their links. */
export type Save = (
  tx: Store,
  results: [place: number, result: Result][],
  batchId: string | null,
) => Promise<void>;

/**
 * Adds up to `PART` items, those with ids of their own first. Each result is saved in the transaction of its link.
 * @returns all results in order; of some, more is known then than was saved
 */
export async function addPart(work: Work, items: Item[], save: Save): Promise<Result[]> {
  const { deps, caller } = work;
  const { ready, results } = sorted(work, items);
  await makeGroups(work, ready);
  const withId = ready.filter(hasOwnId(work));
  const others = ready.slice(withId.length);
  const placed = (some: Ready[], found: Result[]) =>
    found.map((result, i): [number, Result] => [some[i]!.place, result]);
  let [upserted, created]: Result[][] = [[], []];
  if (withId.length > 0) {
    const toResults = (outcomes: Upserted[]) =>
      outcomes.map((outcome, i) => resultOfUpsert(withId[i]!.item, outcome));
    const hook = (tx: Store, outcomes: Upserted[]) =>
      save(tx, placed(withId, toResults(outcomes)), null);
    upserted = toResults(await upsertLinks(deps, caller, toInputs(work, withId), hook));
  }
  if (others.length > 0) {
    type Made = Awaited<ReturnType<typeof createLinks>>;
    const toResults = (made: Made) =>
      made.results.map((each, i) =>
        "link" in each
          ? resultOf(others[i]!.item, "created", { linkId: each.link.id })
          : failed(work, others, i, each.error),
      );
    const hook = (tx: Store, made: Made) => save(tx, placed(others, toResults(made)), made.batchId);
    created = toResults(await createLinks(deps, caller, toInputs(work, others), hook));
  }
  const found = [...upserted!, ...created!];
  await decide(work, ready, found);
  await noteKnown(work, ready, found);
  return inPlaces(results, ready, found);
}

function inPlaces(results: (Result | null)[], ready: Ready[], found: Result[]): Result[] {
  for (const [i, { place }] of ready.entries()) results[place] = found[i]!;
  return results.flatMap((each) => each ?? []);
}

/** An item without what is not kept of it, and its edit of a link that exists. */
type Ready = { place: number; item: Item; edit: LinkEdit; externalId: string | null };

/** Refuses what the reader of the list refused, and items whose group has an invalid name. Those with own ids are first. */
function sorted(work: Work, items: Item[]): { ready: Ready[]; results: (Result | null)[] } {
  const results = items.map((item) => {
    if (item.problem) return refused(item, item.problem);
    const name = groupOf(work, item);
    const problem = name === "" || work.groups.find(name) ? null : problemOfName(name);
    return problem === null ? null : refused(item, `The group's name ${problem}.`);
  });
  const ready = items.flatMap((item, i) =>
    results[i] ? [] : [readyOf(work, withGroup(work, item), i)],
  );
  const isOwn = hasOwnId(work);
  return { results, ready: [...ready.filter(isOwn), ...ready.filter((each) => !isOwn(each))] };
}

/** Whether the link that has the external id of an item is changed. */
const hasOwnId =
  ({ options }: Work) =>
  ({ externalId }: Ready) =>
    options.updates && externalId !== null;

/** The name or id of the group that an item is put into; empty for none. */
export function groupOf({ options, groups }: Pick<Work, "options" | "groups">, item: Item): string {
  const own = options.usesGroups && !isGone(groups, item.group) ? item.group : "";
  const name = options.overrides ? options.group || own : own || options.group;
  return name && !isGone(groups, name) ? name : "";
}

/** Exports of the API contain ids of deleted groups. */
const isGone = (groups: GroupBook, name: string) => parseId(name) !== null && !groups.find(name);

const withGroup = ({ groups, options }: Work, item: Item): Item =>
  options.usesGroups && isGone(groups, item.group)
    ? adding(item, { field: "group", why: "is the id of a group that does not exist" })
    : item;

const NotedFields = NewLink.pick(NOTED);
const DecidedFields = LinkChange.pick({ handling: true, muted_until: true });

function readyOf(work: Work, given: Item, place: number): Ready {
  const shape = given.noted ? NotedFields.safeParse(given.noted) : NOTHING;
  // It is read again, since it may be that not all problems were found at once.
  if (!shape.success) return readyOf(work, withoutRefused(given, problemsOf(shape.error))!, place);
  const { item, decided } = decisionsIn(work, given);
  const externalId = shape.data.external_id ?? null;
  return { place, item, edit: { ...shape.data, ...decided }, externalId };
}

const NOTHING = { success: true, data: NotedFields.parse({}) } as const;

/** Reads what people decided, if the import takes that. */
function decisionsIn(
  { people, deps, caller }: Work,
  given: Item,
): { item: Item; decided: LinkEdit } {
  const { decided } = given;
  if (!decided) return { item: given, decided: {} };
  if (!people) return { item: withoutDecisions(given, onlyWithState(caller)), decided: {} };
  const { assignee, ...handled } = decided;
  const assigneeId = people.get(assignee?.toLowerCase() ?? "");
  const isUnknown = assignee !== undefined && assigneeId === undefined;
  const item = isUnknown ? adding(given, { field: "assignee", why: NO_PERSON }) : given;
  const shape = DecidedFields.safeParse(handled);
  const mute = shape.success ? problemOfMute(shape.data, deps.clock.now()) : null;
  const problems = shape.success ? {} : problemsOf(shape.error);
  if (mute !== null) problems.muted_until = [mute];
  const lost = Object.entries(problems).map(([field, texts]) => ({ field, why: texts.join(", ") }));
  return {
    item: adding(item, ...lost),
    decided: {
      ...(assigneeId !== undefined && { assignee_id: assigneeId }),
      ...(lost.length === 0 && shape.data),
    },
  };
}

const onlyWithState = ({ by }: Caller) =>
  `is only taken ${by.kind === "operator" ? "with" : "by stillup import"} --with-state`;
const NO_PERSON = "is not the e-mail of a person of this account";

/** Creates the missing groups, except for links that are refused. */
async function makeGroups(work: Work, open: Ready[]): Promise<void> {
  const isMissing = ({ item }: Ready) => {
    const name = groupOf(work, item);
    return name !== "" && !work.groups.find(name);
  };
  if (!open.some(isMissing)) return;
  // All items, since the same link may be in another group further up.
  const previews = await previewLinks(work.deps, work.caller, toInputs(work, open), 0);
  for (const [i, each] of open.entries()) {
    if (!isMissing(each) || !mayBeWritten(work, each, previews[i]!)) continue;
    await work.groups.make({ name: groupOf(work, each.item) });
  }
}

/** A link with an id of its own may be there. */
const mayBeWritten = ({ options }: Work, { externalId }: Ready, preview: Preview) =>
  !("error" in preview) ||
  (options.updates && externalId !== null && preview.error.details?.existingId !== undefined);

const toInputs = (work: Work, open: Ready[]) => open.map((each) => toInput(work, each));

function toInput(work: Work, { item, edit }: Ready) {
  const { frequency: chosen, overrides } = work.options;
  const frequency = overrides ? (chosen ?? item.frequency) : item.frequency || chosen;
  const group = work.groups.find(groupOf(work, item));
  return {
    url: item.url,
    ...item.noted,
    ...(edit.assignee_id && { assignee_id: edit.assignee_id }),
    ...(frequency && { check_frequency: frequency }),
    ...(group && { group_id: group.id }),
  };
}

const OUTCOMES = { created: "created", updated: "changed", unchanged: "already_there" } as const;

const resultOfUpsert = (item: Item, upserted: Upserted): Result =>
  upserted.status === "failed"
    ? refused(item, reasonOf(upserted.error))
    : resultOf(item, OUTCOMES[upserted.status], { linkId: upserted.id });

/** Acknowledges, mutes and reopens the links that were created, or have an id of their own. */
async function decide(
  { deps, caller, options }: Work,
  open: Ready[],
  results: Result[],
): Promise<void> {
  const byId = new Map<string, { edit: LinkEdit; result: Result }>();
  for (const [i, { edit, externalId }] of open.entries()) {
    const result = results[i]!;
    const { linkId, outcome } = result;
    if (edit.handling === undefined || linkId === null) continue;
    const isOwn = options.updates && externalId !== null;
    if (outcome === "created" ? edit.handling === "open" : !isOwn) continue;
    const { handling, muted_until: until = null } = edit;
    byId.set(linkId, { result, edit: { handling, muted_until: until } });
  }
  if (byId.size === 0) return;
  const edits = new Map([...byId].map(([id, { edit }]) => [id, edit]));
  for (const change of await changeEach(deps, caller, edits)) {
    const { result } = byId.get(change.id)!;
    if (change.status === "changed" && result.outcome === "already_there")
      result.outcome = "changed";
    if (change.status === "failed")
      result.item.notKept.push({
        field: "handling",
        why: `is not possible: ${change.error.message}`,
      });
  }
}

/** What an item would change of a link that exists. */
function editOf(work: Work, { item, edit }: Ready): LinkEdit {
  const group = item.group && work.groups.find(item.group);
  const frequency = LinkChange.shape.check_frequency.safeParse(item.frequency || undefined).data;
  return {
    ...edit,
    ...(group && { group_id: group.id }),
    ...(frequency && { check_frequency: frequency }),
  };
}

/** Says what is not kept of links that are there already and stay as they are. */
async function noteKnown(work: Work, open: Ready[], results: Result[]): Promise<void> {
  const isKnown = (i: number) =>
    results[i]!.outcome === "already_there" && !(work.options.updates && open[i]!.externalId);
  const known = [...open.entries()].filter(([i]) => isKnown(i));
  const changes = await previewChanges(
    work.deps,
    work.caller,
    known.map(([i, each]) => [results[i]!.linkId ?? "", editOf(work, each)]),
  );
  for (const [place, [i]] of known.entries()) lose(results[i]!, changes[place]!, KNOWN);
  for (const result of results) {
    if (result.outcome === "duplicate") lose(result, Object.keys(result.item.noted ?? {}), ABOVE);
  }
}

const lose = ({ item }: Result, fields: string[], why: string) =>
  void item.notKept.push(...fields.map((field) => ({ field: NAMES[field] ?? field, why })));

const KNOWN = "stays as it is";
const ABOVE = "is that of the same link further up";
const NAMES: Record<string, string> = {
  group_id: "group",
  check_frequency: "check frequency",
  assignee_id: "assignee",
};

/** What became of an item of a part that was refused. */
function failed({ options }: Work, part: Ready[], index: number, error: AppError): Result {
  const { item, externalId } = part[index]!;
  const { reason, existingId, firstIndex } = error.details ?? {};
  if (reason !== "duplicate_url" || (options.updates && externalId !== null))
    return refused(item, reasonOf(error));
  if (typeof existingId === "string")
    return resultOf(item, "already_there", { linkId: existingId });
  return resultOf(item, "duplicate", { detail: String(part[Number(firstIndex)]!.item.line) });
}

const resultOf = (
  item: Item,
  outcome: Result["outcome"],
  more: Partial<Pick<Result, "linkId" | "detail" | "urlHash">> = {},
): Result => ({
  item: { ...item, notKept: [...(item.notKept ?? [])] },
  outcome,
  linkId: null,
  detail: null,
  urlHash: null,
  ...more,
});

const refused = (item: Item, why: string): Result => ({
  ...resultOf(item, "refused", { detail: why }),
  item: { ...item, notKept: [] },
});

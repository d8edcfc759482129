import type { Caller } from "../api/caller.ts";
import {
  adding,
  NOTED,
  type NotKept,
  notKeptText,
  withoutDecisions,
  withoutRefused,
} from "../imports/noted.ts";
import type { Item } from "../imports/reading.ts";
import type { AppError } from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import type { Frequency } from "../lib/vocabulary.ts";
import { changeEach, previewChanges } from "../links/change.ts";
import {
  createLinks,
  duplicateUrl,
  type Preview,
  previewLinks,
  reasonOf,
} from "../links/create.ts";
import type { LinkEdit } from "../links/edit.ts";
import { findTakenIds } from "../links/fields/external-id.ts";
import { problemOfMute } from "../links/fields/handling.ts";
import { type GroupBook, problemOfName } from "../links/groups/groups.ts";
import { LinkChange, NewLink } from "../links/model.ts";
import { type Upserted, upsertLinks } from "../links/upsert.ts";
import { refuseFullDisk } from "../ops/upkeep/disk.ts";
import { urlKeyOf } from "../verdict/services/catalogue.ts";
import type { Deps } from "../work/deps.ts";
import { plain } from "./io.ts";

/** An import, and what it knows of its earlier parts. */
export type Import = {
  deps: Deps;
  caller: Caller;
  groups: GroupBook;
  /** The name of the group for all links; null uses the groups of the list. */
  group: string | null;
  frequency: Frequency | null;
  /** The ids of the account's people by e-mail; null takes nothing of what people decided. */
  people: ReadonlyMap<string, string> | null;
  isDry: boolean;
  /** Names of groups that were created, or would be in a dry run. */
  newGroups: Set<string>;
  /** In a dry run, hashes of the URLs that earlier parts would have added. */
  wouldAdd: Set<bigint>;
};

/** The result of one item. */
export type Result = {
  line: number;
  url: string;
  outcome: "created" | "changed" | "known" | "refused";
  /** Of the created or existing link. */
  id: string | null;
  /** Why it was refused, in a sentence. */
  why: string | null;
  notKept: NotKept[];
};

/** The number of items that are added at once: as many as one request of the API may have. */
export const PART = 1000;

/** Adds up to `PART` items in one write, those with ids of their own first, and returns their results in order. */
export async function importPart(work: Import, items: Item[]): Promise<Result[]> {
  const results = items.map((item) => refusalOf(work, item));
  const ready = items.flatMap((item, i) => (results[i] ? [] : [readyOf(work, item, i)]));
  const open = [...ready.filter(hasId), ...ready.filter((each) => !hasId(each))];
  if (open.length === 0) return results.flatMap((each) => each ?? []);
  if (!work.isDry) await refuseFullDisk(work.deps.config);
  if (!work.isDry) await makeGroups(work, open);
  const written = work.isDry ? await preview(work, open) : await add(work, open);
  await noteKnown(work, open, written);
  for (const [i, { place }] of open.entries()) results[place] = written[i]!;
  return results.flatMap((each) => each ?? []);
}

/** Refuses what the reader of the list refused, and items whose group has an invalid name. */
function refusalOf(work: Import, item: Item): Result | null {
  if (item.problem) return refused(item, item.problem);
  const name = groupOf(work, item);
  const problem = name === "" || work.groups.find(name) ? null : problemOfName(name);
  return problem === null ? null : refused(item, `The group's name ${problem}.`);
}

const groupOf = (work: Import, item: Item) => work.group ?? item.group;

/** An item without what is not kept of it, and its edit of a link that exists. */
type Ready = { place: number; item: Item; edit: LinkEdit; externalId: string | null };

const hasId = ({ externalId }: Ready) => externalId !== null;

const NotedFields = NewLink.pick(NOTED);
const DecidedFields = LinkChange.pick({ handling: true, muted_until: true });

function readyOf(work: Import, given: Item, place: number): Ready {
  const shape = given.noted ? NotedFields.safeParse(given.noted) : NOTHING;
  // It is read again, since it may be that not all problems were found at once.
  if (!shape.success) return readyOf(work, withoutRefused(given, problemsOf(shape.error))!, place);
  const { item, decided } = decisionsIn(work, given);
  const externalId = shape.data.external_id ?? null;
  return { place, item, edit: { ...shape.data, ...decided }, externalId };
}

const NOTHING = { success: true, data: NotedFields.parse({}) } as const;

/** Reads what people decided, if the import takes that. */
function decisionsIn({ people, deps }: Import, given: Item): { item: Item; decided: LinkEdit } {
  const { decided } = given;
  if (!decided) return { item: given, decided: {} };
  if (!people) return { item: withoutDecisions(given, ONLY_WITH_STATE), decided: {} };
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

const ONLY_WITH_STATE = "is only taken with --with-state";
const NO_PERSON = "is not the e-mail of a person of this account";

/** Creates the missing groups, except for links that are refused. */
async function makeGroups(work: Import, open: Ready[]): Promise<void> {
  const isMissing = ({ item }: Ready) => {
    const name = groupOf(work, item);
    return name !== "" && !work.groups.find(name);
  };
  if (!open.some(isMissing)) return;
  // All items, since the same link may be in another group further up.
  const previews = await previewLinks(work.deps, work.caller, toInputs(work, open), 0);
  for (const [i, each] of open.entries()) {
    if (!mayBeWritten(each, previews[i]!) || !isMissing(each)) continue;
    const name = groupOf(work, each.item);
    await work.groups.make({ name });
    work.newGroups.add(name);
  }
}

/** A link with an id of its own may be there. */
const mayBeWritten = ({ externalId }: Ready, preview: Preview) =>
  !("error" in preview) || (externalId !== null && preview.error.details?.existingId !== undefined);

const toInputs = (work: Import, open: Ready[]) => open.map((each) => toInput(work, each));

function toInput(work: Import, { item, edit }: Ready) {
  const frequency = work.frequency ?? item.frequency;
  const group = work.groups.find(groupOf(work, item));
  return {
    url: item.url,
    ...item.noted,
    ...(edit.assignee_id && { assignee_id: edit.assignee_id }),
    ...(frequency && { check_frequency: frequency }),
    ...(group && { group_id: group.id }),
  };
}

/** Creates links, and changes those that have the external ids of items. */
async function add(work: Import, open: Ready[]): Promise<Result[]> {
  const { deps, caller } = work;
  const withId = open.filter(hasId);
  const others = open.slice(withId.length);
  const upserted = withId.length > 0 ? await upsertLinks(deps, caller, toInputs(work, withId)) : [];
  const created =
    others.length > 0 ? (await createLinks(deps, caller, toInputs(work, others))).results : [];
  const results = [
    ...upserted.map((each, i) => resultOfUpsert(withId[i]!.item, each)),
    ...created.map((each, i) =>
      "link" in each
        ? resultOf(others[i]!.item, "created", each.link.id)
        : failed(others[i]!.item, each.error),
    ),
  ];
  await decide(work, open, results);
  return results;
}

const OUTCOMES = { created: "created", updated: "changed", unchanged: "known" } as const;

const resultOfUpsert = (item: Item, upserted: Upserted): Result =>
  upserted.status === "failed"
    ? refused(item, reasonOf(upserted.error))
    : resultOf(item, OUTCOMES[upserted.status], upserted.id);

/** Acknowledges, mutes and reopens the links that were created, or have an id of their own. */
async function decide({ deps, caller }: Import, open: Ready[], results: Result[]): Promise<void> {
  const byId = new Map<string, { edit: LinkEdit; result: Result }>();
  for (const [i, { edit, externalId }] of open.entries()) {
    const result = results[i]!;
    const { id, outcome } = result;
    if (edit.handling === undefined || id === null) continue;
    if (outcome === "created" ? edit.handling === "open" : externalId === null) continue;
    const { handling, muted_until: until = null } = edit;
    byId.set(id, { result, edit: { handling, muted_until: until } });
  }
  if (byId.size === 0) return;
  const edits = new Map([...byId].map(([id, { edit }]) => [id, edit]));
  for (const change of await changeEach(deps, caller, edits)) {
    const { result } = byId.get(change.id)!;
    if (change.status === "changed" && result.outcome === "known") result.outcome = "changed";
    if (change.status === "failed")
      result.notKept.push({ field: "handling", why: `is not possible: ${change.error.message}` });
  }
}

async function preview(work: Import, open: Ready[]): Promise<Result[]> {
  const { deps, caller, wouldAdd } = work;
  const results = await previewLinks(deps, caller, toInputs(work, open), wouldAdd.size);
  const ownIds = await findTakenIds(
    deps.store,
    caller,
    open.flatMap(({ externalId }) => externalId ?? []),
  );
  const changes = await previewChanges(
    deps,
    caller,
    open.map((each) => [ownIds.get(each.externalId ?? "") ?? "", editOf(work, each)]),
  );
  return results.map((result, i) => {
    const { item, externalId } = open[i]!;
    if ("error" in result) {
      const ownId = ownIds.get(externalId ?? "");
      const { reason, existingId } = result.error.details ?? {};
      if (ownId === undefined || existingId !== ownId) return failed(item, result.error);
      const isSame = reason === "duplicate_url" && changes[i]!.length === 0;
      return resultOf(item, isSame ? "known" : "changed", ownId);
    }
    const key = Bun.hash.xxHash64(urlKeyOf(deps.catalogue, new URL(result.url)));
    if (wouldAdd.has(key)) return failed(item, duplicateUrl({ firstIndex: 0 }));
    wouldAdd.add(key);
    const name = groupOf(work, item);
    if (name !== "" && !work.groups.find(name)) work.newGroups.add(name);
    return resultOf(item, "created", null);
  });
}

/** What an item would change of a link that exists. */
function editOf(work: Import, { item, edit }: Ready): LinkEdit {
  const group = item.group && work.groups.find(item.group);
  const frequency = LinkChange.shape.check_frequency.safeParse(item.frequency || undefined).data;
  return {
    ...edit,
    ...(group && { group_id: group.id }),
    ...(frequency && { check_frequency: frequency }),
  };
}

/** Says what is not kept of links that are there already and stay as they are. */
async function noteKnown(work: Import, open: Ready[], results: Result[]): Promise<void> {
  const known = [...open.entries()].filter(
    ([i, { externalId }]) => results[i]!.outcome === "known" && externalId === null,
  );
  const changes = await previewChanges(
    work.deps,
    work.caller,
    known.map(([i, each]) => [results[i]!.id ?? "", editOf(work, each)]),
  );
  for (const [place, [i, { item }]] of known.entries()) {
    const result = results[i]!;
    const isAbove = result.id === null;
    const fields = isAbove ? Object.keys(item.noted ?? {}) : changes[place]!;
    const why = isAbove ? ABOVE : KNOWN;
    result.notKept.push(...fields.map((field) => ({ field: NAMES[field] ?? field, why })));
  }
}

const KNOWN = "stays as it is";
const ABOVE = "is that of the same link further up";
const NAMES: Record<string, string> = {
  ...{ group_id: "group", check_frequency: "check frequency", assignee_id: "assignee" },
};

function failed(item: Item, error: AppError): Result {
  const { reason, existingId } = error.details ?? {};
  if (reason !== "duplicate_url" || item.noted?.external_id) return refused(item, reasonOf(error));
  return resultOf(item, "known", typeof existingId === "string" ? existingId : null);
}

const resultOf = (
  { line, url, notKept = [] }: Item,
  outcome: Result["outcome"],
  id: string | null,
): Result => ({
  ...{ line, url, outcome, id },
  why: null,
  notKept: [...notKept],
});

const refused = (item: Item, why: string): Result => ({
  ...resultOf(item, "refused", null),
  why,
  notKept: [],
});

/** The counts of an import so far. */
export type Tally = Record<Result["outcome"], number> & {
  /** The last line that was imported. */
  lastLine: number;
  /** How many sitemaps an index named. */
  sitemaps: number;
  /** How many links lack each field that the list has. */
  notKept: Map<string, number>;
  count(result: Result): void;
  all(): number;
};

export const newTally = (): Tally => ({
  ...{ created: 0, changed: 0, known: 0, refused: 0, lastLine: 0, sitemaps: 0 },
  notKept: new Map(),
  count({ outcome, line, notKept }) {
    this[outcome]++;
    this.lastLine = line;
    for (const field of new Set(notKept.map((each) => each.field)))
      this.notKept.set(field, (this.notKept.get(field) ?? 0) + 1);
  },
  all() {
    return this.created + this.changed + this.known + this.refused;
  },
});

const WORDS = {
  created: "created",
  changed: "changed",
  known: "already there",
  refused: "refused",
};
const WIDTH = 15;

export function asLine({ line, url, outcome, why, notKept }: Result, isDry: boolean): string {
  const wouldBe = { ...WORDS, created: "would create", changed: "would change" };
  const word = (isDry ? wouldBe : WORDS)[outcome];
  const lost = notKept.length > 0 ? `  not kept: ${notKeptText(notKept)}` : "";
  return plain(`${word.padEnd(WIDTH)}line ${line}  ${url}${why ? `  ${why}` : ""}${lost}`);
}

export const asJsonLine = ({ line, url, outcome, id, why, notKept }: Result): string =>
  JSON.stringify({
    ...{ line, url, outcome: WORDS[outcome].replace(" ", "_"), id, reason: why },
    ...(notKept.length > 0 && {
      not_kept: notKept.map(({ field, why: reason }) => ({ field, reason })),
    }),
  });

type Summary = { json?: true; dryRun?: true; newGroups: string[] };

/** The last lines of the report. */
export function summaryOf(
  { created, changed, known, refused, notKept }: Tally,
  { json, dryRun, newGroups }: Summary,
): string {
  const counts = { created, changed, already_there: known, refused, new_groups: newGroups };
  if (json) {
    const summary = { ...counts, not_kept: Object.fromEntries(notKept) };
    return `${JSON.stringify({ summary: { ...summary, dry_run: dryRun === true } })}\n`;
  }
  const [made, groupsMade] = dryRun
    ? ["would be created", "Groups that would be made"]
    : ["created", "Groups made"];
  const shown = (count: number) => count.toLocaleString("en");
  const lost = [...notKept].map(([field, count]) => `${field} of ${linksText(count)}`);
  return [
    newGroups.length === 0 ? null : `${groupsMade}: ${newGroups.join(", ")}.`,
    lost.length === 0 ? null : `Not kept: ${lost.join(", ")}.`,
    [
      `${shown(created)} ${made}`,
      ...(changed > 0 ? [`${shown(changed)} ${dryRun ? "would be changed" : "changed"}`] : []),
      `${shown(known)} already there`,
      `${shown(refused)} refused.`,
    ].join(", "),
  ]
    .flatMap((line) => (line === null ? [] : `${plain(line)}\n`))
    .join("");
}

const linksText = (count: number) =>
  count === 1 ? "1 link" : `${count.toLocaleString("en")} links`;

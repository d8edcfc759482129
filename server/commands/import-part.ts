import type { Caller } from "../api/caller.ts";
import type { Frequency } from "../db/tables.ts";
import type { AppError } from "../lib/errors.ts";
import { createLinks, previewLinks, reasonOf } from "../links/create.ts";
import { type GroupBook, problemOfName } from "../links/groups/groups.ts";
import type { Item } from "../links/imports/reading.ts";
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
  outcome: "created" | "known" | "refused";
  /** Of the created or existing link. */
  id: string | null;
  /** Why it was refused, in a sentence. */
  why: string | null;
};

/** The number of items that are added at once: as many as one request of the API may have. */
export const PART = 1000;

/** Adds up to `PART` items in one write, and returns their results in order. */
export async function importPart(work: Import, items: Item[]): Promise<Result[]> {
  const results = items.map((item) => refusalOf(work, item));
  const open = items.filter((_, i) => !results[i]);
  if (open.length === 0) return results.flatMap((each) => each ?? []);
  if (!work.isDry) await refuseFullDisk(work.deps.config);
  if (!work.isDry) await makeGroups(work, open);
  const written = work.isDry ? await preview(work, open) : await add(work, open);
  return results.map((each) => each ?? written.shift()!);
}

/** Refuses what the reader of the list refused, and items whose group has an invalid name. */
function refusalOf(work: Import, item: Item): Result | null {
  if (item.problem) return refused(item, item.problem);
  const name = groupOf(work, item);
  const problem = name === "" || work.groups.find(name) ? null : problemOfName(name);
  return problem === null ? null : refused(item, `The group's name ${problem}.`);
}

const groupOf = (work: Import, item: Item) => work.group ?? item.group;

/** Creates the missing groups, except for links that are refused. */
async function makeGroups(work: Import, items: Item[]): Promise<void> {
  const isMissing = (item: Item) => {
    const name = groupOf(work, item);
    return name !== "" && !work.groups.find(name);
  };
  if (!items.some(isMissing)) return;
  // All items, since the same link may be in another group further up.
  const previews = await previewLinks(work.deps, work.caller, toInputs(work, items), 0);
  for (const [i, item] of items.entries()) {
    if ("error" in previews[i]! || !isMissing(item)) continue;
    const name = groupOf(work, item);
    await work.groups.make({ name });
    work.newGroups.add(name);
  }
}

const toInputs = (work: Import, items: Item[]) =>
  items.map((item) => {
    const frequency = work.frequency ?? item.frequency;
    const group = work.groups.find(groupOf(work, item));
    return {
      url: item.url,
      ...(frequency && { check_frequency: frequency }),
      ...(group && { group_id: group.id }),
    };
  });

async function add(work: Import, items: Item[]): Promise<Result[]> {
  const { results } = await createLinks(work.deps, work.caller, toInputs(work, items));
  return results.map((result, i) =>
    "link" in result
      ? resultOf(items[i]!, "created", result.link.id)
      : failed(items[i]!, result.error),
  );
}

async function preview(work: Import, items: Item[]): Promise<Result[]> {
  const { deps, caller, wouldAdd } = work;
  const results = await previewLinks(deps, caller, toInputs(work, items), wouldAdd.size);
  return results.map((result, i) => {
    const item = items[i]!;
    if ("error" in result) return failed(item, result.error);
    const key = Bun.hash.xxHash64(urlKeyOf(deps.catalogue, new URL(result.url)));
    if (wouldAdd.has(key)) return resultOf(item, "known", null);
    wouldAdd.add(key);
    const name = groupOf(work, item);
    if (name !== "" && !work.groups.find(name)) work.newGroups.add(name);
    return resultOf(item, "created", null);
  });
}

function failed(item: Item, error: AppError): Result {
  const { reason, existingId } = error.details ?? {};
  if (reason !== "duplicate_url") return refused(item, reasonOf(error));
  return resultOf(item, "known", typeof existingId === "string" ? existingId : null);
}

const resultOf = ({ line, url }: Item, outcome: Result["outcome"], id: string | null): Result => ({
  ...{ line, url, outcome, id },
  why: null,
});

const refused = (item: Item, why: string): Result => ({ ...resultOf(item, "refused", null), why });

/** The counts of an import so far. */
export type Tally = Record<Result["outcome"], number> & {
  /** The last line that was imported. */
  lastLine: number;
  /** How many sitemaps an index named. */
  sitemaps: number;
  count(result: Result): void;
  all(): number;
};

export const newTally = (): Tally => ({
  ...{ created: 0, known: 0, refused: 0, lastLine: 0, sitemaps: 0 },
  count({ outcome, line }) {
    this[outcome]++;
    this.lastLine = line;
  },
  all() {
    return this.created + this.known + this.refused;
  },
});

const WORDS = { created: "created", known: "already there", refused: "refused" };
const WIDTH = 15;

export function asLine({ line, url, outcome, why }: Result, isDry: boolean): string {
  const word = isDry && outcome === "created" ? "would create" : WORDS[outcome];
  return plain(`${word.padEnd(WIDTH)}line ${line}  ${url}${why ? `  ${why}` : ""}`);
}

export const asJsonLine = ({ line, url, outcome, id, why }: Result): string =>
  JSON.stringify({ line, url, outcome: WORDS[outcome].replace(" ", "_"), id, reason: why });

type Summary = { json?: true; dryRun?: true; newGroups: string[] };

/** The last line of the report. */
export function summaryOf(
  { created, known, refused }: Tally,
  { json, dryRun, newGroups }: Summary,
): string {
  const summary = { created, already_there: known, refused, new_groups: newGroups };
  if (json) return `${JSON.stringify({ summary: { ...summary, dry_run: dryRun === true } })}\n`;
  const [made, groupsMade] = dryRun
    ? ["would be created", "Groups that would be made"]
    : ["created", "Groups made"];
  const shown = (count: number) => count.toLocaleString("en");
  const groups = newGroups.length === 0 ? "" : `${groupsMade}: ${newGroups.join(", ")}.\n`;
  return `${plain(groups.trimEnd())}${groups && "\n"}${shown(created)} ${made}, ${shown(known)} already there, ${shown(refused)} refused.\n`;
}

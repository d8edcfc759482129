import { withoutRefused } from "../../../server/imports/noted.ts";
import type { Item } from "../../../server/imports/reading.ts";
import type { Frequency } from "../../../server/lib/vocabulary.ts";
import { api, complete, RequestFailed, unwrap } from "../data/api.ts";
import { idIn } from "../data/filter.ts";
import type { Group } from "../data/groups.ts";

import { forgetAdded, type Ledger, outcomeAt, type Pace, partFrom, settle } from "./ledger.ts";

/**
 * Asks the server what would become of every waiting item. Continues where it was stopped.
 * @throws RequestFailed; settled items stay settled
 */
export async function judgeAll(ledger: Ledger, pace: Pace): Promise<void> {
  const total = ledger.items.length;
  for (let start = 0; start < total; ) {
    const { indexes, next } = partFrom(ledger, start, (i) => isToAsk(ledger, i));
    if (indexes.length > 0) await judgePart(ledger, indexes);
    start = next;
    await pace.rest(start / total);
  }
}

/** The server sees one part at a time, so duplicates of earlier parts are found here. */
function isToAsk(ledger: Ledger, index: number): boolean {
  if (outcomeAt(ledger, index) !== "waiting") return false;
  const { url, problem } = ledger.items[index]!;
  if (problem) {
    settle(ledger, index, "refused", problem);
    return false;
  }
  const first = ledger.firsts.get(URL.parse(url)?.href ?? url);
  if (first !== undefined) settle(ledger, index, "twice", first);
  return first === undefined;
}

async function judgePart(ledger: Ledger, indexes: number[]) {
  const already = ledger.counts.new;
  const ask = async () => {
    const links = indexes.map((i) => toLink(ledger.items[i]!));
    return (await unwrap(api.links.preview.post({ links, already }))).results;
  };
  let results = await ask();
  if (leaveOutRefused(ledger, indexes, results)) results = await ask();
  for (const result of results) {
    const index = indexes[result.index]!;
    if (result.status === "failed") settleFailure(ledger, indexes, index, result.error);
    else {
      settle(ledger, index, "new");
      ledger.firsts.set(result.url, index);
    }
  }
}

type Answer = { index: number; error?: ItemError };

/** Takes out of items what the server refuses of their notes. Returns whether there is any. */
function leaveOutRefused(ledger: Ledger, indexes: number[], results: Answer[]): boolean {
  let isAny = false;
  for (const { index, error } of results) {
    const fields = error?.details?.fields as Record<string, string[]> | undefined;
    const item = fields && withoutRefused(ledger.items[indexes[index]!]!, fields);
    if (!item) continue;
    ledger.items[indexes[index]!] = item;
    ledger.notKept.add(indexes[index]!);
    isAny = true;
  }
  return isAny;
}

/** The frequency is sent unchanged, so that the server reports what is wrong with it. */
const toLink = ({ url, frequency, noted }: Item) => ({
  url,
  ...noted,
  ...(frequency && { check_frequency: frequency as Frequency }),
});

type ItemError = { message: string; details?: Record<string, unknown> | undefined };

/** @param indexes of the part, to which the server's indexes refer */
function settleFailure(
  ledger: Ledger,
  indexes: number[],
  index: number,
  { message, details = {} }: ItemError,
) {
  const { reason, existingId, firstIndex } = details;
  if (reason === "duplicate_external_id") settle(ledger, index, "refused", message);
  else if (typeof existingId === "string") settle(ledger, index, "known", existingId);
  else if (typeof firstIndex === "number") settle(ledger, index, "twice", indexes[firstIndex]);
  else if (reason === "limit_reached") settle(ledger, index, "limit", message);
  else settle(ledger, index, "refused", reasonOf(message, details.fields));
}

const NAMES: Record<string, string> = {
  url: "The URL",
  check_frequency: "The frequency",
  group_id: "The group:",
};

/** The server's problems are parts of sentences that begin with the name of a field. */
function reasonOf(message: string, fields: unknown): string {
  const entries = Object.entries((fields ?? {}) as Record<string, string[]>);
  if (entries.length === 0) return message;
  return entries
    .map(([name, problems]) => `${NAMES[name] ?? name} ${problems.join(", ")}.`)
    .join(" ");
}

/** Pauses before the retries of a request. */
const WAITS_MS = [250, 1_000];

/** How a list is added. A retry uses the same plan. */
export type Plan = {
  /** Makes retries idempotent. */
  id: string;
  choices: Choices;
  /** Ids of the groups named in the list; empty if they are not used. */
  groupIds: Map<string, string>;
  /** Ids of the groups that were created for it. */
  created: Set<string>;
};

/**
 * Adds new items, part by part. Continues where it was stopped.
 * @throws RequestFailed if a part failed; a retry is safe
 */
export async function addAll(ledger: Ledger, plan: Plan, pace: Pace): Promise<void> {
  for (let start = 0; start < ledger.items.length; ) {
    const { indexes, next } = partFrom(ledger, start, (i) => outcomeAt(ledger, i) === "new");
    if (indexes.length > 0) await patiently(() => addPart(ledger, plan, indexes));
    start = next;
    await pace.rest(start / ledger.items.length);
  }
}

async function addPart(ledger: Ledger, plan: Plan, indexes: number[]) {
  const links = indexes.map((i) => {
    const item = ledger.items[i]!;
    const group_id = plan.groupIds.get(item.group) ?? (plan.choices.groupId || null);
    return { check_frequency: plan.choices.frequency, ...toLink(item), group_id };
  });
  const headers = { "idempotency-key": `${plan.id}-${indexes[0]}` };
  ledger.inDoubt = indexes;
  const { batch_id: id, results } = await unwrap(api.links.batch.post({ links }, { headers }));
  ledger.inDoubt = [];
  for (const result of results) {
    const index = indexes[result.index]!;
    if (result.status === "failed") settleFailure(ledger, indexes, index, result.error);
    else {
      ledger.since ??= result.link.created_at;
      settle(ledger, index, "added", result.link.id);
      ledger.indexes.set(result.link.id, index);
    }
  }
  if (id) ledger.batches.push(newBatch(id));
}

const newBatch = (id: string) => ({
  ...{ id, status: "running" as const, total: 0, checked: 0, active: 0, dead: 0, unknown: 0 },
  ...{ skipped: 0, started_at: "", completed_at: null },
});

/** Retries network and server errors, but not rejections. */
async function patiently(attempt: () => Promise<void>) {
  for (const ms of WAITS_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  return attempt();
}

const mayPass = (error: unknown) =>
  error instanceof RequestFailed && (error.status === 0 || error.status >= 500);

const DELETED_AT_ONCE = 1000;

/**
 * Deletes the links that were added, and nothing else. A part whose answer was lost is sent once more, because only
 * its answer says what it added.
 * @throws RequestFailed; may be repeated
 */
export async function removeAdded(ledger: Ledger, plan: Plan): Promise<void> {
  const { inDoubt } = ledger;
  if (inDoubt.length > 0) await patiently(() => addPart(ledger, plan, inDoubt));
  const ids = [...ledger.indexes.keys()];
  for (let start = 0; start < ids.length; start += DELETED_AT_ONCE) {
    const link_ids = ids.slice(start, start + DELETED_AT_ONCE);
    await patiently(() => removePart(ledger, link_ids));
  }
  forgetAdded(ledger);
}

/** Deletes the groups that were created for the plan and are empty now. @returns their ids */
export async function removeCreated({ created }: Plan): Promise<Set<string>> {
  const removed = new Set<string>();
  for (const id of created) {
    const group = api.groups({ id });
    // Someone else may have deleted it.
    const { link_count: count } = await unwrap(group.get()).catch(() => ({ link_count: null }));
    if (count === 0) await complete(group.delete());
    if (count === 0) removed.add(id);
  }
  return removed;
}

async function removePart(ledger: Ledger, link_ids: string[]) {
  await unwrap(api.links["batch-delete"].post({ link_ids }));
  for (const id of link_ids) {
    settle(ledger, ledger.indexes.get(id)!, "new");
    ledger.indexes.delete(id);
  }
}

/** Options for every link, unless the list says otherwise. */
export type Choices = {
  /** Empty for none. */
  groupId: string;
  /** Name of a group to create; null for none. */
  newGroup: string | null;
  frequency: Frequency;
};

export const USUAL: Choices = { groupId: "", newGroup: null, frequency: "daily" };

const COLOR = "#6B7280";

export const MOST_NEW_GROUPS = 100;

/** Groups named by links that would be added: existing ones, and those to create. */
export function namedGroups(
  ledger: Ledger,
  groups: Group[],
): { known: string[]; unknown: string[] } {
  const names = new Set<string>();
  ledger.items.forEach(({ group }, i) => {
    if (group && outcomeAt(ledger, i) === "new") names.add(group);
  });
  const known = [...names].filter((name) => findGroup(groups, name));
  // Exports of the API contain ids of deleted groups.
  const unknown = [...names].filter((name) => !findGroup(groups, name) && !idIn(name));
  return { known, unknown };
}

/** By id or name. */
const findGroup = (groups: Group[], wanted: string) =>
  groups.find(({ id }) => id === wanted.toLowerCase()) ??
  groups.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());

/**
 * Creates the missing groups, as part of the plan.
 * @returns the id of each name
 */
export async function makeGroups(
  names: string[],
  groups: Group[],
  { id: key, created }: Plan,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    const known = findGroup(groups, name);
    const headers = { "idempotency-key": `${key}-group-${i}` };
    const { id } = known ?? (await unwrap(api.groups.post({ name, color: COLOR }, { headers })));
    if (!known) created.add(id);
    ids.set(name, id);
  }
  return ids;
}

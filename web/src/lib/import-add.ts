import { recognise } from "../../../server/links/imports/formats.ts";
import { type Item, itemOf } from "../../../server/links/imports/reading.ts";
import { api, RequestFailed, unwrap } from "./api.ts";
import type { Group } from "./groups.ts";
import { type Choices, makeGroups, neededGroups, USUAL, withGroup } from "./import-choices.ts";
import {
  createLedger,
  createPace,
  type Ledger,
  outcomeAt,
  type Pace,
  partFrom,
  settle,
} from "./import-ledger.ts";
import { readList } from "./import-source.ts";
import type { Frequency } from "./links.ts";

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
  const links = indexes.map((i) => toLink(ledger.items[i]!));
  const already = ledger.counts.new;
  const { results } = await unwrap(api.links.preview.post({ links, already }));
  for (const result of results) {
    const index = indexes[result.index]!;
    if (result.status === "failed") settleFailure(ledger, indexes, index, result.error);
    else {
      const isOther = result.url !== ledger.items[index]!.url;
      settle(ledger, index, "new", isOther ? result.url : undefined);
      ledger.firsts.set(result.url, index);
    }
  }
}

/** The frequency is sent unchanged, so that the server reports what is wrong with it. */
export const toLink = ({ url, frequency }: Item) => ({
  url,
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
  if (typeof existingId === "string") settle(ledger, index, "known", existingId);
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

/** Pauses before the retries of a part. */
const WAITS_MS = [250, 1_000];

/** What one import adds. A retry uses the same plan. */
type Plan = {
  /** Makes retries idempotent. */
  id: string;
  choices: Choices;
  /** Ids of the groups named in the list. */
  groupIds: Map<string, string>;
};

/**
 * Adds new items, part by part. Continues where it was stopped.
 * @throws RequestFailed if a part failed; a retry is safe
 */
export async function addAll(ledger: Ledger, plan: Plan, pace: Pace): Promise<void> {
  const total = ledger.counts.new + ledger.counts.added;
  for (let start = 0; start < ledger.items.length; ) {
    const { indexes, next } = partFrom(ledger, start, (i) => outcomeAt(ledger, i) === "new");
    if (indexes.length > 0) await patiently(() => addPart(ledger, plan, indexes));
    start = next;
    await pace.rest(total === 0 ? 1 : ledger.counts.added / total);
  }
}

/** Id of an import. `randomUUID` is missing over plain HTTP. */
export const newImportId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

async function addPart(ledger: Ledger, plan: Plan, indexes: number[]) {
  const links = indexes.map((i) => {
    const item = ledger.items[i]!;
    const check_frequency = plan.choices.frequency;
    return { check_frequency, ...toLink(item), group_id: groupOf(plan, item.group) };
  });
  const headers = { "idempotency-key": `${plan.id}-${indexes[0]}` };
  const { results } = await unwrap(api.links.batch.post({ links }, { headers }));
  for (const result of results) {
    const index = indexes[result.index]!;
    if (result.status === "created") settle(ledger, index, "added", result.link.id);
    else settleFailure(ledger, indexes, index, result.error);
  }
}

/** A group named in the list overrides the one chosen for all. */
function groupOf({ choices, groupIds }: Plan, named: string): string | null {
  const own = choices.usesNamed ? groupIds.get(named) : undefined;
  return own ?? (choices.groupId || null);
}

/** Retries network and server errors, but not rejections. */
async function patiently(attempt: () => Promise<void>) {
  for (const ms of WAITS_MS) {
    try {
      return await attempt();
    } catch (error) {
      const mayPass = error instanceof RequestFailed && (error.status === 0 || error.status >= 500);
      if (!mayPass) throw error;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  return attempt();
}

/**
 * Adds the links of a text without questions, in no group and checked daily.
 * @throws RequestFailed if the server failed, Unreadable if the text has no known format
 */
export async function addList(text: string): Promise<Ledger> {
  const pace = createPace(new AbortController().signal, () => {});
  const { items } = await readList(recognise(text), text, pace);
  const ledger = createLedger(items);
  await judgeAll(ledger, pace);
  await addAll(ledger, { id: newImportId(), choices: USUAL, groupIds: new Map() }, pace);
  return ledger;
}

const AT_ONCE = { rest: async () => {} };

/**
 * Adds a single URL. Previews it first, because a rejected URL needs no group.
 * @throws RequestFailed if the server failed
 */
export async function addOne(url: string, choices: Choices, groups: Group[]): Promise<Ledger> {
  const ledger = createLedger([itemOf(url, 1)]);
  const id = newImportId();
  await judgeAll(ledger, AT_ONCE);
  if (ledger.counts.new === 0) return ledger;
  const groupIds = await makeGroups(neededGroups(ledger, choices, groups), groups, id);
  await addAll(ledger, { id, choices: withGroup(choices, groupIds), groupIds }, AT_ONCE);
  return ledger;
}

/** Whether the text is a single URL, which needs no review. */
export const isSingle = (text: string) => /^\S+$/.test(text.trim()) && recognise(text) === "text";

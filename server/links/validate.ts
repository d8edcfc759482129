import { and, eq, inArray } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import { totalLinks } from "../db/queries.ts";
import { groups, links } from "../db/tables.ts";
import {
  type AppError,
  conflict,
  type FieldProblems,
  invalid,
  limitReached,
} from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { parseId } from "../lib/ids.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import { parseTarget } from "../net/address.ts";
import { urlKeyOf } from "../verdict/services/catalogue.ts";
import type { Deps } from "../work/deps.ts";
import { NewLink } from "./model.ts";

/** Takes about 3 ms. */
const READ_AT_ONCE = 200;

/** An item as it would be stored, or the problems of its fields. */
export type ReadItem = { input: unknown } & (
  | { fields: NewLink; url: URL }
  | { problems: FieldProblems }
);

/** An item that may become a link. `given` is its URL as it was sent. */
export type AcceptedItem = { given: unknown; fields: NewLink; url: URL; urlKey: string };
export type JudgedItem = AcceptedItem | { given: unknown; error: AppError };

/** Validates each item separately. The groups that items name are looked up in one query. */
export async function readItems(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
): Promise<ReadItem[]> {
  const named = new Set(inputs.map(groupIdIn).filter((id) => id !== null));
  const known = await existingGroups(deps, caller.accountId, [...named]);
  const read: ReadItem[] = [];
  for (const some of chunksOf(READ_AT_ONCE, inputs)) {
    if (read.length > 0) await yieldToEventLoop();
    read.push(...some.map((input) => readItem(deps, input, known)));
  }
  return read;
}

/**
 * Decides for each item, in order, whether the account may add it now. Writes nothing.
 * @param place whether an item was sent alone or as part of a list, for its error message
 * @param already how many links to count in addition to those of the account
 */
export async function judgeItems(
  deps: Pick<Deps, "store" | "config" | "catalogue">,
  caller: Caller,
  items: ReadItem[],
  { place, already = 0 }: { place: "alone" | "list"; already?: number },
): Promise<JudgedItem[]> {
  const keyed = items.map((item) => ({ item, urlKey: keyOf(deps, item) }));
  const taken = await takenKeys(deps, caller.accountId, keyed);
  const limit = deps.config.tierLimits[caller.tier].links;
  const firstIndex = new Map<string, number>();
  let used = (await totalLinks(deps, caller.accountNo)).total + already;
  return keyed.map(({ item, urlKey }, index): JudgedItem => {
    const given = (item.input as { url?: unknown } | null)?.url ?? null;
    if ("problems" in item) return { given, error: refusal(item.problems, place) };
    const known = taken.get(urlKey);
    if (known) return { given, error: duplicate({ existingId: known }) };
    const first = firstIndex.get(urlKey);
    if (first !== undefined) return { given, error: duplicate({ firstIndex: first }) };
    if (used >= limit) return { given, error: limitReached("links", limit, used) };
    firstIndex.set(urlKey, index);
    used++;
    return { given, fields: item.fields, url: item.url, urlKey };
  });
}

/** The `group_id` of an input, even if the rest of the input is invalid. */
export function groupIdIn(input: unknown): string | null {
  const id = (input as { group_id?: unknown } | null)?.group_id;
  return typeof id === "string" ? parseId(id) : null;
}

/** The ids that are groups of the account. Groups of other accounts are treated as missing. */
export async function existingGroups(
  { store }: Pick<Deps, "store">,
  accountId: string,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await store
    .select({ id: groups.id })
    .from(groups)
    .where(and(eq(groups.accountId, accountId), inArray(groups.id, ids)));
  return new Set(rows.map(({ id }) => id));
}

/**
 * @param field the name of the field that holds the group's id
 * @throws VALIDATION_ERROR when the account has no group with this id
 */
export async function refuseUnknownGroup(
  deps: Deps,
  { accountId }: Caller,
  id: string | null | undefined,
  field: string,
): Promise<void> {
  if (!id || (await existingGroups(deps, accountId, [id])).has(id)) return;
  throw invalid({ [field]: ["no such group"] });
}

function readItem({ config }: Deps, input: unknown, knownGroups: Set<string>): ReadItem {
  const shape = NewLink.safeParse(input);
  const problems = shape.success ? {} : problemsOf(shape.error);
  const raw = (input as { url?: unknown } | null)?.url;
  const policy = { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts };
  const target =
    typeof raw === "string" && !problems.url
      ? parseTarget(raw.trim(), policy, "STILLUP_CHECK_ALLOWED_HOSTS")
      : null;
  if (target && !target.ok) problems.url = [target.problem];
  const groupId = groupIdIn(input);
  if (groupId && !knownGroups.has(groupId)) problems.group_id = ["no such group"];
  if (!shape.success || !target?.ok || Object.keys(problems).length > 0) return { input, problems };
  return { input, fields: shape.data, url: target.url };
}

/** Empty for an item without a URL. No URL has an empty key. */
const keyOf = ({ catalogue }: Pick<Deps, "catalogue">, item: ReadItem) =>
  "url" in item ? urlKeyOf(catalogue, item.url) : "";

/** The ids of the account's links that have one of the keys, by key. */
async function takenKeys(
  { store }: Pick<Deps, "store">,
  accountId: string,
  keyed: { urlKey: string }[],
): Promise<Map<string, string>> {
  const keys = keyed.map(({ urlKey }) => urlKey).filter((key) => key !== "");
  if (keys.length === 0) return new Map();
  const rows = await store
    .select({ id: links.id, key: links.urlKey })
    .from(links)
    .where(and(eq(links.accountId, accountId), inArray(links.urlKey, keys)));
  return new Map(rows.map(({ id, key }) => [key, id]));
}

const refusal = (problems: FieldProblems, place: "alone" | "list") =>
  place === "list" ? invalid(problems, "The item is not valid.") : invalid(problems);

const duplicate = (details: { existingId: string } | { firstIndex: number }) =>
  conflict("This URL is already monitored.", { reason: "duplicate_url", ...details });

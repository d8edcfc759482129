import { and, eq, inArray } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import { countLinks } from "../db/numbers.ts";
import { links } from "../db/tables.ts";
import {
  type AppError,
  conflict,
  type FieldProblems,
  invalid,
  limitReached,
} from "../lib/errors.ts";
import { urlKeyOf } from "../verdict/services/catalogue.ts";
import type { Deps } from "../work/deps.ts";
import type { NewLink } from "./model.ts";
import type { ReadItem } from "./read-items.ts";

/** Where items are told of: alone, or each in its place of a list. */
type Place = "alone" | "list";

/** An item that may become a link, or why it may not. `given` is its URL as it came, whatever that is. */
type Judged =
  | { given: unknown; fields: NewLink; url: URL; urlKey: string }
  | { given: unknown; error: AppError };

/**
 * Decides for each item, in order, against what the account has now. Nothing is written.
 * @param already links that the account is to be thought to have besides, as far as its limit goes
 */
export async function judgeItems(
  deps: Deps,
  caller: Caller,
  items: ReadItem[],
  { place, already = 0 }: { place: Place; already?: number },
): Promise<Judged[]> {
  const keyed = items.map((item) => ({ item, urlKey: keyOf(deps, item) }));
  const taken = await takenKeys(deps, caller.accountId, keyed);
  const limit = deps.config.tierLimits[caller.tier].links;
  const firstIndex = new Map<string, number>();
  let used = (await countLinks(deps, caller.accountId)) + already;
  return keyed.map(({ item, urlKey }, index): Judged => {
    const given = (item.input as { url?: unknown } | null)?.url ?? null;
    if ("problems" in item) return { given, error: refuse(item.problems, place) };
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

/** Empty for an item that has no URL; no key is. */
const keyOf = ({ catalogue }: Deps, item: ReadItem) =>
  "url" in item ? urlKeyOf(catalogue, item.url) : "";

async function takenKeys(
  { store }: Deps,
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

const refuse = (problems: FieldProblems, place: Place) =>
  place === "list" ? invalid(problems, "The item is not valid.") : invalid(problems);

const duplicate = (details: { existingId: string } | { firstIndex: number }) =>
  conflict("This URL is already monitored.", { reason: "duplicate_url", ...details });

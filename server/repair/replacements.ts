import { and, count, desc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import {
  type ReplacementItemRow,
  type ReplacementRow,
  replacementItems,
  replacements,
} from "../ground/db/tables.ts";
import { conflict, foreign, notFound } from "../ground/lib/errors.ts";
import { newId, parseId } from "../ground/lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../ground/lib/paging.ts";
import type { ReplacementResult, ReplacementState } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { LinkFilter } from "../links/links.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import { bucketOfUrl } from "../work/nodes.ts";
import { makeChange } from "../work/unit.ts";
import {
  type Chosen,
  chooseByRule,
  chooseBySuggestions,
  type Rule,
  type WantedSuggestions,
} from "./choose-replacements.ts";

const DAY_MS = 86_400_000;
const LIFE_MS = DAY_MS;
/** How long a preview can be read once it has expired. */
const READABLE_MS = 6 * DAY_MS;
const MOST_OPEN = 2;

/** What a preview is made of. */
export type Request = { rule: Rule } | { suggestions: WantedSuggestions };

export type Counts = Record<
  "total" | "checked" | "selected" | "replaced" | "stored" | "merged" | "skipped" | "failed",
  number
>;

export type ShownReplacement = ReplacementRow & { counts: Counts };
export type ReplacementDetail = ShownReplacement & { items: ReplacementItemRow[] };

/** A preview that was not carried out in time can only be read. */
export const stateAt = (now: number, { state, expiresAt }: ReplacementRow): ReplacementState =>
  state !== "applied" && expiresAt <= now ? "expired" : state;

/** Whether the new URL of an item is the page, as far as is known. */
export const isSelected = ({
  verdict,
  matches,
}: Pick<ReplacementItemRow, "verdict" | "matches">): boolean =>
  verdict === "active" && matches !== "no";

/**
 * Makes a preview. Its new URLs are checked from now on.
 * @throws VALIDATION_ERROR for what matches no links, or too many; CONFLICT while the account has two others
 */
export async function createReplacement(
  deps: Deps,
  caller: Caller,
  { request, filter }: { request: Request; filter: LinkFilter },
  save: SaveReply<ReplacementDetail>,
): Promise<ReplacementDetail> {
  const chosen =
    "rule" in request
      ? await chooseByRule(deps, caller, request.rule, filter)
      : await chooseBySuggestions(deps, caller, request.suggestions, filter);
  return makeChange(deps, caller, async (unit) => {
    const now = unit.clock.now();
    await refuseThird(unit.store, caller, now);
    const id = newId();
    await unit.store.insert(replacements).values({
      id,
      accountId: caller.accountId,
      state: "checking",
      request: JSON.stringify(request),
      createdBy: caller.by.name,
      createdAt: now,
      expiresAt: now + LIFE_MS,
      bucket: bucketOfUrl(chosen[0]!.newUrl),
      dueAt: now,
      lease: null,
    });
    await insertItems(unit.store, id, chosen);
    const made = await findReplacementDetail(unit, caller, id);
    await save(unit.store, made);
    return made;
  });
}

async function refuseThird(tx: Store, { accountId }: Caller, now: number): Promise<void> {
  const isOpen = and(
    eq(replacements.accountId, accountId),
    inArray(replacements.state, ["checking", "ready", "applying"]),
    gt(replacements.expiresAt, now),
  );
  if ((await tx.$count(replacements, isOpen)) < MOST_OPEN) return;
  throw conflict("Your account has two previews already. Apply or delete one of them first.", {
    reason: "too_many_replacements",
    limit: MOST_OPEN,
  });
}

const insertItems = (tx: Store, id: string, chosen: Chosen[]) =>
  insertRows(
    tx,
    chosen.map(({ linkId, url, newUrl, kind }) => [linkId, url, newUrl, kind]),
    { id },
  );

const insertRows = onRows(
  { link: "text", old_url: "text", wanted_url: "text", its_kind: "text" },
  (rows) => sql`
    insert into replacement_items (replacement_id, link_id, url, new_url, kind)
    select ${sql.placeholder("id")}, link, old_url, wanted_url, its_kind from ${rows} as given
  `,
);

/** @throws NOT_FOUND, or FORBIDDEN for a preview of another account */
export async function findReplacement(
  { store }: Pick<Deps, "store">,
  { accountId }: Caller,
  id: string,
): Promise<ReplacementRow> {
  const [row] = await store
    .select()
    .from(replacements)
    .where(eq(replacements.id, parseId(id) ?? ""));
  if (!row) throw notFound("replacement");
  if (row.accountId !== accountId) throw foreign("replacement");
  return row;
}

/** With its items, in the order of their URLs. @throws NOT_FOUND, FORBIDDEN */
export async function findReplacementDetail(
  deps: Pick<Deps, "store">,
  caller: Caller,
  id: string,
): Promise<ReplacementDetail> {
  const row = await findReplacement(deps, caller, id);
  const items = await readItems(deps.store, row);
  return { ...row, counts: countsOf(items.map((item) => ({ ...item, count: 1 }))), items };
}

export const readItems = (store: Store, { id }: Pick<ReplacementRow, "id">) =>
  store
    .select()
    .from(replacementItems)
    .where(eq(replacementItems.replacementId, id))
    .orderBy(replacementItems.url, replacementItems.linkId);

export async function listReplacements(
  { store }: Deps,
  { accountId }: Caller,
  page: PageQuery,
): Promise<Page<ShownReplacement>> {
  const { limit, offset } = windowOf(page);
  const isOurs = eq(replacements.accountId, accountId);
  const rows = await store
    .select()
    .from(replacements)
    .where(isOurs)
    .orderBy(desc(replacements.id))
    .limit(limit)
    .offset(offset);
  const counts = await countItems(
    store,
    rows.map(({ id }) => id),
  );
  return {
    items: rows.map((row) => ({ ...row, counts: countsOf(counts.get(row.id) ?? []) })),
    total: await store.$count(replacements, isOurs),
  };
}

/** Equal items, and how many there are. */
type Alike = Pick<ReplacementItemRow, "verdict" | "matches" | "result"> & { count: number };

async function countItems(store: Store, ids: string[]): Promise<Map<string, Alike[]>> {
  if (ids.length === 0) return new Map();
  const { replacementId, verdict, matches, result } = replacementItems;
  const rows = await store
    .select({ replacementId, verdict, matches, result, count: count() })
    .from(replacementItems)
    .where(inArray(replacementId, ids))
    .groupBy(replacementId, verdict, matches, result);
  return Map.groupBy(rows, (row) => row.replacementId);
}

function countsOf(items: Alike[]): Counts {
  const sumOf = (isCounted: (item: Alike) => boolean) =>
    items.filter(isCounted).reduce((sum, { count }) => sum + count, 0);
  const withResult = (wanted: ReplacementResult) => sumOf(({ result }) => result === wanted);
  return {
    total: sumOf(() => true),
    checked: sumOf(({ verdict }) => verdict !== null),
    selected: sumOf(isSelected),
    replaced: withResult("replaced"),
    stored: withResult("stored"),
    merged: withResult("merged"),
    skipped: withResult("skipped"),
    failed: withResult("failed"),
  };
}

/** Forgets a preview. What was carried out of it stays. @throws NOT_FOUND, FORBIDDEN */
export async function deleteReplacement(
  unit: Pick<Deps, "store">,
  caller: Caller,
  id: string,
): Promise<void> {
  const row = await findReplacement(unit, caller, id);
  await unit.store.delete(replacements).where(eq(replacements.id, row.id));
}

/** Deletes previews some days after they have expired. */
export const forgetOldReplacements = ({ store, clock }: Deps): Promise<unknown> =>
  store.delete(replacements).where(lt(replacements.expiresAt, clock.now() - READABLE_MS));

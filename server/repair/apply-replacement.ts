import { and, eq, inArray, sql } from "drizzle-orm";
import { onRows } from "../ground/db/store.ts";
import {
  type LinkRow,
  links,
  type ReplacementItemRow,
  type ReplacementRow,
  replacementItems,
  replacements,
} from "../ground/db/tables.ts";
import { AppError, conflict, notFound, toErrorBody } from "../ground/lib/errors.ts";
import { siteOfUrl } from "../ground/lib/site.ts";
import type { Caller } from "../http/caller.ts";
import { readUrl } from "../links/change-url.ts";
import { withDetails } from "../links/fields/details.ts";
import type { LinkDetails } from "../links/fields/registry.ts";
import { isRetired, retiredAmong } from "../links/retired.ts";
import { hasNumber, lockSome, writeInPieces } from "../links/selection.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import type { Unit } from "../work/unit.ts";
import { noteAccepted } from "./patterns/patterns.ts";
import { type Outcome, replaceLocked } from "./replace.ts";
import {
  findReplacement,
  findReplacementDetail,
  isSelected,
  type ReplacementDetail,
  type Request,
  readItems,
  stateAt,
} from "./replacements.ts";

/** Links that one transaction replaces: few enough that other requests do not wait long. */
const AT_ONCE = 50;

/** Which items are carried out; `merge`: also those whose new URL another link has. */
export type Wanted = { linkIds: string[] | null; merge: boolean };

/** What became of one wanted item. */
export type Applied = Pick<ReplacementItemRow, "linkId" | "result" | "error">;

export type Application = { replacement: ReplacementDetail; results: Applied[] };

/**
 * Carries out items of a preview, those that are selected by default. Items that were carried out before answer as they did
 * then, so a request that was cut short can be repeated.
 * @throws NOT_FOUND, FORBIDDEN; CONFLICT while new URLs are checked, and once the preview has expired
 */
export async function applyReplacement(
  deps: Deps,
  caller: Caller,
  id: string,
  { linkIds, merge }: Wanted,
  save: SaveReply<Application>,
): Promise<Application> {
  const row = await findReplacement(deps, caller, id);
  const state = stateAt(deps.clock.now(), row);
  if (state === "checking") throw NOT_READY;
  const items = await readItems(deps.store, row);
  const named = new Set(linkIds ?? items.filter(isSelected).map(({ linkId }) => linkId));
  const left = items.filter((item) => named.has(item.linkId) && !isDone(item));
  if (left.length > 0 && row.expiresAt <= deps.clock.now()) throw EXPIRED;
  let application: Application | undefined;
  await writeInPieces(deps, caller, {
    chosen: left.map((item) => ({ ...item, id: item.linkId })),
    atOnce: AT_ONCE,
    entry: {
      action: "replacement.applied",
      target: { id: row.id, name: nameOf(row) },
      count: await countFitting(deps, caller, left),
    },
    write: (unit, some) => applySome(unit, caller, row, some, merge),
    async saveReply(tx) {
      const within = { ...deps, store: tx };
      if (left.length > 0) await setState(tx, row, "applied");
      const replacement = await findReplacementDetail(within, caller, id);
      application = { replacement, results: resultsFor([...named], replacement.items) };
      await save(tx, application);
    },
  });
  return application!;
}

const NOT_READY = conflict("The new URLs are still being checked.", { reason: "not_ready" });
const EXPIRED = conflict("This preview has expired. Make another one.", { reason: "expired" });

/** What failed is tried again. */
const isDone = ({ result }: ReplacementItemRow) => result !== null && result !== "failed";

function nameOf({ request }: ReplacementRow): string | null {
  const asked: Request = JSON.parse(request);
  return "rule" in asked ? `${asked.rule.from} → ${asked.rule.to}` : null;
}

function resultsFor(ids: string[], items: ReplacementItemRow[]): Applied[] {
  const byId = new Map(items.map((item) => [item.linkId, item]));
  return ids.map((linkId) => {
    const { result, error } = byId.get(linkId) ?? { result: "failed" as const, error: NO_ITEM };
    return { linkId, result, error };
  });
}

const NO_ITEM = JSON.stringify(toErrorBody(notFound("link in this preview")));

const setState = (tx: Deps["store"], { id }: ReplacementRow, state: "applying" | "applied") =>
  tx.update(replacements).set({ state }).where(eq(replacements.id, id));

/** How many items can be carried out as far as is known before their links are locked. */
async function countFitting(deps: Deps, caller: Caller, items: ReplacementItemRow[]) {
  const found = await findLinks(deps, caller, items);
  return items.filter((item) => found.get(item.linkId)?.url === item.url).length;
}

async function findLinks(
  { store }: Pick<Deps, "store">,
  { accountId }: Caller,
  items: ReplacementItemRow[],
): Promise<Map<string, LinkRow>> {
  const ids = items.map(({ linkId }) => linkId);
  const rows =
    ids.length === 0
      ? []
      : await store
          .select()
          .from(links)
          .where(and(inArray(links.id, ids), eq(links.accountId, accountId)));
  return new Map(rows.map((row) => [row.id, row]));
}

type Found = LinkRow & { details: LinkDetails };

/** Carries out what is left of some items, and stores what became of each. @returns how many links were replaced */
async function applySome(
  unit: Unit,
  caller: Caller,
  row: ReplacementRow,
  some: ReplacementItemRow[],
  merge: boolean,
): Promise<number> {
  if (some.length === 0) return 0;
  const { store: tx } = unit;
  await setState(tx, row, "applying");
  const ids = some.map(({ linkId }) => linkId);
  const isSome = and(
    eq(replacementItems.replacementId, row.id),
    inArray(replacementItems.linkId, ids),
  );
  // Another request may have carried out some meanwhile.
  const items = (await tx.select().from(replacementItems).where(isSome)).filter(
    (item) => !isDone(item),
  );
  const byId = await lockFound(unit, caller, items);
  const retired = await retiredAmong(tx, caller.accountId, ids);
  const outcomes = new Map<ReplacementItemRow, Outcome>();
  const fitting: { item: ReplacementItemRow; link: Found; url: URL }[] = [];
  for (const item of items) {
    const link = byId.get(item.linkId);
    const refusal = link
      ? refusalOf(row, item, link)
      : retired.has(item.linkId)
        ? isRetired()
        : notFound("link");
    const url = refusal ?? urlOf(unit, item);
    if (url instanceof AppError) outcomes.set(item, url);
    else fitting.push({ item, link: link!, url });
  }
  const wishes = fitting.map(({ link, url }) => ({ link, url, note: null }));
  const replaced = await replaceLocked(unit, caller, wishes, merge);
  for (const [i, { item }] of fitting.entries()) outcomes.set(item, replaced[i]!);
  await saveResults(
    tx,
    [...outcomes].map(([{ linkId }, outcome]) =>
      outcome instanceof AppError
        ? [linkId, "failed", JSON.stringify(toErrorBody(outcome))]
        : [linkId, outcome, null],
    ),
    { id: row.id },
  );
  const made = fitting.filter(({ item }) => isMade(outcomes.get(item)!));
  await noteMade(unit, caller, made);
  return made.length;
}

const isMade = (outcome: Outcome) => outcome !== "skipped" && !(outcome instanceof AppError);

async function lockFound(
  unit: Unit,
  caller: Caller,
  items: ReplacementItemRow[],
): Promise<Map<string, Found>> {
  const before = await findLinks(unit, caller, items);
  const nos = await lockSome(unit.store, [...before.values()]);
  const rows = await unit.store.select().from(links).where(hasNumber(unit.store, nos));
  const found = await withDetails(unit.store, rows);
  return new Map(found.map((link) => [link.id, link]));
}

/** Someone may have decided otherwise since the preview was made. */
function refusalOf(
  row: ReplacementRow,
  item: ReplacementItemRow,
  { url, details }: Found,
): AppError | null {
  const { acceptedUrl, acceptedAt } = details;
  const isOther =
    acceptedUrl !== null && acceptedUrl !== item.newUrl && (acceptedAt ?? 0) > row.createdAt;
  return url === item.url && !isOther ? null : CHANGED;
}

const CHANGED = conflict("The link has changed since the preview was made.", { reason: "changed" });

/** What may be requested may have changed since, too. */
function urlOf(deps: Deps, { newUrl }: ReplacementItemRow): URL | AppError {
  try {
    return readUrl(deps, newUrl, "new_url");
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const saveResults = onRows(
  { link: "text", its_result: "text", its_error: "text" },
  (rows) => sql`
    update replacement_items set result = its_result, error = its_error from ${rows} as done
    where replacement_id = ${sql.placeholder("id")} and link_id = link
  `,
);

/** Counts them, and has patterns learned from them. */
async function noteMade(
  unit: Unit,
  { accountNo }: Caller,
  made: { item: ReplacementItemRow }[],
): Promise<void> {
  const now = unit.clock.now();
  const ofSites = new Map(made.map(({ item }) => [siteOfUrl(item.url), item]));
  for (const { url: from, newUrl: to } of ofSites.values())
    await noteAccepted(unit.store, { accountNo, from, to, now });
  for (const [kind, some] of Map.groupBy(made, ({ item }) => item.kind))
    unit.afterCommit(({ metrics }) => metrics.replacementsAccepted(kind, some.length));
}

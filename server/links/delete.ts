import { inArray, sql } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import type { Caller } from "../api/caller.ts";
import { lockAccounts, lockLinks } from "../db/queries.ts";
import { numbersOf } from "../db/store.ts";
import { type LinkRow, links } from "../db/tables.ts";
import { deleteHistoryOf, markForDeletion } from "../history/pending-deletions.ts";
import { type AppError, foreign, notFound } from "../lib/errors.ts";
import { toIso } from "../lib/moments.ts";
import { type NewEvent, publishEvents } from "../webhooks/events.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { countSkipped } from "./fill-batches.ts";
import type { LinkFilter } from "./filter.ts";
import { findLink } from "./links.ts";
import { nextMatching } from "./list.ts";
import { writeInPieces } from "./pieces.ts";

/** Takes SQLite about 8 ms. */
const DELETED_AT_ONCE = 100;

const FOUND = {
  no: links.no,
  id: links.id,
  accountId: links.accountId,
  groupId: links.groupId,
  url: links.url,
  status: links.status,
};
type Found = Pick<LinkRow, keyof typeof FOUND>;

/** The result for one link of a request. */
export type Deletion = { id: string } & ({ deleted: true } | { deleted: false; error: AppError });

/** `next` is where the next step starts; null when no link is left. */
export type StepOfDeletion = { deleted: number; next: number | null };

/** Deletes a link and its history. The result of a check that is running is dropped. */
export async function deleteLink(deps: Deps, caller: Caller, id: string): Promise<void> {
  await deleteInPieces(deps, caller, [await findLink(deps, caller, id)], saveNoReply);
}

/** Deletes the account's links and reports why the others were not deleted. Repeated ids count once. */
export async function deleteLinks(
  deps: Deps,
  caller: Caller,
  ids: string[],
  saveReply: SaveReply<Deletion[]> = saveNoReply,
): Promise<Deletion[]> {
  const unique = [...new Set(ids)];
  const found = await deps.store.select(FOUND).from(links).where(inArray(links.id, unique));
  const byId = new Map(found.map((link) => [link.id, link]));
  const results = unique.map((id) => judge(id, byId.get(id), caller));
  const ours = found.filter(({ accountId }) => accountId === caller.accountId);
  await deleteInPieces(deps, caller, ours, (tx) => saveReply(tx, results));
  return results;
}

/** Deletes the next links that match, newest first. */
export async function deleteMatching(
  deps: Deps,
  caller: Caller,
  filter: LinkFilter,
  before: number | undefined,
  saveReply: SaveReply<StepOfDeletion> = saveNoReply,
): Promise<StepOfDeletion> {
  const { nos, next } = await nextMatching(deps, caller, filter, { before });
  const found = await findByNumbers(deps, nos);
  const step = { deleted: found.length, next };
  await deleteInPieces(deps, caller, found, (tx) => saveReply(tx, step));
  return step;
}

function judge(id: string, link: Found | undefined, { accountId }: Caller): Deletion {
  if (!link) return { id, deleted: false, error: notFound("link") };
  if (link.accountId !== accountId) return { id, deleted: false, error: foreign("link") };
  return { id, deleted: true };
}

async function deleteInPieces(
  deps: Deps,
  caller: Caller,
  chosen: Pick<LinkRow, "no" | "id" | "url">[],
  saveReply: SaveReply<void>,
): Promise<void> {
  const [only, ...others] = chosen;
  const target = only && others.length === 0 ? linkTarget(only) : undefined;
  await writeInPieces(deps.store, chosen, {
    atOnce: DELETED_AT_ONCE,
    write: (tx, some) => deleteSome({ ...deps, store: tx }, caller, some),
    audit: (tx) =>
      auditChange({ ...deps, store: tx }, caller, {
        action: "link.deleted",
        target,
        count: chosen.length,
      }),
    saveReply,
  });
  await deleteHistoryOf(deps, chosen);
}

/** @returns how many of the links were still there */
async function deleteSome(
  deps: Deps,
  { accountNo }: Caller,
  chosen: { no: number }[],
): Promise<number> {
  const { store: tx, clock } = deps;
  const nos = chosen.map(({ no }) => no);
  await lockAccounts(tx, [accountNo]);
  await lockLinks(tx, nos);
  const found = await findByNumbers(deps, nos);
  if (found.length === 0) return 0;
  const isChosen = inArray(links.no, sql`${numbersOf(tx, nos)}`);
  await countSkipped(tx, nos);
  await publishEvents(
    tx,
    found.map((link) => deletedEvent(link, clock.now())),
  );
  await markForDeletion(tx, isChosen);
  await tx.delete(links).where(isChosen);
  return found.length;
}

const findByNumbers = ({ store }: Deps, nos: number[]): Promise<Found[]> =>
  store
    .select(FOUND)
    .from(links)
    .where(inArray(links.no, sql`${numbersOf(store, nos)}`));

const deletedEvent = (link: Found, now: number): NewEvent => ({
  type: "link.deleted",
  accountId: link.accountId,
  at: now,
  data: {
    linkId: link.id,
    url: link.url,
    groupId: link.groupId,
    lastStatus: link.status,
    deletedAt: toIso(now),
  },
});

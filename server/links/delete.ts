import type { SQL } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { deleteAboutLinks } from "../ground/db/queries.ts";
import { type LinkRow, links } from "../ground/db/tables.ts";
import { toIso } from "../ground/lib/moments.ts";
import { deleteHistoryOf, markForDeletion } from "../history/pending-deletions.ts";
import { noteSites } from "../history/status-days.ts";
import type { Caller } from "../http/caller.ts";
import { publishEvents } from "../notify/events.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { countSkipped } from "./fill-batches.ts";
import { findAnyLink, type LinkFilter } from "./links.ts";
import { nextMatching } from "./list.ts";
import { deleteRetired } from "./retired.ts";
import { hasNumber, judgeNamed, lockSome, type Outcome, writeInPieces } from "./selection.ts";

/** Takes SQLite about 8 ms. */
const DELETED_AT_ONCE = 100;

const FOUND = {
  no: links.no,
  id: links.id,
  accountId: links.accountId,
  groupId: links.groupId,
  url: links.url,
  status: links.status,
  site: links.site,
  service: links.service,
  reason: links.reason,
};
type Found = Pick<LinkRow, keyof typeof FOUND>;

export type Deletion = Outcome<"deleted">;

/** `next` is where the next step starts; null when no link is left. */
export type StepOfDeletion = { deleted: number; next: number | null };

/** Deletes a link and its history. The result of a check that is running is dropped. */
export async function deleteLink(deps: Deps, caller: Caller, id: string): Promise<void> {
  const link = await findAnyLink(deps, caller, id);
  if (link.retiredAt === 0) return deleteInPieces(deps, caller, [link], saveNoReply);
  // Its event was sent when it was retired.
  await deleteRetired(deps, [link], (tx) =>
    auditChange({ ...deps, store: tx }, caller, {
      action: "link.deleted",
      target: linkTarget([link]),
    }),
  );
}

/** Deletes the account's links and reports why the others were not deleted. Repeated ids count once. */
export async function deleteLinks(
  deps: Deps,
  caller: Caller,
  ids: string[],
  saveReply: SaveReply<Deletion[]> = saveNoReply,
): Promise<Deletion[]> {
  const find = (isNamed: SQL) => findWhere(deps, isNamed);
  const { outcomes, ours } = await judgeNamed(deps, caller, ids, find, () => "deleted");
  await deleteInPieces(deps, caller, ours, (tx) => saveReply(tx, outcomes));
  return outcomes;
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
  const found = await findWhere(deps, hasNumber(deps.store, nos));
  const step = { deleted: found.length, next };
  await deleteInPieces(deps, caller, found, (tx) => saveReply(tx, step));
  return step;
}

async function deleteInPieces(
  deps: Deps,
  caller: Caller,
  chosen: Pick<LinkRow, "no" | "id" | "url">[],
  saveReply: SaveReply<void>,
): Promise<void> {
  await writeInPieces(deps, caller, {
    chosen,
    atOnce: DELETED_AT_ONCE,
    write: (within, some) => deleteSome(within, caller, some),
    entry: { action: "link.deleted" },
    saveReply,
  });
  await deleteHistoryOf(deps, chosen);
}

/** @returns how many of the links still existed */
async function deleteSome(deps: Deps, caller: Caller, some: { no: number }[]): Promise<number> {
  const { store: tx, clock } = deps;
  const nos = await lockSome(tx, some);
  const isChosen = hasNumber(tx, nos);
  const found = await findWhere(deps, isChosen);
  if (found.length === 0) return 0;
  await countSkipped(tx, nos);
  await publishEvents(
    tx,
    found.map((link) => deletedEvent(link, clock.now())),
  );
  await markForDeletion(tx, isChosen);
  await tx.delete(links).where(isChosen);
  await deleteAboutLinks(tx, nos);
  await noteSites(
    tx,
    { accountNo: caller.accountNo, at: clock.now() },
    found.map(({ site }) => site),
  );
  return found.length;
}

const findWhere = ({ store }: Deps, condition: SQL): Promise<Found[]> =>
  store.select(FOUND).from(links).where(condition);

/** The event of a link that is gone. */
export const deletedEvent = (link: Found, now: number) => ({
  type: "link.deleted" as const,
  about: link,
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

import { inArray, sql } from "drizzle-orm";
import { isThere, onRecord } from "../accounts/audit/record.ts";
import { linkTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { holdAccounts, holdLinks } from "../db/hold.ts";
import { numbersOf, type Statement } from "../db/store.ts";
import { type LinkRow, links } from "../db/tables.ts";
import { doom, forgetSoon } from "../history/forget-doomed.ts";
import { type AppError, foreign, notFound } from "../lib/errors.ts";
import { toIso } from "../lib/moments.ts";
import { recordEvents } from "../webhooks/events/events.ts";
import { type Deps, noReceipt, type Receipt } from "../work/deps.ts";
import type { LinkFilter } from "./filter.ts";
import { findLink } from "./links.ts";
import { countSkipped } from "./members.ts";
import { nextMatching } from "./next-matching.ts";
import { writeInPieces } from "./pieces.ts";

/** Takes SQLite about 8 ms. */
const DELETED_AT_ONCE = 100;

/** What is told of a link that goes. */
const told = {
  no: links.no,
  id: links.id,
  accountId: links.accountId,
  accountNo: links.accountNo,
  groupId: links.groupId,
  url: links.url,
  status: links.status,
};
type Doomed = Pick<LinkRow, keyof typeof told>;

/** The link goes with its history; the result of a check that runs is dropped. */
export async function deleteLink(deps: Deps, caller: Caller, id: string): Promise<void> {
  const link = await findLink(deps, caller, id);
  await deps.store.write([...entryOf(deps, caller, [link]), ...deletion(deps, [link])]);
  await forgetSoon(deps, [link]);
}

/** What became of one link of a batch. */
export type Deletion = { id: string } & ({ deleted: true } | { deleted: false; error: AppError });

/** Deletes what is there and ours, and tells of each of the rest why not. Repeats count once. */
export async function deleteLinks(
  deps: Deps,
  caller: Caller,
  ids: string[],
  receipt: Receipt<Deletion[]> = noReceipt,
): Promise<Deletion[]> {
  const unique = [...new Set(ids)];
  const found = await deps.store.select(told).from(links).where(inArray(links.id, unique));
  const byId = new Map(found.map((link) => [link.id, link]));
  const results = unique.map((id) => judge(id, byId.get(id), caller));
  const ours = found.filter(({ accountId }) => accountId === caller.accountId);
  await deleteInPieces(deps, caller, ours, receipt(results));
  return results;
}

/** What became of the next links that fit, and where to go on; null when none is left. */
export type StepOfDeletion = { deleted: number; next: number | null };

/** Deletes the next links that fit, newest first. */
export async function deleteMatching(
  deps: Deps,
  caller: Caller,
  filter: LinkFilter,
  before: number | undefined,
  receipt: Receipt<StepOfDeletion> = noReceipt,
): Promise<StepOfDeletion> {
  const { nos, next } = await nextMatching(deps, caller, filter, { before });
  const { store } = deps;
  const doomed = await store
    .select(told)
    .from(links)
    .where(inArray(links.no, sql`${numbersOf(store, nos)}`));
  const step = { deleted: doomed.length, next };
  await deleteInPieces(deps, caller, doomed, receipt(step));
  return step;
}

async function deleteInPieces(
  deps: Deps,
  caller: Caller,
  doomed: Doomed[],
  receipt: Statement[],
): Promise<void> {
  await writeInPieces(deps.store, doomed, {
    atOnce: DELETED_AT_ONCE,
    entry: entryOf(deps, caller, doomed),
    writeOf: (some) => deletion(deps, some),
    receipt,
  });
  await forgetSoon(deps, doomed);
}

/** One for all of them, as long as any of those that go first is there. */
function entryOf(deps: Deps, caller: Caller, doomed: Doomed[]): Statement[] {
  const [only, ...others] = doomed;
  const first = doomed.slice(0, DELETED_AT_ONCE).map(({ id }) => id);
  return onRecord(deps, caller, {
    action: "link.deleted",
    target: only && others.length === 0 ? linkTarget(only) : undefined,
    count: doomed.length,
    onlyIf: isThere(deps.store, links, inArray(links.id, first)),
  });
}

function judge(id: string, link: Doomed | undefined, { accountId }: Caller): Deletion {
  if (!link) return { id, deleted: false, error: notFound("link") };
  if (link.accountId !== accountId) return { id, deleted: false, error: foreign("link") };
  return { id, deleted: true };
}

/** Ending the lease first holds the rows, so that of two deletions only one tells of it. */
function deletion({ store, clock }: Deps, doomed: Doomed[]): Statement[] {
  if (doomed.length === 0) return [];
  const now = clock.now();
  const nos = doomed.map(({ no }) => no);
  const chosen = inArray(
    links.id,
    doomed.map(({ id }) => id),
  );
  return [
    ...holdAccounts(
      store,
      doomed.map(({ accountNo }) => accountNo),
    ),
    ...holdLinks(store, nos),
    store.update(links).set({ lease: null }).where(chosen),
    ...countSkipped(store, nos),
    ...recordEvents(
      store,
      doomed.map((link) => deletedEvent(link, now)),
    ),
    doom(store, chosen),
    store.delete(links).where(chosen),
  ];
}

const deletedEvent = (link: Doomed, now: number) =>
  ({
    type: "link.deleted",
    accountId: link.accountId,
    at: now,
    onlyIf: { link: link.id },
    data: {
      linkId: link.id,
      url: link.url,
      groupId: link.groupId,
      lastStatus: link.status,
      deletedAt: toIso(now),
    },
  }) as const;

import { inArray } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { countSkipped } from "../batches/members.ts";
import { type Deps, noReceipt, type Receipt } from "../deps.ts";
import { recordEvents } from "../events/events.ts";
import { doom, forgetSoon } from "../history/forget-doomed.ts";
import { type AppError, foreign, notFound } from "../lib/errors.ts";
import { toIso } from "../lib/moments.ts";
import { holdAccounts, holdLinks } from "../store/hold.ts";
import type { Statement } from "../store/store.ts";
import { type LinkRow, links } from "../store/tables.ts";
import { findLink } from "./links.ts";

/** The link goes with its history; the result of a check that runs is dropped. */
export async function deleteLink(deps: Deps, caller: Caller, id: string): Promise<void> {
  const link = await findLink(deps, caller, id);
  await deps.store.write(deletion(deps, [link]));
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
  const found = await deps.store.select().from(links).where(inArray(links.id, unique));
  const byId = new Map(found.map((link) => [link.id, link]));
  const results = unique.map((id) => judge(id, byId.get(id), caller));
  const ours = found.filter(({ accountId }) => accountId === caller.accountId);
  await deps.store.write([...deletion(deps, ours), ...receipt(results)]);
  await forgetSoon(deps, ours);
  return results;
}

function judge(id: string, link: LinkRow | undefined, { accountId }: Caller): Deletion {
  if (!link) return { id, deleted: false, error: notFound("link") };
  if (link.accountId !== accountId) return { id, deleted: false, error: foreign("link") };
  return { id, deleted: true };
}

/** Ending the lease first holds the rows, so that of two deletions only one tells of it. */
function deletion({ store, clock }: Deps, doomed: LinkRow[]): Statement[] {
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

const deletedEvent = (link: LinkRow, now: number) =>
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

import { and, eq, inArray, isNull, ne, or } from "drizzle-orm";
import { onRecord } from "../../accounts/audit/record.ts";
import { groupTarget } from "../../accounts/audit/targets.ts";
import type { Caller } from "../../api/caller.ts";
import { holdAccounts, holdLinks } from "../../db/hold.ts";
import type { Statement } from "../../db/store.ts";
import { type LinkRow, links } from "../../db/tables.ts";
import { type AppError, foreign, notFound } from "../../lib/errors.ts";
import { type Deps, noReceipt, type Receipt } from "../../work/deps.ts";
import { findGroup } from "./groups.ts";

/** What became of one link: `unchanged` was in the group before. */
export type Move = { id: string } & (
  | { status: "moved" | "unchanged" }
  | { status: "failed"; error: AppError }
);

export type MoveResult = { groupId: string; results: Move[] };

type Found = Pick<LinkRow, "no" | "id" | "accountId" | "groupId">;

/** Moves what is there and ours into the group, and tells of each of the rest why not. Repeats count once. */
export async function moveLinks(
  deps: Deps,
  caller: Caller,
  groupId: string,
  ids: string[],
  receipt: Receipt<MoveResult> = noReceipt,
): Promise<MoveResult> {
  const group = await findGroup(deps, caller, groupId);
  const unique = [...new Set(ids)];
  const byId = new Map((await findAll(deps, unique)).map((link) => [link.id, link]));
  const results = unique.map((id) => judge(id, byId.get(id), caller, group.id));
  const result = { groupId: group.id, results };
  const moved = results.flatMap(({ id, status }) => (status === "moved" ? byId.get(id)! : []));
  const target = groupTarget(group);
  await deps.store.write([
    ...onRecord(deps, caller, { action: "link.moved", target, count: moved.length }),
    ...moveAll(deps, caller, group.id, moved),
    ...receipt(result),
  ]);
  return result;
}

const findAll = ({ store }: Deps, ids: string[]): Promise<Found[]> =>
  store
    .select({ no: links.no, id: links.id, accountId: links.accountId, groupId: links.groupId })
    .from(links)
    .where(inArray(links.id, ids));

function judge(id: string, link: Found | undefined, { accountId }: Caller, groupId: string): Move {
  if (!link) return { id, status: "failed", error: notFound("link") };
  if (link.accountId !== accountId) return { id, status: "failed", error: foreign("link") };
  return { id, status: link.groupId === groupId ? "unchanged" : "moved" };
}

function moveAll(
  { store, clock }: Deps,
  { accountId, accountNo }: Caller,
  groupId: string,
  moved: Found[],
): Statement[] {
  if (moved.length === 0) return [];
  const numbers = moved.map(({ no }) => no);
  const isElsewhere = or(isNull(links.groupId), ne(links.groupId, groupId));
  return [
    ...holdAccounts(store, [accountNo]),
    ...holdLinks(store, numbers),
    store
      .update(links)
      .set({ groupId, updatedAt: clock.now() })
      .where(and(eq(links.accountId, accountId), inArray(links.no, numbers), isElsewhere)),
  ];
}

import { inArray, type SQL, sql } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { lockLinks } from "../ground/db/queries.ts";
import { numbersOf, type Store } from "../ground/db/store.ts";
import { type LinkRow, links } from "../ground/db/tables.ts";
import { AppError, foreign, notFound } from "../ground/lib/errors.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import { makeChange, type Unit } from "../work/unit.ts";
import { isRetired, retiredAmong } from "./retired.ts";

/** The result for one link that a request names by its id. */
export type Outcome<Status extends string> =
  | { id: string; status: Status }
  | { id: string; status: "failed"; error: AppError };

/** Returns an outcome for each id, in order, and the account's links among them. Repeated ids count once. */
export async function judgeNamed<
  Row extends Pick<LinkRow, "id" | "accountId">,
  Status extends string,
>(
  { store }: Pick<Deps, "store">,
  { accountId }: Caller,
  ids: string[],
  find: (isNamed: SQL) => Promise<Row[]>,
  /** Why the link is refused, or what is done with it. */
  statusOf: (link: Row) => Status | AppError,
): Promise<{ outcomes: Outcome<Status>[]; ours: Row[] }> {
  const unique = [...new Set(ids)];
  const found = await find(inArray(links.id, unique));
  const byId = new Map(found.map((link) => [link.id, link]));
  const missing = unique.filter((id) => !byId.has(id));
  const retired = await retiredAmong(store, accountId, missing);
  const outcomes = unique.map((id): Outcome<Status> => {
    const link = byId.get(id);
    if (!link)
      return { id, status: "failed", error: retired.has(id) ? isRetired() : notFound("link") };
    if (link.accountId !== accountId) return { id, status: "failed", error: foreign("link") };
    const status = statusOf(link);
    return status instanceof AppError ? { id, status: "failed", error: status } : { id, status };
  });
  return { outcomes, ours: found.filter((link) => link.accountId === accountId) };
}

export const hasNumber = (store: Store, nos: number[]): SQL =>
  inArray(links.no, sql`${numbersOf(store, nos)}`);

/** Locks links and returns their numbers. */
export async function lockSome(tx: Store, some: { no: number }[]): Promise<number[]> {
  const nos = some.map(({ no }) => no);
  await lockLinks(tx, nos);
  return nos;
}

type Pieces<Link> = {
  chosen: Link[];
  /** Few enough that other requests do not wait long. */
  atOnce: number;
  /** Writes some of the links and returns how many it wrote. */
  write: (unit: Unit, some: Link[]) => Promise<number>;
  /**
   * Describes the whole change, and is recorded in the first transaction that wrote something. By default it counts what
   * is chosen.
   */
  entry: Parameters<typeof auditChange>[2];
  /** Called in the last transaction. */
  saveReply: SaveReply<void>;
};

/**
 * Writes many links in several transactions, so that other requests run in between. After a crash some links are
 * written and others are not; repeating the request completes it.
 */
export async function writeInPieces<Link extends Pick<LinkRow, "id" | "url">>(
  deps: Deps,
  caller: Caller,
  { chosen, atOnce, write, entry, saveReply }: Pieces<Link>,
): Promise<void> {
  const pieces = chunksOf(atOnce, chosen);
  const last = pieces.pop() ?? [];
  let isAudited = false;
  const writePiece = async (unit: Unit, some: Link[]) => {
    const isChanged = (await write(unit, some)) > 0;
    if (isChanged && !isAudited)
      await auditChange(unit, caller, {
        target: linkTarget(chosen),
        count: chosen.length,
        ...entry,
      });
    return isChanged;
  };
  for (const some of pieces) {
    const isChanged = await makeChange(deps, caller, (unit) => writePiece(unit, some));
    isAudited ||= isChanged;
    await yieldToEventLoop();
  }
  await makeChange(deps, caller, async (unit) => {
    await writePiece(unit, last);
    await saveReply(unit.store);
  });
}

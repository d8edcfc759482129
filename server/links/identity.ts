import { inArray, type SQL } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { type LinkRow, links } from "../ground/db/tables.ts";
import { type AppError, conflict } from "../ground/lib/errors.ts";
import type { Caller } from "../http/caller.ts";
import { acceptAll } from "../judge/identity/compare.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import type { Unit } from "../work/unit.ts";
import type { Change, StepOfChange } from "./change.ts";
import { findLink, findLinkDetail, type LinkFilter } from "./links.ts";
import { nextMatching } from "./list.ts";
import { readMemories, type StoredMemory, writeMemories } from "./memories.ts";
import type { LinkDetailRow } from "./model.ts";
import { hasNumber, judgeNamed, lockSome, writeInPieces } from "./selection.ts";
import { recordActions } from "./triage/timeline.ts";

const ACCEPTED_AT_ONCE = 250;

const NOTHING = conflict(
  "Nothing is remembered of this page yet: wait for its second check, a day after the first.",
  { reason: "nothing_remembered" },
);

const NOT_ACTIVE = conflict(
  "The last check did not find the link active, so there is no page to accept.",
  { reason: "not_active" },
);

const FREE = { lease: null, checkingUntil: null, nextTrigger: "manual" } as const;

type Found = LinkRow & { memory: StoredMemory | undefined };

/** Why the page of a link cannot be accepted; null if it can. */
function refusalOf({ memory, lastStatus, lastReason }: Found): AppError | null {
  if (!memory || memory.state === "learning") return NOTHING;
  const isThere = lastStatus === "active" || lastReason === "domain_changed_hands";
  return isThere ? null : NOT_ACTIVE;
}

/**
 * Makes the page that a link shows now the remembered one, and the link due. A check that is under way counts for nothing.
 * @throws CONFLICT when nothing is remembered, or the last check did not find the link active
 */
export async function acceptPage(unit: Unit, caller: Caller, id: string): Promise<LinkDetailRow> {
  const link = await findLink(unit, caller, id);
  const [found] = await findSome(unit, hasNumber(unit.store, [link.no]));
  const refusal = refusalOf(found!);
  if (refusal) throw refusal;
  await acceptSome(unit, caller, [link]);
  await auditChange(unit, caller, { action: "link.page_accepted", target: linkTarget([link]) });
  return findLinkDetail(unit, caller, id);
}

/** As `acceptPage`, for the account's links with these ids. Repeated ids count once. */
export async function acceptPages(
  deps: Deps,
  caller: Caller,
  ids: string[],
  saveReply: SaveReply<Change[]>,
): Promise<Change[]> {
  const { outcomes, ours } = await judgeNamed(
    deps,
    caller,
    ids,
    (isNamed) => findSome(deps, isNamed),
    (link) => refusalOf(link) ?? ("changed" as const),
  );
  const chosen = ours.filter((link) => refusalOf(link) === null);
  await acceptInPieces(deps, caller, chosen, (tx) => saveReply(tx, outcomes));
  return outcomes;
}

/** As `acceptPage`, for the next links that match, newest first. */
export async function acceptMatching(
  deps: Deps,
  caller: Caller,
  { filter, before }: { filter: LinkFilter; before: number | undefined },
  saveReply: SaveReply<StepOfChange>,
): Promise<StepOfChange> {
  const { nos, next } = await nextMatching(deps, caller, filter, { before });
  const found = await findSome(deps, hasNumber(deps.store, nos));
  const chosen = found.filter((link) => refusalOf(link) === null);
  const changed = chosen.length;
  const step = { changed, unchanged: 0, failed: found.length - changed, next };
  await acceptInPieces(deps, caller, chosen, (tx) => saveReply(tx, step));
  return step;
}

const acceptInPieces = (
  deps: Deps,
  caller: Caller,
  chosen: Found[],
  saveReply: SaveReply<void>,
): Promise<void> =>
  writeInPieces(deps, caller, {
    chosen,
    atOnce: ACCEPTED_AT_ONCE,
    write: (within, some) => acceptSome(within, caller, some),
    entry: { action: "link.page_accepted" },
    saveReply,
  });

async function findSome({ store }: Pick<Deps, "store">, which: SQL): Promise<Found[]> {
  const rows = await store.select().from(links).where(which);
  const memories = await readMemories(
    store,
    rows.map(({ no }) => no),
  );
  return rows.map((row) => ({ ...row, memory: memories.get(row.no) }));
}

/** @returns how many pages were accepted of the links that still exist */
async function acceptSome(
  { store: tx, clock }: Unit,
  caller: Caller,
  some: { no: number }[],
): Promise<number> {
  const at = clock.now();
  const locked = await findSome({ store: tx }, hasNumber(tx, await lockSome(tx, some)));
  const accepted = locked.filter((link) => refusalOf(link) === null);
  await writeMemories(
    tx,
    accepted.map(({ no, accountNo, memory }) => {
      const { version, moved, ...after } = memory!;
      acceptAll(after, at);
      return { linkNo: no, accountNo, memory: after, moved, version };
    }),
  );
  const nos = accepted.map(({ no }) => no);
  await tx
    .update(links)
    .set({ ...FREE, nextCheckAt: at, updatedAt: at })
    .where(inArray(links.no, nos));
  const entry = { at, kind: "page_accepted", actor: caller.by.name } as const;
  await recordActions(
    tx,
    nos.map((no) => ({ no, ...entry })),
  );
  return accepted.length;
}

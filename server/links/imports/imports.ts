import { and, asc, desc, eq, inArray, lt, ne, notInArray, sql } from "drizzle-orm";
import { takeNumbers } from "../../ground/db/queries.ts";
import { batches, type ImportRow, importItems, imports, links } from "../../ground/db/tables.ts";
import { conflict, foreign, notFound } from "../../ground/lib/errors.ts";
import { newId, parseId } from "../../ground/lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../../ground/lib/paging.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { ImportStatus } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import type { ListPart } from "../../read/lists/read-bytes.ts";
import { type Deps, type SaveReply, saveNoReply } from "../../work/deps.ts";
import { newLease } from "../../work/queue.ts";
import type { Unit } from "../../work/unit.ts";
import { openGroupBook } from "../groups/groups.ts";
import {
  type Claimed,
  COMMAND,
  countsOf,
  hold,
  insertItems,
  LEASE_MS,
  NO_COUNTS,
  type ShownImport,
  type ShownItem,
  totalOf,
} from "./items.ts";
import type { ImportItemQuery, ImportStart } from "./model.ts";
import { groupOf, type ImportOptions, PART, type Result } from "./part.ts";
import { takeStep } from "./steps.ts";

/** Lists of an account that were not added; the oldest of more is forgotten. */
const MOST_OPEN = 20;
const DAY_MS = 86_400_000;
/** How long a list is kept that was not added, and the result of one that was. */
const OPEN_MS = DAY_MS;
const KEPT_MS = 30 * DAY_MS;

type NewImport = { name: string | null; format: string; options: ImportOptions };

/** An import that is being read by this process. */
export type Intake = {
  row: Claimed;
  /** Stores what was read next. */
  add(part: ListPart): Promise<void>;
};

/** Begins to take in a list, which this process keeps until it gives it on. */
export async function beginImport(
  deps: Deps,
  { accountId, accountNo, by }: Caller,
  { name, format, options }: NewImport,
): Promise<Intake> {
  const { store, clock } = deps;
  const now = clock.now();
  await forgetOpen(deps, accountId);
  const row: Claimed = {
    no: await takeNumbers(store, 1),
    id: newId(),
    accountId,
    accountNo,
    actorKind: by.kind,
    actorId: by.id,
    actorName: by.name,
    name,
    format,
    status: "reading",
    options: JSON.stringify(options),
    notes: "[]",
    sitemaps: "[]",
    problem: null,
    counts: JSON.stringify(NO_COUNTS),
    batchIds: "[]",
    groupIds: "[]",
    dueAt: null,
    lease: newLease(by.kind === "operator" ? COMMAND : deps.nodes),
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    completedAt: null,
  };
  await store.insert(imports).values(row);
  return { row, add: (part) => addPartOf(deps, row, part) };
}

async function addPartOf({ store, clock }: Deps, row: Claimed, part: ListPart): Promise<void> {
  const from = totalOf(countsOf(row));
  const { items, notes, sitemaps } = part;
  if (items.length + notes.length + sitemaps.length === 0) return;
  const change = {
    notes: JSON.stringify([...JSON.parse(row.notes), ...notes]),
    sitemaps: JSON.stringify([...JSON.parse(row.sitemaps), ...sitemaps]),
    counts: JSON.stringify({ ...NO_COUNTS, waiting: from + items.length }),
    updatedAt: clock.now(),
  };
  await store.transaction(async (tx) => {
    await insertItems(tx, row, items, from);
    await tx.update(imports).set(change).where(eq(imports.no, row.no));
  });
  Object.assign(row, change);
  await yieldToEventLoop();
}

/**
 * Ends the reading of a list. It is previewed from now on, a short one at once.
 * @throws CONFLICT when it was forgotten meanwhile, since the account has read too many others
 */
export async function endReading(
  deps: Deps,
  row: Claimed,
  caller: Caller,
  saveReply: SaveReply<ShownImport> = saveNoReply,
): Promise<ShownImport> {
  const change = { status: "previewing" as const, dueAt: deps.clock.now() + LEASE_MS };
  const held = { ...row, ...change };
  const begun = await deps.store
    .update(imports)
    .set(change)
    .where(and(eq(imports.no, row.no), eq(imports.status, "reading")))
    .returning({ no: imports.no });
  if (begun.length === 0)
    throw conflict(`More than ${MOST_OPEN} lists wait to be added. Add or delete some first.`, {
      reason: "too_many_imports",
    });
  const isShort = totalOf(countsOf(row)) <= PART;
  if (isShort) while ((await takeStep(deps, held)) !== null);
  const read = await deps.store.transaction(async (tx) => {
    const given = isShort ? {} : { dueAt: deps.clock.now(), lease: null };
    const [saved] = await tx
      .update(imports)
      .set({ ...given, updatedAt: deps.clock.now() })
      .where(eq(imports.no, row.no))
      .returning();
    const shown = await showImport({ ...deps, store: tx }, caller, saved!);
    await saveReply(tx, shown);
    return shown;
  });
  deps.loops.wake();
  return read;
}

/**
 * Adds the links of a list that this process has read, step by step until the signal. If the process dies, the server
 * goes on with it.
 * @returns what became of the items of each step
 */
export async function* addHere(
  deps: Deps,
  row: Claimed,
  signal: AbortSignal,
): AsyncGenerator<Result[], void> {
  Object.assign(row, { status: "adding", startedAt: deps.clock.now() });
  const { status, startedAt } = row;
  await hold(deps, row, { status, startedAt });
  let isDone = false;
  try {
    while (!signal.aborted && !isDone) {
      const results = await takeStep(deps, row);
      isDone = results === null;
      if (results) yield results;
    }
  } finally {
    if (!isDone) await hold(deps, row, { status: "stopped", dueAt: null, lease: null });
  }
}

/** Forgets a list that could not be read, with what was read of it. */
export const dropImport = (deps: Deps, { no }: Pick<ImportRow, "no">) =>
  markDeleted(deps, eq(imports.no, no));

async function markDeleted(deps: Deps, which: ReturnType<typeof and>): Promise<void> {
  const now = deps.clock.now();
  await deps.store
    .update(imports)
    .set({ status: "deleted", dueAt: now, lease: null, updatedAt: now })
    .where(and(which, ne(imports.status, "deleted")));
  deps.loops.wake();
}

async function forgetOpen(deps: Deps, accountId: string): Promise<void> {
  const { no, status } = imports;
  const open = await deps.store
    .select({ no })
    .from(imports)
    .where(
      and(eq(imports.accountId, accountId), inArray(status, ["reading", "previewing", "ready"])),
    )
    .orderBy(desc(no));
  const old = open.slice(MOST_OPEN - 1).map((row) => row.no);
  if (old.length > 0) await markDeleted(deps, inArray(no, old));
}

/** Forgets lists that were not added within a day, and results of 30 days ago. */
export async function forgetOldImports(deps: Deps): Promise<void> {
  // By a clock that is ahead, all of them would be old.
  if (deps.online.clockIsOff()) return;
  const { updatedAt, status } = imports;
  const before = (ms: number) => lt(updatedAt, deps.clock.now() - ms);
  const isOpen = inArray(status, ["reading", "previewing", "ready"]);
  await markDeleted(deps, and(before(OPEN_MS), isOpen));
  await markDeleted(deps, and(before(KEPT_MS), inArray(status, ["stopped", "complete"])));
}

/** @throws NOT_FOUND, or FORBIDDEN for an import of another account */
export async function findImport(
  { store }: Pick<Deps, "store">,
  { accountId }: Caller,
  id: string,
): Promise<ImportRow & { status: ImportStatus }> {
  const [row] = await store
    .select()
    .from(imports)
    .where(eq(imports.id, parseId(id) ?? ""));
  if (!row || row.status === "deleted") throw notFound("import");
  if (row.accountId !== accountId) throw foreign("import");
  return { ...row, status: row.status };
}

export async function listImports(
  { store }: Deps,
  { accountId }: Caller,
  page: PageQuery,
): Promise<Page<ImportRow>> {
  const { limit, offset } = windowOf(page);
  const isOurs = and(eq(imports.accountId, accountId), ne(imports.status, "deleted"));
  const items = await store
    .select()
    .from(imports)
    .where(isOurs)
    .orderBy(desc(imports.no))
    .limit(limit)
    .offset(offset);
  return { items, total: await store.$count(imports, isOurs) };
}

const sumOf = (column: unknown) => sql`coalesce(sum(${column}), 0)`.mapWith(Number);

export async function showImport(deps: Deps, caller: Caller, row: ImportRow): Promise<ShownImport> {
  const { active, dead, unknown, skipped, id } = batches;
  const batchIds = JSON.parse(row.batchIds) as string[];
  const nothing = { active: 0, dead: 0, unknown: 0, skipped: 0 };
  const [checked = nothing] =
    batchIds.length === 0
      ? []
      : await deps.store
          .select({
            active: sumOf(active),
            dead: sumOf(dead),
            unknown: sumOf(unknown),
            skipped: sumOf(skipped),
          })
          .from(batches)
          .where(inArray(id, batchIds));
  return { ...row, checked, namedGroups: await namedGroupsOf(deps, caller, row) };
}

async function namedGroupsOf(deps: Deps, caller: Caller, row: ImportRow) {
  const named = { existing: [] as string[], missing: [] as string[] };
  if (row.status !== "ready") return named;
  const { importNo, outcome, groupName: group } = importItems;
  const rows = await deps.store.readPool
    .selectDistinct({ group })
    .from(importItems)
    .where(and(eq(importNo, row.no), eq(outcome, "new")));
  const groups = await openGroupBook(deps, caller);
  const options = { ...(JSON.parse(row.options) as ImportOptions), group: null, usesGroups: true };
  for (const { group: name } of rows) {
    const wanted = groupOf({ options, groups }, { group: name, url: "", line: 0, frequency: "" });
    if (wanted !== "") named[groups.find(wanted) ? "existing" : "missing"].push(wanted);
  }
  return { existing: named.existing.sort(), missing: named.missing.sort() };
}

/** Lists items in the order of the list, or by what their first checks found, dead ones first. */
export async function listItems(
  deps: Deps,
  row: ImportRow,
  query: ImportItemQuery,
): Promise<Page<ShownItem>> {
  const { limit, offset } = windowOf(query);
  const { importNo, n, outcome, lacks, linkId } = importItems;
  const isWanted = and(
    eq(importNo, row.no),
    query.outcome && inArray(outcome, query.outcome),
    query.not_kept === undefined ? undefined : eq(lacks, query.not_kept),
  );
  const since = row.startedAt ?? row.createdAt;
  const { lastCheckedAt, status, checkingUntil } = links;
  const state = sql`case
    when ${lastCheckedAt} >= ${since} then case ${status} when 'dead' then 0 when 'unknown' then 1 else 4 end
    when ${checkingUntil} > ${deps.clock.now()} then 2 else 3 end`;
  const rows = await deps.store.readPool
    .select({
      item: importItems,
      link: {
        id: links.id,
        status,
        checkingUntil,
        lastCheckedAt,
        lastReason: links.lastReason,
        lastStatusCode: links.lastStatusCode,
        lastResponseTimeMs: links.lastResponseTimeMs,
      },
    })
    .from(importItems)
    .leftJoin(links, eq(links.id, linkId))
    .where(isWanted)
    .orderBy(...(query.sort === "dead_first" ? [asc(state)] : []), asc(n))
    .limit(limit)
    .offset(offset);
  const total = await deps.store.readPool.$count(importItems, isWanted);
  return { items: rows.map(({ item, link }) => ({ ...item, link, since })), total };
}

/**
 * Adds the links of a list, or goes on with that. Does nothing if it is being done already, or was.
 * @throws CONFLICT while the list is being read or taken back
 */
export const startImport = (
  unit: Unit,
  caller: Caller,
  id: string,
  input: ImportStart,
): Promise<ShownImport> =>
  changeStatus(unit, caller, id, {
    from: ["previewing", "ready", "stopped"],
    done: ["adding", "complete"],
    change: (row) => ({
      status: "adding",
      problem: null,
      startedAt: row.startedAt ?? unit.clock.now(),
      dueAt: unit.clock.now(),
      lease: null,
      options: JSON.stringify(
        row.startedAt === null
          ? { ...JSON.parse(row.options), ...toOptions(input) }
          : JSON.parse(row.options),
      ),
    }),
  });

function toOptions({ group, check_frequency, overrides, use_groups }: ImportStart) {
  const given = { group, frequency: check_frequency, overrides, usesGroups: use_groups };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Stops adding links after those of the last complete step. @throws CONFLICT if none are being added */
export const stopImport = (unit: Unit, caller: Caller, id: string): Promise<ShownImport> =>
  changeStatus(unit, caller, id, {
    from: ["adding"],
    done: ["stopped", "complete"],
    change: () => ({ status: "stopped", problem: null, dueAt: null, lease: null }),
  });

/** Deletes the links that were created, and the groups that were made and are empty then. */
export const undoImport = (unit: Unit, caller: Caller, id: string): Promise<ShownImport> =>
  changeStatus(unit, caller, id, {
    from: ["adding", "stopped", "complete"],
    done: ["undoing", "ready"],
    change: () => ({ status: "undoing", problem: null, dueAt: unit.clock.now(), lease: null }),
  });

/** Forgets a list and its result; the links that were added stay. @throws CONFLICT while they are being added */
export async function deleteImport(deps: Deps, caller: Caller, id: string): Promise<void> {
  const row = await findImport(deps, caller, id);
  if (row.status === "adding" || row.status === "undoing") throw wrongStatus(row);
  await markDeleted(deps, and(eq(imports.no, row.no), notInArray(imports.status, BUSY)));
}

const BUSY: ImportRow["status"][] = ["adding", "undoing"];

type StatusChange = {
  from: ImportStatus[];
  /** In which there is nothing to change. */
  done: ImportStatus[];
  change: (row: ImportRow) => Partial<ImportRow>;
};

async function changeStatus(
  unit: Unit,
  caller: Caller,
  id: string,
  { from, done, change }: StatusChange,
): Promise<ShownImport> {
  const row = await findImport(unit, caller, id);
  const isDone = done.includes(row.status);
  const [next = isDone ? row : null] = await unit.store
    .update(imports)
    .set({ ...change(row), updatedAt: unit.clock.now() })
    .where(and(eq(imports.no, row.no), inArray(imports.status, from)))
    .returning();
  if (!next) throw wrongStatus(row);
  return showImport(unit, caller, next);
}

const wrongStatus = ({ status }: ImportRow) =>
  conflict(`This is not possible while the import is ${status}.`, {
    reason: "wrong_status",
    status,
  });

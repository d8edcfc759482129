import { ownMigrationNames } from "../../db/open.ts";
import { Refused, type Store } from "../../db/store.ts";
import { newId } from "../../lib/ids.ts";
import { VERSION } from "../../lib/runtime.ts";
import { yieldToEventLoop } from "../../lib/steps.ts";
import { type Coming, type Leaving, leavingOf, noteLeaving, sentenceOf } from "./notes.ts";
import { createSum, type Source, type Sum, type Table } from "./source.ts";
import type { Target } from "./target.ts";

/** How far a step is, in rows. */
export type Step = { doing: "copying" | "comparing"; table: string; done: number; of: number };

export type Move = {
  /** The old database, to note in it that it is left. */
  old: Store;
  source: Source;
  target: Target;
  /** Makes the tables of the new database, or brings them up to date, for history from that moment on. */
  prepare(oldestCheck: number | null): Promise<void>;
  /** The new database as people may read it. */
  to: string;
  now: () => number;
  onStep(step: Step): void;
  /** Whether to end after the page that is under way. */
  isStopped(): boolean;
};

/** What came of it; a move that was stopped is gone on with by the next. */
export type Moved =
  | { state: "stopped"; rows: number }
  | { state: "done"; rows: number; tables: number; counts: Map<string, number> };

/**
 * Copies all of an installation into another database and compares the two. Whatever ends it, it is gone on
 * with by calling it again; until it is done neither of the two is served.
 * @throws Refused when the new database is not fit for it, or holds something else in the end
 */
export async function move(what: Move): Promise<Moved> {
  const leaving = await leavingFor(what);
  const coming: Coming = { id: leaving.id, head: headOf(), version: VERSION };
  const found = await refuseUnfit(what.target, what.to, coming);
  if (found === "new") await makeReady(what);
  // Before anything is copied, so that nothing is changed in what has been.
  await noteLeaving(what.old, leaving);
  if (found === "new") await what.target.begin(coming, what.source.tables);
  if (found !== "there") {
    const rows = await copyAll(what);
    if (what.isStopped() || !(await compareAll(what))) return { state: "stopped", rows };
    await what.target.finish(coming, what.source.tables);
  }
  await noteLeaving(what.old, { ...leaving, at: what.now(), isDone: true });
  const { tables } = what.source;
  const counts = new Map(tables.map((table) => [table.name, what.source.count(table)]));
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { state: "done", rows, tables: tables.length, counts };
}

async function leavingFor({ old, to, now }: Move): Promise<Leaving> {
  const known = await leavingOf(old);
  if (known?.isDone) throw new Refused(sentenceOf(known));
  return { id: known?.id ?? newId(), to, at: known?.at ?? now(), isDone: false };
}

const headOf = () => [...ownMigrationNames()].sort().at(-1)!;

async function makeReady({ prepare, source, target }: Move): Promise<void> {
  await prepare(source.oldestCheck());
  await refuseOtherTables(source, target);
}

/** @returns how many rows are there now */
async function copyAll({ source, target, onStep, isStopped }: Move): Promise<number> {
  const of = source.tables.reduce((sum, table) => sum + source.count(table), 0);
  let done = 0;
  for (const table of source.tables) {
    let progress = await target.progress(table);
    const before = done;
    const tell = () => {
      done = before + progress.rows;
      onStep({ doing: "copying", table: table.name, done, of });
    };
    tell();
    for (const page of source.pages(table, progress.after)) {
      if (isStopped()) return done;
      progress = await target.add(table, page, progress);
      tell();
    }
  }
  return done;
}

/**
 * Reads all of both back.
 * @returns whether it came to its end
 * @throws Refused when they differ, with the tables that do
 */
async function compareAll(what: Move): Promise<boolean> {
  const { source, target, onStep, isStopped } = what;
  const of = 2 * source.tables.reduce((sum, table) => sum + source.count(table), 0);
  let done = 0;
  const differences: string[] = [];
  for (const table of source.tables) {
    const tell = (rows: number) => {
      done += rows;
      onStep({ doing: "comparing", table: table.name, done, of });
    };
    const here = await sumOf(what, table, tell);
    if (isStopped()) return false;
    const there = await target.sum(table, tell);
    if (isStopped()) return false;
    differences.push(...differenceOf(table.name, here, there));
  }
  if (differences.length > 0) throw new Refused(differ(differences));
  return true;
}

async function sumOf(
  { source, isStopped }: Move,
  table: Table,
  tell: (rows: number) => void,
): Promise<Sum> {
  const sum = createSum();
  for (const { lines } of source.pages(table, null)) {
    for (const line of lines) sum.add(Buffer.from(line));
    tell(lines.length);
    await yieldToEventLoop();
    if (isStopped()) break;
  }
  return sum.value();
}

function differenceOf(table: string, here: Sum, there: Sum): string[] {
  const shown = (rows: number) => rows.toLocaleString("en");
  if (here.rows !== there.rows) {
    const rows = here.rows === 1 ? "row" : "rows";
    return [`${table} (${shown(here.rows)} ${rows} here, ${shown(there.rows)} there)`];
  }
  return here.sum === there.sum ? [] : [`${table} (rows that are not the same)`];
}

const differ = (differences: string[]) =>
  `The new database is not what the old one is: ${differences.join(", ")}. Something else wrote to it, or one ` +
  "of the two is damaged. Drop the new database, create it again and run the command again.";

/** Rows in any of these belong to someone. The others have rows in any database that was started once. */
export const CONTENT = [
  "accounts",
  "users",
  "groups",
  "links",
  "checks",
  "webhooks",
  "events",
  "audit",
];

/** How far an earlier call has come: of a database that is `there` only the old one does not know yet. */
type Found = "new" | "begun" | "there";

/**
 * Looks before anything is changed.
 * @param to names the database
 * @throws Refused when it has anything that did not come by this very move
 */
async function refuseUnfit(target: Target, to: string, coming: Coming): Promise<Found> {
  const tables = await target.tables();
  if (tables.length === 0) return "new";
  if (!tables.includes("migrations")) {
    throw new Refused(`${to} has tables that do not belong to Stillup (${tables[0]}). ${ANEW}`);
  }
  if (tables.includes("facts")) {
    const { under, cameBy } = await target.notes();
    if (cameBy?.id === coming.id) return "there";
    if (under) return begun(under, to, coming);
  }
  const node = await target.servedBy();
  if (node) throw new Refused(`${to} is being served by ${node}. ${ANEW}`);
  const filled = await target.filled(CONTENT.filter((name) => tables.includes(name)));
  if (filled) throw new Refused(`${to} is not empty: there are rows in ${filled}. ${ANEW}`);
  return "new";
}

const ANEW = "Make a new, empty database for the move.";

function begun(under: Coming, to: string, { id, head }: Coming): Found {
  if (under.id !== id) throw new Refused(`${to} is being filled by another move. ${ANEW}`);
  if (under.head === head) return "begun";
  throw new Refused(
    `The move to ${to} was begun by version ${under.version}, which had other tables. ${ANEW}`,
  );
}

/** @throws when a table of the old database has no place in the new one: nothing is left out in silence */
async function refuseOtherTables({ tables }: Source, target: Target): Promise<void> {
  for (const { name, columns } of tables) {
    const there = await target.columns(name);
    if (columns.toSorted().join() !== there.toSorted().join()) {
      throw new Error(`The table ${name} is not the same in both databases.`);
    }
  }
}

import { ownMigrationNames } from "../../ground/db/open.ts";
import { Refused, type Store } from "../../ground/db/store.ts";
import { newId } from "../../ground/lib/ids.ts";
import { VERSION } from "../../ground/lib/runtime.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import { type Coming, type Leaving, leavingOf, noteLeaving, sentenceOf } from "./notes.ts";
import { createSum, type Source, type Sum, type Table } from "./source.ts";
import { CONTENT, type Target } from "./target.ts";

/** How far a step is, in rows. */
export type Step = { doing: "copying" | "comparing"; table: string; done: number; of: number };

export type Move = {
  /** The old database, which records the move. */
  old: Store;
  source: Source;
  target: Target;
  /** Creates or migrates the tables of the new database, for history since that moment. */
  prepare(oldestCheck: number | null): Promise<void>;
  /** The name of the new database, without its password. */
  to: string;
  now: () => number;
  onStep(step: Step): void;
  /** Whether to stop after the current page. */
  isStopped(): boolean;
};

/** The result; the next call continues a move that was stopped. */
export type Moved =
  | { state: "stopped"; rows: number }
  | { state: "done"; rows: number; tables: number; counts: Map<string, number> };

/**
 * Copies an installation into another database and compares the two. After any interruption another call continues it.
 * Until it is done neither database can be served.
 * @throws Refused when the new database cannot be used, or differs in the end
 */
export async function move(what: Move): Promise<Moved> {
  const leaving = await leavingFor(what);
  const coming: Coming = { id: leaving.id, head: headOf(), version: VERSION };
  const found = await refuseUnfit(what.target, what.to, coming);
  if (found === "new") await makeReady(what);
  // Before copying, so that nothing that was copied changes afterwards.
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

/** Returns how many rows are copied now. */
async function copyAll({ source, target, onStep, isStopped }: Move): Promise<number> {
  const of = source.tables.reduce((sum, table) => sum + source.count(table), 0);
  let done = 0;
  for (const table of source.tables) {
    let progress = await target.progress(table);
    const before = done;
    const report = () => {
      done = before + progress.rows;
      onStep({ doing: "copying", table: table.name, done, of });
    };
    report();
    for (const page of source.pages(table, progress.after)) {
      if (isStopped()) return done;
      progress = await target.add(table, page, progress);
      report();
    }
  }
  return done;
}

/**
 * Compares all rows of both databases.
 * @returns false when it was stopped
 * @throws Refused with the tables that differ
 */
async function compareAll(what: Move): Promise<boolean> {
  const { source, target, onStep, isStopped } = what;
  const of = 2 * source.tables.reduce((sum, table) => sum + source.count(table), 0);
  let done = 0;
  const differences: string[] = [];
  for (const table of source.tables) {
    const report = (rows: number) => {
      done += rows;
      onStep({ doing: "comparing", table: table.name, done, of });
    };
    const here = await sumOf(what, table, report);
    if (isStopped()) return false;
    const there = await target.sum(table, report);
    if (isStopped()) return false;
    differences.push(...differenceOf(table.name, here, there));
  }
  if (differences.length > 0) throw new Refused(differ(differences));
  return true;
}

async function sumOf(
  { source, isStopped }: Move,
  table: Table,
  report: (rows: number) => void,
): Promise<Sum> {
  const sum = createSum();
  for (const { lines } of source.pages(table, null)) {
    for (const line of lines) sum.add(Buffer.from(line));
    report(lines.length);
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
  `The new database differs from the old one: ${differences.join(", ")}. Something else wrote to it, or one ` +
  "of the two is damaged. Drop the new database, create it again and run the command again.";

/** How far an earlier call came. `there`: complete, but the old database has not recorded it yet. */
type Found = "new" | "begun" | "there";

/**
 * Checks the new database before anything is changed.
 * @param to its name
 * @throws Refused when it has content from anything but this move
 */
async function refuseUnfit(target: Target, to: string, coming: Coming): Promise<Found> {
  const tables = await target.tables();
  if (tables.length === 0) return "new";
  if (!tables.includes("migrations")) {
    throw new Refused(
      `${to} has tables that do not belong to Stillup (${tables[0]}). ${USE_EMPTY}`,
    );
  }
  if (tables.includes("facts")) {
    const { under, cameBy } = await target.notes();
    if (cameBy?.id === coming.id) return "there";
    if (under) return begun(under, to, coming);
  }
  const node = await target.servedBy();
  if (node) throw new Refused(`${to} is being served by ${node}. ${USE_EMPTY}`);
  const filled = await target.filled(CONTENT.filter((name) => tables.includes(name)));
  if (filled) throw new Refused(`${to} is not empty: there are rows in ${filled}. ${USE_EMPTY}`);
  return "new";
}

const USE_EMPTY = "Make a new, empty database for the move.";

function begun(under: Coming, to: string, { id, head }: Coming): Found {
  if (under.id !== id) throw new Refused(`${to} is being filled by another move. ${USE_EMPTY}`);
  if (under.head === head) return "begun";
  throw new Refused(
    `Version ${under.version}, which had other tables, began the move to ${to}. ${USE_EMPTY}`,
  );
}

/** @throws when a table or column of the old database does not exist in the new one */
async function refuseOtherTables({ tables }: Source, target: Target): Promise<void> {
  for (const { name, columns } of tables) {
    const there = await target.columns(name);
    if (columns.toSorted().join() !== there.toSorted().join()) {
      throw new Error(`The table ${name} has other columns in the new database.`);
    }
  }
}

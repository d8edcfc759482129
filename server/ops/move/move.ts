import { ownMigrationNames } from "../../db/open.ts";
import type { Store } from "../../db/store.ts";
import { Refused } from "../../db/store.ts";
import { newId } from "../../lib/ids.ts";
import { VERSION } from "../../lib/runtime.ts";
import { yieldToEventLoop } from "../../lib/steps.ts";
import { createSum, type Sum } from "./lines.ts";
import { type Coming, type Leaving, leavingOf, noteLeaving, sentenceOf } from "./notes.ts";
import { refuseOtherTables, refuseUnfit } from "./refuse.ts";
import type { Source, Table } from "./source.ts";
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

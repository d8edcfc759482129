import { eq, like } from "drizzle-orm";
import type { Store } from "../../ground/db/store.ts";
import { Refused } from "../../ground/db/store.ts";
import { facts } from "../../ground/db/tables.ts";

/**
 * What the two databases record about a move: facts whose names have this prefix. Each is about one database, so they
 * are not moved.
 */
export const NOTES = "move:";
/** In the old database: where its content goes, and whether the move is complete. */
const OUT = `${NOTES}out`;
/** In the new one until the move is complete. */
export const IN = `${NOTES}in`;
/** In the new one afterwards. */
export const CAME = `${NOTES}came`;
/** In the new one until the move is complete: the progress of each table. */
export const progressOf = (table: string) => `${NOTES}of:${table}`;

/** `to` names the new database without its password; `at` is when the move began or was completed. */
export type Leaving = { id: string; to: string; at: number; isDone: boolean };
/** `head` is the last migration of the program that began the move. */
export type Coming = { id: string; head: string; version: string };

/** @throws Refused when the content has moved to another database, or has not completely arrived in this one */
export async function refuseMoved(store: Store): Promise<void> {
  const known = await store
    .select()
    .from(facts)
    .where(like(facts.name, `${NOTES}%`));
  const out = known.find(({ name }) => name === OUT);
  if (out) throw new Refused(sentenceOf(JSON.parse(out.value) as Leaving));
  if (known.some(({ name }) => name === IN)) throw new Refused(HALF_THERE);
}

export async function leavingOf(store: Store): Promise<Leaving | null> {
  const [row] = await store.select().from(facts).where(eq(facts.name, OUT));
  return row ? (JSON.parse(row.value) as Leaving) : null;
}

export async function noteLeaving(store: Store, leaving: Leaving): Promise<void> {
  const row = { name: OUT, value: JSON.stringify(leaving) };
  await store.batch([
    store.delete(facts).where(eq(facts.name, OUT)),
    store.insert(facts).values(row),
  ]);
}

/** Undoes the move in the old database. */
export async function forgetLeaving(store: Store): Promise<void> {
  await store.delete(facts).where(eq(facts.name, OUT));
}

const HALF_THERE =
  "An installation is being moved into this database, and the move is not complete. " +
  "Run `stillup migrate --to` again where the installation comes from.";

export function sentenceOf({ to, at, isDone }: Leaving): string {
  if (!isDone) {
    return (
      `This installation is being moved to ${to}. Continue with \`stillup migrate --to\`, ` +
      "or undo the move with `stillup migrate --stay`."
    );
  }
  return (
    `This installation was moved to ${to} on ${new Date(at).toISOString().slice(0, 10)}. ` +
    "Set STILLUP_DATABASE_URL to that database. To use this one instead, drop that one and run " +
    "`stillup migrate --stay`: if both were served, every link would be checked and every event sent twice."
  );
}

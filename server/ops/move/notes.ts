import { eq, like } from "drizzle-orm";
import type { Store } from "../../db/store.ts";
import { Refused } from "../../db/store.ts";
import { facts } from "../../db/tables.ts";

/**
 * What two databases remember of a move, as facts whose names begin alike. They are about one database each,
 * and so they are not moved themselves.
 */
export const NOTES = "move:";
/** In the old database: where its content goes, and whether all of it has arrived. */
export const OUT = `${NOTES}out`;
/** In the new one while its content is not complete: which move it is. */
export const IN = `${NOTES}in`;
/** In the new one afterwards. */
export const CAME = `${NOTES}came`;
/** In the new one while its content is not complete: how far each table has come. */
export const progressOf = (table: string) => `${NOTES}of:${table}`;

/** `to` names the new database without what opens it; `at` is when the move began, or was completed. */
export type Leaving = { id: string; to: string; at: number; isDone: boolean };
/** `head` is the last migration of the program that began. */
export type Coming = { id: string; head: string; version: string };

/** @throws Refused when the database's content has gone elsewhere, or has not arrived yet */
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

/** Resets the old database to before the move. */
export async function forgetLeaving(store: Store): Promise<void> {
  await store.delete(facts).where(eq(facts.name, OUT));
}

const HALF_THERE =
  "An installation is being moved into this database, and not all of it is there. " +
  "Let `stillup migrate --to` come to its end where it comes from.";

export function sentenceOf({ to, at, isDone }: Leaving): string {
  if (!isDone) {
    return (
      `This installation is being moved to ${to}. Go on with \`stillup migrate --to\`, ` +
      "or take it back with `stillup migrate --stay`."
    );
  }
  return (
    `This installation was moved to ${to} on ${new Date(at).toISOString().slice(0, 10)}. ` +
    "Set STILLUP_DATABASE_URL to that database. To go on with this one instead, drop that one and type " +
    "`stillup migrate --stay`: if both were served, every link would be checked and every event sent twice."
  );
}

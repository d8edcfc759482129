import { runAll } from "../../server/ground/db/store.ts";
import type { TestServer } from "../harness.ts";

const KEEP = {
  sqlite: ["CREATE TRIGGER keep BEFORE DELETE ON checks BEGIN SELECT raise(ABORT, 'kept'); END"],
  postgres: [
    "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'kept'; END $$",
    "CREATE TRIGGER keep BEFORE DELETE ON checks FOR EACH ROW EXECUTE FUNCTION keep()",
  ],
};
const LET_GO = {
  sqlite: ["DROP TRIGGER keep"],
  postgres: ["DROP TRIGGER keep ON checks", "DROP FUNCTION keep"],
};

/** Does the work while the database refuses to delete any check. */
export async function whileKept<T>({ deps }: TestServer, work: () => Promise<T>): Promise<T> {
  const { engine } = deps.store;
  await runAll(engine, KEEP[engine.name].map(toQuery));
  try {
    return await work();
  } finally {
    await runAll(engine, LET_GO[engine.name].map(toQuery));
  }
}

const toQuery = (sql: string) => ({ sql, params: [] });

/** A signal that comes in the middle of what is done in steps. */
export function soon(): AbortSignal {
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  return controller.signal;
}

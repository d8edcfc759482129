import { missing, NewerDatabase } from "../../db/migrate.ts";
import { ownMigrations } from "../../db/open.ts";
import { describeError, log } from "../../lib/log.ts";
import type { Deps } from "../../work/deps.ts";

const LOOK_MS = 2000;

export type SchemaWatch = {
  /** Resolves when this program cannot go on with the database; never while it can. */
  outgrown: Promise<NewerDatabase>;
  stop(): void;
};

/**
 * Looks whether a newer version has upgraded the database beyond this program. It does so while this node seems
 * to be gone, such as after it was cut off from the database for a while.
 */
export function watchSchema({
  store: { engine },
  clock,
}: Pick<Deps, "store" | "clock">): SchemaWatch {
  const outgrown = Promise.withResolvers<NewerDatabase>();
  const ended = new AbortController();
  if (engine.isShared) void watch();
  return { outgrown: outgrown.promise, stop: () => ended.abort() };

  async function watch() {
    const files = ownMigrations();
    for (;;) {
      await clock.sleep(LOOK_MS, ended.signal);
      if (ended.signal.aborted) return;
      try {
        missing(engine.name, files, await engine.applied());
      } catch (error) {
        if (error instanceof NewerDatabase) return outgrown.resolve(error);
        log.debug("the migrations could not be looked at", describeError(error));
      }
    }
  }
}

import { missing, NewerDatabase } from "../../ground/db/migrate.ts";
import { ownMigrations } from "../../ground/db/open.ts";
import { describeError, log } from "../../ground/lib/log.ts";
import type { Deps } from "../../work/deps.ts";

/** More unhandled rejections than this in a minute end the process. */
const MOST_REJECTIONS = 20;
const MINUTE_MS = 60_000;
/** How long an orderly stop may take after an uncaught error. */
const STOP_TIMEOUT_MS = 5000;
const SCHEMA_CHECK_MS = 2000;

type Faults = {
  /** Resolves when the process is in an unknown state and must end. */
  fatal: Promise<void>;
  hasEnded(): boolean;
};

/**
 * Ends the process with a failure after an uncaught error, since its state is unknown; its supervisor starts it again.
 * An unhandled rejection is only logged, unless there are many.
 */
export function watchFaults({ troubles, clock }: Pick<Deps, "troubles" | "clock">): Faults {
  const fatal = Promise.withResolvers<void>();
  let hasEnded = false;
  let rejectedAt: number[] = [];

  function end() {
    if (hasEnded) return;
    hasEnded = true;
    troubles.set("unhandled_error", "An error was not caught; the log has it.");
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS);
    fatal.resolve();
  }

  process.on("uncaughtException", (error) => {
    log.error("uncaught error: this process exits", describeError(error));
    end();
  });
  process.on("unhandledRejection", (reason) => {
    log.error("unhandled promise rejection", describeError(reason));
    const now = clock.elapsed();
    rejectedAt = [...rejectedAt.filter((at) => at > now - MINUTE_MS), now];
    if (rejectedAt.length > MOST_REJECTIONS) end();
  });
  return { fatal: fatal.promise, hasEnded: () => hasEnded };
}

type SchemaWatch = {
  /** Resolves when a newer version has upgraded the database beyond this program. */
  outgrown: Promise<NewerDatabase>;
  stop(): void;
};

/** A newer version upgrades a shared database once this node seems gone, for example after a network failure. */
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
      await clock.sleep(SCHEMA_CHECK_MS, ended.signal);
      if (ended.signal.aborted) return;
      try {
        missing(engine.name, files, await engine.applied());
      } catch (error) {
        if (error instanceof NewerDatabase) return outgrown.resolve(error);
        log.debug("failed to read the applied migrations", describeError(error));
      }
    }
  }
}

import { isUnavailable } from "../db/store.ts";
import { describeError, log } from "../lib/log.ts";
import { writeByHalves } from "../lib/steps.ts";
import { completeBatches } from "../links/batches/complete.ts";
import type { Deps } from "../work/deps.ts";
import { accountsOf } from "../work/news.ts";
import type { ClaimedLink } from "./claim.ts";
import { recordResults } from "./record.ts";
import type { Result } from "./settled.ts";

/** Results wait so long at most, or until so many are there. */
export const GROUP_MS = 250;
const GROUP_SIZE = 200;
/** With so many results waiting, the database is behind, and nothing more is begun. */
const MOST_WAITING = 5 * GROUP_SIZE;

/** Writes results in groups, so that a durable commit costs one sync and not one per check. */
type Recorder = {
  add(result: Result): void;
  /** Writes what has gathered, as far as the database takes it. Again and again, by the loop. */
  flush(): Promise<void>;
  /** Writes all that is there, unless the database does not take it. */
  drain(): Promise<void>;
  /** Whether results can be kept that are still to come. */
  hasRoom(): boolean;
};

/** `letGo` hears of every result that is written, or never will be. */
export function createRecorder(deps: Deps, letGo: (link: ClaimedLink) => void): Recorder {
  let waiting: Result[] = [];
  let writing: Promise<void> | null = null;
  let isBroken = false;

  function add(result: Result) {
    waiting.push(result);
    if (waiting.length >= GROUP_SIZE && !isBroken) void flush();
  }

  /** One group after another, so that a slow database is not asked for more and more at once. */
  function flush(): Promise<void> {
    if (deps.troubles.stoppingDeletions()) return Promise.resolve();
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return writing;
  }

  async function drain() {
    do await flush();
    while (waiting.length > 0 && !isBroken && !deps.troubles.stoppingDeletions());
  }

  async function writeAll() {
    do {
      const group = waiting.splice(0, GROUP_SIZE);
      if (group.length === 0) return;
      await write(group);
    } while (!isBroken && waiting.length >= GROUP_SIZE);
  }

  async function write(group: Result[]): Promise<void> {
    const { left, error } = await writeByHalves(group, {
      write: async (part) => {
        await recordResults(deps, part);
        await written(part);
      },
      isElsewhere: isUnavailable,
      lose,
    });
    note(left.length > 0, error);
    waiting = [...left, ...waiting];
  }

  function lose({ link }: Result, error: unknown) {
    log.error("a result was not written", { link: link.id, ...describeError(error) });
    letGo(link);
  }

  async function written(group: Result[]) {
    for (const { link } of group) letGo(link);
    deps.loops.wakeHere();
    deps.news.counted(accountsOf(group.map(({ link }) => link)));
    await completeBatches(deps).catch((error) =>
      log.error("batches were not completed", describeError(error)),
    );
  }

  /** Once when it begins, and once when it is over. */
  function note(broken: boolean, error?: unknown) {
    if (broken && !isBroken) log.error("results wait for the database", describeError(error));
    if (!broken && isBroken) log.info("the database takes results again");
    isBroken = broken;
  }

  return { add, flush, drain, hasRoom: () => !isBroken && waiting.length < MOST_WAITING };
}

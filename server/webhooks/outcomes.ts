import { isUnavailable } from "../db/store.ts";
import { describeError, log } from "../lib/log.ts";
import { writeByHalves } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { accountsOf } from "../work/news.ts";
import { type Attempt, settle } from "./settle.ts";

/** How long an outcome waits for others, so that many of them cost one commit: of real time, whatever the clock. */
const GATHER_MS = 25;
const GROUP_SIZE = 100;
/** Of answers together, since the database takes a while to read them. */
const GROUP_CHARACTERS = 200_000;

/** Records what attempts came to, in groups. */
type Outcomes = {
  add(attempt: Attempt): void;
  /** Records now what has gathered: nothing more is under way that it could wait for. */
  flush(): Promise<void>;
  /** How many of each webhook are not recorded yet. */
  waiting(): Map<string, number>;
  /** Whether the database takes outcomes. */
  isWell(): boolean;
};

export function createOutcomes(deps: Deps): Outcomes {
  let waiting: Attempt[] = [];
  let underWay: Attempt[] = [];
  let writing: Promise<void> | null = null;
  let timer: Timer | null = null;
  let isBroken = false;

  function add(attempt: Attempt) {
    waiting.push(attempt);
    if (waiting.length >= GROUP_SIZE) void flush();
    else timer ??= setTimeout(flush, GATHER_MS);
  }

  function flush(): Promise<void> {
    if (deps.troubles.stoppingDeletions()) return Promise.resolve();
    if (timer) clearTimeout(timer);
    timer = null;
    writing ??= writeAll().finally(() => {
      writing = null;
      // What came at the last moment has no timer of its own.
      if (!isBroken && waiting.length > 0) return flush();
    });
    return writing;
  }

  async function writeAll() {
    do {
      underWay = waiting.splice(0, groupSize(waiting));
      if (underWay.length > 0) await write(underWay);
      underWay = [];
    } while (!isBroken && waiting.length > 0);
  }

  async function write(group: Attempt[]) {
    const lost: [Attempt, unknown][] = [];
    const { left, error } = await writeByHalves(group, {
      write: async (part) => {
        await settle(deps, part);
        deps.news.counted(accountsOf(part.map(({ claimed }) => claimed.event)));
      },
      isElsewhere: isUnavailable,
      lose: (attempt, error) => void lost.push([attempt, error]),
    });
    note(left.length > 0, error);
    waiting = [...left, ...waiting];
    for (const [attempt, why] of lost) await recordLost(deps, attempt, why);
  }

  /** Once when it begins, and once when it is over. */
  function note(broken: boolean, error?: unknown) {
    if (broken && !isBroken) log.error("deliveries wait for the database", describeError(error));
    if (!broken && isBroken) log.info("the database takes deliveries again");
    isBroken = broken;
  }

  function countWaiting() {
    const counts = new Map<string, number>();
    for (const { claimed } of [...underWay, ...waiting]) {
      counts.set(claimed.webhookId, (counts.get(claimed.webhookId) ?? 0) + 1);
    }
    return counts;
  }

  return { add, flush, waiting: countWaiting, isWell: () => !isBroken };
}

/** As many as are written together. */
function groupSize(waiting: Attempt[]): number {
  let characters = 0;
  const tooMuch = waiting.findIndex(({ outcome }) => {
    characters += outcome.kind === "answered" ? outcome.body.length : 0;
    return characters > GROUP_CHARACTERS;
  });
  return tooMuch === -1 ? GROUP_SIZE : Math.min(GROUP_SIZE, Math.max(1, tooMuch));
}

/** Without its answer, which may be why it cannot be written: else it would be sent again without end. */
async function recordLost(deps: Deps, { claimed, outcome, random }: Attempt, why: unknown) {
  const about = { webhook: claimed.webhookId, event: claimed.event.id };
  log.error("a delivery was not recorded", { ...about, ...describeError(why) });
  const { startedAt, durationMs } = outcome;
  const bare = { kind: "failed", error: "internal", startedAt, durationMs } as const;
  await settle(deps, [{ claimed, outcome: bare, random }]).catch((error) =>
    log.error("a delivery comes back when its lease ends", { ...about, ...describeError(error) }),
  );
}

import { describeError, log } from "../lib/log.ts";
import type { Deps } from "../work/deps.ts";
import { createGroupWriter, type GroupWriter } from "../work/group-writer.ts";
import { accountIdsOf } from "../work/topics.ts";
import { type Attempt, settle } from "./settle.ts";

/** How long an outcome waits for others, so that one commit records many: real time, whatever the clock. */
const GATHER_MS = 25;
const GROUP_SIZE = 100;
/** Limit for all response bodies in a group, since the database takes a while to parse them. */
const GROUP_CHARACTERS = 200_000;

type Outcomes = Pick<GroupWriter<Attempt>, "add" | "flush" | "isWell"> & {
  /** Number of outcomes of each webhook that are not recorded yet. */
  unrecorded(): Map<string, number>;
};

/** Records outcomes of attempts in groups. */
export function createOutcomes(deps: Deps): Outcomes {
  let timer: Timer | null = null;
  const writer = createGroupWriter<Attempt>({
    write: async (group) => {
      await settle(deps, group);
      deps.topics.counted(accountIdsOf(group.map(({ claimed }) => claimed.event)));
    },
    drop: (attempt, error) => recordLost(deps, attempt, error),
    groupSize,
    leastNext: 1,
    isStopped: () => deps.troubles.stoppingDeletions() !== null,
    log: {
      failing: "failed to record deliveries: they wait for the database",
      resumed: "deliveries are recorded again",
    },
  });

  function add(attempt: Attempt) {
    writer.add(attempt);
    if (writer.waiting() >= GROUP_SIZE) void flush();
    else timer ??= setTimeout(flush, GATHER_MS);
  }

  async function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    await writer.flush();
    // Added at the last moment, while the writer finished.
    if (writer.waiting() > 0 && writer.isWell()) await writer.flush();
  }

  function unrecorded() {
    const counts = new Map<string, number>();
    for (const { claimed } of writer.unwritten()) {
      counts.set(claimed.webhookId, (counts.get(claimed.webhookId) ?? 0) + 1);
    }
    return counts;
  }

  return { add, flush, unrecorded, isWell: writer.isWell };
}

function groupSize(waiting: Attempt[]): number {
  let characters = 0;
  const tooMuch = waiting.findIndex(({ outcome }) => {
    characters += outcome.kind === "answered" ? outcome.body.length : 0;
    return characters > GROUP_CHARACTERS;
  });
  return tooMuch === -1 ? GROUP_SIZE : Math.min(GROUP_SIZE, Math.max(1, tooMuch));
}

/** Records a failure without the response, which may be why it cannot be recorded: otherwise it would be sent forever. */
async function recordLost(deps: Deps, { claimed, outcome, random }: Attempt, why: unknown) {
  const about = { webhook: claimed.webhookId, event: claimed.event.id };
  log.error("failed to record a delivery", { ...about, ...describeError(why) });
  const { startedAt, durationMs } = outcome;
  const bare = { kind: "failed", error: "internal", startedAt, durationMs } as const;
  await settle(deps, [{ claimed, outcome: bare, random }]).catch((error) =>
    log.error("a delivery is repeated when its lease ends", { ...about, ...describeError(error) }),
  );
}

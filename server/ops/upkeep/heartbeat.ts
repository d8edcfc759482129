import { eq, sql } from "drizzle-orm";
import { numbers } from "../../db/tables.ts";
import { describeError, log, logTransitions } from "../../lib/log.ts";
import type { Outbound } from "../../net/request.ts";
import type { Deps } from "../../work/deps.ts";

const EVERY_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** A loop that has not looked for work for so long hangs, or is refused by the database. */
const LONGEST_ROUND_MS = 120_000;

type HeartbeatDeps = Pick<Deps, "clock" | "config" | "loops" | "store" | "troubles"> & {
  outbound: Outbound;
};

/**
 * Asks the operator's URL each minute while all is well. Whoever stands behind it raises the alarm when it is
 * not asked: the one alarm that a machine without power can still give.
 */
export async function keepHeartbeat(deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  const { clock, config } = deps;
  if (config.heartbeatUrl === null) return;
  const tell = tellOfChange();
  while (!signal.aborted) {
    await clock.sleep(EVERY_MS, signal);
    if (signal.aborted) return;
    const problem = await beat(deps, config.heartbeatUrl, signal);
    // One that was given up for the end of the program tells nothing.
    if (!signal.aborted) tell(problem);
  }
}

/** What came of one beat: null when it was heard, else why not. */
export async function beat(
  deps: HeartbeatDeps,
  url: string,
  signal: AbortSignal,
): Promise<string | null> {
  const problem = await problemOf(deps);
  if (problem) return problem;
  const heard = await deps.outbound.request(url, { timeoutMs: TIMEOUT_MS, bodyCap: 0, signal });
  if (heard.kind === "failed") return `the heartbeat was not heard: ${heard.reason}`;
  const isTaken = heard.status >= 200 && heard.status <= 299;
  return isTaken ? null : `the heartbeat was answered with ${heard.status}`;
}

/** Of loops that this node leaves to others nothing is expected. */
async function problemOf(deps: HeartbeatDeps): Promise<string | null> {
  const { clock, loops, store, troubles } = deps;
  const { role } = deps.config;
  if (troubles.failHealth()) {
    const names = troubles.all().map(({ name }) => name);
    return `no heartbeat because of ${names.join(", ")}`;
  }
  const isLate = (at: number | null) => at === null || clock.elapsed() - at > LONGEST_ROUND_MS;
  if (role.includes("checker") && isLate(loops.lookedAt("checks"))) {
    return "no heartbeat because no links are checked";
  }
  if (role.includes("delivery") && isLate(loops.lookedAt("deliveries"))) {
    return "no heartbeat because nothing is delivered";
  }
  // A row that is always there, as it is: only a real write shows that one is possible.
  return store
    .update(numbers)
    .set({ next: sql`${numbers.next}` })
    .where(eq(numbers.id, 1))
    .then(
      () => null,
      (error) =>
        `no heartbeat because the database cannot be written: ${describeError(error).error}`,
    );
}

/** Never with the URL, which is a secret. */
const tellOfChange = () =>
  logTransitions(
    (problem) => log.error(String(problem)),
    () => log.info("the heartbeat is heard again"),
  );

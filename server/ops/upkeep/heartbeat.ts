import { eq, sql } from "drizzle-orm";
import { numbers } from "../../ground/db/tables.ts";
import { describeError, log, logTransitions } from "../../ground/lib/log.ts";
import type { Outbound } from "../../ground/net/request.ts";
import type { Deps } from "../../work/deps.ts";

const EVERY_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** A loop that has not looked for work for this long hangs, or cannot use the database. */
const LONGEST_ROUND_MS = 120_000;

type HeartbeatDeps = Pick<Deps, "clock" | "config" | "loops" | "store" | "troubles"> & {
  outbound: Outbound;
};

/**
 * Requests the operator's URL each minute while everything works. The service there raises an alarm when the requests
 * stop, which also works when this machine has no power.
 */
export async function keepHeartbeat(deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  const { clock, config } = deps;
  if (config.heartbeatUrl === null) return;
  // Without the URL, which is a secret.
  const logChange = logTransitions(
    (problem) => log.error(String(problem)),
    () => log.info("heartbeat works again"),
  );
  while (!signal.aborted) {
    await clock.sleep(EVERY_MS, signal);
    if (signal.aborted) return;
    const problem = await beat(deps, config.heartbeatUrl, signal);
    if (!signal.aborted) logChange(problem);
  }
}

/** Returns why the heartbeat failed or was not sent; null if it succeeded. */
async function beat(deps: HeartbeatDeps, url: string, signal: AbortSignal): Promise<string | null> {
  const problem = await problemOf(deps);
  if (problem) return problem;
  const reply = await deps.outbound.request(url, { timeoutMs: TIMEOUT_MS, bodyCap: 0, signal });
  if (reply.kind === "failed") return `heartbeat failed: ${reply.reason}`;
  const isOk = reply.status >= 200 && reply.status <= 299;
  return isOk ? null : `heartbeat failed: status ${reply.status}`;
}

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
  // Writes an existing row unchanged: only a write shows that writes work.
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

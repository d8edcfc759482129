import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { log } from "../lib/log.ts";
import { toIso } from "../lib/moments.ts";

const Health = z.object({ status: z.enum(["ok", "failing"]) });
const Readiness = z.object({
  status: z.enum(["ready", "starting"]),
  database: z.boolean(),
  checker: z.boolean(),
  /** `unknown` before there was any reason to ask, and where nobody is to be asked. */
  online: z.enum(["online", "degraded", "offline", "unknown"]),
  /** ISO 8601; null while it is unknown. */
  online_since: z.nullable(z.string()),
  clock: z.enum(["ok", "off"]),
});

/** For containers and load balancers: no key, and nothing of any account inside. */
export const healthRoutes = (deps: Deps) =>
  new Elysia({ detail: { hide: true } })
    .get(
      "/health",
      async ({ status }) => {
        const answers = await databaseAnswers(deps);
        return status(answers ? 200 : 503, { status: answers ? "ok" : "failing" });
      },
      { response: { 200: Health, 503: Health } },
    )
    .get(
      "/ready",
      async ({ status }) => {
        const database = await databaseAnswers(deps);
        const checker = deps.loops.checking;
        const isReady = database && checker;
        return status(isReady ? 200 : 503, {
          status: isReady ? "ready" : "starting",
          database,
          checker,
          ...stateOfMonitor(deps),
        });
      },
      { response: { 200: Readiness, 503: Readiness } },
    );

/** The API serves all the same, so none of it makes the server unready. */
function stateOfMonitor({ online }: Deps) {
  const known = online.known();
  return {
    online: known.state,
    online_since: known.state === "unknown" ? null : toIso(known.since),
    clock: online.clockIsOff() ? ("off" as const) : ("ok" as const),
  };
}

async function databaseAnswers({ store }: Deps): Promise<boolean> {
  try {
    await store.all(sql`select 1 from migrations`);
    return true;
  } catch {
    log.error("the database does not answer");
    return false;
  }
}

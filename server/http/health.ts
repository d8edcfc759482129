import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { log } from "../lib/log.ts";

const Health = z.object({ status: z.enum(["ok", "failing"]) });
const Readiness = z.object({
  status: z.enum(["ready", "starting"]),
  database: z.boolean(),
  checker: z.boolean(),
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
        });
      },
      { response: { 200: Readiness, 503: Readiness } },
    );

async function databaseAnswers({ store }: Deps): Promise<boolean> {
  try {
    await store.all(sql`select 1 from migrations`);
    return true;
  } catch {
    log.error("the database does not answer");
    return false;
  }
}

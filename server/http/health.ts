import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import * as z from "zod";
import { MONITOR_STATES } from "../checker/online/states.ts";
import { ROLES } from "../config.ts";
import type { Deps } from "../deps.ts";
import { describeError, log } from "../lib/log.ts";
import { toIso } from "../lib/moments.ts";
import { TROUBLE_NAMES } from "../lib/troubles.ts";
import { areLinksChecked } from "../nodes/checking.ts";
import type { NodeInfo } from "../nodes/nodes.ts";
import { ofWorks } from "../store/tables.ts";

const Health = z.object({
  /** `starting` before the database is open. */
  status: z.enum(["ok", "failing", "starting"]),
  /** What is wrong, by name, where that makes it fail. */
  troubles: z.array(z.enum([...TROUBLE_NAMES, "database_unreachable"])).optional(),
});
export type Health = z.infer<typeof Health>;

const Node = z.object({
  name: z.string(),
  roles: z.array(z.enum(ROLES)),
  version: z.string(),
  /** ISO 8601. */
  seen_at: z.string(),
  live: z.boolean(),
  /** For how long the work that is due longest has been due, in seconds; null where it does none of it. */
  lag: ofWorks(z.nullable(z.number())),
  /** Its parts of the work, of 1024. */
  buckets: ofWorks(z.number()),
});

const Readiness = z.object({
  status: z.enum(["ready", "starting"]),
  database: z.boolean(),
  /** Whether links are checked, by this node or another. */
  checker: z.boolean(),
  online: z.enum(MONITOR_STATES),
  /** ISO 8601; null while it is unknown. */
  online_since: z.nullable(z.string()),
  clock: z.enum(["ok", "off"]),
  /** Why nothing is written; null while all is. */
  writes_stopped: z.nullable(z.enum(TROUBLE_NAMES)),
  /** The processes that serve the database, this one first. */
  nodes: z.array(Node),
  /** What is done before anything can be served, in a few words. */
  doing: z.string().optional(),
});
type Readiness = z.infer<typeof Readiness>;

/** What `/health` answers with 200 before there is a database to ask: nobody is to end us for that. */
export const healthAtStart: Health = { status: "starting" };

/** What `/ready` answers with 503 then. */
export const readinessAtStart = (doing: string): Readiness => ({
  ...{ status: "starting", database: false, checker: false, doing },
  ...{ online: "unknown", online_since: null, clock: "ok", writes_stopped: null, nodes: [] },
});

/** For containers and load balancers: no key, and nothing of any account inside. */
export const healthRoutes = (deps: Deps) =>
  new Elysia({ detail: { hide: true } })
    .get(
      "/health",
      async ({ status }) => {
        const health = await healthOf(deps);
        return status(health.status === "ok" ? 200 : 503, health);
      },
      { response: { 200: Health, 503: Health } },
    )
    .get(
      "/ready",
      async ({ status }) => {
        const database = await databaseAnswers(deps);
        // One that leaves them to others serves without.
        const isReady = database && (deps.loops.checking || !deps.config.role.includes("checker"));
        return status(isReady ? 200 : 503, {
          status: isReady ? "ready" : "starting",
          database,
          checker: areLinksChecked(deps),
          ...stateOfMonitor(deps),
          nodes: deps.nodes.all().map(toNode),
        });
      },
      { response: { 200: Readiness, 503: Readiness } },
    );

async function healthOf(deps: Deps): Promise<Health> {
  if (!(await databaseAnswers(deps))) {
    return { status: "failing", troubles: [...namesOf(deps), "database_unreachable"] };
  }
  return deps.troubles.failHealth()
    ? { status: "failing", troubles: namesOf(deps) }
    : { status: "ok" };
}

const namesOf = ({ troubles }: Deps) => troubles.all().map(({ name }) => name);

/** The API serves all the same, so none of it makes the server unready. */
function stateOfMonitor({ online, troubles }: Deps) {
  const known = online.known();
  return {
    online: known.state,
    online_since: known.state === "unknown" ? null : toIso(known.since),
    clock: online.clockIsOff() ? ("off" as const) : ("ok" as const),
    writes_stopped: troubles.stoppingWrites()?.name ?? null,
  };
}

function toNode({ name, roles, version, seenAt, isLive, state }: NodeInfo) {
  const { checks, deliveries } = state.lagMs;
  const lag = { checks: inSeconds(checks), deliveries: inSeconds(deliveries) };
  const { buckets } = state;
  return { name, roles, version, seen_at: toIso(seenAt), live: isLive, lag, buckets };
}

const inSeconds = (ms: number | null) => (ms === null ? null : Math.round(ms / 1000));

async function databaseAnswers({ store }: Deps): Promise<boolean> {
  try {
    await store.all(sql`select 1 from migrations`);
    return true;
  } catch (error) {
    log.error("the database does not answer", describeError(error));
    return false;
  }
}

import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import * as z from "zod";
import { ROLES } from "../ground/config/settings.ts";
import { ofWorks } from "../ground/db/tables.ts";
import { withTimeout } from "../ground/lib/clock.ts";
import { lastKnown } from "../ground/lib/concurrency.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { toIso } from "../ground/lib/moments.ts";
import { TROUBLE_NAMES } from "../ground/lib/troubles.ts";
import { MONITOR_STATES } from "../judge/online/online.ts";
import type { Deps } from "../work/deps.ts";
import { areLinksChecked, type NodeInfo } from "../work/nodes.ts";

const Health = z.object({
  /** `starting` before the database is open. */
  status: z.enum(["ok", "failing", "starting"]),
  /** The problems that make it fail, by name. */
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
  /** How long the oldest due work has been due, in seconds; null if the node does not do this work. */
  lag: ofWorks(z.nullable(z.number())),
  /** Its share of the work, in 1024ths. */
  buckets: ofWorks(z.number()),
});

const Readiness = z.object({
  status: z.enum(["ready", "starting"]),
  database: z.boolean(),
  /** Whether links are checked, by this node or another. */
  checker: z.boolean(),
  /** What the server is doing while it starts, in a few words without node names. */
  doing: z.string().optional(),
});
type Readiness = z.infer<typeof Readiness>;

/** For the operator: with the metrics token or a session. */
const Details = z.object({
  online: z.enum(MONITOR_STATES),
  /** ISO 8601; null while it is unknown. */
  online_since: z.nullable(z.string()),
  clock: z.enum(["ok", "off"]),
  /** Why writes are stopped; null while they are not. */
  writes_stopped: z.nullable(z.enum(TROUBLE_NAMES)),
  /** The processes that use the database, this one first. */
  nodes: z.array(Node),
});
const Shown = Readiness.extend(Details.partial().shape);

/** Real time, half of the usual timeout of a probe, so that a busy machine also replies in time. */
const WAIT_MS = 1000;

/** The reply of `/health`, with 200, before the database is open: no orchestrator should kill a starting process. */
export const healthAtStart: Health = { status: "starting" };

/** The reply of `/ready`, with 503, at that time. */
export const readinessAtStart = (doing: string): Readiness => ({
  status: "starting",
  database: false,
  checker: false,
  doing,
});

/**
 * For containers and load balancers: needs no key, and shows nothing of any account.
 * @param isOperator whether the request may see the details
 */
export const healthRoutes = (deps: Deps, isOperator: (request: Request) => Promise<boolean>) => {
  // The database replied when it was opened.
  const databaseAnswers = lastKnown(true, WAIT_MS, () => askDatabase(deps));
  return new Elysia({ detail: { hide: true, access: "anyone" } })
    .get(
      "/health",
      async ({ status }) => {
        const health = healthOf(deps, await databaseAnswers());
        return status(health.status === "ok" ? 200 : 503, health);
      },
      { response: { 200: Health, 503: Health } },
    )
    .get(
      "/ready",
      async ({ status, request }) => {
        const [database, isShown] = await Promise.all([
          databaseAnswers(),
          // A caller that cannot be looked up in time counts as a stranger.
          withTimeout(WAIT_MS, isOperator(request)).catch(() => false),
        ]);
        // A node without the role checker is ready without a checker.
        const isServing = deps.loops.isChecking() || !deps.config.role.includes("checker");
        const isReady = database && isServing && !namesOf(deps).includes("data_folder_gone");
        return status(isReady ? 200 : 503, {
          status: isReady ? "ready" : "starting",
          database,
          checker: areLinksChecked(deps),
          ...(isShown && detailsOf(deps)),
        });
      },
      { response: { 200: Shown, 503: Shown } },
    );
};

function healthOf(deps: Deps, databaseAnswers: boolean): Health {
  if (!databaseAnswers) {
    return { status: "failing", troubles: [...namesOf(deps), "database_unreachable"] };
  }
  return deps.troubles.failHealth()
    ? { status: "failing", troubles: namesOf(deps) }
    : { status: "ok" };
}

const namesOf = ({ troubles }: Deps) => troubles.all().map(({ name }) => name);

/** None of this makes the server unready, since the API keeps working. */
function detailsOf({ online, troubles, nodes }: Deps): z.infer<typeof Details> {
  const known = online.known();
  return {
    online: known.state,
    online_since: known.state === "unknown" ? null : toIso(known.since),
    clock: online.clockIsOff() ? "off" : "ok",
    writes_stopped: troubles.stoppingWrites()?.name ?? null,
    nodes: nodes.all().map(toNode),
  };
}

function toNode({ name, roles, version, seenAt, isLive, state }: NodeInfo) {
  const { checks, deliveries } = state.lagMs;
  const lag = { checks: inSeconds(checks), deliveries: inSeconds(deliveries) };
  const { buckets } = state;
  return { name, roles, version, seen_at: toIso(seenAt), live: isLive, lag, buckets };
}

const inSeconds = (ms: number | null) => (ms === null ? null : Math.round(ms / 1000));

async function askDatabase({ store }: Deps): Promise<boolean> {
  try {
    await store.all(sql`select 1 from migrations`);
    return true;
  } catch (error) {
    log.error("database not responding", describeError(error));
    return false;
  }
}

import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import * as z from "zod";
import { sessionOf } from "../accounts/doors.ts";
import { hasMetricsToken } from "../api/credentials.ts";
import { ROLES } from "../config/config.ts";
import { ofWorks } from "../db/tables.ts";
import { withTimeout } from "../lib/clock.ts";
import { lastKnown } from "../lib/concurrency.ts";
import { describeError, log } from "../lib/log.ts";
import { toIso } from "../lib/moments.ts";
import { TROUBLE_NAMES } from "../lib/troubles.ts";
import { MONITOR_STATES } from "../verdict/online/online.ts";
import { areLinksChecked } from "../work/checking.ts";
import type { Deps } from "../work/deps.ts";
import type { NodeInfo } from "../work/nodes.ts";

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
  /** What is done before anything can be served, in a few words that name no node. */
  doing: z.string().optional(),
});
type Readiness = z.infer<typeof Readiness>;

/** For the operator: with the metrics token or a session. */
const Details = z.object({
  online: z.enum(MONITOR_STATES),
  /** ISO 8601; null while it is unknown. */
  online_since: z.nullable(z.string()),
  clock: z.enum(["ok", "off"]),
  /** Why nothing is written; null while all is. */
  writes_stopped: z.nullable(z.enum(TROUBLE_NAMES)),
  /** The processes that serve the database, this one first. */
  nodes: z.array(Node),
});
const Shown = Readiness.extend(Details.partial().shape);

/** Real time. Half of what a probe has to be answered in, so that it is answered also by a busy machine. */
const WAIT_MS = 1000;

/** What `/health` answers with 200 before there is a database to ask: nobody is to end us for that. */
export const healthAtStart: Health = { status: "starting" };

/** What `/ready` answers with 503 then. */
export const readinessAtStart = (doing: string): Readiness => ({
  status: "starting",
  database: false,
  checker: false,
  doing,
});

/** For containers and load balancers: no key, and nothing of any account inside. */
export const healthRoutes = (deps: Deps) => {
  // It answered when it was opened.
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
          maySeeDetails(deps, request),
        ]);
        // One that leaves them to others serves without.
        const isServing = deps.loops.checking || !deps.config.role.includes("checker");
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

/** A session that cannot be looked up in time shows nothing. */
const maySeeDetails = async (deps: Deps, request: Request): Promise<boolean> =>
  hasMetricsToken(deps.config, request) ||
  (await withTimeout(WAIT_MS, sessionOf(deps, request)).catch(() => null)) !== null;

function healthOf(deps: Deps, databaseAnswers: boolean): Health {
  if (!databaseAnswers) {
    return { status: "failing", troubles: [...namesOf(deps), "database_unreachable"] };
  }
  return deps.troubles.failHealth()
    ? { status: "failing", troubles: namesOf(deps) }
    : { status: "ok" };
}

const namesOf = ({ troubles }: Deps) => troubles.all().map(({ name }) => name);

/** The API serves all the same, so none of it makes the server unready. */
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
    log.error("the database does not answer", describeError(error));
    return false;
  }
}

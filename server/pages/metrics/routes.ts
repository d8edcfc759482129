import { Elysia } from "elysia";
import { hasMetricsToken } from "../../accounts/doors.ts";
import { lastKnown } from "../../ground/lib/concurrency.ts";
import { AppError, noSuchPath } from "../../ground/lib/errors.ts";
import { describeError, log } from "../../ground/lib/log.ts";
import { VERSION } from "../../ground/lib/runtime.ts";
import { TROUBLE_NAMES } from "../../ground/lib/troubles.ts";
import type { MailState } from "../../ground/net/mail.ts";
import { MONITOR_STATES } from "../../judge/online/online.ts";
import type { Deps } from "../../work/deps.ts";
import { readDatabase } from "./database.ts";
import { createLagReading, nodeReadings, processText, readDisk } from "./process.ts";
import { type Readings, toText } from "./readings.ts";

/** How long readings of the database are reused. */
const FRESH_MS = 10_000;
/** Real time. A slower reading is shown by the next request, so that none takes two seconds. */
const WAIT_MS = 1000;

const HEADERS = {
  "content-type": "text/plain; version=0.0.4; charset=utf-8",
  "cache-control": "no-store",
};

/** For Prometheus, with a token of its own; without a configured token the path does not exist. */
export function metricsRoutes(deps: Deps) {
  const read = createReader(deps);
  return new Elysia({ detail: { hide: true, access: "anyone" } }).get(
    "/metrics",
    async ({ request }) => {
      requireToken(deps, request);
      return new Response(await read(), { headers: HEADERS });
    },
  );
}

function requireToken({ config }: Deps, request: Request) {
  if (config.metricsToken === null) throw noSuchPath();
  if (hasMetricsToken(config, request)) return;
  throw new AppError(
    "UNAUTHORIZED",
    "Send STILLUP_METRICS_TOKEN as `Authorization: Bearer <token>`.",
    undefined,
    { "www-authenticate": 'Bearer realm="metrics"' },
  );
}

/**
 * Returns all metrics in Prometheus' text format. Those that cannot be read are missing; while the database is slow, its
 * last known readings are returned.
 */
export function createReader(deps: Deps): () => Promise<string> {
  const lag = createLagReading();
  const fresh = createDatabaseReader(deps);
  const database = lastKnown<Readings>({}, WAIT_MS, () => fresh().catch(withoutDatabase));
  return async () => {
    const [ofDatabase, ofDisk] = await Promise.all([
      database(),
      readDisk(deps.config).catch(withoutDisk),
    ]);
    const installation = { ...readInstallation(deps), event_loop_lag_seconds: lag() };
    const texts = await Promise.all([
      toText({ ...installation, ...nodeReadings(deps), ...ofDatabase, ...ofDisk }),
      deps.metrics.text(),
      processText(),
    ]);
    return texts.join("\n");
  };
}

/** Reuses a recent reading, also for requests that come while it is made, unless it failed. */
function createDatabaseReader(deps: Deps): () => Promise<Readings> {
  let last: { at: number; readings: Promise<Readings> } | null = null;
  return () => {
    const now = deps.clock.elapsed();
    if (last && now - last.at < FRESH_MS) return last.readings;
    const reading = { at: now, readings: readDatabase(deps) };
    reading.readings.catch(() => {
      if (last === reading) last = null;
    });
    last = reading;
    return reading.readings;
  };
}

function withoutDatabase(error: unknown): Readings {
  log.error("failed to read metrics of the database", describeError(error));
  return { database_up: 0 };
}

function withoutDisk(error: unknown): Readings {
  log.error("failed to read metrics of the disk", describeError(error));
  return {};
}

/** Returns what this process knows without a query. */
const mailReadings = ({ problem, restMs }: MailState): Readings => ({
  mail_server_up: Number(problem === null),
  mail_rest_seconds: restMs / 1000,
});

function readInstallation(deps: Deps): Readings {
  const { clock, config, loops, mail, online, store, troubles } = deps;
  const current = new Set<string>(troubles.all().map(({ name }) => name));
  const { state } = online.known();
  const ageOf = (at: number | null) => (at === null ? null : (clock.elapsed() - at) / 1000);
  return {
    build_info: [[{ version: VERSION, database: store.engine.name }, 1]],
    troubles: TROUBLE_NAMES.map((name) => [{ name }, Number(current.has(name))]),
    monitor_state: MONITOR_STATES.map((each) => [{ state: each }, Number(each === state)]),
    checker_round_age_seconds: ageOf(loops.lookedAt("checks")),
    deliverer_round_age_seconds: ageOf(loops.lookedAt("deliveries")),
    check_places: config.checkConcurrency,
    ...(mail && mailReadings(mail.state())),
  };
}

import { Elysia } from "elysia";
import { hasMetricsToken } from "../../api/credentials.ts";
import { lastKnown } from "../../lib/concurrency.ts";
import { AppError, noSuchPath } from "../../lib/errors.ts";
import { describeError, log } from "../../lib/log.ts";
import { VERSION } from "../../lib/runtime.ts";
import { TROUBLE_NAMES } from "../../lib/troubles.ts";
import { MONITOR_STATES } from "../../verdict/online/online.ts";
import type { Deps } from "../../work/deps.ts";
import { readDatabase } from "./database.ts";
import { createLagReading, nodeReadings, processText, readDisk } from "./process.ts";
import { type Readings, toText } from "./readings.ts";

const HEADERS = {
  "content-type": "text/plain; version=0.0.4; charset=utf-8",
  "cache-control": "no-store",
};

/** For Prometheus, with a token of its own; without one there is no such page. */
export function metricsRoutes(deps: Deps) {
  const read = createReader(deps);
  return new Elysia({ detail: { hide: true, access: "anyone" } }).get(
    "/metrics",
    async ({ request }) => {
      admit(deps, request);
      return new Response(await read(), { headers: HEADERS });
    },
  );
}

function admit({ config }: Deps, request: Request) {
  if (config.metricsToken === null) throw noSuchPath();
  if (hasMetricsToken(config, request)) return;
  throw new AppError(
    "UNAUTHORIZED",
    "Send STILLUP_METRICS_TOKEN as `Authorization: Bearer <token>`.",
    undefined,
    { "www-authenticate": 'Bearer realm="metrics"' },
  );
}

/** What the database holds is read once in so long, however many ask. */
const FRESH_MS = 10_000;
/** Real time. A reading that takes longer is shown by the next request, so that none takes two seconds. */
const WAIT_MS = 1000;

/**
 * Gives all that is measured, as Prometheus reads it. What cannot be read is missing from it; while the database takes
 * long to answer, what it holds is shown as it was read last.
 */
export function createReader(deps: Deps): () => Promise<string> {
  const lag = createLagReading();
  const fresh = kept(deps, () => readDatabase(deps));
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

/** What fails is not kept; who asks meanwhile gets the same. */
function kept(deps: Pick<Deps, "clock">, read: () => Promise<Readings>): () => Promise<Readings> {
  let last: { at: number; readings: Promise<Readings> } | null = null;
  return () => {
    const now = deps.clock.elapsed();
    if (last && now - last.at < FRESH_MS) return last.readings;
    const taken = { at: now, readings: read() };
    taken.readings.catch(() => {
      if (last === taken) last = null;
    });
    last = taken;
    return taken.readings;
  };
}

function withoutDatabase(error: unknown): Readings {
  log.error("the database could not be measured", describeError(error));
  return { database_up: 0 };
}

function withoutDisk(error: unknown): Readings {
  log.error("the disk could not be measured", describeError(error));
  return {};
}

/** What this process knows without asking. */
function readInstallation({ clock, config, loops, online, store, troubles }: Deps): Readings {
  const now = new Set<string>(troubles.all().map(({ name }) => name));
  const { state } = online.known();
  const ageOf = (at: number | null) => (at === null ? null : (clock.elapsed() - at) / 1000);
  return {
    build_info: [[{ version: VERSION, database: store.engine.name }, 1]],
    troubles: TROUBLE_NAMES.map((name) => [{ name }, Number(now.has(name))]),
    monitor_state: MONITOR_STATES.map((each) => [{ state: each }, Number(each === state)]),
    checker_round_age_seconds: ageOf(loops.lookedAt("checks")),
    deliverer_round_age_seconds: ageOf(loops.lookedAt("deliveries")),
    check_places: config.checkConcurrency,
  };
}

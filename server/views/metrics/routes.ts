import { Elysia } from "elysia";
import { hasMetricsToken } from "../../api/credentials.ts";
import { AppError, noSuchPath } from "../../lib/errors.ts";
import type { Deps } from "../../work/deps.ts";
import { createReader } from "./read.ts";

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

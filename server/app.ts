import { Elysia } from "elysia";
import { createMeter, type Meter } from "./accounts/meter.ts";
import type { Deps } from "./deps.ts";
import { historyRoutes } from "./history/routes.ts";
import { errors } from "./http/errors.ts";
import { healthRoutes } from "./http/health.ts";
import { createFront, type Front } from "./http/front.ts";
import { jsonBody } from "./http/json-body.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { replies } from "./http/reply.ts";
import { routeTable } from "./http/route-table.ts";
import { keyRoutes } from "./keys/routes.ts";
import { linkRoutes } from "./links/routes.ts";

/** The rooms that both doors lead to. */
const rooms = (deps: Deps) =>
  new Elysia().use(keyRoutes(deps)).use(linkRoutes(deps)).use(historyRoutes(deps));

/** Every route of the program. Doors, headers and errors around them are the front's. */
export const createApp = (deps: Deps) =>
  new Elysia({ strictPath: true })
    .use(errors)
    .use(replies)
    .use(jsonBody)
    .use(healthRoutes(deps))
    .group("/api/v1", (api) => api.use(rooms(deps)))
    .group("/dashboard/api", (api) => api.use(rooms(deps)));

export type App = ReturnType<typeof createApp>;

/** What answers requests, and what counts them. */
export type Service = { front: Front; meter: Meter };

export function createService(deps: Deps): Service {
  const app = createApp(deps);
  const { rateLimitPerMinute: perMinute, rateLimitPerHour: perHour } = deps.config;
  const limiter = createRateLimiter({ perMinute, perHour });
  const meter = createMeter(deps.store, deps.clock);
  const routed = { fetch: (request: Request) => app.fetch(request), table: routeTable(app.routes) };
  return { front: createFront({ ...deps, limiter, meter }, routed), meter };
}

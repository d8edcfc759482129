import { Elysia } from "elysia";
import { auditRoutes, installationAuditRoutes } from "../accounts/audit-routes.ts";
import { enterByKey, enterBySession, hasMetricsToken, sessionOf } from "../accounts/doors.ts";
import { createGuard } from "../accounts/guard.ts";
import { createProvider } from "../accounts/oidc/provider.ts";
import { callbackRoutes, oidcRoutes } from "../accounts/oidc/routes.ts";
import { accountRoutes, keyRoutes, peopleRoutes } from "../accounts/routes.ts";
import { sessionRoutes } from "../accounts/session-routes.ts";
import { sessionStates } from "../accounts/session-state.ts";
import { createMeter, type Meter } from "../accounts/usage.ts";
import { findEndOfLastVisit, noteVisit } from "../accounts/visits.ts";
import { basePathOf } from "../ground/config/config.ts";
import { oidcOf } from "../ground/config/oidc.ts";
import { toIsoOrNull } from "../ground/lib/moments.ts";
import { historyRoutes } from "../history/routes.ts";
import { hostRoutes } from "../hosts/routes.ts";
import { belowBase, refuseOwnPath } from "../http/base-path.ts";
import { contextOf } from "../http/caller.ts";
import { referenceRoutes } from "../http/docs/routes.ts";
import { createFront, type Front } from "../http/front.ts";
import { healthRoutes } from "../http/health.ts";
import { describeApi } from "../http/openapi/document.ts";
import type { Document } from "../http/openapi/schemas.ts";
import { readsOf } from "../http/page-paths.ts";
import { type Dashboard, dashboard, type Given } from "../http/pages.ts";
import { createRateLimiter, limiterFor } from "../http/rate-limit.ts";
import { createJsonBody, parameters } from "../http/read-request.ts";
import { errors, replies } from "../http/reply.ts";
import { type DeclaredRoute, routeTable } from "../http/routing.ts";
import { batchRoutes } from "../links/batch-routes.ts";
import {
  createExportPlaces,
  type ExportPlaces,
  exportRoutes,
  inPlace,
} from "../links/exports/routes.ts";
import { groupRoutes } from "../links/groups/routes.ts";
import { importRoutes } from "../links/imports/routes.ts";
import { manyLinksRoutes } from "../links/many-routes.ts";
import { linkRoutes, serviceRoutes } from "../links/routes.ts";
import { tagRoutes, viewRoutes } from "../links/tag-routes.ts";
import { triageRoutes } from "../links/triage-routes.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { trialRoutes } from "../monitor/trial-routes.ts";
import { EVENT_DEFINITIONS } from "../notify/event-types.ts";
import { oneClickRoutes, subscriptionRoutes } from "../notify/mail-routes.ts";
import { webhookRoutes } from "../notify/routes.ts";
import { backupRoutes } from "../ops/backups/routes.ts";
import { adminRoutes } from "../pages/admin/routes.ts";
import { changeRoutes } from "../pages/changes/routes.ts";
import { domainRoutes } from "../pages/domains/routes.ts";
import { createLive, type Live } from "../pages/live/live.ts";
import { liveRoutes } from "../pages/live/routes.ts";
import { metricsRoutes } from "../pages/metrics/routes.ts";
import { overviewRoutes } from "../pages/overview/routes.ts";
import { siteRoutes } from "../pages/sites/routes.ts";
import { patternRoutes } from "../repair/patterns/routes.ts";
import { replaceRoutes } from "../repair/replace-routes.ts";
import { suggestionRoutes } from "../repair/suggestions/routes.ts";
import { sourceRoutes } from "../sources/routes.ts";
import type { Deps } from "../work/deps.ts";

/** Lets an export hold a place of those that run at once. */
const inPlaceOf =
  (places: ExportPlaces) =>
  <Step>(accountId: string, steps: AsyncGenerator<Step, void>) =>
    inPlace(places, accountId, steps);

/** The routes under both /api/v1 and /dashboard/api. */
const sharedRoutes = (deps: Deps, exporting: ExportPlaces) =>
  new Elysia()
    .use(accountRoutes(deps))
    .use(keyRoutes(deps))
    .use(linkRoutes(deps))
    .use(manyLinksRoutes(deps))
    .use(triageRoutes(deps))
    .use(trialRoutes(deps))
    .use(suggestionRoutes(deps))
    .use(tagRoutes(deps))
    .use(viewRoutes(deps))
    .use(batchRoutes(deps))
    .use(importRoutes(deps))
    .use(groupRoutes(deps))
    .use(historyRoutes(deps))
    .use(webhookRoutes(deps))
    .use(sourceRoutes(deps, inPlaceOf(exporting)))
    .use(hostRoutes(deps))
    .use(patternRoutes(deps))
    .use(replaceRoutes(deps, inPlaceOf(exporting)))
    .use(serviceRoutes(deps))
    .use(overviewRoutes(deps))
    .use(siteRoutes(deps))
    .use(domainRoutes(deps))
    .use(changeRoutes(deps))
    .use(exportRoutes(deps, exporting))
    .use(auditRoutes(deps));

/** Every route, and the dashboard's pages. The front checks callers and adds headers. */
export function createApp(
  deps: Deps,
  pages: Pick<Dashboard, "routes" | "brand"> = { routes: new Elysia(), brand: "" },
  live: Live = createLive(deps),
  front: () => Front = () => NOT_SERVED,
) {
  const routes = (): DeclaredRoute[] => app.routes;
  const describe = (): Document => descriptionOf(deps, routes());
  const guard = createGuard(deps);
  const oidc = oidcOf(deps.config);
  const provider = oidc && createProvider(deps, oidc);
  const exporting = createExportPlaces();
  const app = new Elysia({ strictPath: true })
    .use(errors)
    .use(replies)
    .use(createJsonBody())
    .use(parameters)
    .use(healthRoutes(deps, isOperator(deps)))
    .use(metricsRoutes(deps))
    .use(referenceRoutes(describe, basePathOf(deps.config), pages.brand))
    .use(oneClickRoutes(deps, guard))
    .use(callbackRoutes(deps, provider, guard))
    .use(pages.routes)
    .use(mcpRoutes(deps, { routes, front }))
    .group("/api/v1", (api) => api.use(sharedRoutes(deps, exporting)))
    .group("/dashboard/api", (api) =>
      api
        .use(sessionRoutes(deps, guard, live, oidc?.logout ? provider!.logoutUrl : null))
        .use(oidcRoutes(deps, provider, guard))
        .use(peopleRoutes(deps, guard))
        .use(subscriptionRoutes(deps, guard))
        .use(liveRoutes(deps, live))
        .use(adminRoutes(deps))
        .use(installationAuditRoutes(deps))
        .use(backupRoutes(deps))
        .use(sharedRoutes(deps, exporting)),
    );
  return app;
}

export type App = ReturnType<typeof createApp>;

/** The front of routes that are only described. */
const NOT_SERVED: Front = async () => new Response(null, { status: 404 });

/** The OpenAPI document of these routes. */
export const descriptionOf = ({ config }: Deps, routes: DeclaredRoute[]) =>
  describeApi(routes, EVENT_DEFINITIONS, basePathOf(config));

/** Whether someone with the metrics token or a session asks. */
const isOperator = (deps: Deps) => async (request: Request) =>
  hasMetricsToken(deps.config, request) || (await sessionOf(deps, request)) !== null;

/** The routes of every node, whatever its roles: each node is monitored separately. */
const createMonitored = (deps: Deps) =>
  new Elysia({ strictPath: true })
    .use(errors)
    .use(replies)
    .use(healthRoutes(deps, isOperator(deps)))
    .use(metricsRoutes(deps));

/** A page of the dashboard sends several requests where a program sends one, and again at each change. */
const PAGE_REQUESTS = 10;

/** What a page is given: the session and the visit of its request, and the replies to what it asks first. */
function givenPage(deps: Deps, live: Live, front: () => Front) {
  const stateOf = sessionStates(deps, live);
  return async (request: Request): Promise<Given | null> => {
    const session = await sessionOf(deps, request);
    if (!session) return null;
    const { user } = session;
    await noteVisit(deps, user.id);
    const endedAt = toIsoOrNull(await findEndOfLastVisit(deps, user.id));
    const state = { ...(await stateOf(user, session)), visit: { previous_ended_at: endedAt } };
    return { session: state, answers: await firstAnswers(front(), request, user.isAdmin) };
  };
}

/** The bodies of successful replies, as the browser would get them; it asks for the others itself. */
async function firstAnswers(
  front: Front,
  request: Request,
  isAdmin: boolean,
): Promise<Given["answers"]> {
  const { pathname, origin } = new URL(request.url);
  const names = ["cookie", "host"].filter((name) => request.headers.has(name));
  const headers = names.map((name): [string, string] => [name, request.headers.get(name)!]);
  const peer = { requestIP: () => ({ address: contextOf(request).address() }) };
  const answers = readsOf(pathname, isAdmin).map(async (path) => {
    const reply = await front(new Request(origin + path, { headers }), peer);
    return reply.ok ? [[path, await reply.json()]] : [];
  });
  return Object.fromEntries((await Promise.all(answers)).flat());
}

export type Service = { front: Front; meter: Meter; live: Live };

export async function createService(deps: Deps): Promise<Service> {
  const live = createLive(deps);
  deps.topics.subscribe(live.topicListener);
  const hasApi = deps.config.role.includes("api");
  const given = givenPage(deps, live, () => front);
  const pages = hasApi ? dashboard(deps.config, undefined, given) : null;
  const app = pages ? createApp(deps, pages, live, () => front) : createMonitored(deps);
  const { rateLimitPerMinute: perMinute, rateLimitPerHour: perHour } = deps.config;
  const limiter = limiterFor(deps, "api", { perMinute, perHour });
  const sessionLimiter = createRateLimiter(
    { perMinute: PAGE_REQUESTS * perMinute, perHour: PAGE_REQUESTS * perHour },
    deps.clock,
  );
  const meter = createMeter(deps.store, deps.clock);
  const base = basePathOf(deps.config);
  refuseOwnPath(base, app.routes);
  const routed = {
    fetch: (request: Request) => app.fetch(request),
    table: routeTable(app.routes),
    notFound: pages?.notFound ?? null,
  };
  const entering = { ...deps, limiter, sessionLimiter, meter };
  const front: Front = createFront(
    {
      ...deps,
      byKey: (request, context, access) => enterByKey(entering, request, context, access),
      bySession: (request, context, access) => enterBySession(entering, request, context, access),
      onChange: live.changed,
    },
    routed,
  );
  return { front: belowBase(base, front), meter, live };
}

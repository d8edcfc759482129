import { Elysia } from "elysia";
import type { Caller } from "../../api/caller.ts";
import { callers, data, refusals } from "../../api/reply.ts";
import type { Deps } from "../../work/deps.ts";
import {
  countByStatus,
  countUnknownByReason,
  findDead,
  findLargestGroups,
  findLargestServices,
  findRecovered,
} from "./links.ts";
import { Overview, Services } from "./model.ts";
import { findCheckerState, findWebhookState } from "./monitoring.ts";

export const overviewRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/overview", tags: ["Overview"] })
    .use(callers)
    .get("", async ({ caller }) => ({ data: await findOverview(deps, caller) }), {
      response: { 200: data(Overview), ...refusals },
      detail: {
        access: "read",
        operationId: "getOverview",
        summary: "Get what needs attention",
        description:
          "Each list has at most ten items, and the `total` of all. Links that are being checked count with their previous status, and also under `checking`. `dead` lists the latest first, of which `newInDay` died within 24 hours; `recovered` came back within 7 days and are still alive. `unknown` counts links by reason, null for those that were never checked; if very many are unknown, `isWhole` is false and only the newest 50,000 are counted. `checker` describes the whole server: links that are due (`backlog`, at most 100,000) how long the first of them has been waiting, and when the next check is due. `webhooks.disabled` were disabled because they kept failing (`failing`) or by their receivers (`gone`). With many links, some counts may be a few seconds old.",
      },
    })
    .get("/services", async ({ caller }) => ({ data: await findLargestServices(deps, caller) }), {
      response: { 200: data(Services), ...refusals },
      detail: {
        access: "read",
        operationId: "getServiceCounts",
        summary: "Count links by service",
        description:
          "The ten services with the most links, and the number of services. With many links, the counts may be a few seconds old.",
      },
    });

async function findOverview(deps: Deps, caller: Caller): Promise<Overview> {
  const counts = await countByStatus(deps, caller);
  const [dead, recovered, unknown, groups, checker, webhooks] = await Promise.all([
    findDead(deps, caller, counts.dead),
    findRecovered(deps, caller),
    countUnknownByReason(deps, caller, counts.unknown),
    findLargestGroups(deps, caller),
    findCheckerState(deps),
    findWebhookState(deps, caller),
  ]);
  return { counts, dead, recovered, unknown, groups, checker, webhooks };
}

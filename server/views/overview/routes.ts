import { Elysia } from "elysia";
import { refusals } from "../../api/refusals.ts";
import { data } from "../../api/reply.ts";
import { callers } from "../../api/visit.ts";
import type { Deps } from "../../work/deps.ts";
import * as model from "./model.ts";
import { findOverview } from "./overview.ts";
import { tallyServices } from "./tallies.ts";

export const overviewRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/overview", tags: ["Overview"] })
    .use(callers)
    .get("", async ({ caller }) => ({ data: model.toOverview(await findOverview(deps, caller)) }), {
      response: { 200: data(model.OverviewView), ...refusals },
      detail: { operationId: "getOverview", summary: "See what needs attention" },
    })
    .get(
      "/services",
      async ({ caller }) => {
        const { total, items } = await tallyServices(deps, caller);
        return { data: { total, items: items.map(model.toService) } };
      },
      {
        response: { 200: data(model.Services), ...refusals },
        detail: { operationId: "getServiceCounts", summary: "Count links by their service" },
      },
    );

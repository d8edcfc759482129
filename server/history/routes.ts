import { Elysia } from "elysia";
import { toPage } from "../api/page.ts";
import { refusals } from "../api/refusals.ts";
import { data, pageOf } from "../api/reply.ts";
import { callers } from "../api/visit.ts";
import type { Deps } from "../work/deps.ts";
import { listHistory } from "./history.ts";
import * as model from "./model.ts";
import { historySeries } from "./series.ts";
import { historyStatistics } from "./statistics.ts";

export const historyRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/history", tags: ["History"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listHistory(deps, caller, query), query, model.toHistoryEntry, {
          request,
          set,
        }),
      {
        query: model.HistoryQuery,
        response: { 200: pageOf(model.HistoryEntry), ...refusals },
        detail: { operationId: "listHistory", summary: "List checks of all links, newest first" },
      },
    )
    .get(
      "/stats",
      async ({ caller, query }) => ({
        data: model.toStats(await historyStatistics(deps, caller, query)),
      }),
      {
        query: model.StatsQuery,
        response: { 200: data(model.HistoryStats), ...refusals },
        detail: { operationId: "getHistoryStats", summary: "Count the checks of a time" },
      },
    )
    .get(
      "/series",
      async ({ caller, query }) => {
        const points = await historySeries(deps, caller, query);
        return { data: { bucket: query.bucket, points: points.map(model.toPoint) } };
      },
      {
        query: model.SeriesQuery,
        response: { 200: data(model.HistorySeries), ...refusals },
        detail: {
          operationId: "getHistorySeries",
          summary: "Count the checks of a time, hour by hour or day by day",
        },
      },
    );

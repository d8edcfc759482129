import { Elysia } from "elysia";
import { callers, data, pageOf, refusals, toPage } from "../api/reply.ts";
import type { Deps } from "../work/deps.ts";
import { listHistory } from "./history.ts";
import * as model from "./model.ts";
import { historySeries, historyStatistics } from "./statistics.ts";

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
        detail: {
          access: "read",
          operationId: "listHistory",
          summary: "List checks of all links, newest first",
          description:
            "`changed=true` lists only the checks that changed their link's status; together with `status` it requires a `link_id`.",
        },
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
        detail: {
          access: "read",
          operationId: "getHistoryStats",
          summary: "Get check statistics for a period",
          description:
            "Zeros if there were no checks in the period. The average covers only checks with a response. For a group, hours count as a whole. Statistics are kept after the checks themselves have been deleted; for that time, hours count as a whole too.",
        },
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
          access: "read",
          operationId: "getHistorySeries",
          summary: "Get check statistics by hour or by day",
          description:
            "All buckets of the period in UTC, complete and in order, with zeros where nothing was checked; at most 1,000. Without dates: the last 168 hours, or the last 90 days. With a `link_id`, `fastestMs` and `slowestMs` are the shortest and the longest response time of each bucket; they are null without one, where nothing was answered, and where checks were deleted so long ago that their response times are no longer kept.",
        },
      },
    );

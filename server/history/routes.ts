import { Elysia } from "elysia";
import { edge } from "../http/edge.ts";
import type { Deps } from "../work/deps.ts";
import { listHistory } from "./history.ts";
import * as model from "./model.ts";
import { historySeries, historyStatistics } from "./statistics.ts";

export const historyRoutes = (deps: Deps) => {
  const { list, read } = edge(deps);
  return new Elysia({ prefix: "/history", tags: ["History"] })
    .get(
      ...list("", (deps, { caller, query }) => listHistory(deps, caller, query), {
        operationId: "listHistory",
        summary: "List checks of all links, newest first",
        description:
          "`changed=true` lists only the checks that changed their link's status; together with `status` it requires a `link_id`.",
        query: model.HistoryQuery,
        item: model.HistoryEntry,
        toItem: model.toHistoryEntry,
      }),
    )
    .get(
      ...read("/stats", (deps, { caller, query }) => historyStatistics(deps, caller, query), {
        operationId: "getHistoryStats",
        summary: "Get check statistics for a period",
        description:
          "Zeros if there were no checks in the period. The average covers only checks with a response. For a group, hours count as a whole. Statistics are kept after the checks themselves have been deleted; for that time, hours count as a whole too.",
        query: model.StatsQuery,
        reply: model.HistoryStats,
        toReply: model.toStats,
      }),
    )
    .get(
      ...read(
        "/series",
        async (deps, { caller, query }) => ({
          query,
          points: await historySeries(deps, caller, query),
        }),
        {
          operationId: "getHistorySeries",
          summary: "Get check statistics by hour or by day",
          description:
            "All buckets of the period in UTC, complete and in order, with zeros where nothing was checked; at most 1,000. Without dates: the last 168 hours, or the last 90 days. With a `link_id`, `fastestMs` and `slowestMs` are the shortest and the longest response time of each bucket; they are null without one, where nothing was answered, and where checks were deleted so long ago that their response times are no longer kept.",
          query: model.SeriesQuery,
          reply: model.HistorySeries,
          toReply: ({ query: { bucket }, points }) => ({
            bucket,
            points: points.map(model.toPoint),
          }),
        },
      ),
    );
};

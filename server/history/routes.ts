import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { toPage } from "../http/page.ts";
import { refusals } from "../http/refusals.ts";
import { data, pageOf } from "../http/reply.ts";
import { callers } from "../http/visit.ts";
import { historyStatistics, listHistory, type Statistics } from "./history.ts";
import { HistoryEntry, HistoryQuery, HistoryStats, StatsQuery, toHistoryEntry } from "./model.ts";

export const historyRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/history", tags: ["History"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listHistory(deps, caller, query), query, toHistoryEntry, { request, set }),
      {
        query: HistoryQuery,
        response: { 200: pageOf(HistoryEntry), ...refusals },
        detail: { operationId: "listHistory", summary: "List checks of all links, newest first" },
      },
    )
    .get(
      "/stats",
      async ({ caller, query }) => ({
        data: toStats(await historyStatistics(deps, caller, query)),
      }),
      {
        query: StatsQuery,
        response: { 200: data(HistoryStats), ...refusals },
        detail: { operationId: "getHistoryStats", summary: "Count the checks of a time" },
      },
    );

const toStats = ({ total, alive, dead, unknown, changes, averageMs }: Statistics) => ({
  totalChecks: total,
  aliveCount: alive,
  deadCount: dead,
  unknownCount: unknown,
  statusChanges: changes,
  avgResponseTimeMs: averageMs,
});

import { Elysia } from "elysia";
import { csv, csvReply } from "../../api/csv.ts";
import { refusals } from "../../api/refusals.ts";
import { callers } from "../../api/visit.ts";
import type { Cell } from "../../lib/csv.ts";
import { toIso } from "../../lib/moments.ts";
import type { Deps } from "../../work/deps.ts";
import { exportedHistory } from "./history.ts";
import { exportedLinks } from "./links.ts";
import * as model from "./model.ts";
import { type ExportPlaces, inPlace } from "./places.ts";

export const exportRoutes = (deps: Deps, places: ExportPlaces) =>
  new Elysia()
    .use(callers)
    .get(
      "/links/export",
      ({ caller, query, request }) => {
        const now = deps.clock.now();
        return csvReply(request, {
          name: nameOf("links", now),
          columns: [...model.LINK_COLUMNS],
          steps: inPlace(
            places,
            caller.accountId,
            eachTo(exportedLinks(deps, caller, query), model.toLinkCells(now)),
          ),
        });
      },
      {
        query: model.LinkExportQuery,
        response: { 200: csv(), ...refusals },
        detail: { tags: ["Links"], operationId: "exportLinks", summary: "Export links as CSV" },
      },
    )
    .get(
      "/history/export",
      ({ caller, query, request }) =>
        csvReply(request, {
          name: nameOf("history", deps.clock.now()),
          columns: [...model.HISTORY_COLUMNS],
          steps: inPlace(
            places,
            caller.accountId,
            eachTo(exportedHistory(deps, caller, query), model.toHistoryCells),
          ),
        }),
      {
        query: model.HistoryExportQuery,
        response: { 200: csv(), ...refusals },
        detail: {
          tags: ["History"],
          operationId: "exportHistory",
          summary: "Export checks as CSV",
        },
      },
    );

/** `links-2026-01-31.csv`, by the day in UTC. */
const nameOf = (what: string, now: number) => `${what}-${toIso(now).slice(0, 10)}.csv`;

async function* eachTo<Row>(steps: AsyncIterable<Row[]>, toCells: (row: Row) => Cell[]) {
  for await (const rows of steps) yield rows.map(toCells);
}

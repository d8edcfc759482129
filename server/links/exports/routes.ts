import { Elysia } from "elysia";
import { csv, csvReply } from "../../api/csv.ts";
import { callers, refusals } from "../../api/reply.ts";
import { toIso } from "../../lib/moments.ts";
import type { Cell } from "../../lib/text.ts";
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
        response: { 200: csv(model.LINKS_EXAMPLE), ...refusals },
        detail: {
          access: "read",
          tags: ["Links"],
          operationId: "exportLinks",
          summary: "Export links as CSV",
          description:
            "All matching links, newest first, as `text/csv` (RFC 4180); the first line names the columns and every cell is quoted. `message` is that of the last check. Text that a spreadsheet would run as a formula starts with an apostrophe. The response is streamed: a file that ends early is incomplete.",
        },
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
        response: { 200: csv(model.HISTORY_EXAMPLE), ...refusals },
        detail: {
          access: "read",
          tags: ["History"],
          operationId: "exportHistory",
          summary: "Export checks as CSV",
          description:
            "All matching checks, newest first, in the format of `GET /api/v1/links/export`.",
        },
      },
    );

/** `links-2026-01-31.csv`, by the day in UTC. */
const nameOf = (what: string, now: number) => `${what}-${toIso(now).slice(0, 10)}.csv`;

async function* eachTo<Row>(steps: AsyncIterable<Row[]>, toCells: (row: Row) => Cell[]) {
  for await (const rows of steps) yield rows.map(toCells);
}

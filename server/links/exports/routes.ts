import { Elysia } from "elysia";
import { AppError } from "../../ground/lib/errors.ts";
import { toIso } from "../../ground/lib/moments.ts";
import type { Cell } from "../../ground/lib/text.ts";
import { csv, csvReply } from "../../http/csv.ts";
import { edge } from "../../http/edge.ts";
import type { Deps } from "../../work/deps.ts";
import { exportedHistory, exportedLinks } from "./export-rows.ts";
import * as model from "./model.ts";

export const exportRoutes = (deps: Deps, places: ExportPlaces) => {
  const { file } = edge(deps);
  return new Elysia()
    .get(
      ...file(
        "/links/export",
        ({ clock }, { caller, query, request }) =>
          csvReply(request, {
            name: nameOf("links", clock.now()),
            columns: [...model.LINK_COLUMNS],
            steps: inPlace(
              places,
              caller.accountId,
              eachTo(exportedLinks(deps, caller, query), model.toLinkCells(clock.now())),
            ),
          }),
        {
          tags: ["Links"],
          operationId: "exportLinks",
          summary: "Export links as CSV",
          description:
            "All matching links, newest first, as `text/csv` (RFC 4180); the first line names the columns and every cell is quoted. `message` is that of the last check. Text that a spreadsheet would run as a formula starts with an apostrophe. The response is streamed: a file that ends early is incomplete.",
          query: model.LinkExportQuery,
          file: csv(model.LINKS_EXAMPLE),
        },
      ),
    )
    .get(
      ...file(
        "/history/export",
        ({ clock }, { caller, query, request }) =>
          csvReply(request, {
            name: nameOf("history", clock.now()),
            columns: [...model.HISTORY_COLUMNS],
            steps: inPlace(
              places,
              caller.accountId,
              eachTo(exportedHistory(deps, caller, query), model.toHistoryCells),
            ),
          }),
        {
          tags: ["History"],
          operationId: "exportHistory",
          summary: "Export checks as CSV",
          description:
            "All matching checks, newest first, in the format of `GET /api/v1/links/export`.",
          query: model.HistoryExportQuery,
          file: csv(model.HISTORY_EXAMPLE),
        },
      ),
    );
};

/** `links-2026-01-31.csv`, by the day in UTC. */
const nameOf = (what: string, now: number) => `${what}-${toIso(now).slice(0, 10)}.csv`;

async function* eachTo<Row>(steps: AsyncIterable<Row[]>, toCells: (row: Row) => Cell[]) {
  for await (const rows of steps) yield rows.map(toCells);
}

/** Exports that run at once. More would delay other requests, since each reads and writes text without pause. */
const MOST_OF_ACCOUNT = 2;
const MOST = 8;
const RETRY_AFTER_S = 10;

/** The exports that are running. */
export type ExportPlaces = {
  /** @returns a function that frees the place. @throws RATE_LIMITED, SERVICE_UNAVAILABLE when all are taken */
  take(accountId: string): () => void;
};

export function createExportPlaces(): ExportPlaces {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(accountId) {
      const own = taken.get(accountId) ?? 0;
      if (own >= MOST_OF_ACCOUNT) throw accountHasAll();
      if (all >= MOST) throw othersHaveAll();
      taken.set(accountId, own + 1);
      all++;
      return () => {
        all--;
        const left = taken.get(accountId)! - 1;
        if (left > 0) taken.set(accountId, left);
        else taken.delete(accountId);
      };
    },
  };
}

/** Holds a place from the first step until the last, or until the client disconnects. */
export async function* inPlace<Step>(
  places: ExportPlaces,
  accountId: string,
  steps: AsyncGenerator<Step, void>,
): AsyncGenerator<Step, void> {
  const leave = places.take(accountId);
  try {
    yield* steps;
  } finally {
    leave();
  }
}

const WAIT = { "retry-after": String(RETRY_AFTER_S) };

const accountHasAll = () =>
  new AppError(
    "RATE_LIMITED",
    `Your account has ${MOST_OF_ACCOUNT} exports running already. Try again when one of them has finished.`,
    { retryAfter: RETRY_AFTER_S, limit: MOST_OF_ACCOUNT, remaining: 0 },
    WAIT,
  );

const othersHaveAll = () =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "Too many exports are running. Try again in a moment.",
    undefined,
    WAIT,
  );

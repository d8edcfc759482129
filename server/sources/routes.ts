import { Elysia } from "elysia";
import type * as z from "zod";
import { toIso } from "../ground/lib/moments.ts";
import { type Caller, LARGE_BODY_LIMIT } from "../http/caller.ts";
import { csv, csvReply } from "../http/csv.ts";
import { asIs, edge } from "../http/edge.ts";
import type { Deps } from "../work/deps.ts";
import { exportedPlaces, findPage, listOccurrences, listPages } from "./found.ts";
import * as found from "./found-model.ts";
import * as model from "./model.ts";
import { previewSource } from "./preview.ts";
import { deletePushed, pushItems } from "./push.ts";
import { nextRunAt } from "./runs.ts";
import {
  cancelRun,
  changeSource,
  createSource,
  deleteSource,
  findRun,
  listRuns,
  listSources,
  type RunStart,
  requestRun,
  showSource,
} from "./sources.ts";

/** The places of exports that run at once: see `createExportPlaces`. */
type InPlace = <Step>(
  accountId: string,
  steps: AsyncGenerator<Step, void>,
) => AsyncGenerator<Step, void>;

export const sourceRoutes = (deps: Deps, inPlace: InPlace) => {
  const toSource = model.toSource((source) => nextRunAt(source, deps.clock.now()));
  const shown = { reply: model.SourceRecord, toReply: toSource };
  const { list, read, file, ask, post, postInSteps, create, change, remove } = edge(deps);
  return new Elysia({ tags: ["Sources"] })
    .get(
      ...list("/sources", (deps, { caller, query }) => listSources(deps, caller, query), {
        operationId: "listSources",
        summary: "List sources by name",
        description:
          "A source is what links are found in: a site, a sitemap, a feed, a list, a repository, a bookmark manager, or a program that pushes. `run` is its latest run.",
        query: model.SourceQuery,
        item: model.SourceRecord,
        toItem: toSource,
      }),
    )
    .get(
      ...read("/sources/:id", (deps, { caller, params }) => showSource(deps, caller, params.id), {
        operationId: "getSource",
        summary: "Get one source",
        reply: model.SourceRecord,
        toReply: toSource,
      }),
    )
    .patch(
      ...change(
        "/sources/:id",
        (unit, { caller, params, body }) => changeSource(unit, caller, params.id, body),
        {
          operationId: "changeSource",
          summary: "Change a source",
          description:
            "What is left out stays; in `settings` as well, where null stands for the usual value. `kind` and `url` cannot be changed. Group and frequency are those of links that are found from now on.",
          body: model.SourceChange,
          ...shown,
          refuses: [404, 409, 412, 413, 415],
        },
      ),
    )
    .delete(
      ...remove(
        "/sources/:id",
        (unit, { caller, params, query }) =>
          deleteSource(unit, caller, params.id, { retires: query.links === "retire" }),
        {
          operationId: "deleteSource",
          summary: "Delete a source",
          description:
            "Its pages and places go within minutes. Links that no other source has are kept and pinned; with `links=retire` they are retired instead: no longer checked or listed, and back with their history when they are found or added again.",
          query: model.SourceDeletion,
        },
      ),
    )
    .get(
      ...list(
        "/sources/:id/runs",
        (deps, { caller, params, query }) => listRuns(deps, caller, params.id, query),
        {
          operationId: "listSourceRuns",
          summary: "List the runs of a source, newest first",
          description:
            "Only a `complete` run takes anything away. `reason` says why another one is `incomplete` or `failed`.",
          query: model.RunQuery,
          item: model.RunRecord,
          toItem: model.toRunRecord,
        },
      ),
    )
    .get(
      ...read(
        "/sources/:id/runs/:run_id",
        (deps, { caller, params }) => findRun(deps, caller, params.id, params.run_id),
        {
          operationId: "getSourceRun",
          summary: "Get one run with what was refused, and its notes",
          reply: model.RunRecord,
          toReply: model.toRunRecord,
        },
      ),
    )
    .get(
      ...list(
        "/sources/:id/pages",
        (deps, { caller, params, query }) => listPages(deps, caller, params.id, query),
        {
          operationId: "listSourcePages",
          summary: "List the pages of a source",
          description:
            "`has=dead` lists those on which a dead link stands, `has=fragments` those that lead to an anchor that is missing.",
          query: found.SourcePageQuery,
          item: found.PageRecord,
          toItem: found.toPageRecord,
        },
      ),
    )
    .get(
      ...read(
        "/sources/:id/pages/:page_id",
        (deps, { caller, params }) => findPage(deps, caller, params.id, params.page_id),
        {
          operationId: "getSourcePage",
          summary: "Get one page with all places where links stand",
          description:
            "In the order of the page, at most 5,000. `link` is null where a place leads to a page of the same site that answers, which is not checked as a link.",
          reply: found.PageDetail,
          toReply: found.toPageDetail,
        },
      ),
    )
    .get(
      ...list(
        "/links/:id/occurrences",
        (deps, { caller, params, query }) => listOccurrences(deps, caller, params.id, query),
        {
          operationId: "listLinkOccurrences",
          summary: "List the places where a link stands",
          description:
            "Page by page. `flagged` places were not found by the latest run, and are removed by the next complete one.",
          query: found.OccurrenceQuery,
          item: found.OccurrenceRecord,
          toItem: found.toOccurrence,
        },
      ),
    )
    .get(
      ...file(
        "/exports/occurrences",
        (deps, { caller, query, request }) =>
          exportOccurrences(deps, caller, query, { request, inPlace }),
        {
          operationId: "exportOccurrences",
          summary: "Export the places where links stand",
          description:
            "Page by page, as `text/csv` (RFC 4180), or with `format=ndjson` as one JSON object in each line. `status=dead` is the list that an editor works through. The response is streamed: a file that ends early is incomplete.",
          query: found.OccurrenceExportQuery,
          file: csv(found.OCCURRENCES_EXAMPLE),
        },
      ),
    )
    .post(
      ...create("/sources", (unit, { caller, body }) => createSource(unit, caller, body), {
        operationId: "createSource",
        summary: "Add a source",
        description:
          "Its first run begins at once, unless `paused`. Which `settings` there are depends on the `kind`; an unknown one is refused. A `credential` is stored encrypted and never shown. Without a `schedule` a source is read daily. 409 `duplicate_name` for a name that is taken, `limit_reached` at the limit.",
        body: model.NewSource,
        ...shown,
        locationOf: ({ id }) => `/api/v1/sources/${id}`,
      }),
    )
    .post(
      ...ask(
        "/sources/preview",
        (deps, { caller, body, request }) => previewSource(deps, caller, body, request.signal),
        {
          operationId: "previewSource",
          summary: "Read the beginning of a source without keeping anything",
          description:
            "At most 20 pages or 200 links, within 20 seconds. Without a `kind`, the reply says which one the address is of. `links` is what the `settings` leave of it, and `left_out` what they leave out. `room` is how many more links the account may have. Two at a time and 200 an hour for an account.",
          body: model.SourcePreviewBody,
          reply: model.PreviewRecord,
          toReply: asIs,
        },
      ),
    )
    .post(
      ...post(
        "/sources/:id/run",
        (unit, { caller, params, body }) =>
          requestRun(unit, caller, params.id, { acceptsShrink: body?.accept_shrink ?? false }),
        {
          operationId: "runSource",
          summary: "Read a source now",
          description:
            "`accept_shrink` lets this run remove what it does not find, even if that is much. While a run is under way, no second one is started.",
          body: model.RunRequest,
          reply: model.RunStarted,
          toReply: toStarted,
        },
      ),
    )
    .post(
      ...postInSteps(
        "/sources/:id/items",
        (deps, { caller, params, body }, save) =>
          pushItems(deps, caller, params.id, body.items, save),
        {
          operationId: "pushSourceItems",
          summary: "Push up to 100 pages to a source",
          description:
            "For sources of the kind `push`. Each item replaces what stood on its page, so sending it twice changes nothing: its `links`, or the links in its `content`, which is HTML, Markdown, MDX, reStructuredText, AsciiDoc, a notebook or text by its `content_type`. A link that stands nowhere for 7 days leaves the source. 409 `wrong_kind` for a source that is read.",
          bodyLimit: LARGE_BODY_LIMIT,
          body: model.PushedItems,
          reply: model.PushReply,
          toReply: model.toPushReply,
        },
      ),
    )
    .post(
      ...post(
        "/sources/:id/items/delete",
        (unit, { caller, params, body }) => deletePushed(unit, caller, params.id, body.page_urls),
        {
          operationId: "deleteSourceItems",
          summary: "Remove pushed pages from a source",
          body: model.PushedUrls,
          reply: model.PushReply,
          toReply: model.toPushReply,
        },
      ),
    )
    .post(
      ...post(
        "/sources/:id/cancel",
        (unit, { caller, params }) => cancelRun(unit, caller, params.id),
        {
          operationId: "cancelSourceRun",
          summary: "Cancel the run that is under way",
          description: "Nothing is removed. 409 `not_running` if there is none.",
          reply: model.RunStarted,
          toReply: toCancelled,
        },
      ),
    );
};

function exportOccurrences(
  deps: Deps,
  caller: Caller,
  query: z.output<typeof found.OccurrenceExportQuery>,
  { request, inPlace }: { request: Request; inPlace: InPlace },
): Promise<Response> {
  const day = toIso(deps.clock.now()).slice(0, 10);
  return csvReply(request, {
    name: `occurrences-${day}.${query.format}`,
    format: query.format,
    columns: found.OCCURRENCE_COLUMNS,
    steps: inPlace(caller.accountId, cellsOf(exportedPlaces(deps, caller, query))),
  });
}

async function* cellsOf(steps: ReturnType<typeof exportedPlaces>) {
  for await (const places of steps) yield places.map(found.toOccurrenceCells);
}

const toStarted = ({ runId, status, isNew }: RunStart) => ({
  run_id: runId,
  status,
  message: isNew ? "Run queued." : "A run is already under way.",
});

const toCancelled = ({ runId, status }: RunStart) => ({
  run_id: runId,
  status,
  message: "Run cancelled.",
});

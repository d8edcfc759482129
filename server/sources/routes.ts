import { Elysia } from "elysia";
import * as z from "zod";
import { LARGE_BODY_LIMIT } from "../api/caller.ts";
import { csv, csvReply } from "../api/csv.ts";
import { idempotency } from "../api/idempotency.ts";
import {
  callers,
  changeRefusals,
  createRefusals,
  data,
  deleteRefusals,
  ErrorReply,
  pageOf,
  recordRefusals,
  refusals,
  toPage,
} from "../api/reply.ts";
import { toIso } from "../lib/moments.ts";
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
  return new Elysia({ tags: ["Sources"] })
    .use(callers)
    .get(
      "/sources",
      async ({ caller, query, request, set }) =>
        toPage(await listSources(deps, caller, query), query, toSource, { request, set }),
      {
        query: model.SourceQuery,
        response: { 200: pageOf(model.SourceRecord), ...refusals },
        detail: {
          access: "read",
          operationId: "listSources",
          summary: "List sources by name",
          description:
            "A source is what links are found in: a site, a sitemap, a feed, a list, a repository, a bookmark manager, or a program that pushes. `run` is its latest run.",
        },
      },
    )
    .get(
      "/sources/:id",
      async ({ caller, params }) => ({
        data: toSource(await showSource(deps, caller, params.id)),
      }),
      {
        response: { 200: data(model.SourceRecord), ...recordRefusals },
        detail: { access: "read", operationId: "getSource", summary: "Get one source" },
      },
    )
    .patch(
      "/sources/:id",
      async ({ caller, params, body }) => ({
        data: toSource(await changeSource(deps, caller, params.id, body)),
      }),
      {
        body: model.SourceChange,
        response: { 200: data(model.SourceRecord), ...changeRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "changeSource",
          summary: "Change a source",
          description:
            "What is left out stays; in `settings` as well, where null stands for the usual value. `kind` and `url` cannot be changed. Group and frequency are those of links that are found from now on.",
        },
      },
    )
    .delete(
      "/sources/:id",
      async ({ caller, params, query, status }) => {
        await deleteSource(deps, caller, params.id, { retires: query.links === "retire" });
        return status(204, undefined);
      },
      {
        query: model.SourceDeletion,
        response: { 204: z.undefined(), ...deleteRefusals },
        detail: {
          access: "write",
          operationId: "deleteSource",
          summary: "Delete a source",
          description:
            "Its pages and places go within minutes. Links that no other source has are kept and pinned; with `links=retire` they are retired instead: no longer checked or listed, and back with their history when they are found or added again.",
        },
      },
    )
    .get(
      "/sources/:id/runs",
      async ({ caller, params, query, request, set }) =>
        toPage(await listRuns(deps, caller, params.id, query), query, model.toRunRecord, {
          request,
          set,
        }),
      {
        query: model.RunQuery,
        response: { 200: pageOf(model.RunRecord), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listSourceRuns",
          summary: "List the runs of a source, newest first",
          description:
            "Only a `complete` run takes anything away. `reason` says why another one is `incomplete` or `failed`.",
        },
      },
    )
    .get(
      "/sources/:id/runs/:run_id",
      async ({ caller, params }) => ({
        data: model.toRunRecord(await findRun(deps, caller, params.id, params.run_id)),
      }),
      {
        response: { 200: data(model.RunRecord), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "getSourceRun",
          summary: "Get one run with what was refused, and its notes",
        },
      },
    )
    .get(
      "/sources/:id/pages",
      async ({ caller, params, query, request, set }) =>
        toPage(await listPages(deps, caller, params.id, query), query, found.toPageRecord, {
          request,
          set,
        }),
      {
        query: found.SourcePageQuery,
        response: { 200: pageOf(found.PageRecord), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listSourcePages",
          summary: "List the pages of a source",
          description:
            "`has=dead` lists those on which a dead link stands, `has=fragments` those that lead to an anchor that is missing.",
        },
      },
    )
    .get(
      "/sources/:id/pages/:page_id",
      async ({ caller, params }) => ({
        data: found.toPageDetail(await findPage(deps, caller, params.id, params.page_id)),
      }),
      {
        response: { 200: data(found.PageDetail), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "getSourcePage",
          summary: "Get one page with all places where links stand",
          description:
            "In the order of the page, at most 5,000. `link` is null where a place leads to a page of the same site that answers, which is not checked as a link.",
        },
      },
    )
    .get(
      "/links/:id/occurrences",
      async ({ caller, params, query, request, set }) =>
        toPage(await listOccurrences(deps, caller, params.id, query), query, found.toOccurrence, {
          request,
          set,
        }),
      {
        query: found.OccurrenceQuery,
        response: { 200: pageOf(found.OccurrenceRecord), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listLinkOccurrences",
          summary: "List the places where a link stands",
          description:
            "Page by page. `flagged` places were not found by the latest run, and are removed by the next complete one.",
        },
      },
    )
    .get(
      "/exports/occurrences",
      ({ caller, query, request }) => {
        const day = toIso(deps.clock.now()).slice(0, 10);
        return csvReply(request, {
          name: `occurrences-${day}.${query.format}`,
          format: query.format,
          columns: found.OCCURRENCE_COLUMNS,
          steps: inPlace(caller.accountId, cellsOf(exportedPlaces(deps, caller, query))),
        });
      },
      {
        query: found.OccurrenceExportQuery,
        response: { 200: csv(found.OCCURRENCES_EXAMPLE), ...refusals },
        detail: {
          access: "read",
          operationId: "exportOccurrences",
          summary: "Export the places where links stand",
          description:
            "Page by page, as `text/csv` (RFC 4180), or with `format=ndjson` as one JSON object in each line. `status=dead` is the list that an editor works through. The response is streamed: a file that ends early is incomplete.",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "/sources",
      async ({ caller, body, set, status, saveReply }) => {
        const save = saveReply(201, toSource, locationOf);
        const source = await createSource(deps, caller, body, save);
        set.headers.location = locationOf(source);
        return status(201, { data: toSource(source) });
      },
      {
        body: model.NewSource,
        response: { 201: data(model.SourceRecord), ...createRefusals },
        detail: {
          access: "write",
          operationId: "createSource",
          summary: "Add a source",
          description:
            "Its first run begins at once, unless `paused`. Which `settings` there are depends on the `kind`; an unknown one is refused. A `credential` is stored encrypted and never shown. Without a `schedule` a source is read daily. 409 `duplicate_name` for a name that is taken, `limit_reached` at the limit.",
        },
      },
    )
    .post(
      "/sources/preview",
      async ({ caller, body, request }) => ({
        data: await previewSource(deps, caller, body, request.signal),
      }),
      {
        body: model.SourcePreviewBody,
        response: { 200: data(model.PreviewRecord), ...createRefusals },
        detail: {
          access: "write",
          writes: "nothing",
          operationId: "previewSource",
          summary: "Read the beginning of a source without keeping anything",
          description:
            "At most 20 pages or 200 links, within 20 seconds. Without a `kind`, the reply says which one the address is of. `links` is what the `settings` leave of it, and `left_out` what they leave out. `room` is how many more links the account may have. Two at a time and 200 an hour for an account.",
        },
      },
    )
    .post(
      "/sources/:id/run",
      async ({ caller, params, body, saveReply }) => {
        const options = { acceptsShrink: body?.accept_shrink ?? false };
        const save = saveReply(200, toStarted);
        return { data: toStarted(await requestRun(deps, caller, params.id, options, save)) };
      },
      {
        body: model.RunRequest,
        response: { 200: data(model.RunStarted), ...recordRefusals, ...createRefusals },
        detail: {
          access: "write",
          operationId: "runSource",
          summary: "Read a source now",
          description:
            "`accept_shrink` lets this run remove what it does not find, even if that is much. While a run is under way, no second one is started.",
        },
      },
    )
    .post(
      "/sources/:id/items",
      async ({ caller, params, body, saveReply }) => {
        const save = saveReply(200, model.toPushReply);
        const results = await pushItems(deps, caller, params.id, body.items, save);
        return { data: model.toPushReply(results) };
      },
      {
        body: model.PushedItems,
        response: { 200: data(model.PushReply), ...recordRefusals, ...createRefusals },
        detail: {
          access: "write",
          bodyLimit: LARGE_BODY_LIMIT,
          operationId: "pushSourceItems",
          summary: "Push up to 100 pages to a source",
          description:
            "For sources of the kind `push`. Each item replaces what stood on its page, so sending it twice changes nothing: its `links`, or the links in its `content`, which is HTML, Markdown, MDX, reStructuredText, AsciiDoc, a notebook or text by its `content_type`. A link that stands nowhere for 7 days leaves the source. 409 `wrong_kind` for a source that is read.",
        },
      },
    )
    .post(
      "/sources/:id/items/delete",
      async ({ caller, params, body, saveReply }) => {
        const save = saveReply(200, model.toPushReply);
        const results = await deletePushed(deps, caller, params.id, body.page_urls, save);
        return { data: model.toPushReply(results) };
      },
      {
        body: model.PushedUrls,
        response: { 200: data(model.PushReply), ...recordRefusals, ...createRefusals },
        detail: {
          access: "write",
          operationId: "deleteSourceItems",
          summary: "Remove pushed pages from a source",
        },
      },
    )
    .post(
      "/sources/:id/cancel",
      async ({ caller, params, saveReply }) => ({
        data: toCancelled(await cancelRun(deps, caller, params.id, saveReply(200, toCancelled))),
      }),
      {
        response: { 200: data(model.RunStarted), ...recordRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "cancelSourceRun",
          summary: "Cancel the run that is under way",
          description: "Nothing is removed. 409 `not_running` if there is none.",
        },
      },
    );
};

async function* cellsOf(steps: ReturnType<typeof exportedPlaces>) {
  for await (const places of steps) yield places.map(found.toOccurrenceCells);
}

const toStarted = ({ runId, status, isNew }: RunStart) => ({
  ...{ run_id: runId, status },
  message: isNew ? "Run queued." : "A run is already under way.",
});

const toCancelled = ({ runId, status }: RunStart) => ({
  ...{ run_id: runId, status },
  message: "Run cancelled.",
});

const locationOf = ({ id }: { id: string }) => `/api/v1/sources/${id}`;

import { Elysia } from "elysia";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { listLinkHistory } from "../history/history.ts";
import {
  DateRange,
  LinkHistoryEntry,
  LinkHistoryQuery,
  LinkStats,
  toLinkHistoryEntry,
  toLinkStats,
} from "../history/model.ts";
import { linkStatistics } from "../history/statistics.ts";
import { idempotency } from "../http/idempotency.ts";
import { toPage } from "../http/page.ts";
import {
  changeRefusals,
  createRefusals,
  deleteRefusals,
  recordRefusals,
  refusals,
} from "../http/refusals.ts";
import { data, ErrorReply, pageOf } from "../http/reply.ts";
import { callers } from "../http/visit.ts";
import { toErrorBody } from "../lib/errors.ts";
import { type BatchCreation, createLink, createLinks } from "./create.ts";
import { type Deletion, deleteLink, deleteLinks } from "./delete.ts";
import { changeLink, findLink, findLinkDetail, startCheck } from "./links.ts";
import { listLinks } from "./list.ts";
import * as model from "./model.ts";

export const linkRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/links", tags: ["Links"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listLinks(deps, caller, query), query, model.toLink(deps.clock.now()), {
          request,
          set,
        }),
      {
        query: model.LinkQuery,
        response: { 200: pageOf(model.Link), ...refusals },
        detail: { operationId: "listLinks", summary: "List links, newest first" },
      },
    )
    .get(
      "/:id",
      async ({ caller, params }) => {
        const link = await findLinkDetail(deps, caller, params.id);
        return { data: model.toLinkDetail(deps.clock.now())(link) };
      },
      {
        response: { 200: data(model.LinkDetail), ...recordRefusals },
        detail: {
          operationId: "getLink",
          summary: "Get one link with the evidence of its last check",
        },
      },
    )
    .patch(
      "/:id",
      async ({ caller, params, body }) => {
        const link = await changeLink(deps, caller, params.id, body);
        return { data: model.toLink(deps.clock.now())(link) };
      },
      {
        body: model.LinkChangeBody,
        response: { 200: data(model.Link), ...changeRefusals },
        detail: { operationId: "changeLink", summary: "Change a link's group or check frequency" },
      },
    )
    .delete(
      "/:id",
      async ({ caller, params, status }) => {
        await deleteLink(deps, caller, params.id);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...deleteRefusals },
        detail: { operationId: "deleteLink", summary: "Delete a link and its history" },
      },
    )
    .delete(
      "/batch",
      async ({ caller, body }) => ({
        data: toDeletion(await deleteLinks(deps, caller, body.link_ids)),
      }),
      {
        body: model.LinkIds,
        response: { 200: data(model.BatchDeletion), ...refusals, 413: ErrorReply, 415: ErrorReply },
        detail: {
          operationId: "deleteLinksAlias",
          summary:
            "Delete up to 1000 links (proxies may drop the body; prefer POST /links/batch-delete)",
        },
      },
    )
    .get(
      "/:id/history",
      async ({ caller, params, query, request, set }) => {
        const link = await findLink(deps, caller, params.id);
        const page = await listLinkHistory(deps, link, query);
        return toPage(page, query, toLinkHistoryEntry, { request, set });
      },
      {
        query: LinkHistoryQuery,
        response: { 200: pageOf(LinkHistoryEntry), ...recordRefusals },
        detail: {
          operationId: "listLinkHistory",
          summary: "List the checks of one link, newest first",
        },
      },
    )
    .get(
      "/:id/stats",
      async ({ caller, params, query }) => {
        const link = await findLink(deps, caller, params.id);
        return { data: toLinkStats(await linkStatistics(deps, link, query)) };
      },
      {
        query: DateRange,
        response: { 200: data(LinkStats), ...recordRefusals },
        detail: {
          operationId: "getLinkStats",
          summary: "Count the checks of one link, with its uptime",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "",
      async ({ caller, body, set, status, receipt }) => {
        const toReply = model.toLink(deps.clock.now());
        const link = await createLink(deps, caller, body, receipt(201, toReply, locationOf));
        set.headers.location = locationOf(link);
        return status(201, { data: toReply(link) });
      },
      {
        body: model.NewLinkBody,
        response: { 201: data(model.Link), ...createRefusals },
        detail: { operationId: "createLink", summary: "Monitor a URL" },
      },
    )
    .post(
      "/batch",
      async ({ caller, body, status, receipt }) => {
        const toReply = toCreation(deps.clock.now());
        const creation = await createLinks(deps, caller, body.links, (made) =>
          receipt(statusOf(made), toReply)(made),
        );
        return status(statusOf(creation), { data: toReply(creation) });
      },
      {
        body: model.NewLinks,
        response: { 200: data(model.BatchResult), 201: data(model.BatchResult), ...createRefusals },
        detail: {
          operationId: "createLinks",
          summary: "Monitor up to 1000 URLs, each judged on its own",
        },
      },
    )
    .post(
      "/batch-delete",
      async ({ caller, body, receipt }) => ({
        data: toDeletion(await deleteLinks(deps, caller, body.link_ids, receipt(200, toDeletion))),
      }),
      {
        body: model.LinkIds,
        response: { 200: data(model.BatchDeletion), ...createRefusals },
        detail: { operationId: "deleteLinks", summary: "Delete up to 1000 links" },
      },
    )
    .post(
      "/:id/check",
      async ({ caller, params }) => {
        const started = await startCheck(deps, caller, params.id);
        const message = started ? "Check initiated." : "A check is already running.";
        return { data: { id: params.id.toLowerCase(), status: "checking" as const, message } };
      },
      {
        response: { 200: data(model.CheckStarted), ...recordRefusals, 409: ErrorReply },
        detail: { operationId: "checkLink", summary: "Check a link now" },
      },
    );

const locationOf = ({ id }: { id: string }) => `/api/v1/links/${id}`;

/** 201 means that at least one link was created (RFC 9110 §15.3.2). */
const statusOf = ({ batchId }: BatchCreation) => (batchId ? 201 : 200);

const toCreation =
  (now: number) =>
  ({ batchId, results }: BatchCreation) => {
    const created = results.filter((result) => "link" in result).length;
    return {
      batch_id: batchId,
      summary: { total: results.length, created, failed: results.length - created },
      results: results.map((result, index) =>
        "link" in result
          ? { index, status: "created" as const, link: model.toLink(now)(result.link) }
          : { index, status: "failed" as const, url: result.url, error: toErrorBody(result.error) },
      ),
    };
  };

const toDeletion = (results: Deletion[]) => {
  const deleted = results.filter((result) => result.deleted).length;
  return {
    summary: { total: results.length, deleted, failed: results.length - deleted },
    results: results.map((result) =>
      result.deleted
        ? { id: result.id, status: "deleted" as const }
        : { id: result.id, status: "failed" as const, error: toErrorBody(result.error) },
    ),
  };
};

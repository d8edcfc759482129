import { Elysia } from "elysia";
import * as z from "zod";
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
import { listLinkHistory } from "../history/history.ts";
import {
  DateRange,
  LinkHistoryEntry,
  LinkHistoryQuery,
  LinkRun,
  LinkRunQuery,
  LinkStats,
  toLinkHistoryEntry,
  toLinkRun,
  toLinkStats,
} from "../history/model.ts";
import { listRuns } from "../history/runs.ts";
import { linkStatistics } from "../history/statistics.ts";
import { stripsOf } from "../history/strips.ts";
import { LinkEvent, LinkEventQuery, toLinkEvent } from "../webhooks/deliveries-model.ts";
import type { Deps } from "../work/deps.ts";
import { changeLink } from "./change.ts";
import { createLink } from "./create.ts";
import { deleteLink } from "./delete.ts";
import {
  type CheckStart,
  findAnyLink,
  findLinkDetail,
  findResponses,
  listLinkEvents,
  startCheck,
} from "./links.ts";
import { listLinks } from "./list.ts";
import * as model from "./model.ts";
import { Service, toServices } from "./model.ts";

export const linkRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/links", tags: ["Links"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) => {
        const page = await listLinks(deps, caller, query);
        const strips = query.include?.has("strip") ? await stripsOf(deps, page.items) : undefined;
        const toItem = model.toListedLink(deps.clock.now(), strips);
        return toPage(page, query, toItem, { request, set });
      },
      {
        query: model.LinkQuery,
        response: { 200: pageOf(model.ListedLink), ...refusals },
        detail: {
          access: "read",
          operationId: "listLinks",
          summary: "List links",
          description:
            "Filters are combined with AND, in any order. Links with the same time are listed in the order in which they were created. `checking` replaces the settled status until the check has finished. `include=strip` adds the state of each of the last 30 days: a link keeps its state between checks, a day has the worst state that the link had on it, and days before the first check are `none`.",
        },
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
          access: "read",
          operationId: "getLink",
          summary: "Get one link with the evidence of its last check",
          description:
            "A link that is retired can still be read: `retired_at` is set. Includes `evidence`: what the last check saw, so that you can see the reason for its result. `last_change` is the check that last changed the status, with its own evidence; null if the status never changed or that check is no longer stored.",
        },
      },
    )
    .patch(
      "/:id",
      async ({ caller, params, body }) => {
        const link = await changeLink(deps, caller, params.id, body);
        return { data: model.toLinkDetail(deps.clock.now())(link) };
      },
      {
        body: model.LinkChangeBody,
        response: { 200: data(model.LinkDetail), ...changeRefusals },
        detail: {
          access: "write",
          operationId: "changeLink",
          summary: "Change a link",
          description:
            "Only the fields that are sent are changed. `metadata` is merged key by key, and null removes a key. The URL is changed by `POST /api/v1/links/{id}/url`.",
        },
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
        detail: {
          access: "write",
          operationId: "deleteLink",
          summary: "Delete a link and its history",
          description:
            "Also one that is retired. A link that stands in a source is created again when the source is read next, without its history.",
        },
      },
    )
    .get(
      "/:id/history",
      async ({ caller, params, query, request, set }) => {
        const link = await findAnyLink(deps, caller, params.id);
        const page = await listLinkHistory(deps, link, query);
        return toPage(page, query, toLinkHistoryEntry, { request, set });
      },
      {
        query: LinkHistoryQuery,
        response: { 200: pageOf(LinkHistoryEntry), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listLinkHistory",
          summary: "List the checks of one link, newest first",
          description:
            "Checks that changed the link's status include their `evidence`; for all others it is null. `changed=true` lists only those.",
        },
      },
    )
    .get(
      "/:id/runs",
      async ({ caller, params, query, request, set }) => {
        const link = await findAnyLink(deps, caller, params.id);
        return toPage(await listRuns(deps, link, query), query, toLinkRun, { request, set });
      },
      {
        query: LinkRunQuery,
        response: { 200: pageOf(LinkRun), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listLinkRuns",
          summary: "List the times during which a link kept its status, newest first",
          description:
            "A run begins with the check that changed the status, whose `reason` and `status_code` it has, and ends with the next change; `ended_at` is null for the present run. A link that was never checked has no runs. `checks` counts every check of the run, `fastest_ms` and `slowest_ms` are its response times, null if there were none. Once the check that began the oldest run has been deleted, `started_at`, `reason` and `status_code` may be null.",
        },
      },
    )
    .get(
      "/:id/raw",
      async ({ caller, params }) => ({
        data: model.toRawResponses(await findResponses(deps, caller, params.id)),
      }),
      {
        response: { 200: data(model.RawResponses), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "getRawResponses",
          summary: "Get the last responses of a link when it was alive and when it was dead",
          description:
            "`headers`, and the first 4,096 characters of an HTML page as `text`; `truncated` is true if there is more. A header whose value may be a secret, such as `set-cookie`, has the `value` null. To compare them, each has its `status_code`, `final_url`, `title` and number of `words`. A response is replaced when its status code, final URL, title or type differs from the one that is stored, so `checked_at` may be earlier than the last check. Null if there was no response.",
        },
      },
    )
    .get(
      "/:id/events",
      async ({ caller, params, query, request, set }) => {
        const page = await listLinkEvents(deps, caller, params.id, query);
        return toPage(page, query, toLinkEvent, { request, set });
      },
      {
        query: LinkEventQuery,
        response: { 200: pageOf(LinkEvent), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listLinkEvents",
          summary: "List the events of one link, newest first",
          description:
            "Events are kept for 30 days, and recorded only if a webhook subscribes to them. Each shows the state of its deliveries; only the host of a webhook's URL is shown. The event's id is also the id of the delivery.",
        },
      },
    )
    .get(
      "/:id/stats",
      async ({ caller, params, query }) => {
        const link = await findAnyLink(deps, caller, params.id);
        return { data: toLinkStats(await linkStatistics(deps, link, query)) };
      },
      {
        query: DateRange,
        response: { 200: data(LinkStats), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "getLinkStats",
          summary: "Get check statistics and the uptime of one link",
          description:
            "`uptimePercent` is the share of checks that found the link alive, among the checks that found it alive or dead; null if there were none.",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "",
      async ({ caller, body, set, status, saveReply }) => {
        const toReply = model.toLinkDetail(deps.clock.now());
        const link = await createLink(deps, caller, body, saveReply(201, toReply, locationOf));
        set.headers.location = locationOf(link);
        return status(201, { data: toReply(link) });
      },
      {
        body: model.NewLinkBody,
        response: { 201: data(model.LinkDetail), ...createRefusals },
        detail: {
          access: "write",
          operationId: "createLink",
          summary: "Add a link",
          description:
            "The first check is due immediately; until then the link's status is `unknown`. A URL that is already monitored gets 409. A link that was retired returns with its id and its history.",
        },
      },
    )
    .post(
      "/:id/check",
      async ({ caller, params, saveReply }) => ({
        data: toCheckStarted(
          await startCheck(deps, caller, params.id, saveReply(200, toCheckStarted)),
        ),
      }),
      {
        response: { 200: data(model.CheckStarted), ...recordRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "checkLink",
          summary: "Check a link now",
          description:
            "The link shows `checking` until the check has finished. While a check is running, no second one is started.",
        },
      },
    );

const toCheckStarted = ({ id, started }: CheckStart) => ({
  id,
  status: "checking" as const,
  message: started ? "Check initiated." : "A check is already running.",
});

const locationOf = ({ id }: { id: string }) => `/api/v1/links/${id}`;

export const serviceRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/services", tags: ["Links"] })
    .use(callers)
    .get("", () => ({ data: { items: toServices(deps.catalogue.services) } }), {
      response: { 200: data(z.object({ items: z.array(Service) })), ...refusals },
      detail: {
        access: "read",
        operationId: "listServices",
        summary: "List the services that links can belong to",
      },
    });

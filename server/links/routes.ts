import { Elysia } from "elysia";
import * as z from "zod";
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
import type { Caller } from "../http/caller.ts";
import { asIs, edge } from "../http/edge.ts";
import { LinkEvent, LinkEventQuery, toLinkEvent } from "../notify/deliveries-model.ts";
import type { Deps } from "../work/deps.ts";
import { changeLink } from "./change.ts";
import { addLink } from "./create.ts";
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

export const linkRoutes = (deps: Deps) => {
  const { list, read, change, removeInSteps, createInSteps, post } = edge(deps);
  return new Elysia({ prefix: "/links", tags: ["Links"] })
    .get(
      ...list("", listWithStrips, {
        operationId: "listLinks",
        summary: "List links",
        description:
          "Filters are combined with AND, in any order. Links with the same time are listed in the order in which they were created. `checking` replaces the settled status until the check has finished. `include=strip` adds the state of each of the last 30 days: a link keeps its state between checks, a day has the worst state that the link had on it, and days before the first check are `none`.",
        query: model.LinkQuery,
        item: model.ListedLink,
        toItem: model.toListedLink,
      }),
    )
    .get(
      ...read("/:id", (deps, { caller, params }) => findLinkDetail(deps, caller, params.id), {
        operationId: "getLink",
        summary: "Get one link with the evidence of its last check",
        description:
          "A link that is retired can still be read: `retired_at` is set. Includes `evidence`: what the last check saw, so that you can see the reason for its result. `last_change` is the check that last changed the status, with its own evidence; null if the status never changed or that check is no longer stored.",
        reply: model.LinkDetail,
        toReply: model.toLinkDetail,
      }),
    )
    .patch(
      ...change(
        "/:id",
        (unit, { caller, params, body }) => changeLink(unit, caller, params.id, body),
        {
          operationId: "changeLink",
          summary: "Change a link",
          description:
            "Only the fields that are sent are changed. `metadata` is merged key by key, and null removes a key. The URL is changed by `POST /api/v1/links/{id}/url`.",
          body: model.LinkChangeBody,
          reply: model.LinkDetail,
          toReply: model.toLinkDetail,
        },
      ),
    )
    .delete(
      ...removeInSteps("/:id", (deps, { caller, params }) => deleteLink(deps, caller, params.id), {
        operationId: "deleteLink",
        summary: "Delete a link and its history",
        description:
          "Also one that is retired. A link that stands in a source is created again when the source is read next, without its history.",
      }),
    )
    .get(
      ...list(
        "/:id/history",
        async (deps, { caller, params, query }) =>
          listLinkHistory(deps, await findAnyLink(deps, caller, params.id), query),
        {
          operationId: "listLinkHistory",
          summary: "List the checks of one link, newest first",
          description:
            "Checks that changed the link's status include their `evidence`; for all others it is null. `changed=true` lists only those.",
          query: LinkHistoryQuery,
          item: LinkHistoryEntry,
          toItem: toLinkHistoryEntry,
        },
      ),
    )
    .get(
      ...list(
        "/:id/runs",
        async (deps, { caller, params, query }) =>
          listRuns(deps, await findAnyLink(deps, caller, params.id), query),
        {
          operationId: "listLinkRuns",
          summary: "List the times during which a link kept its status, newest first",
          description:
            "A run begins with the check that changed the status, whose `reason` and `status_code` it has, and ends with the next change; `ended_at` is null for the present run. A link that was never checked has no runs. `checks` counts every check of the run, `fastest_ms` and `slowest_ms` are its response times, null if there were none. Once the check that began the oldest run has been deleted, `started_at`, `reason` and `status_code` may be null.",
          query: LinkRunQuery,
          item: LinkRun,
          toItem: toLinkRun,
        },
      ),
    )
    .get(
      ...read("/:id/raw", (deps, { caller, params }) => findResponses(deps, caller, params.id), {
        operationId: "getRawResponses",
        summary: "Get the last responses of a link when it was alive and when it was dead",
        description:
          "`headers`, and the first 4,096 characters of an HTML page as `text`; `truncated` is true if there is more. `headings` are the main ones of the page, and `visible_text` is the first 4,096 characters that its readers see. A header whose value may be a secret, such as `set-cookie`, has the `value` null. To compare them, each has its `status_code`, `final_url`, `title` and number of `words` as well. A response is replaced when its status code, final URL, title or type differs from the one that is stored, so `checked_at` may be earlier than the last check. Null if there was no response.",
        reply: model.RawResponses,
        toReply: model.toRawResponses,
      }),
    )
    .get(
      ...list(
        "/:id/events",
        (deps, { caller, params, query }) => listLinkEvents(deps, caller, params.id, query),
        {
          operationId: "listLinkEvents",
          summary: "List the events of one link, newest first",
          description:
            "Events are kept for 30 days, and recorded only if a webhook subscribes to them. Each shows the state of its deliveries; only the host of a webhook's URL is shown. The event's id is also the id of the delivery.",
          query: LinkEventQuery,
          item: LinkEvent,
          toItem: toLinkEvent,
        },
      ),
    )
    .get(
      ...read(
        "/:id/stats",
        async (deps, { caller, params, query }) =>
          linkStatistics(deps, await findAnyLink(deps, caller, params.id), query),
        {
          operationId: "getLinkStats",
          summary: "Get check statistics and the uptime of one link",
          description:
            "`uptimePercent` is the share of checks that found the link alive, among the checks that found it alive or dead; null if there were none.",
          query: DateRange,
          reply: LinkStats,
          toReply: toLinkStats,
        },
      ),
    )
    .post(
      ...createInSteps("", (deps, { caller, body }, save) => addLink(deps, caller, body, save), {
        operationId: "createLink",
        summary: "Add a link",
        description:
          "The first check is due immediately; until then the link's status is `unknown`. A URL that is already monitored gets 409; one that differs only in what follows `#` is the same link, which is given that as another of its `fragments`. A link that was retired returns with its id and its history.",
        body: model.NewLinkBody,
        locationOf: ({ id }) => `/api/v1/links/${id}`,
        reply: model.LinkDetail,
        toReply: model.toLinkDetail,
      }),
    )
    .post(
      ...post("/:id/check", (unit, { caller, params }) => startCheck(unit, caller, params.id), {
        operationId: "checkLink",
        summary: "Check a link now",
        description:
          "The link shows `checking` until the check has finished. While a check is running, no second one is started.",
        reply: model.CheckStarted,
        toReply: toCheckStarted,
      }),
    );
};

/** Adds the strips that a query includes. */
async function listWithStrips(
  deps: Deps,
  { caller, query }: { caller: Caller; query: model.LinkQuery },
) {
  const page = await listLinks(deps, caller, query);
  if (!query.include?.has("strip")) return page;
  const strips = await stripsOf(deps, page.items);
  const items = page.items.map((row) => ({ ...row, strip: strips.get(row.no) ?? [] }));
  return { ...page, items };
}

const toCheckStarted = ({ id, started }: CheckStart) => ({
  id,
  status: "checking" as const,
  message: started ? "Check initiated." : "A check is already running.",
});

export const serviceRoutes = (deps: Deps) => {
  const { read } = edge(deps);
  return new Elysia({ prefix: "/services", tags: ["Links"] }).get(
    ...read("", async ({ catalogue }) => ({ items: toServices(catalogue.services) }), {
      operationId: "listServices",
      summary: "List the services that links can belong to",
      reply: z.object({ items: z.array(Service) }),
      toReply: asIs,
    }),
  );
};

import { Elysia } from "elysia";
import * as z from "zod";
import { lines, moment, paging, text } from "../ground/lib/fields.ts";
import { edge } from "../http/edge.ts";
import type { Deps } from "../work/deps.ts";
import { changeUrl } from "./change-url.ts";
import { acceptPage } from "./identity.ts";
import { findAnyLink } from "./links.ts";
import { LinkDetail, toLinkDetail } from "./model.ts";
import { endOverride, setOverride } from "./override.ts";
import { listTimeline, TimelineRecord, toTimelineRecord } from "./triage/timeline.ts";

const OverrideBody = z
  .object(
    {
      until: moment().optional(),
      note: lines(500).refine((note) => note.length >= 10, "must have 10 to 500 characters"),
    },
    "must be a JSON object",
  )
  .meta({ example: { note: "It works in a browser; they block us." } });

const AcceptBody = z
  .object({ accept: z.literal(true, { error: "must be true" }) }, "must be a JSON object")
  .meta({ example: { accept: true } });

const UrlBody = z
  .object(
    { url: text(2048).meta({ format: "uri" }), note: lines(500).nullable().optional() },
    "must be a JSON object",
  )
  .meta({ example: { url: "https://example.com/new", note: null } });

const STILL_IN_SOURCES = "The sources still contain the old URL and will add it again.";

const ChangedUrl = LinkDetail.extend({
  warning: z.string().nullable().meta({
    description: "For a link that stands in sources. `places` says in how many places.",
    example: null,
  }),
}).meta({ id: "ChangedUrl" });

/** What people decide about a single link, beyond its fields. */
export const triageRoutes = (deps: Deps) => {
  const { list, remove, post } = edge(deps);
  return new Elysia({ prefix: "/links", tags: ["Links"] })
    .get(
      ...list(
        "/:id/timeline",
        async (deps, { caller, params, query }) =>
          listTimeline(deps, await findAnyLink(deps, caller, params.id), query),
        {
          operationId: "listLinkTimeline",
          summary: "List what people did to a link, newest first",
          description:
            "Includes the ends of acknowledgements, mutes and overrides that no person ended. Changes of status are in `GET /api/v1/links/{id}/runs`.",
          query: z.object(paging()),
          item: TimelineRecord,
          toItem: toTimelineRecord,
        },
      ),
    )
    .delete(
      ...remove(
        "/:id/override",
        async (unit, { caller, params }) => void (await endOverride(unit, caller, params.id)),
        {
          operationId: "endOverride",
          summary: "End the override of a link",
          description: "The link is checked at once, and that check decides.",
          refuses: [404],
        },
      ),
    )
    .post(
      ...post(
        "/:id/override",
        (unit, { caller, params, body }) => setOverride(unit, caller, params.id, body),
        {
          operationId: "overrideLink",
          summary: "Say that a dead or unknown link works",
          description:
            "The link is `active` with the reason `ok_overridden` while checks find the very thing that is overruled: the same reason, status code and final host. It ends when a check finds it dead for another reason, or alive, or at `until`: at most 90 days away, 30 by default. A link whose last check did not find it dead or unknown gets 409.",
          body: OverrideBody,
          reply: LinkDetail,
          toReply: toLinkDetail,
        },
      ),
    )
    .post(
      ...post("/:id/identity", (unit, { caller, params }) => acceptPage(unit, caller, params.id), {
        operationId: "acceptPage",
        summary: "Say that a link leads to the right page as it is now",
        description:
          "The page that the link shows now is remembered instead of the earlier one, and the link is checked at once. Ends doubts, and the death of a link with the reason `domain_changed_hands`. 409 with `nothing_remembered` until the page was seen twice, and with `not_active` if the last check did not find a page.",
        body: AcceptBody,
        reply: LinkDetail,
        toReply: toLinkDetail,
      }),
    )
    .post(
      ...post(
        "/:id/url",
        (unit, { caller, params, body: { url, note = null } }) =>
          changeUrl(unit, caller, params.id, { url, note }),
        {
          operationId: "changeLinkUrl",
          summary: "Give a link another URL",
          description:
            "The link keeps its id, history and all that is noted about it; `previous_urls` and the history show the old URL. It is `unknown` until its first check, which is due at once. Acknowledgement and override end. The URL of another link gets 409 with `existingId`.",
          body: UrlBody,
          reply: ChangedUrl,
          toReply: (row, now) => ({
            ...toLinkDetail(row, now),
            warning: row.details.sources > 0 ? STILL_IN_SOURCES : null,
          }),
        },
      ),
    );
};

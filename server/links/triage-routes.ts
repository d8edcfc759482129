import { Elysia } from "elysia";
import * as z from "zod";
import { idempotency } from "../api/idempotency.ts";
import { callers, createRefusals, data, pageOf, recordRefusals, toPage } from "../api/reply.ts";
import { lines, moment, paging, text } from "../lib/fields.ts";
import type { Deps } from "../work/deps.ts";
import { changeUrl } from "./change-url.ts";
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

const UrlBody = z
  .object(
    { url: text(2048).meta({ format: "uri" }), note: lines(500).nullable().optional() },
    "must be a JSON object",
  )
  .meta({ example: { url: "https://example.com/new", note: null } });

const editRefusals = { ...recordRefusals, ...createRefusals };

/** What people decide about a single link, beyond its fields. */
export const triageRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/links", tags: ["Links"] })
    .use(callers)
    .get(
      "/:id/timeline",
      async ({ caller, params, query, request, set }) => {
        const link = await findAnyLink(deps, caller, params.id);
        const page = await listTimeline(deps, link, query);
        return toPage(page, query, toTimelineRecord, { request, set });
      },
      {
        query: z.object(paging()),
        response: { 200: pageOf(TimelineRecord), ...recordRefusals },
        detail: {
          access: "read",
          operationId: "listLinkTimeline",
          summary: "List what people did to a link, newest first",
          description:
            "Includes the ends of acknowledgements, mutes and overrides that no person ended. Changes of status are in `GET /api/v1/links/{id}/runs`.",
        },
      },
    )
    .delete(
      "/:id/override",
      async ({ caller, params, status }) => {
        await endOverride(deps, caller, params.id);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...recordRefusals },
        detail: {
          access: "write",
          operationId: "endOverride",
          summary: "End the override of a link",
          description: "The link is checked at once, and that check decides.",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "/:id/override",
      async ({ caller, params, body, saveReply }) => {
        const toReply = toLinkDetail(deps.clock.now());
        const save = saveReply(200, toReply);
        return { data: toReply(await setOverride(deps, caller, params.id, body, save)) };
      },
      {
        body: OverrideBody,
        response: { 200: data(LinkDetail), ...editRefusals },
        detail: {
          access: "write",
          operationId: "overrideLink",
          summary: "Say that a dead or unknown link works",
          description:
            "The link is `active` with the reason `ok_overridden` while checks find the very thing that is overruled: the same reason, status code and final host. It ends when a check finds it dead for another reason, or alive, or at `until`: at most 90 days away, 30 by default. A link whose last check did not find it dead or unknown gets 409.",
        },
      },
    )
    .post(
      "/:id/url",
      async ({ caller, params, body: { url, note = null }, saveReply }) => {
        const toReply = toLinkDetail(deps.clock.now());
        const save = saveReply(200, toReply);
        return { data: toReply(await changeUrl(deps, caller, params.id, { url, note }, save)) };
      },
      {
        body: UrlBody,
        response: { 200: data(LinkDetail), ...editRefusals },
        detail: {
          access: "write",
          operationId: "changeLinkUrl",
          summary: "Give a link another URL",
          description:
            "The link keeps its id, history and all that is noted about it; `previous_urls` and the history show the old URL. It is `unknown` until its first check, which is due at once. Acknowledgement and override end. The URL of another link gets 409 with `existingId`.",
        },
      },
    );

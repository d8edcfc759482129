import { Elysia } from "elysia";
import * as z from "zod";
import { paging } from "../ground/lib/fields.ts";
import { toIso } from "../ground/lib/moments.ts";
import { LARGE_BODY_LIMIT } from "../http/caller.ts";
import { csv, csvReply } from "../http/csv.ts";
import { edge } from "../http/edge.ts";
import type { Deps } from "../work/deps.ts";
import { applyReplacement } from "./apply-replacement.ts";
import {
  PLACE_COLUMNS,
  PLACES_EXAMPLE,
  placesToEdit,
  ReplacementExportQuery,
} from "./export-replacements.ts";
import { replaceLink, withdrawReplacement } from "./replace.ts";
import * as model from "./replace-model.ts";
import {
  createReplacement,
  deleteReplacement,
  findReplacementDetail,
  listReplacements,
} from "./replacements.ts";

/** Holds a place of the exports that run at once. */
type InPlace = <Step>(
  accountId: string,
  steps: AsyncGenerator<Step, void>,
) => AsyncGenerator<Step, void>;

export const replaceRoutes = (deps: Deps, inPlace: InPlace) => {
  const { list, read, file, remove, postInSteps, createInSteps } = edge(deps);
  return new Elysia({ tags: ["Repair"] })
    .post(
      ...postInSteps(
        "/links/:id/replace",
        (deps, { caller, params: { id }, body, request: { signal } }, save) =>
          replaceLink(deps, { caller, id, signal }, body, save),
        {
          operationId: "replaceLink",
          summary: "Put another URL in the place of a link's",
          description:
            "A link that stands in no source gets the URL as by `POST /api/v1/links/{id}/url`. One that stands in sources keeps its own, since they would add it again: the new one becomes its `accepted_url`, and the link is acknowledged if it is dead and open. Once its places are edited, the source finds the new URL and the old link is retired. The URL of another link gets 409 `duplicate_url` with `existingId`, unless `merge` is true. A suggestion that is older than 7 days is requested again: 409 `suggestion_outdated` with its `verdict` if it is not the page any more.",
          body: model.ReplaceBody,
          reply: model.ReplacedLinkRecord,
          toReply: model.toReplacedLink,
        },
      ),
    )
    .delete(
      ...remove(
        "/links/:id/replace",
        (unit, { caller, params }) => withdrawReplacement(unit, caller, params.id),
        {
          operationId: "withdrawReplacement",
          summary: "Take back the accepted URL of a link that stands in sources",
          description:
            "Opens the link again if accepting the URL has acknowledged it. 404 without an accepted URL. A URL that was changed is changed back by `POST /api/v1/links/{id}/url`.",
          refuses: [404],
        },
      ),
    )
    .get(
      ...list("/replacements", (deps, { caller, query }) => listReplacements(deps, caller, query), {
        operationId: "listReplacements",
        summary: "List previews of replacements, newest first",
        description: "They can be read for 7 days.",
        query: z.object(paging()),
        item: model.Replacement,
        toItem: model.toReplacement,
      }),
    )
    .get(
      ...read(
        "/replacements/:id",
        (deps, { caller, params }) => findReplacementDetail(deps, caller, params.id),
        {
          operationId: "getReplacement",
          summary: "Get a preview with its links and their new URLs",
          reply: model.ReplacementWithItems,
          toReply: model.toReplacementWithItems,
        },
      ),
    )
    .get(
      ...file(
        "/exports/replacements",
        (deps, { caller, query, request }) =>
          csvReply(request, {
            name: `replacements-${toIso(deps.clock.now()).slice(0, 10)}.${query.format}`,
            format: query.format,
            columns: PLACE_COLUMNS,
            steps: inPlace(caller.accountId, placesToEdit(deps, caller, query)),
          }),
        {
          operationId: "exportReplacements",
          summary: "Export the places where links stand that have an accepted URL",
          description:
            "What an editor works through: page by page, as `text/csv` (RFC 4180), or with `format=ndjson` as one JSON object in each line. The response is streamed: a file that ends early is incomplete.",
          query: ReplacementExportQuery,
          file: csv(PLACES_EXAMPLE),
        },
      ),
    )
    .delete(
      ...remove(
        "/replacements/:id",
        (unit, { caller, params }) => deleteReplacement(unit, caller, params.id),
        {
          operationId: "deleteReplacement",
          summary: "Forget a preview",
          description: "What was carried out of it stays.",
        },
      ),
    )
    .post(
      ...createInSteps(
        "/replacements",
        (deps, { caller, body }, save) =>
          createReplacement(
            deps,
            caller,
            { request: model.requestIn(body), filter: body.filter },
            save,
          ),
        {
          operationId: "createReplacement",
          summary: "Preview the replacement of many links",
          description:
            "By a rule, or by suggestions, for at most 1,000 links. Nothing is changed: each new URL is checked once, at the pace that its site allows, and once the preview is `ready`, `POST /api/v1/replacements/{id}/apply` carries it out. A preview lives for 24 hours, and an account has two at a time that are not carried out: a third gets 409 `too_many_replacements`.",
          body: model.ReplacementBody,
          locationOf: ({ id }) => `/api/v1/replacements/${id}`,
          reply: model.ReplacementWithItems,
          toReply: model.toReplacementWithItems,
        },
      ),
    )
    .post(
      ...postInSteps(
        "/replacements/:id/apply",
        (deps, { caller, params: { id }, body: { link_ids: ids, merge } }, save) =>
          applyReplacement(deps, caller, id, { linkIds: ids ?? null, merge }, save),
        {
          operationId: "applyReplacement",
          summary: "Carry out a preview, or some of it",
          description:
            "Each link is replaced as by `POST /api/v1/links/{id}/replace`. Links that were carried out before answer as they did then, so the request can be repeated; those that failed are tried again. A link that someone else has changed since fails with the reason `changed`. 409 `not_ready` while new URLs are checked, 409 `expired` after 24 hours.",
          bodyLimit: LARGE_BODY_LIMIT,
          body: model.ApplyBody,
          reply: model.AppliedReplacement,
          toReply: model.toApplied,
        },
      ),
    );
};

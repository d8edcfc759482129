import { Elysia } from "elysia";
import type * as z from "zod";
import { type Caller, contextOf, LARGE_BODY_LIMIT } from "../http/caller.ts";
import { asIs, edge } from "../http/edge.ts";
import { data, ErrorReply, refusals } from "../http/reply.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import { type Change, changeLinks, changeMatching, type StepOfChange } from "./change.ts";
import { createLinks, previewLinks } from "./create.ts";
import { type Deletion, deleteLinks, deleteMatching, type StepOfDeletion } from "./delete.ts";
import { acceptMatching, acceptPages } from "./identity.ts";
import * as model from "./many-model.ts";
import {
  toChange,
  toChangeStep,
  toCreation,
  toDeletion,
  toDeletionOf,
  toDeletionStep,
  toPreview,
  toUpsert,
  toVerdicts,
} from "./many-model.ts";
import { upsertLinks } from "./upsert.ts";
import { findVerdicts } from "./verdicts.ts";

type Body<Schema extends z.ZodType> = { caller: Caller; body: z.output<Schema> };

const deleteSelected = (
  deps: Deps,
  { caller, body: { link_ids: ids, filter = {}, before } }: Body<typeof model.SomeLinksBody>,
  save: SaveReply<Deletion[] | StepOfDeletion>,
) =>
  ids ? deleteLinks(deps, caller, ids, save) : deleteMatching(deps, caller, filter, before, save);

const changeSelected = (
  deps: Deps,
  {
    caller,
    body: { link_ids: ids, filter = {}, before, change },
  }: Body<typeof model.BatchChangeBody>,
  save: SaveReply<Change[] | StepOfChange>,
) =>
  ids
    ? changeLinks(deps, caller, ids, change, save)
    : changeMatching(deps, caller, { filter, before }, change, save);

const acceptSelected = (
  deps: Deps,
  { caller, body: { link_ids: ids, filter = {}, before } }: Body<typeof model.SomeLinksBody>,
  save: SaveReply<Change[] | StepOfChange>,
) =>
  ids
    ? acceptPages(deps, caller, ids, save)
    : acceptMatching(deps, caller, { filter, before }, save);

/** What is done to many links in one request. */
export const manyLinksRoutes = (deps: Deps) => {
  const { createSome, postInSteps, ask } = edge(deps);
  return new Elysia({ prefix: "/links", tags: ["Links"] })
    .delete(
      "/batch",
      async ({ request, body }) => ({
        data: toDeletionOf(await deleteLinks(deps, contextOf(request).caller!, body.link_ids)),
      }),
      {
        body: model.LinkIds,
        response: { 200: data(model.BatchDeletion), ...refusals, 413: ErrorReply, 415: ErrorReply },
        detail: {
          access: "write",
          bodyLimit: LARGE_BODY_LIMIT,
          operationId: "deleteLinksAlias",
          summary: "Delete up to 1,000 links with DELETE",
          description:
            "Same as `POST /api/v1/links/batch-delete`, which is preferred: proxies may drop the body of a DELETE request.",
        },
      },
    )
    .post(
      ...createSome(
        "/batch",
        (deps, { caller, body }, save) => createLinks(deps, caller, body.links, save),
        {
          operationId: "createLinks",
          summary: "Add up to 1,000 links",
          description:
            "Each item is processed separately: valid items are created, invalid items are reported. 201 if at least one link was created, 200 if none was.",
          bodyLimit: LARGE_BODY_LIMIT,
          body: model.NewLinks,
          reply: model.BatchResult,
          toReply: toCreation,
          isMade: ({ batchId }) => batchId !== null,
          means: [
            "No link was created; `results` gives the reason for each item.",
            "At least one link was created; see `results` for each item.",
          ],
        },
      ),
    )
    .post(
      ...postInSteps(
        "/upsert",
        (deps, { caller, body }, save) => upsertLinks(deps, caller, body.links, save),
        {
          operationId: "upsertLinks",
          summary: "Create or change up to 1,000 links by your own ids",
          description:
            "Each item has the `external_id` of a link. If a link of the account has it, the fields that the item has are changed, its URL as by `POST /api/v1/links/{id}/url`; otherwise the link is created. Repeating the request changes nothing. An id that stands twice in a request fails the second time.",
          bodyLimit: LARGE_BODY_LIMIT,
          body: model.UpsertedLinks,
          reply: model.UpsertResult,
          toReply: toUpsert,
        },
      ),
    )
    .post(
      ...ask(
        "/preview",
        (deps, { caller, body }) => previewLinks(deps, caller, body.links, body.already),
        {
          operationId: "previewLinks",
          summary: "Preview adding up to 1,000 links",
          description:
            "Validates each item exactly as `POST /api/v1/links/batch` does, but creates nothing. An accepted item shows its `url` as it would be stored. For a list in several parts, send as `already` the number of links that the earlier parts would have added, so that the account's limit applies to the whole list.",
          bodyLimit: LARGE_BODY_LIMIT,
          body: model.PreviewedLinks,
          reply: model.PreviewResult,
          toReply: toPreview,
        },
      ),
    )
    .post(
      ...ask(
        "/verdicts",
        async (deps, { caller, body: { urls, max_age: maxAge } }) =>
          toVerdicts(urls, await findVerdicts(deps, caller, urls, maxAge * 1000)),
        {
          operationId: "findVerdicts",
          summary: "Ask what is known of up to 1,000 URLs",
          description:
            "Nothing is requested and nothing is changed, so a key that may only read is enough. `active` if the last check found it so, `dead` if the link is dead and its last check confirmed it, both within `max_age`; otherwise `unknown`, with the reason `stale` if only the check is too old. URLs that the account does not watch have `known: false`. A URL that cannot be checked has an `error`. Fragments are ignored.",
          access: "read",
          bodyLimit: LARGE_BODY_LIMIT,
          body: model.AskedUrls,
          reply: model.Verdicts,
          toReply: asIs,
        },
      ),
    )
    .post(
      ...postInSteps("/batch-delete", deleteSelected, {
        operationId: "deleteLinks",
        summary: "Delete up to 1,000 links",
        description:
          "Send either `link_ids`, which are processed one by one, or `filter`: the newest 1,000 matching links, as `GET /api/v1/links` lists them. To continue, send `next` from the response as `before` until it is null. Links that are created in the meantime are not deleted. An empty `filter` matches all links; an unknown field in it is rejected.",
        writes: "on-full-disk",
        bodyLimit: LARGE_BODY_LIMIT,
        body: model.SomeLinksBody,
        reply: model.LinkDeletion,
        toReply: (done) => (Array.isArray(done) ? toDeletion(done) : toDeletionStep(done)),
      }),
    )
    .post(
      ...postInSteps("/batch-change", changeSelected, {
        operationId: "changeLinks",
        summary: "Change up to 1,000 links",
        description:
          "`change` has one or more of `group_id` (null for no group), `check_frequency`, `check_schedule`, `handling` with `muted_until`, `assignee_id`, `add_tags` and `remove_tags`. Select the links as in `POST /api/v1/links/batch-delete`: by `link_ids`, or by `filter` and `before` in steps of 1,000. Links that already have these values are `unchanged`. Links that cannot be changed like this, such as those that are alive and cannot be acknowledged, are `failed`. A new frequency counts from the last check.",
        bodyLimit: LARGE_BODY_LIMIT,
        body: model.BatchChangeBody,
        reply: model.BatchChange,
        toReply: (done) => (Array.isArray(done) ? toChange(done) : toChangeStep(done)),
      }),
    )
    .post(
      ...postInSteps("/batch-accept", acceptSelected, {
        operationId: "acceptPages",
        summary: "Say that up to 1,000 links lead to the right pages as they are now",
        description:
          "As `POST /api/v1/links/{id}/identity` for each. Select the links as in `POST /api/v1/links/batch-delete`: by `link_ids`, or by `filter` and `before` in steps of 1,000. Links of which nothing is remembered yet, or whose last check did not find a page, are `failed`.",
        bodyLimit: LARGE_BODY_LIMIT,
        body: model.SomeLinksBody,
        reply: model.BatchChange,
        toReply: (done) => (Array.isArray(done) ? toChange(done) : toChangeStep(done)),
      }),
    );
};

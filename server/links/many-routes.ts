import { Elysia } from "elysia";
import { LARGE_BODY_LIMIT } from "../api/caller.ts";
import { idempotency } from "../api/idempotency.ts";
import { callers, createRefusals, data, ErrorReply, refusals } from "../api/reply.ts";
import type { Deps } from "../work/deps.ts";
import { changeLinks, changeMatching } from "./change.ts";
import { type BatchCreation, createLinks, previewLinks } from "./create.ts";
import { deleteLinks, deleteMatching } from "./delete.ts";
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

/** What is done to many links in one request. */
export const manyLinksRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/links", tags: ["Links"] })
    .use(callers)
    .delete(
      "/batch",
      async ({ caller, body }) => ({
        data: toDeletionOf(await deleteLinks(deps, caller, body.link_ids)),
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
    .use(idempotency(deps))
    .post(
      "/batch",
      async ({ caller, body, status, saveReply }) => {
        const toReply = toCreation(deps.clock.now());
        const creation = await createLinks(deps, caller, body.links, (tx, made) =>
          saveReply(statusOf(made), toReply)(tx, made),
        );
        return status(statusOf(creation), { data: toReply(creation) });
      },
      {
        body: model.NewLinks,
        response: {
          200: data(
            model.BatchResult,
            "No link was created; `results` gives the reason for each item.",
          ),
          201: data(
            model.BatchResult,
            "At least one link was created; see `results` for each item.",
          ),
          ...createRefusals,
        },
        detail: {
          access: "write",
          bodyLimit: LARGE_BODY_LIMIT,
          operationId: "createLinks",
          summary: "Add up to 1,000 links",
          description:
            "Each item is processed separately: valid items are created, invalid items are reported. 201 if at least one link was created, 200 if none was.",
        },
      },
    )
    .post(
      "/upsert",
      async ({ caller, body, saveReply }) => ({
        data: toUpsert(await upsertLinks(deps, caller, body.links, saveReply(200, toUpsert))),
      }),
      {
        body: model.UpsertedLinks,
        response: { 200: data(model.UpsertResult), ...createRefusals },
        detail: {
          access: "write",
          bodyLimit: LARGE_BODY_LIMIT,
          operationId: "upsertLinks",
          summary: "Create or change up to 1,000 links by your own ids",
          description:
            "Each item has the `external_id` of a link. If a link of the account has it, the fields that the item has are changed, its URL as by `POST /api/v1/links/{id}/url`; otherwise the link is created. Repeating the request changes nothing. An id that stands twice in a request fails the second time.",
        },
      },
    )
    .post(
      "/preview",
      async ({ caller, body }) => ({
        data: toPreview(await previewLinks(deps, caller, body.links, body.already)),
      }),
      {
        body: model.PreviewedLinks,
        response: { 200: data(model.PreviewResult), ...createRefusals },
        detail: {
          access: "write",
          bodyLimit: LARGE_BODY_LIMIT,
          writes: "nothing",
          operationId: "previewLinks",
          summary: "Preview adding up to 1,000 links",
          description:
            "Validates each item exactly as `POST /api/v1/links/batch` does, but creates nothing. An accepted item shows its `url` as it would be stored. For a list in several parts, send as `already` the number of links that the earlier parts would have added, so that the account's limit applies to the whole list.",
        },
      },
    )
    .post(
      "/verdicts",
      async ({ caller, body: { urls, max_age: maxAge } }) => ({
        data: toVerdicts(urls, await findVerdicts(deps, caller, urls, maxAge * 1000)),
      }),
      {
        body: model.AskedUrls,
        response: { 200: data(model.Verdicts), ...createRefusals },
        detail: {
          access: "read",
          bodyLimit: LARGE_BODY_LIMIT,
          writes: "nothing",
          operationId: "findVerdicts",
          summary: "Ask what is known of up to 1,000 URLs",
          description:
            "Nothing is requested and nothing is changed, so a key that may only read is enough. `active` if the last check found it so, `dead` if the link is dead and its last check confirmed it, both within `max_age`; otherwise `unknown`, with the reason `stale` if only the check is too old. URLs that the account does not watch have `known: false`. A URL that cannot be checked has an `error`. Fragments are ignored, as links have none.",
        },
      },
    )
    .post(
      "/batch-delete",
      async ({ caller, body: { link_ids: ids, filter = {}, before }, saveReply }) => ({
        data: ids
          ? toDeletion(await deleteLinks(deps, caller, ids, saveReply(200, toDeletion)))
          : toDeletionStep(
              await deleteMatching(deps, caller, filter, before, saveReply(200, toDeletionStep)),
            ),
      }),
      {
        body: model.SomeLinksBody,
        response: { 200: data(model.LinkDeletion), ...createRefusals },
        detail: {
          access: "write",
          bodyLimit: LARGE_BODY_LIMIT,
          writes: "on-full-disk",
          operationId: "deleteLinks",
          summary: "Delete up to 1,000 links",
          description:
            "Send either `link_ids`, which are processed one by one, or `filter`: the newest 1,000 matching links, as `GET /api/v1/links` lists them. To continue, send `next` from the response as `before` until it is null. Links that are created in the meantime are not deleted. An empty `filter` matches all links; an unknown field in it is rejected.",
        },
      },
    )
    .post(
      "/batch-change",
      async ({ caller, body: { link_ids: ids, filter = {}, before, change }, saveReply }) => ({
        data: ids
          ? toChange(await changeLinks(deps, caller, ids, change, saveReply(200, toChange)))
          : toChangeStep(
              await changeMatching(
                deps,
                caller,
                { filter, before },
                change,
                saveReply(200, toChangeStep),
              ),
            ),
      }),
      {
        body: model.BatchChangeBody,
        response: { 200: data(model.BatchChange), ...createRefusals },
        detail: {
          access: "write",
          bodyLimit: LARGE_BODY_LIMIT,
          operationId: "changeLinks",
          summary: "Change up to 1,000 links",
          description:
            "`change` has one or more of `group_id` (null for no group), `check_frequency`, `check_schedule`, `handling` with `muted_until`, `assignee_id`, `add_tags` and `remove_tags`. Select the links as in `POST /api/v1/links/batch-delete`: by `link_ids`, or by `filter` and `before` in steps of 1,000. Links that already have these values are `unchanged`. Links that cannot be changed like this, such as those that are alive and cannot be acknowledged, are `failed`. A new frequency counts from the last check.",
        },
      },
    );

/** 201 means that at least one link was created (RFC 9110 §15.3.2). */
const statusOf = ({ batchId }: BatchCreation) => (batchId ? 201 : 200);

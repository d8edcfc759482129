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
} from "./many-model.ts";

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
          summary: "Change the group or check frequency of up to 1,000 links",
          description:
            "`change` has `group_id` (null for no group), `check_frequency` or both. Select the links as in `POST /api/v1/links/batch-delete`: by `link_ids`, or by `filter` and `before` in steps of 1,000. Links that already have these values are `unchanged`. A new frequency counts from the last check.",
        },
      },
    );

/** 201 means that at least one link was created (RFC 9110 §15.3.2). */
const statusOf = ({ batchId }: BatchCreation) => (batchId ? 201 : 200);

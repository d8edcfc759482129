import { Elysia } from "elysia";
import { idempotency } from "../../api/idempotency.ts";
import { createRefusals, refusals } from "../../api/refusals.ts";
import { data, ErrorReply } from "../../api/reply.ts";
import { callers } from "../../api/visit.ts";
import type { Deps } from "../../work/deps.ts";
import { changeLinks, changeMatching } from "../change.ts";
import { type BatchCreation, createLinks } from "../create.ts";
import { deleteLinks, deleteMatching } from "../delete.ts";
import { previewLinks } from "../preview.ts";
import * as model from "./model.ts";
import {
  toChange,
  toChangeStep,
  toCreation,
  toDeletion,
  toDeletionOf,
  toDeletionStep,
  toPreview,
} from "./replies.ts";

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
          operationId: "deleteLinksAlias",
          summary:
            "Delete up to 1000 links (proxies may drop the body; prefer POST /links/batch-delete)",
        },
      },
    )
    .use(idempotency(deps))
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
      "/preview",
      async ({ caller, body }) => ({
        data: toPreview(await previewLinks(deps, caller, body.links, body.already)),
      }),
      {
        body: model.PreviewedLinks,
        response: { 200: data(model.PreviewResult), ...createRefusals },
        detail: {
          operationId: "previewLinks",
          summary: "Tell what would become of up to 1000 URLs, and make nothing",
        },
      },
    )
    .post(
      "/batch-delete",
      async ({ caller, body: { link_ids: ids, filter = {}, before }, receipt }) => ({
        data: ids
          ? toDeletion(await deleteLinks(deps, caller, ids, receipt(200, toDeletion)))
          : toDeletionStep(
              await deleteMatching(deps, caller, filter, before, receipt(200, toDeletionStep)),
            ),
      }),
      {
        body: model.SomeLinksBody,
        response: { 200: data(model.LinkDeletion), ...createRefusals },
        detail: { operationId: "deleteLinks", summary: "Delete up to 1000 links" },
      },
    )
    .post(
      "/batch-change",
      async ({ caller, body: { link_ids: ids, filter = {}, before, change }, receipt }) => ({
        data: ids
          ? toChange(await changeLinks(deps, caller, ids, change, receipt(200, toChange)))
          : toChangeStep(
              await changeMatching(
                deps,
                caller,
                { filter, before },
                change,
                receipt(200, toChangeStep),
              ),
            ),
      }),
      {
        body: model.BatchChangeBody,
        response: { 200: data(model.BatchChange), ...createRefusals },
        detail: {
          operationId: "changeLinks",
          summary: "Change the group or check frequency of up to 1000 links",
        },
      },
    );

/** 201 means that at least one link was created (RFC 9110 §15.3.2). */
const statusOf = ({ batchId }: BatchCreation) => (batchId ? 201 : 200);

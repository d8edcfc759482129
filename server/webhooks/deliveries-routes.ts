import { Elysia } from "elysia";
import { idempotency } from "../api/idempotency.ts";
import { toPage } from "../api/page.ts";
import { createRefusals, recordRefusals } from "../api/refusals.ts";
import { data, ErrorReply, pageOf } from "../api/reply.ts";
import { callers } from "../api/visit.ts";
import type { Deps } from "../work/deps.ts";
import { findDeliveryDetail, listDeliveries } from "./deliveries.ts";
import * as model from "./deliveries-model.ts";
import { redeliver, redeliverFailed } from "./redeliver.ts";

export const deliveryRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/webhooks", tags: ["Webhooks"] })
    .use(callers)
    .get(
      "/:id/deliveries",
      async ({ caller, params, query, request, set }) => {
        const page = await listDeliveries(deps, caller, params.id, query);
        return toPage(page, query, model.toDelivery, { request, set });
      },
      {
        query: model.DeliveryQuery,
        response: { 200: pageOf(model.Delivery), ...recordRefusals },
        detail: {
          operationId: "listDeliveries",
          summary: "List what was sent to a webhook and what waits for it, newest first",
        },
      },
    )
    .get(
      "/:id/deliveries/:delivery_id",
      async ({ caller, params }) => ({
        data: model.toDeliveryDetail(
          await findDeliveryDetail(deps, caller, params.id, params.delivery_id),
        ),
      }),
      {
        response: { 200: data(model.DeliveryDetail), ...recordRefusals },
        detail: {
          operationId: "getDelivery",
          summary: "Get one delivery with its body and every attempt",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "/:id/deliveries/:delivery_id/redeliver",
      async ({ caller, params, receipt }) => {
        const { toDelivery } = model;
        const { id, delivery_id: deliveryId } = params;
        const asked = await redeliver(deps, caller, id, deliveryId, receipt(200, toDelivery));
        return { data: toDelivery(asked) };
      },
      {
        response: { 200: data(model.Delivery), ...recordRefusals, 409: ErrorReply },
        detail: { operationId: "redeliver", summary: "Send a delivery once more" },
      },
    )
    .post(
      "/:id/redeliver-failed",
      async ({ caller, params, body }) => ({
        data: { queued: await redeliverFailed(deps, caller, params.id, body) },
      }),
      {
        body: model.createdSpanAt(() => deps.clock.now()),
        response: { 200: data(model.Queued), ...recordRefusals, ...createRefusals },
        detail: {
          operationId: "redeliverFailed",
          summary: "Send once more all that failed in a time of at most 14 days",
        },
      },
    );

import { Elysia } from "elysia";
import { idempotency } from "../api/idempotency.ts";
import {
  callers,
  createRefusals,
  data,
  ErrorReply,
  pageOf,
  recordRefusals,
  toPage,
} from "../api/reply.ts";
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
          access: "read",
          operationId: "listDeliveries",
          summary: "List the deliveries of a webhook, newest first",
          description:
            "Deliveries are kept for 30 days. A delivery has the id of its event; the receiver gets its `message_id` as `webhook-id`. `pending` and `failed` deliveries wait for `next_attempt_at`; `exhausted` ones had their last attempt. `paused` deliveries wait until the webhook is enabled again, `expired` ones waited too long for that. `cancelled`: the webhook no longer subscribes to the event. `digested`: sent as part of the delivery in `digest_id`.",
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
          access: "read",
          operationId: "getDelivery",
          summary: "Get one delivery with its body and attempts",
          description:
            "`request_body` is the posted body, for `standard` webhooks byte for byte. `all_attempts` starts with the oldest. `status_code` is 0 if there was no response; `error_code` gives the reason. The first 16 KiB of a response are kept.",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "/:id/deliveries/:delivery_id/redeliver",
      async ({ caller, params, saveReply }) => {
        const { toDelivery } = model;
        const { id, delivery_id: deliveryId } = params;
        const asked = await redeliver(deps, caller, id, deliveryId, saveReply(200, toDelivery));
        return { data: toDelivery(asked) };
      },
      {
        response: { 200: data(model.Delivery), ...recordRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "redeliver",
          summary: "Redeliver one delivery",
          description:
            "Sends the same message with a new signature to the webhook's current URL. It is sent soon, once even if you repeat the request, and does not change the retry schedule. 409 while an attempt is running, while a digest is still collecting events, or while the webhook is disabled.",
        },
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
          access: "write",
          operationId: "redeliverFailed",
          summary: "Redeliver all failed deliveries of up to 14 days",
          description:
            "Queues one more attempt for each delivery created from `since` to `until`, both inclusive, that is `failed`, `exhausted` or `expired`. A date alone means its first millisecond in UTC, or its last for `until`. `queued` is the number of deliveries. 409 while the webhook is disabled.",
        },
      },
    );

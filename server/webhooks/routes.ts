import { Elysia } from "elysia";
import * as z from "zod";
import { idempotency } from "../api/idempotency.ts";
import { refusalBeyond } from "../api/rate-limit.ts";
import {
  callers,
  changeRefusals,
  createRefusals,
  cursorPageOf,
  data,
  deleteRefusals,
  ErrorReply,
  pageOf,
  recordRefusals,
  refusals,
  toCursorPage,
  toPage,
} from "../api/reply.ts";

import type { Deps } from "../work/deps.ts";
import { listAllDeliveries } from "./all-deliveries.ts";
import { changeWebhook, rotateSecret } from "./change.ts";
import { findDeliveryDetail, listDeliveries } from "./deliveries.ts";
import * as model from "./deliveries-model.ts";
import { countDeliveryDays } from "./delivery-days.ts";
import { countMatches, FilterBody } from "./filter.ts";
import {
  NewWebhookBody,
  type RotatedWebhook,
  Rotation,
  TestResult,
  toWebhook,
  toWebhookWithNewSecret,
  toWebhookWithSecret,
  Webhook,
  WebhookChangeBody,
  WebhookQuery,
  type WebhookRecord,
  WebhookWithNewSecret,
  WebhookWithSecret,
} from "./model.ts";
import { askAgain } from "./recipients.ts";
import { redeliver, redeliverFailed } from "./redeliver.ts";
import { sendTest, type TestResult as TestOutcome } from "./send-test.ts";
import { sendSummaryNow } from "./summaries.ts";
import { createWebhook, deleteWebhook, findWebhook, listWebhooks } from "./webhooks.ts";

/** As many as the largest plan has, so that one page holds all. */
const PER_PAGE = 100;
/** Of one webhook. */
const TESTS = { perMinute: 10, perHour: 0 };
/** Of all webhooks of an account that send mail. */
const MAIL_TESTS = { perMinute: 0, perHour: 30 };

export const webhookRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/webhooks", tags: ["Webhooks"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listWebhooks(deps, caller, query), query, toWebhook, { request, set }),
      {
        query: WebhookQuery(PER_PAGE),
        response: { 200: pageOf(Webhook), ...refusals },
        detail: {
          access: "read",
          operationId: "listWebhooks",
          summary: "List webhooks, newest first",
          description:
            "Callers without the `write` permission see only the host of a `url`; `url_state` shows whether it is complete. With `first_verdicts` a webhook also gets `link.alive` for the first result of a link.",
        },
      },
    )
    .get(
      "/deliveries",
      async ({ caller, query, request, set }) => {
        const page = await listAllDeliveries(deps, caller, query);
        return toCursorPage(page, model.toDeliveryOfAccount, { request, set });
      },
      {
        query: model.AllDeliveriesQuery,
        response: { 200: cursorPageOf(model.DeliveryOfAccount), ...refusals },
        detail: {
          access: "read",
          operationId: "listAllDeliveries",
          summary: "List the deliveries of all webhooks, newest first",
          description:
            "Each delivery as in the list of its webhook, with the webhook it is for and what it is about: a `link`, or in a digest or a `batch.complete` event the `count` of what it covers. Deliveries that were sent as part of a digest are listed only with `status=digested`. There are no page numbers: `next_cursor` is the `cursor` of the next page, null on the last one.",
        },
      },
    )
    .get(
      "/deliveries/days",
      async ({ caller, query }) => ({
        data: { items: await countDeliveryDays(deps, caller, query) },
      }),
      {
        query: model.DeliveryDaysQuery,
        response: { 200: data(z.object({ items: z.array(model.DeliveryDays) })), ...refusals },
        detail: {
          access: "read",
          operationId: "countDeliveryDays",
          summary: "Count the deliveries of each webhook by day",
          description:
            "By the day of their events in UTC, the oldest day first, with the sums of all days. `failed` counts the statuses `failed`, `exhausted` and `expired`; `pending` counts `pending`, `delivering` and `paused`. Deliveries that are `digested` or `cancelled` are not counted.",
        },
      },
    )
    .get(
      "/:id",
      async ({ caller, params }) => ({
        data: toWebhook(await findWebhook(deps, caller, params.id)),
      }),
      {
        response: { 200: data(Webhook), ...recordRefusals },
        detail: { access: "read", operationId: "getWebhook", summary: "Get one webhook" },
      },
    )
    .patch(
      "/:id",
      async ({ caller, params, body }) => ({
        data: toWebhook(await changeWebhook(deps, caller, params.id, body)),
      }),
      {
        body: WebhookChangeBody,
        response: { 200: data(Webhook), ...changeRefusals },
        detail: {
          access: "write",
          operationId: "changeWebhook",
          summary: "Change, enable or disable a webhook",
          description:
            "`is_active: true` enables a webhook again that was disabled, by you or by failures. A webhook whose `url_state` is `unreadable` needs its `url` again.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ caller, params, status }) => {
        await deleteWebhook(deps, caller, params.id);
        return status(204, undefined);
      },
      {
        response: { 204: z.undefined(), ...deleteRefusals },
        detail: {
          access: "write",
          operationId: "deleteWebhook",
          summary: "Delete a webhook and its pending deliveries",
        },
      },
    )
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
      "/matches",
      async ({ caller, body }) => ({ data: await countMatches(deps, caller, body.filter) }),
      {
        body: z.object({ filter: FilterBody }, "must be a JSON object"),
        response: {
          200: data(z.object({ links: z.int(), total: z.int() })),
          ...refusals,
          413: ErrorReply,
          415: ErrorReply,
        },
        detail: {
          access: "read",
          writes: "nothing",
          operationId: "countFilterMatches",
          summary: "Count the links that a webhook's filter matches now",
          description:
            "`links` of the account's `total`, by their current group, service and reason. Nothing is stored.",
        },
      },
    )
    .post(
      "",
      async ({ caller, body, set, status, saveSecretReply }) => {
        const fresh = await createWebhook(deps, caller, body, saveSecretReply(201));
        set.headers.location = `/api/v1/webhooks/${fresh.id}`;
        return status(201, { data: toWebhookWithSecret(fresh) });
      },
      {
        body: NewWebhookBody,
        response: { 201: data(WebhookWithSecret), ...createRefusals },
        detail: {
          access: "write",
          operationId: "createWebhook",
          summary: "Create a webhook; its signing secret is shown once",
          description:
            "The response contains the `signing_secret`, once. Typical `events` are `link.dead` and `link.alive`. `first_verdicts` adds `link.alive` for links that are alive at their first check; without it in the request, it is true in the `standard` format and false in all others.",
        },
      },
    )
    .post(
      "/:id/rotate-secret",
      async ({ caller, params, body, saveSecretReply }) => {
        const { graceSeconds } = body;
        const saveReply = saveSecretReply<RotatedWebhook>(200);
        const rotated = await rotateSecret(deps, caller, params.id, graceSeconds, saveReply);
        return { data: toWebhookWithNewSecret(rotated) };
      },
      {
        body: Rotation,
        response: { 200: data(WebhookWithNewSecret), ...recordRefusals, ...createRefusals },
        detail: {
          access: "write",
          operationId: "rotateWebhookSecret",
          summary: "Replace a webhook's signing secret; the new one is shown once",
          description:
            "The response contains the new `signing_secret`, once. The old secret keeps signing for `grace_period_seconds`, by default one day: messages then carry a signature by each secret, the new one first. 0 ends it immediately. At most two old secrets sign in addition to the new one; `previous_secrets_expire_at` shows until when, newest first.",
        },
      },
    )
    .post(
      "/:id/confirm",
      async ({ caller, params }) => {
        const webhook = await findWebhook(deps, caller, params.id);
        await deps.store.transaction((tx) => askAgain({ ...deps, store: tx }, caller, webhook));
        return { data: toWebhook(webhook) };
      },
      {
        response: {
          200: data(Webhook),
          ...recordRefusals,
          409: ErrorReply,
        },
        detail: {
          access: "write",
          operationId: "confirmWebhook",
          summary: "Ask the recipient of an e-mail webhook for the confirmation again",
          description:
            "An `email` webhook to an address that has not agreed yet is disabled with the reason `unconfirmed`, and its recipient gets one message with a link to confirm. Each address is asked at most three times within 24 hours.",
        },
      },
    )
    .post(
      "/:id/test",
      async ({ caller, params, saveReply }) => {
        const webhook = await findWebhook(deps, caller, params.id);
        await refuseTooMany(deps, webhook);
        const save = saveReply(200, (result: TestOutcome) => result);
        return { data: await sendTest(deps, caller, webhook, save) };
      },
      {
        response: { 200: data(TestResult), ...recordRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "testWebhook",
          summary: "Send a test event",
          description:
            "Ten a minute for a webhook, and 30 an hour for all `email` webhooks of an account, with those of `/summary`. Sends the first subscribed event once, with sample data and `test: true`. 200 whatever the receiver returns; `statusCode` is 0 if it does not respond. The test appears among the deliveries, is not retried and does not count for or against the webhook.",
        },
      },
    )
    .post(
      "/:id/summary",
      async ({ caller, params, saveReply }) => {
        const webhook = await findWebhook(deps, caller, params.id);
        await refuseTooMany(deps, webhook);
        const save = saveReply(200, (result: TestOutcome) => result);
        return { data: await sendSummaryNow(deps, caller, webhook, save) };
      },
      {
        response: { 200: data(TestResult), ...recordRefusals, 409: ErrorReply },
        detail: {
          access: "write",
          operationId: "sendSummary",
          summary: "Send a webhook's summary of now",
          description:
            "Sends `summary.ready` once, from the last summary until now and with `test: true`. The period of the next summary stays as it is. 409 if the webhook has no `summary`.",
        },
      },
    )
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

const refuseTests = refusalBeyond(TESTS, "webhook tests");
const refuseMailTests = refusalBeyond(MAIL_TESTS, "mail tests");

/**
 * Every test sends a request to a server, so one key must not send too many; nor may an account with many webhooks send
 * many mails to people.
 * @throws RATE_LIMITED
 */
async function refuseTooMany(deps: Deps, { id, accountId, format }: WebhookRecord): Promise<void> {
  await refuseTests(deps, id);
  if (format === "email") await refuseMailTests(deps, accountId);
}

import { Elysia } from "elysia";
import * as z from "zod";
import { asIs, edge, resource } from "../http/edge.ts";
import { refusalBeyond } from "../http/rate-limit.ts";
import type { Deps } from "../work/deps.ts";
import { listAllDeliveries } from "./all-deliveries.ts";
import { changeWebhook, rotateSecret } from "./change.ts";
import { findDeliveryDetail, listDeliveries } from "./deliveries.ts";
import * as model from "./deliveries-model.ts";
import { countDeliveryDays } from "./delivery-days.ts";
import { countMatches, FilterBody } from "./filter.ts";
import {
  NewWebhookBody,
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

export const webhookRoutes = (deps: Deps) => {
  const shown = { reply: Webhook, toReply: toWebhook };
  const { list, find } = resource(deps, "/webhooks", shown);
  const routes = edge(deps);
  const { read, ask, post, postInSteps } = routes;
  const tested = { reply: TestResult, toReply: asIs<TestOutcome> };
  return new Elysia({ prefix: "/webhooks", tags: ["Webhooks"] })
    .get(
      ...list(listWebhooks, {
        operationId: "listWebhooks",
        summary: "List webhooks, newest first",
        description:
          "Callers without the `write` permission see only the host of a `url`; `url_state` shows whether it is complete. With `first_verdicts` a webhook also gets `link.alive` for the first result of a link.",
        query: WebhookQuery(PER_PAGE),
      }),
    )
    .get(
      ...routes.cursorList(
        "/deliveries",
        (deps, { caller, query }) => listAllDeliveries(deps, caller, query),
        {
          operationId: "listAllDeliveries",
          summary: "List the deliveries of all webhooks, newest first",
          description:
            "Each delivery as in the list of its webhook, with the webhook it is for and what it is about: a `link`, or in a digest or a `batch.complete` event the `count` of what it covers. Deliveries that were sent as part of a digest are listed only with `status=digested`. There are no page numbers: `next_cursor` is the `cursor` of the next page, null on the last one.",
          query: model.AllDeliveriesQuery,
          item: model.DeliveryOfAccount,
          toItem: model.toDeliveryOfAccount,
        },
      ),
    )
    .get(
      ...read(
        "/deliveries/days",
        (deps, { caller, query }) => countDeliveryDays(deps, caller, query),
        {
          operationId: "countDeliveryDays",
          summary: "Count the deliveries of each webhook by day",
          description:
            "By the day of their events in UTC, the oldest day first, with the sums of all days. `failed` counts the statuses `failed`, `exhausted` and `expired`; `pending` counts `pending`, `delivering` and `paused`. Deliveries that are `digested` or `cancelled` are not counted.",
          query: model.DeliveryDaysQuery,
          reply: z.object({ items: z.array(model.DeliveryDays) }),
          toReply: (items) => ({ items }),
        },
      ),
    )
    .get(...find(findWebhook, { operationId: "getWebhook", summary: "Get one webhook" }))
    .patch(
      ...routes.changeInSteps(
        "/:id",
        (deps, { caller, params, body }) => changeWebhook(deps, caller, params.id, body),
        {
          operationId: "changeWebhook",
          summary: "Change, enable or disable a webhook",
          description:
            "`is_active: true` enables a webhook again that was disabled, by you or by failures. A webhook whose `url_state` is `unreadable` needs its `url` again.",
          body: WebhookChangeBody,
          ...shown,
        },
      ),
    )
    .delete(
      ...routes.removeInSteps(
        "/:id",
        (deps, { caller, params }) => deleteWebhook(deps, caller, params.id),
        { operationId: "deleteWebhook", summary: "Delete a webhook and its pending deliveries" },
      ),
    )
    .get(
      ...routes.list(
        "/:id/deliveries",
        (deps, { caller, params, query }) => listDeliveries(deps, caller, params.id, query),
        {
          operationId: "listDeliveries",
          summary: "List the deliveries of a webhook, newest first",
          description:
            "Deliveries are kept for 30 days. A delivery has the id of its event; the receiver gets its `message_id` as `webhook-id`. `pending` and `failed` deliveries wait for `next_attempt_at`; `exhausted` ones had their last attempt. `paused` deliveries wait until the webhook is enabled again, `expired` ones waited too long for that. `cancelled`: the webhook no longer subscribes to the event. `digested`: sent as part of the delivery in `digest_id`.",
          query: model.DeliveryQuery,
          item: model.Delivery,
          toItem: model.toDelivery,
        },
      ),
    )
    .get(
      ...read(
        "/:id/deliveries/:delivery_id",
        (deps, { caller, params }) =>
          findDeliveryDetail(deps, caller, params.id, params.delivery_id),
        {
          operationId: "getDelivery",
          summary: "Get one delivery with its body and attempts",
          description:
            "`request_body` is the posted body, for `standard` webhooks byte for byte. `all_attempts` starts with the oldest. `status_code` is 0 if there was no response; `error_code` gives the reason. The first 16 KiB of a response are kept.",
          reply: model.DeliveryDetail,
          toReply: model.toDeliveryDetail,
        },
      ),
    )
    .post(
      ...ask("/matches", (deps, { caller, body }) => countMatches(deps, caller, body.filter), {
        access: "read",
        operationId: "countFilterMatches",
        summary: "Count the links that a webhook's filter matches now",
        description:
          "`links` of the account's `total`, by their current group, service and reason. Nothing is stored.",
        body: z.object({ filter: FilterBody }, "must be a JSON object"),
        reply: z.object({ links: z.int(), total: z.int() }),
        toReply: asIs,
        refuses: [413, 415],
      }),
    )
    .post(
      ...routes.create("", (unit, { caller, body }) => createWebhook(unit, caller, body), {
        operationId: "createWebhook",
        summary: "Create a webhook; its signing secret is shown once",
        description:
          "The response contains the `signing_secret`, once. Typical `events` are `link.dead` and `link.alive`. `first_verdicts` adds `link.alive` for links that are alive at their first check; without it in the request, it is true in the `standard` format and false in all others.",
        body: NewWebhookBody,
        reply: WebhookWithSecret,
        toReply: toWebhookWithSecret,
        isSecret: true,
        locationOf: ({ id }) => `/api/v1/webhooks/${id}`,
      }),
    )
    .post(
      ...post(
        "/:id/rotate-secret",
        (unit, { caller, params, body }) =>
          rotateSecret(unit, caller, params.id, body.graceSeconds),
        {
          operationId: "rotateWebhookSecret",
          summary: "Replace a webhook's signing secret; the new one is shown once",
          description:
            "The response contains the new `signing_secret`, once. The old secret keeps signing for `grace_period_seconds`, by default one day: messages then carry a signature by each secret, the new one first. 0 ends it immediately. At most two old secrets sign in addition to the new one; `previous_secrets_expire_at` shows until when, newest first.",
          body: Rotation,
          reply: WebhookWithNewSecret,
          toReply: toWebhookWithNewSecret,
          isSecret: true,
        },
      ),
    )
    .post(
      ...post(
        "/:id/confirm",
        async (unit, { caller, params }) => {
          const webhook = await findWebhook(unit, caller, params.id);
          await askAgain(unit, caller, webhook);
          return webhook;
        },
        {
          operationId: "confirmWebhook",
          summary: "Ask the recipient of an e-mail webhook for the confirmation again",
          description:
            "An `email` webhook to an address that has not agreed yet is disabled with the reason `unconfirmed`, and its recipient gets one message with a link to confirm. Each address is asked at most three times within 24 hours.",
          ...shown,
        },
      ),
    )
    .post(
      ...postInSteps(
        "/:id/test",
        async (deps, { caller, params }, save) => {
          const webhook = await findWebhook(deps, caller, params.id);
          await refuseTooMany(deps, webhook);
          return sendTest(deps, caller, webhook, save);
        },
        {
          operationId: "testWebhook",
          summary: "Send a test event",
          description:
            "Ten a minute for a webhook, and 30 an hour for all `email` webhooks of an account, with those of `/summary`. Sends the first subscribed event once, with sample data and `test: true`. 200 whatever the receiver returns; `statusCode` is 0 if it does not respond. The test appears among the deliveries, is not retried and does not count for or against the webhook.",
          ...tested,
        },
      ),
    )
    .post(
      ...postInSteps(
        "/:id/summary",
        async (deps, { caller, params }, save) => {
          const webhook = await findWebhook(deps, caller, params.id);
          await refuseTooMany(deps, webhook);
          return sendSummaryNow(deps, caller, webhook, save);
        },
        {
          operationId: "sendSummary",
          summary: "Send a webhook's summary of now",
          description:
            "Sends `summary.ready` once, from the last summary until now and with `test: true`. The period of the next summary stays as it is. 409 if the webhook has no `summary`.",
          ...tested,
        },
      ),
    )
    .post(
      ...post(
        "/:id/deliveries/:delivery_id/redeliver",
        (unit, { caller, params }) => redeliver(unit, caller, params.id, params.delivery_id),
        {
          operationId: "redeliver",
          summary: "Redeliver one delivery",
          description:
            "Sends the same message with a new signature to the webhook's current URL. It is sent soon, once even if you repeat the request, and does not change the retry schedule. 409 while an attempt is running, while a digest is still collecting events, or while the webhook is disabled.",
          reply: model.Delivery,
          toReply: model.toDelivery,
        },
      ),
    )
    .post(
      ...postInSteps(
        "/:id/redeliver-failed",
        (deps, { caller, params, body }) => redeliverFailed(deps, caller, params.id, body),
        {
          operationId: "redeliverFailed",
          summary: "Redeliver all failed deliveries of up to 14 days",
          description:
            "Queues one more attempt for each delivery created from `since` to `until`, both inclusive, that is `failed`, `exhausted` or `expired`. A date alone means its first millisecond in UTC, or its last for `until`. `queued` is the number of deliveries. 409 while the webhook is disabled.",
          body: model.createdSpanAt(() => deps.clock.now()),
          reply: model.Queued,
          toReply: (queued) => ({ queued }),
        },
      ),
    );
};

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

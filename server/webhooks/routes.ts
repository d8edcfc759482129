import { Elysia } from "elysia";
import * as z from "zod";
import { idempotency } from "../api/idempotency.ts";
import { limiterFor } from "../api/limiters.ts";
import { toPage } from "../api/page.ts";
import { type RateLimiter, rateLimited } from "../api/rate-limit.ts";
import {
  changeRefusals,
  createRefusals,
  deleteRefusals,
  recordRefusals,
  refusals,
} from "../api/refusals.ts";
import { data, ErrorReply, pageOf } from "../api/reply.ts";
import { callers } from "../api/visit.ts";
import { paging } from "../lib/fields.ts";
import type { Deps } from "../work/deps.ts";
import { changeWebhook } from "./change.ts";
import {
  NewWebhookBody,
  Rotation,
  TestResult,
  toWebhook,
  toWebhookWithNewSecret,
  toWebhookWithSecret,
  Webhook,
  WebhookChangeBody,
  WebhookWithNewSecret,
  WebhookWithSecret,
} from "./model.ts";
import { rotateSecret } from "./rotate.ts";
import { sendTest, type TestResult as TestOutcome } from "./send-test.ts";
import { createWebhook, deleteWebhook, findWebhook, listWebhooks } from "./webhooks.ts";

/** As many as the largest plan has, so that one page holds all. */
const PER_PAGE = 100;
const TESTS_PER_MINUTE = 10;

export const webhookRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/webhooks", tags: ["Webhooks"] })
    .use(callers)
    .get(
      "",
      async ({ caller, query, request, set }) =>
        toPage(await listWebhooks(deps, caller, query), query, toWebhook, { request, set }),
      {
        query: z.object(paging(PER_PAGE)),
        response: { 200: pageOf(Webhook), ...refusals },
        detail: { operationId: "listWebhooks", summary: "List webhooks, newest first" },
      },
    )
    .get(
      "/:id",
      async ({ caller, params }) => ({
        data: toWebhook(await findWebhook(deps, caller, params.id)),
      }),
      {
        response: { 200: data(Webhook), ...recordRefusals },
        detail: { operationId: "getWebhook", summary: "Get one webhook" },
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
          operationId: "changeWebhook",
          summary: "Change a webhook's URL or events, or switch it on or off",
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
          operationId: "deleteWebhook",
          summary: "Delete a webhook with what waits for it",
        },
      },
    )
    .use(idempotency(deps))
    .post(
      "",
      async ({ caller, body, set, status, secretReceipt }) => {
        const fresh = await createWebhook(deps, caller, body, secretReceipt(201));
        set.headers.location = `/api/v1/webhooks/${fresh.id}`;
        return status(201, { data: toWebhookWithSecret(fresh) });
      },
      {
        body: NewWebhookBody,
        response: { 201: data(WebhookWithSecret), ...createRefusals },
        detail: {
          operationId: "createWebhook",
          summary: "Create a webhook; its signing secret is shown once",
        },
      },
    )
    .post(
      "/:id/rotate-secret",
      async ({ caller, params, body, secretReceipt }) => {
        const { graceSeconds } = body;
        const receipt = secretReceipt(200);
        const rotated = await rotateSecret(deps, caller, params.id, graceSeconds, receipt);
        return { data: toWebhookWithNewSecret(rotated) };
      },
      {
        body: Rotation,
        response: { 200: data(WebhookWithNewSecret), ...recordRefusals, ...createRefusals },
        detail: {
          operationId: "rotateWebhookSecret",
          summary: "Give a webhook a new signing secret, shown once",
        },
      },
    )
    .post(
      "/:id/test",
      async ({ caller, params, receipt }) => {
        const webhook = await findWebhook(deps, caller, params.id);
        await refuseTooMany(deps, webhook.id);
        const kept = receipt(200, (result: TestOutcome) => result);
        return { data: await sendTest(deps, caller, webhook, kept) };
      },
      {
        response: { 200: data(TestResult), ...recordRefusals, 409: ErrorReply },
        detail: {
          operationId: "testWebhook",
          summary: "Send a test event and tell what the receiver answered",
        },
      },
    );

/** One for both doors. */
const testLimiters = new WeakMap<Deps, RateLimiter>();

/** Every test goes out to somebody's server, so one key must not make us knock without end. */
async function refuseTooMany(deps: Deps, webhookId: string) {
  const limiter =
    testLimiters.get(deps) ??
    limiterFor(deps, "webhook tests", { perMinute: TESTS_PER_MINUTE, perHour: 0 });
  testLimiters.set(deps, limiter);
  const allowance = await limiter(webhookId);
  if (!allowance.allowed) throw rateLimited(allowance);
}

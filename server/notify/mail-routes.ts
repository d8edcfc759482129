import { Elysia } from "elysia";
import * as z from "zod";
import { presentSession } from "../accounts/doors.ts";
import type { Guard } from "../accounts/guard.ts";
import { AppError } from "../ground/lib/errors.ts";
import { oneOf, timeZone } from "../ground/lib/fields.ts";
import { EVENT_TYPES } from "../ground/lib/vocabulary.ts";
import { contextOf } from "../http/caller.ts";
import { createRefusals, data, recordRefusals, refusals } from "../http/reply.ts";
import { type LinkPurpose, type MailLink, readMailLink } from "../mail/links.ts";
import type { Deps } from "../work/deps.ts";
import { mailPreview } from "./email.ts";
import { toWebhook } from "./model.ts";
import { type OwnMail as FoundOwnMail, findOwnMail, setOwnMail } from "./own-mail.ts";
import {
  confirmAddress,
  type Subscription as Found,
  findSubscription,
  subscribeAgain,
  unsubscribe,
} from "./recipients.ts";
import { sampleEvent } from "./send-test.ts";
import { ScheduleBody, ScheduleRecord } from "./summary-schedule.ts";
import { findWebhook } from "./webhooks.ts";

const Subscription = z.object({
  address: z.string(),
  name: z.string().nullable(),
  account: z.string().nullable(),
  state: z.enum(["unconfirmed", "active", "paused", "unsubscribed", "refused", "gone", "account"]),
}) satisfies z.ZodType<Found>;

/** What a person gets by mail to their own address. */
const OwnMail = z.object({
  events: z.array(z.enum(EVENT_TYPES)),
  summary: ScheduleRecord.nullable(),
  is_active: z.boolean(),
  /** Whether they hear of links that others assign to them. */
  assigned: z.boolean(),
  /** Whether the address is proven, without which they do not. */
  is_proven: z.boolean(),
});

const OwnMailBody = z.object(
  {
    events: z.array(oneOf(EVENT_TYPES)).optional(),
    summary: ScheduleBody.nullable().optional(),
    /** Of a webhook that is created by this. */
    time_zone: timeZone().optional(),
    assigned: z.boolean("must be true or false").optional(),
  },
  "must be a JSON object",
);

function toOwnMail({ webhook, assigned, proven }: FoundOwnMail): z.infer<typeof OwnMail> {
  const own = { assigned, is_proven: proven };
  if (!webhook) return { events: [], summary: null, is_active: false, ...own };
  const { events, summary, is_active } = toWebhook(webhook);
  return { events, summary, is_active, ...own };
}

const Choice = z.object({ to: oneOf(["unsubscribe", "refuse", "subscribe"]) });

const mailRefusals = { ...recordRefusals, ...createRefusals };

type Counting = Pick<Guard, "countGuess">;

/**
 * What the links in mails lead to. A GET changes nothing, since scanners and previews follow links; the pages ask for a
 * click, which sends a POST.
 */
export function subscriptionRoutes(deps: Deps, guard: Counting) {
  const linkOf = mailLinks(deps, guard);
  return new Elysia({ prefix: "/mail", detail: { hide: true, access: "anyone" } })
    .get(
      "/me",
      async ({ request }) => ({
        data: toOwnMail(await findOwnMail(deps, presentSession(request))),
      }),
      { detail: { access: "signed-in" }, response: { 200: data(OwnMail), ...refusals } },
    )
    .post(
      "/me",
      async ({ request, body }) => ({
        data: toOwnMail(await setOwnMail(deps, presentSession(request), body)),
      }),
      {
        detail: { access: "signed-in" },
        body: OwnMailBody,
        response: { 200: data(OwnMail), ...mailRefusals },
      },
    )
    .get(
      "/preview/:id",
      async ({ request, params, query }) => {
        const { session } = contextOf(request);
        const webhook = await findWebhook(deps, session!.caller, params.id);
        const { publicUrl } = deps.config;
        const event = sampleEvent(webhook, deps.clock.now());
        const html = mailPreview(event, webhook, { publicUrl, theme: query.theme });
        return new Response(html, { headers: PREVIEW });
      },
      {
        query: z.object({ theme: oneOf(["light", "dark"]) }),
        detail: { hide: true, access: "read" },
      },
    )
    .get(
      "/:purpose/:token",
      async ({ request, params }) => ({
        data: await findSubscription(deps, await linkOf(request, params.purpose, params.token)),
      }),
      { response: { 200: data(Subscription), ...mailRefusals } },
    )
    .post(
      "/confirm/:token",
      async ({ request, params }) => {
        const link = await linkOf(request, "confirm", params.token);
        const { address } = contextOf(request);
        if (!(await confirmAddress(deps, link, address))) throw noSuchLink();
        return { data: await findSubscription(deps, link) };
      },
      { response: { 200: data(Subscription), ...mailRefusals } },
    )
    .post(
      "/unsubscribe/:token",
      async ({ request, params, body }) => {
        const link = await linkOf(request, "unsubscribe", params.token);
        const { address } = contextOf(request);
        if (body.to === "subscribe") await subscribeAgain(deps, link, address);
        else await unsubscribe(deps, link, { isAll: body.to === "refuse", address });
        return { data: await findSubscription(deps, link) };
      },
      { body: Choice, response: { 200: data(Subscription), ...mailRefusals } },
    );
}

/**
 * One-click unsubscription: a POST to the address of the page, without cookies, origin or referrer, answered without a
 * redirect (RFC 8058 §3.1). Its form says nothing new, so it is not read.
 */
export function oneClickRoutes(deps: Deps, guard: Counting) {
  const linkOf = mailLinks(deps, guard);
  return new Elysia({ detail: { hide: true, access: "anyone" } }).post(
    "/mail/unsubscribe/:token",
    async ({ request, params }) => {
      const link = await linkOf(request, "unsubscribe", params.token);
      const { address } = contextOf(request);
      await unsubscribe(deps, link, { isAll: false, address });
      return new Response("Unsubscribed.\n", { headers: TEXT });
    },
  );
}

/** Styles of its own and nothing else, in a frame of the dashboard. */
const PREVIEW = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox",
};

const TEXT = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };

/** Reads a link's token; wrong ones count as guesses. */
function mailLinks(deps: Deps, { countGuess }: Counting) {
  return async (request: Request, purpose: string, token: string): Promise<MailLink> => {
    const isPurpose = purpose === "confirm" || purpose === "unsubscribe";
    const link = isPurpose && readMailLink(deps, purpose as LinkPurpose, token);
    if (link) return link;
    await countGuess(request);
    throw noSuchLink();
  };
}

const noSuchLink = () =>
  new AppError("NOT_FOUND", "This link has expired or is not complete. Ask for a new one.");

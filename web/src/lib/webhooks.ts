import { api, asSent, complete, unwrap } from "./api.ts";

/** Query key of webhooks and their deliveries. */
export const WEBHOOKS = ["webhooks"];

/** The limit of the largest tier, so one page is enough unless an operator raises it. */
const PER_PAGE = 100;

export const listWebhooks = (page: number) =>
  unwrap(api.webhooks.get({ query: { page, per_page: PER_PAGE } }));

export const findWebhook = (id: string) => unwrap(api.webhooks({ id }).get());

export type NewWebhook = {
  url: string;
  events: EventType[];
  first_verdicts: boolean;
  format: Format;
};

export const createWebhook = (webhook: NewWebhook) => unwrap(api.webhooks.post(webhook));

export type WebhookChange = Partial<Omit<NewWebhook, "format">> & { is_active?: boolean };

export const changeWebhook = (id: string, change: WebhookChange) =>
  unwrap(api.webhooks({ id }).patch(change));

export const deleteWebhook = (id: string) => complete(api.webhooks({ id }).delete());

export const testWebhook = (id: string) => unwrap(api.webhooks({ id }).test.post());

export const rotateSecret = (id: string, graceSeconds: number) =>
  unwrap(
    api.webhooks({ id })["rotate-secret"].post(asSent({ grace_period_seconds: graceSeconds })),
  );

type WebhookPage = Awaited<ReturnType<typeof listWebhooks>>;
export type Webhook = WebhookPage["items"][number];
export type FreshWebhook = Awaited<ReturnType<typeof createWebhook>>;
export type Rotated = Awaited<ReturnType<typeof rotateSecret>>;
export type TestResult = Awaited<ReturnType<typeof testWebhook>>;
export type EventType = Webhook["events"][number];
export type Format = Webhook["format"];

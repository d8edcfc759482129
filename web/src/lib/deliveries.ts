import { api, ask } from "./api.ts";
import { pageIn } from "./filter.ts";
import { DELIVERED_TYPES } from "./webhook-words.ts";

export const DELIVERY_STATUSES = [
  "pending",
  "delivering",
  "failed",
  "paused",
  "succeeded",
  "digested",
  "exhausted",
  "expired",
  "cancelled",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

type DeliveredType = (typeof DELIVERED_TYPES)[number];

export type DeliveryFilter = {
  status: DeliveryStatus | undefined;
  event: DeliveredType | undefined;
  page: number;
  /** The id of the delivery that is open; empty for none. */
  delivery: string;
};

/** How many deliveries there are of each status. */
export type Totals = Record<DeliveryStatus, number>;

const PER_PAGE = 25;

export const listDeliveries = (webhookId: string, { status, event, page }: DeliveryFilter) =>
  ask(
    api.webhooks({ id: webhookId }).deliveries.get({
      query: { page, per_page: PER_PAGE, ...(status && { status }), ...(event && { event }) },
    }),
  );

export const findDelivery = (webhookId: string, id: string) =>
  ask(api.webhooks({ id: webhookId }).deliveries({ delivery_id: id }).get());

export const redeliver = (webhookId: string, id: string) =>
  ask(api.webhooks({ id: webhookId }).deliveries({ delivery_id: id }).redeliver.post());

/** @param since ISO 8601 */
export const redeliverFailed = (webhookId: string, since: string) =>
  ask(api.webhooks({ id: webhookId })["redeliver-failed"].post(asTyped(since)));

type SpanBody = Parameters<ReturnType<typeof api.webhooks>["redeliver-failed"]["post"]>[0];

/** The client's types are those after reading, where times are numbers; what is sent is text. */
const asTyped = (since: string) => ({ since }) as unknown as SpanBody;

export async function countDeliveries(webhookId: string): Promise<Totals> {
  const counted = await Promise.all(
    DELIVERY_STATUSES.map(async (status) => [status, await countOf(webhookId, status)] as const),
  );
  return Object.fromEntries(counted) as Totals;
}

async function countOf(id: string, status: DeliveryStatus): Promise<number> {
  const page = await ask(
    api.webhooks({ id }).deliveries.get({ query: { status, page: 1, per_page: 1 } }),
  );
  return page.pagination.total;
}

/** What is not sent yet, and is lost with its webhook. */
export const waitingOf = ({ pending, delivering, failed, paused }: Totals) =>
  pending + delivering + failed + paused;

/** What the address bar holds; what makes no sense there is left out. */
export const readDeliveryFilter = (query: Record<string, string>): DeliveryFilter => ({
  status: DELIVERY_STATUSES.find((status) => status === query.status),
  event: DELIVERED_TYPES.find((event) => event === query.event),
  page: pageIn(query),
  delivery: /^[\w-]{1,64}$/.test(query.delivery ?? "") ? query.delivery! : "",
});

export function hrefOfDeliveries(
  webhookId: string,
  { status, event, page, delivery }: DeliveryFilter,
): string {
  const query = new URLSearchParams();
  if (status) query.set("status", status);
  if (event) query.set("event", event);
  if (page > 1) query.set("page", String(page));
  if (delivery) query.set("delivery", delivery);
  return `/webhooks/${webhookId}${query.size > 0 ? `?${query}` : ""}`;
}

type DeliveryPage = Awaited<ReturnType<typeof listDeliveries>>;
export type Delivery = DeliveryPage["items"][number];
export type DeliveryDetail = Awaited<ReturnType<typeof findDelivery>>;
export type Attempt = DeliveryDetail["all_attempts"][number];

const SOON_MS = 4_000;
const LATER_MS = 60_000;

/** How long deliveries stay good enough to show, in milliseconds: the end of what is on its way is to be seen. */
export const refreshDeliveriesAfter = (deliveries: Delivery[] | undefined) =>
  deliveries?.some(isUnderWay) ? SOON_MS : LATER_MS;

const isUnderWay = ({ status, next_attempt_at: next }: Delivery) =>
  status === "delivering" ||
  (status === "pending" && !next) ||
  (next !== null && Date.parse(next) < Date.now() + SOON_MS);

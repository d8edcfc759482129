import { api, asSent, unwrap } from "./api.ts";
import { pageIn, pageQuery, withQuery } from "./filter.ts";
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
  /** Id of the open delivery; empty for none. */
  delivery: string;
};

export type Totals = Record<DeliveryStatus, number>;

const PER_PAGE = 25;

export const listDeliveries = (webhookId: string, { status, event, page }: DeliveryFilter) =>
  unwrap(
    api.webhooks({ id: webhookId }).deliveries.get({
      query: { page, per_page: PER_PAGE, ...(status && { status }), ...(event && { event }) },
    }),
  );

export const findDelivery = (webhookId: string, id: string) =>
  unwrap(api.webhooks({ id: webhookId }).deliveries({ delivery_id: id }).get());

export const redeliver = (webhookId: string, id: string) =>
  unwrap(api.webhooks({ id: webhookId }).deliveries({ delivery_id: id }).redeliver.post());

/** @param since ISO 8601 */
export const redeliverFailed = (webhookId: string, since: string) =>
  unwrap(api.webhooks({ id: webhookId })["redeliver-failed"].post(asSent({ since })));

export async function countDeliveries(webhookId: string): Promise<Totals> {
  const counted = await Promise.all(
    DELIVERY_STATUSES.map(async (status) => [status, await countOf(webhookId, status)] as const),
  );
  return Object.fromEntries(counted) as Totals;
}

async function countOf(id: string, status: DeliveryStatus): Promise<number> {
  const page = await unwrap(
    api.webhooks({ id }).deliveries.get({ query: { status, page: 1, per_page: 1 } }),
  );
  return page.pagination.total;
}

/** What has not been sent, and is lost if the webhook is deleted. */
export const waitingOf = ({ pending, delivering, failed, paused }: Totals) =>
  pending + delivering + failed + paused;

/** Ignores invalid parameters. */
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
  return withQuery(`/webhooks/${webhookId}`, {
    ...(status && { status }),
    ...(event && { event }),
    ...pageQuery(page),
    ...(delivery && { delivery }),
  });
}

type DeliveryPage = Awaited<ReturnType<typeof listDeliveries>>;
export type Delivery = DeliveryPage["items"][number];
export type DeliveryDetail = Awaited<ReturnType<typeof findDelivery>>;
export type Attempt = DeliveryDetail["all_attempts"][number];

const SOON_MS = 4_000;
const LATER_MS = 60_000;

/** Refetches soon while a delivery is in progress. */
export const refreshDeliveriesAfter = (deliveries: Delivery[] | undefined) =>
  deliveries?.some(isUnderWay) ? SOON_MS : LATER_MS;

const isUnderWay = ({ status, next_attempt_at: next }: Delivery) =>
  status === "delivering" ||
  (status === "pending" && !next) ||
  (next !== null && Date.parse(next) < Date.now() + SOON_MS);

export const STATUS_WORDS: Record<DeliveryStatus, { word: string; meaning: string }> = {
  pending: { word: "Waiting", meaning: "Waiting for its first attempt, or for a requested one." },
  delivering: { word: "Under way", meaning: "An attempt is under way." },
  succeeded: { word: "Delivered", meaning: "The receiver accepted it." },
  failed: { word: "Will retry", meaning: "The last attempt failed; it is retried automatically." },
  exhausted: {
    word: "Given up",
    meaning: "The last attempt failed, and there are no more retries.",
  },
  cancelled: { word: "Cancelled", meaning: "Its event was unsubscribed before it was sent." },
  paused: { word: "Held back", meaning: "It is sent when the webhook is switched on again." },
  expired: { word: "Too old", meaning: "It was held back for more than 72 hours." },
  digested: { word: "In a digest", meaning: "Sent as part of a digest." },
};

type Ended = Pick<Attempt, "status_code" | "error_code">;
type Known = Pick<Delivery, "status" | "event" | "attempts" | "last_attempt" | "next_attempt_at">;

/** A sentence without the time of the next attempt, which follows it. */
export function storyOf(delivery: Known): string {
  const { status, last_attempt: last } = delivery;
  if (status === "pending") return waitingStory(delivery);
  if (status === "succeeded") return last ? `${outcomeOf(last)} in ${last.duration_ms} ms.` : "";
  if (status === "failed") return `${last ? `${outcomeOf(last)}. ` : ""}It will be retried`;
  if (status === "exhausted") return exhaustedStory(delivery);
  return STATUS_WORDS[status].meaning;
}

function waitingStory({ event, attempts, next_attempt_at: next }: Known): string {
  if (event === "digest" && !next) return "It is gathering events and is sent automatically.";
  return attempts > 0 ? "Another attempt was requested and is made" : "It is first sent";
}

function exhaustedStory({ attempts, last_attempt: last }: Known): string {
  const outcome = last ? `${outcomeOf(last)}. ` : "";
  if (last?.trigger === "test") return `${outcome}Tests are not retried.`;
  return `${outcome}${attempts === 1 ? "The attempt" : `The last of ${attempts} attempts`} failed.`;
}

/** "Answered 500", or why there was no response. */
export const outcomeOf = ({ status_code: code, error_code: error }: Ended): string =>
  code > 0 ? `Answered ${code}` : failureOf(error);

export const failureOf = (error: string | null): string =>
  FAILURES[error ?? ""] ?? "No answer came";

const FAILURES: Record<string, string> = {
  dns: "The host's name was not found",
  connect: "The connection failed",
  tls: "The TLS connection failed",
  timeout: "The receiver did not answer in time",
  blocked: "This server is not allowed to send there",
  interrupted: "This server was stopped meanwhile",
  secret_key: "This server's secret key was replaced",
  internal: "This server had an internal error",
};

/** Empty if there is nothing to say. */
export function adviceOn({ status_code: code, error_code: error }: Ended): string {
  if (code === 0) return ADVICE_ON_ERRORS[error ?? ""] ?? "";
  if (code >= 300 && code < 400) return "Redirects are not followed: give the webhook its new URL.";
  if (code >= 500) return "The receiver has an internal error: check its log.";
  return ADVICE_ON_CODES[code] ?? (code >= 400 ? "The receiver refuses the message." : "");
}

const ADVICE_ON_CODES: Record<number, string> = {
  400: "The receiver does not understand the message: does it have the right secret and format?",
  401: "The receiver rejected our credentials: has its signing secret or its token changed?",
  403: "The receiver rejected our credentials: has its signing secret or its token changed?",
  404: "There is nothing at this URL: is it correct, and does the receiver's webhook still exist?",
  405: "This URL does not accept POST requests: is it correct?",
  410: "The receiver says that it is gone permanently, so the webhook was switched off.",
  429: "The receiver limits the rate of messages: subscribe to fewer events.",
};

const ADVICE_ON_ERRORS: Record<string, string> = {
  dns: "Is the host name in the URL correct?",
  connect: "Is the receiver running, and can this server reach it?",
  tls: "Is its certificate valid? Certificates that are not are never accepted.",
  timeout: "A receiver should answer immediately and do its work later.",
  blocked: "Ask an administrator of this server to allow it: STILLUP_WEBHOOK_ALLOWED_HOSTS.",
  interrupted: "It does not count and will be retried.",
  secret_key: "Edit the webhook and enter its URL again, then create a new signing secret.",
  internal: "The log of this server explains it.",
};

export const TRIGGERS: Record<Attempt["trigger"], string> = {
  scheduled: "Schedule",
  manual: "Asked for",
  test: "Test",
};

/** Indents JSON; other text stays the same. */
export function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

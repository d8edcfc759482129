import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import type { Alert, EventType, Format, Schedule } from "../data/alerts.ts";
import { api, asSent, unwrap } from "../data/api.ts";
import { ownTimeZone } from "../data/format.ts";
import type { Only } from "./narrowing.ts";

/** Query key of alerts and their messages. */
export const ALERTS = ["webhooks"];

/** The limit of the largest plan; an operator may raise it. */
const PER_PAGE = 100;

async function listAlerts(): Promise<Alert[]> {
  const found: Alert[] = [];
  for (let page = 1; ; page++) {
    const { items, pagination } = await unwrap(
      api.webhooks.get({ query: { page, per_page: PER_PAGE } }),
    );
    found.push(...items);
    if (items.length === 0 || found.length >= pagination.total) return found;
  }
}

export const useAlerts = () =>
  useQuery({ queryKey: [...ALERTS, "list"], queryFn: listAlerts, refetchInterval: LATER_MS });

export const useAlert = (id: string) =>
  useQuery({
    queryKey: [...ALERTS, "one", id],
    queryFn: () => unwrap(api.webhooks({ id }).get()),
    refetchInterval: LATER_MS,
  });

const countDays = () => unwrap(api.webhooks.deliveries.days.get({ query: { days: DAYS } }));

export const DAYS = 14;
export type DayCounts = Awaited<ReturnType<typeof countDays>>["items"][number];

/** The messages of the last days by the id of their alert. */
export const useDays = () =>
  useQuery({
    queryKey: [...ALERTS, "days"],
    queryFn: countDays,
    select: ({ items }) => new Map(items.map((each) => [each.webhook_id, each])),
    refetchInterval: LATER_MS,
  });

export type AlertChange = {
  name?: string | null;
  url?: string;
  events?: EventType[];
  first_verdicts?: boolean;
  is_active?: boolean;
  summary?: Schedule | null;
  filter?: Only | null;
};

export const createAlert = (alert: Required<Omit<AlertChange, "is_active">> & { format: Format }) =>
  unwrap(api.webhooks.post({ ...alert, time_zone: ownTimeZone() }));

export const changeAlert = (id: string, change: AlertChange) =>
  unwrap(api.webhooks({ id }).patch(change));

/** Sends the recipient the link to confirm again. */
export const askRecipient = (id: string) => unwrap(api.webhooks({ id }).confirm.post());

export const testAlert = (id: string) => unwrap(api.webhooks({ id }).test.post());

export type FreshAlert = Awaited<ReturnType<typeof createAlert>>;
export type TestResult = Awaited<ReturnType<typeof testAlert>>;

const STATUSES = {
  delivered: "succeeded",
  failed: "failed,exhausted,expired",
  queued: "pending,delivering,paused",
  digest: "digested",
  cancelled: "cancelled",
} as const;

export type Result = keyof typeof STATUSES;
export const RESULTS = Object.keys(STATUSES) as Result[];

export type MessageFilter = { result?: Result; alert?: string; event?: EventType | "digest" };

const LISTED = 25;

const listMessages = ({ result, alert, event }: MessageFilter, cursor: string | null) =>
  unwrap(
    api.webhooks.deliveries.get({
      query: asSent({
        per_page: LISTED,
        ...(result && { status: STATUSES[result] }),
        ...(alert && { webhook_id: alert }),
        ...(event && { event }),
        ...(cursor && { cursor }),
      }),
    }),
  );

/** The messages of all alerts, newest first. */
export const useMessages = (filter: MessageFilter) =>
  useInfiniteQuery({
    queryKey: [...ALERTS, "messages", filter],
    queryFn: ({ pageParam }) => listMessages(filter, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshAfter(state.data?.pages.flatMap(({ items }) => items)),
  });

const findMessage = (alert: string, id: string) =>
  unwrap(api.webhooks({ id: alert }).deliveries({ delivery_id: id }).get());

export const messageOf = (alert: string, id: string) =>
  queryOptions({
    queryKey: [...ALERTS, "message", alert, id],
    queryFn: () => findMessage(alert, id),
    refetchInterval: ({ state }) => refreshAfter(state.data && [state.data]),
  });

/** Sends what failed within the last hours once more. Returns the number of messages. */
export async function retryFailed(alerts: Alert[], hours: number): Promise<number> {
  const since = new Date(Date.now() - hours * 3_600_000).toISOString();
  const retry = ({ id }: Alert) =>
    unwrap(api.webhooks({ id })["redeliver-failed"].post(asSent({ since })));
  const all = await Promise.all(alerts.map(retry));
  return all.reduce((sum, { queued }) => sum + queued, 0);
}

export type Message = Awaited<ReturnType<typeof listMessages>>["items"][number];
export type MessageDetail = Awaited<ReturnType<typeof findMessage>>;
export type Attempt = MessageDetail["all_attempts"][number];

const SOON_MS = 4_000;
const LATER_MS = 60_000;

type Waiting = Pick<MessageDetail, "status" | "next_attempt_at">;

/** Soon while a message is on its way. */
const refreshAfter = (messages: Waiting[] | undefined) =>
  messages?.some(isUnderWay) ? SOON_MS : LATER_MS;

const isUnderWay = ({ status, next_attempt_at: next }: Waiting) =>
  status === "delivering" ||
  (status === "pending" && !next) ||
  (next !== null && Date.parse(next) < Date.now() + SOON_MS);

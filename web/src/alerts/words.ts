import {
  type Alert,
  EVENT_TYPES,
  EVENTS,
  type Format,
  formatFor,
  PAGE_KINDS,
  type Schedule,
  targetName,
} from "../data/alerts.ts";
import { decodeBytes } from "../data/display-url.ts";
import { milliseconds, ownTimeZone, startUpper } from "../data/format.ts";
import { DELIVERY_WORDS } from "../data/words.ts";
import type { Attempt, Message, Result, TestResult } from "./queries.ts";

/** An option of `link.alive`. */
export const FIRST_WORDS = "A new link is alive at its first check.";

/**
 * When an alert sends a message: what happens to a link ("dies or comes back", empty for nothing), and what else
 * happens ("a summary is due every day at 08:00"), in the order of the form.
 */
export function occasionsOf({ events, first_verdicts: isFirst, summary, filter }: Occasion) {
  const verbs: string[] = [];
  const occasions: string[] = [];
  for (const type of EVENT_TYPES.filter((each) => events.includes(each))) {
    const words = EVENTS[type];
    if (type === "link.changed" && filter?.kinds?.some((kind) => PAGE_KINDS.includes(kind)))
      verbs.push("leads to something else");
    else if ("verb" in words) verbs.push(words.verb);
    else if (type === "summary.ready" && summary)
      occasions.push(`${words.occasion} ${scheduleText(summary)}`);
    else occasions.push(words.occasion);
    if (type === "link.alive" && isFirst) verbs.push("is alive at its first check");
  }
  return { link: joined(verbs), others: occasions.join(", or ") };
}

/** In the reader's own time zone. */
export const usualSchedule = (): Schedule => ({
  frequency: "weekly",
  weekday: "monday",
  at: "08:00",
  always: false,
  time_zone: ownTimeZone(),
});

export const scheduleOf = ({ summary }: Pick<Alert, "summary">): Schedule | null => {
  if (!summary) return null;
  const { next_at: _, last_at: __, ...schedule } = summary;
  return schedule;
};

/** "on Mondays at 08:00", "every day at 08:00". */
const scheduleText = ({ weekday, at }: Pick<Schedule, "weekday" | "at">): string =>
  `${weekday ? `on ${startUpper(weekday)}s` : "every day"} at ${at}`;

/** What decides when a message is sent. */
export type Occasion = Pick<Alert, "events" | "first_verdicts"> & {
  summary?: Pick<Schedule, "weekday" | "at"> | null;
  filter?: Alert["filter"];
};

const joined = (words: string[]) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

const LEAST_HIDDEN = 8;
const SHOWN = 4;

/** The URL without its secret parts: anyone who knows the path of a chat webhook, or a query, can often post there. */
export function discreetUrl({
  url,
  format,
  url_state: state,
}: Pick<Alert, "url" | "format" | "url_state">): string {
  if (format === "email") return addressOf(url);
  const parsed = URL.parse(url);
  if (!parsed || state !== "full") return url;
  const { origin, host, pathname, search } = parsed;
  if (format === "standard" && !formatFor(url)) {
    return origin + (pathname === "/" ? "" : pathname) + (search && "?…");
  }
  const rest = pathname + search;
  return `${host}/…${rest.length > LEAST_HIDDEN + SHOWN ? rest.slice(-SHOWN) : ""}`;
}

/** The address alone, as people write it. */
export function addressOf(url: string): string {
  const address = url.replace(/^mailto:/i, "");
  return decodeBytes(address) ?? address;
}

/** What an alert is called: its name, or else where it sends to. */
export const nameOf = ({ name, url, format }: Pick<Alert, "name" | "url" | "format">): string =>
  targetName({ webhook_name: name, webhook_format: format, webhook_host: hostOf({ url }) });

/** Where an alert sends to: a host, or a mail address. */
export const hostOf = ({ url }: Pick<Alert, "url">): string =>
  URL.parse(url)?.host || addressOf(url);

/** The URL for what was typed into the field. */
export const urlOf = (typed: string, format: Format): string =>
  format === "email" && !/^mailto:/i.test(typed) ? `mailto:${typed.trim()}` : typed;

export type AlertState =
  | "working"
  | "failing"
  | "paused"
  | "stopped"
  | "gone"
  | "unconfirmed"
  | "unsubscribed";

/** An alert whose URL cannot be read sends nothing. */
export function stateOf(
  alert: Pick<Alert, "is_active" | "disabled_reason" | "failing_since" | "url_state">,
): AlertState {
  const { is_active: isActive, disabled_reason: reason } = alert;
  if (!isActive) return OFF[reason ?? "user"];
  return alert.failing_since || alert.url_state === "unreadable" ? "failing" : "working";
}

const OFF = {
  user: "paused",
  failing: "stopped",
  gone: "gone",
  unconfirmed: "unconfirmed",
  unsubscribed: "unsubscribed",
} as const;

export const STATE_WORDS: Record<AlertState, string> = {
  working: "Working",
  failing: "Failing",
  paused: "Paused",
  stopped: "Turned off",
  gone: "Gone",
  unconfirmed: "Unconfirmed",
  unsubscribed: "Unsubscribed",
};

/** Whether its messages do not arrive, and no one wanted that. */
export const isBad = (state: AlertState) =>
  state === "failing" || state === "stopped" || state === "gone";

/** Whether the recipient decides what comes next. */
export const isUpToRecipient = (state: AlertState) =>
  state === "unconfirmed" || state === "unsubscribed";

/** An alert without a delivered message for this long is turned off. */
export const FAILING_MS = 120 * 3_600_000;

export const RESULT_WORDS: Record<Result, string> = {
  delivered: "Delivered",
  failed: "Failed",
  queued: "Queued",
  digest: "In digests",
  cancelled: "Cancelled",
};

type Ended = Pick<Attempt, "status_code" | "error_code">;
type Known = Pick<Message, "status" | "event" | "attempts" | "last_attempt" | "next_attempt_at">;

/** What became of a message, in a few words. The time of the next attempt follows it, after "in" or "at". */
export function shortResult({ status, last_attempt: last, attempts }: Known): string {
  if (status === "succeeded") {
    return last?.duration_ms == null ? "Delivered" : `Delivered, ${milliseconds(last.duration_ms)}`;
  }
  const outcome = last ? outcomeOf(last) : "";
  if (status === "failed") return `${outcome || "Failed"}, retry ${attempts}`;
  if (status === "exhausted") return outcome || "Failed";
  return DELIVERY_WORDS[status];
}

/** One or two sentences, without the time of the next attempt, which follows them. */
export function storyOf(message: Known): string {
  const { status, event, attempts, last_attempt: last, next_attempt_at: next } = message;
  const outcome = last ? `${outcomeOf(last)}. ` : "";
  switch (status) {
    case "pending":
      if (event === "digest" && !next) return "It is collecting events and is sent automatically.";
      return attempts > 0 ? "Another attempt was requested and is made" : "It is sent";
    case "delivering":
      return "It is being sent.";
    case "succeeded":
      return last?.duration_ms == null
        ? ""
        : `${outcome}It took ${milliseconds(last.duration_ms)}.`;
    case "failed":
      return `${outcome}Retry ${attempts} is made`;
    case "exhausted":
      return `${outcome}${last?.trigger === "test" ? "Tests are not retried." : "Failed after the last retry."}`;
    case "cancelled":
      return "Its event was removed from the alert before it was sent.";
    case "paused":
      return "It is sent when the alert is turned on again.";
    case "expired":
      return "It was on hold for more than 72 hours.";
    case "digested":
      return "It was sent as part of a digest.";
  }
}

/** "Returned 500", or why there was no response. */
export const outcomeOf = ({ status_code: code, error_code: error }: Ended): string =>
  code > 0 ? `Returned ${code}` : (FAILURES[error ?? ""]?.[0] ?? "No response");

/** Why there was no response, and what to do. */
const FAILURES: Record<string, [outcome: string, advice: string]> = {
  dns: ["Host not found", "Check the host name in the URL."],
  connect: [
    "Connection failed",
    "Check that the receiver is running and that this server can reach it.",
  ],
  tls: ["TLS failed", "Check its certificate: an invalid one is never accepted."],
  timeout: ["Timed out", "A receiver should respond immediately and do its work later."],
  blocked: [
    "Blocked by this server",
    "Ask an administrator of this server to allow it: STILLUP_WEBHOOK_ALLOWED_HOSTS.",
  ],
  interrupted: ["This server was stopped meanwhile", "It does not count and is retried."],
  secret_key: [
    "This server's secret key was replaced",
    "Edit the alert, enter its URL again, then rotate its secret.",
  ],
  internal: ["This server had an internal error", "See the log of this server."],
};

/** What to do about a failed attempt; empty if there is nothing to say. */
export function adviceOn({ status_code: code, error_code: error }: Ended): string {
  if (code === 0) return FAILURES[error ?? ""]?.[1] ?? "";
  if (code >= 300 && code < 400) return "Redirects are not followed. Give the alert its new URL.";
  if (code >= 500) return "The receiver has an internal error. Check its log.";
  return ADVICE_ON_CODES[code] ?? (code >= 400 ? "The receiver rejected the message." : "");
}

const CREDENTIALS = "The receiver rejected our credentials. Check the signing secret or token.";

const ADVICE_ON_CODES: Record<number, string> = {
  400: "The receiver does not understand the message. Check the signing secret and the format.",
  401: CREDENTIALS,
  403: CREDENTIALS,
  404: "Nothing found at this URL. Check that the receiver's webhook still exists.",
  405: "This URL does not accept POST requests. Check that it is correct.",
  410: "The receiver is gone permanently, so the alert was turned off.",
  429: "The receiver is rate-limiting us. Narrow the alert.",
};

/** What became of a test, and what to do. */
export function testWords({ success, message, response }: TestResult): string {
  const { statusCode: code, duration } = response;
  if (success) return `Test delivered: returned ${code} in ${milliseconds(duration)}.`;
  const ended = { status_code: code, error_code: code === 0 ? message : null };
  const outcome = outcomeOf(ended);
  return `Test failed: ${code > 0 ? outcome.replace("R", "r") : outcome}. ${adviceOn(ended)}`.trim();
}

export const TRIGGERS: Record<Attempt["trigger"], string> = {
  scheduled: "Scheduled",
  manual: "Requested",
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

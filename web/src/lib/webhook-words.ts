import type { EventType, Format, Webhook } from "./webhooks.ts";

type FormatWords = { name: string; paste: string; example: string };

/** In the order of the form; `paste` says which URL to enter. */
export const FORMATS: Record<Format, FormatWords> = {
  standard: {
    name: "Standard",
    paste: "The address of your own program. Signed JSON, one message for each event.",
    example: "https://ops.example.com/hooks/links",
  },
  slack: {
    name: "Slack",
    paste: "The URL of an incoming webhook, from the settings of your Slack app.",
    example: "https://hooks.slack.com/services/…",
  },
  discord: {
    name: "Discord",
    paste: "The URL of a channel's webhook: edit the channel, Integrations, Webhooks.",
    example: "https://discord.com/api/webhooks/…",
  },
  teams: {
    name: "Teams",
    paste: "The URL of a workflow that starts “when a Teams webhook request is received”.",
    example: "https://….logic.azure.com/workflows/…",
  },
  telegram: {
    name: "Telegram",
    paste: "Your bot's sendMessage URL with the chat_id of the chat.",
    example: "https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>",
  },
  ntfy: {
    name: "ntfy",
    paste: "The URL of a topic, at ntfy.sh or on a server of your own.",
    example: "https://ntfy.sh/<topic>",
  },
};

export const FORMAT_NAMES = Object.keys(FORMATS) as Format[];

const HOSTS: [host: RegExp, format: Format][] = [
  [/^hooks\.slack(-gov)?\.com$/, "slack"],
  [/^((ptb|canary)\.)?discord(app)?\.com$/, "discord"],
  [/\.(logic\.azure|api\.powerplatform|webhook\.office)\.com$/, "teams"],
  [/^api\.telegram\.org$/, "telegram"],
  [/^ntfy\.sh$/, "ntfy"],
];

/** The format of a known host. */
export function formatFor(url: string): Format | undefined {
  const host = URL.parse(url.trim())?.hostname ?? "";
  return HOSTS.find(([known]) => known.test(host))?.[1];
}

/** `title` is what happened to the link, `hint` what a subscription sends. */
export const EVENTS: Record<EventType, { title: string; hint: string }> = {
  "link.dead": { title: "Found dead", hint: "A link is dead." },
  "link.alive": { title: "Found alive", hint: "A link is alive again." },
  "link.created": { title: "Added", hint: "A link was added." },
  "link.deleted": { title: "Deleted", hint: "A link was deleted." },
  "batch.complete": { title: "Batch complete", hint: "All links of a batch have been checked." },
  "check.complete": { title: "Checked", hint: "A check has finished, whatever its result." },
};

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

export const DELIVERED_TYPES = [...EVENT_TYPES, "digest"] as const;

const LEAST_HIDDEN = 8;
const SHOWN = 4;

/** The URL without its secret parts: anyone who knows the path of a chat webhook, or a query, can often post there. */
export function discreetUrl({
  url,
  format,
  url_state: state,
}: Pick<Webhook, "url" | "format" | "url_state">): string {
  const parsed = URL.parse(url);
  if (!parsed || state !== "full") return url;
  const { origin, host, pathname, search } = parsed;
  if (format === "standard" && !formatFor(url)) {
    return origin + (pathname === "/" ? "" : pathname) + (search && "?…");
  }
  const rest = pathname + search;
  return `${host}/…${rest.length > LEAST_HIDDEN + SHOWN ? rest.slice(-SHOWN) : ""}`;
}

type WebhookState = "on" | "failing" | "off" | "broken" | "gone";

export function stateOf(
  webhook: Pick<Webhook, "is_active" | "disabled_reason" | "failing_since">,
): WebhookState {
  if (webhook.is_active) return webhook.failing_since ? "failing" : "on";
  if (webhook.disabled_reason === "gone") return "gone";
  return webhook.disabled_reason === "failing" ? "broken" : "off";
}

/** A webhook without a successful delivery for this long is switched off. */
export const FAILING_MS = 120 * 3_600_000;

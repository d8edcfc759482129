import {
  CircleCheck,
  Hash,
  Layers,
  type LucideIcon,
  Mail,
  Plus,
  Send,
  Trash2,
  Webhook,
} from "lucide-preact";
import type { DeliveredType, EventType, Format } from "../../../server/ground/lib/vocabulary.ts";
import type { api } from "./api.ts";
import { shownUrl } from "./display-url.ts";
import { many } from "./format.ts";

export type { EventType, Format };

type AlertPage = NonNullable<Awaited<ReturnType<typeof api.webhooks.get>>["data"]>;
/** An alert is a webhook of the API. */
export type Alert = AlertPage["data"]["items"][number];
/** When a summary is sent. */
export type Schedule = Omit<NonNullable<Alert["summary"]>, "next_at" | "last_at">;

type FormatWords = {
  /** As a sentence names it: "on Slack". */
  name: string;
  /** Which URL to enter. */
  paste: string;
  example: string;
  /** Of URLs that can only be of this format. */
  host?: RegExp;
  icon?: LucideIcon;
  /** What an alert does, instead of "send a message to … on Slack". */
  verb?: string;
  contentType?: string;
  /** A header of its own, and what it is for. */
  header?: [name: string, about: string];
};

/** All that is said about each format, in the order of the form. */
export const FORMATS: Record<Format, FormatWords> = {
  email: {
    name: "E-mail",
    paste: "The address of one recipient. People outside of the account are asked to confirm.",
    example: "ann@example.com",
    icon: Mail,
    verb: "send mail to",
  },
  standard: {
    name: "Webhook",
    paste: "The address of your own program. Signed JSON, one message for each event.",
    example: "https://ops.example.com/hooks/links",
    icon: Webhook,
    verb: "call the webhook",
  },
  slack: {
    name: "Slack",
    paste: "The URL of an incoming webhook, from the settings of your Slack app.",
    example: "https://hooks.slack.com/services/…",
    host: /^hooks\.slack(-gov)?\.com$/,
  },
  discord: {
    name: "Discord",
    paste: "The URL of a channel's webhook: edit the channel, Integrations, Webhooks.",
    example: "https://discord.com/api/webhooks/…",
    host: /^((ptb|canary)\.)?discord(app)?\.com$/,
  },
  teams: {
    name: "Teams",
    paste: "The URL of a workflow that starts “when a Teams webhook request is received”.",
    example: "https://….logic.azure.com/workflows/…",
    host: /\.(logic\.azure|api\.powerplatform|webhook\.office)\.com$/,
  },
  telegram: {
    name: "Telegram",
    paste: "Your bot's sendMessage URL with the chat_id of the chat.",
    example: "https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>",
    host: /^api\.telegram\.org$/,
    icon: Send,
  },
  ntfy: {
    name: "ntfy",
    paste: "The URL of a topic, at ntfy.sh or on a server of your own.",
    example: "https://ntfy.sh/<topic>",
    host: /^ntfy\.sh$/,
    contentType: "text/plain; charset=utf-8",
    header: ["title, tags, priority", "what ntfy shows"],
  },
  apprise: {
    name: "Apprise",
    paste: "The URL of a key on your Apprise API server, which reaches a hundred other services.",
    example: "https://apprise.example.com/notify/<key>",
  },
};

export const CHATS = Object.values(FORMATS).filter(({ verb }) => !verb);
export const formatIcon = (format: Format): LucideIcon => FORMATS[format].icon ?? Hash;

/** The format of a known host. */
export function formatFor(url: string): Format | undefined {
  const host = URL.parse(url.trim())?.hostname ?? "";
  const formats = Object.keys(FORMATS) as Format[];
  return formats.find((format) => FORMATS[format].host?.test(host));
}

type Target = { webhook_name: string | null; webhook_format: Format; webhook_host: string };

/** The name of an alert; without one "hooks.slack.com on Slack", or the host alone for a program. */
export function targetName({
  webhook_name: name,
  webhook_format: format,
  webhook_host: host,
}: Target): string {
  return name ?? (FORMATS[format].verb ? host : `${host} on ${FORMATS[format].name}`);
}

type EventWords = {
  /** What happened, in a word or two. */
  word: string;
  /** When an alert sends a message. */
  hint: string;
  /** Is shown where the event is chosen. */
  warning?: string;
  /** The state that a link has then, or a picture. */
  mark?: "active" | "dead" | LucideIcon;
} & (
  | {
      /** After "When a link". */
      verb: string;
      /** After a link, in the title of a message. */
      did: string;
    }
  | {
      /** After "When". */
      occasion: string;
      /** Of a message. */
      title: string | ((count: number) => string);
    }
);

/** All that is said about each type of event, in the order of the form. */
export const EVENTS: Record<EventType, EventWords> = {
  "link.dead": {
    word: "Died",
    hint: "A link is dead.",
    verb: "dies",
    did: "died",
    mark: "dead",
  },
  "link.alive": {
    word: "Came back",
    hint: "A link is alive again.",
    verb: "comes back",
    did: "came back",
    mark: "active",
  },
  "link.created": {
    word: "Added",
    hint: "A link was added.",
    verb: "is added",
    did: "was added",
    mark: Plus,
  },
  "link.deleted": {
    word: "Deleted",
    hint: "A link was deleted.",
    verb: "is deleted",
    did: "was deleted",
    mark: Trash2,
  },
  "link.changed": {
    word: "Changed",
    hint: "A link was changed, acknowledged or muted.",
    verb: "is changed",
    did: "was changed",
  },
  "batch.complete": {
    word: "Batch complete",
    hint: "All links of a batch have been checked.",
    occasion: "all links of a batch are checked",
    title: (count) =>
      count === 1 ? "1 new link was checked" : `${many(count)} new links were checked`,
    mark: Layers,
  },
  "source.complete": {
    word: "Source read",
    hint: "A source was read, however that ended.",
    occasion: "a source was read",
    title: "A source was read",
  },
  "summary.ready": {
    word: "Summary",
    hint: "A summary of what happened, on a schedule.",
    occasion: "a summary is due",
    title: "Summary",
  },
  "usage.threshold": {
    word: "Limit",
    hint: "80, 95 or 100% of a limit of the account is used.",
    occasion: "a limit is nearly used up",
    title: "A limit is nearly used up",
  },
  "check.complete": {
    word: "Checked",
    hint: "A check has finished, whatever its result.",
    verb: "is checked",
    did: "was checked",
    warning: "This is one message for every check: a thousand hourly links make 24,000 a day.",
    mark: CircleCheck,
  },
};

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** The kinds of `link.changed` that say that a link leads to something else. */
export const PAGE_KINDS: NonNullable<NonNullable<Alert["filter"]>["kinds"]> = [
  "redirect_changed",
  "content_changed",
  "identity_lost",
  "domain_registered_again",
  "parameters_lost",
  "parameters_changed",
  "fragment_missing",
  "fragment_found",
];

const DIGEST = {
  word: "Digest",
  title: (count: number) => (count ? `Digest of ${many(count)} events` : "Digest"),
  mark: Layers,
};

/** The words of what a message holds: an event, or many in a digest. */
export const deliveredWords = (type: DeliveredType) => (type === "digest" ? DIGEST : EVENTS[type]);

type About = {
  event: DeliveredType;
  link: { url: string } | null;
  previous_status: string | null;
  count: number | null;
  test: boolean;
};

/** What a message says: "example.org/a died". A test is not about a link. */
export function messageTitle({ event, link, count, test, previous_status: before }: About): string {
  if (test) return "Test message";
  const words = deliveredWords(event);
  if ("title" in words)
    return typeof words.title === "string" ? words.title : words.title(count ?? 0);
  // A new link was never away.
  const isFirst = event === "link.alive" && before === "unknown";
  return `${link ? shownUrl(link.url) : "A link"} ${isFirst ? "is alive" : words.did}`;
}

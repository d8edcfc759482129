import type { api } from "./api.ts";
import { shownUrl } from "./display-url.ts";
import { many } from "./format.ts";

type AlertPage = NonNullable<Awaited<ReturnType<typeof api.webhooks.get>>["data"]>;
/** An alert is a webhook of the API. */
export type Alert = AlertPage["data"]["items"][number];
export type Format = Alert["format"];
export type EventType = Alert["events"][number];

/** As a sentence names them: "as Slack". */
export const FORMAT_NAMES: Record<Format, string> = {
  standard: "Webhook",
  slack: "Slack",
  discord: "Discord",
  teams: "Teams",
  telegram: "Telegram",
  ntfy: "ntfy",
  apprise: "Apprise",
  email: "E-mail",
};

type Target = { webhook_format: Format; webhook_host: string };

/** "hooks.slack.com on Slack", or the host alone for a program. */
export const targetName = ({ webhook_format: format, webhook_host: host }: Target): string =>
  format === "standard" ? host : `${host} on ${FORMAT_NAMES[format]}`;

type About = {
  event: EventType | "digest";
  link: { url: string } | null;
  previous_status: string | null;
  count: number | null;
  test: boolean;
};

const LINK_WORDS: Partial<Record<EventType | "digest", string>> = {
  "link.dead": "died",
  "link.alive": "came back",
  "link.created": "was added",
  "link.deleted": "was deleted",
  "check.complete": "was checked",
};

/** What a message says: "example.org/a died". A test is not about a link. */
export function messageTitle(message: About): string {
  const { event, link, count } = message;
  if (message.test) return "Test message";
  if (event === "batch.complete") {
    return count === 1 ? "1 new link was checked" : `${many(count ?? 0)} new links were checked`;
  }
  if (event === "summary.ready") return "Summary";
  if (event === "usage.threshold") return "A limit is nearly used up";
  if (event === "digest") return count ? `Digest of ${many(count)} events` : "Digest";
  // A new link was never away.
  const isFirst = event === "link.alive" && message.previous_status === "unknown";
  const what = isFirst ? "is alive" : (LINK_WORDS[event] ?? event);
  return link ? `${shownUrl(link.url)} ${what}` : `A link ${what}`;
}

import { toIso } from "../ground/lib/moments.ts";
import type { Format } from "../ground/lib/vocabulary.ts";
import {
  asCode,
  type ChatMessage,
  cut,
  lengthOf,
  type Markup,
  plainText,
  renderLines,
  renderLink,
  type StoredEvent,
  toChatMessage,
} from "./chat-message.ts";
import type { Severity } from "./event-types.ts";

/** What is posted, and the headers to send in addition to the signature. */
export type Payload = {
  body: string;
  headers: Record<string, string>;
  /** Where to send it, if not to the webhook's own URL. */
  url?: string;
};

/** The formats of requests; mail is sent otherwise. */
export type PostedFormat = Exclude<Format, "email">;

/** Returns the payload for an event. It is the same for every attempt, as long as the webhook's URL is. */
export function payloadFor(
  format: PostedFormat,
  event: StoredEvent,
  to: { url: string; webhookId: string; publicUrl: string | null; timeZone: string | null },
): Payload {
  if (format === "standard") return jsonPayload(standardBody(event, to.webhookId));
  return CHATS[format](toChatMessage(event, to), to.url);
}

/** Returns the body of the API's own format. The stored data is not parsed, so its bytes never change. */
export function standardBody({ type, data, createdAt }: StoredEvent, webhookId: string): string {
  const head = JSON.stringify({ event: type, timestamp: toIso(createdAt), webhookId });
  return `${head.slice(0, -1)},"data":${data}}`;
}

const CHATS: Record<
  Exclude<PostedFormat, "standard">,
  (message: ChatMessage, url: string) => Payload
> = {
  slack,
  discord,
  teams,
  telegram,
  ntfy,
  apprise,
};

const jsonPayload = (body: string): Payload => ({
  body,
  headers: { "content-type": "application/json" },
});

/** Returns the lines of a chat message's text. */
const textLines = (message: ChatMessage, markup: Markup<string>): string[] =>
  renderLines(message, markup).map((parts) => parts.join(""));

/** The same, after the lines with the link. */
const linkAndLines = (message: ChatMessage, markup: Markup<string>): string =>
  [...renderLink(message, markup), ...textLines(message, markup)].join("\n");

/**
 * An incoming webhook of Slack. The text of a section has at most 3,000 characters. `text` is what a notification
 * shows. Previews are off, since they would fetch a page that someone else chose.
 */
function slack(message: ChatMessage): Payload {
  const { title, dashboardUrl } = message;
  const link = renderLink(message, SLACK);
  const head =
    link.length === 0 ? `*${escapeSlack(title)}*` : `*${escapeSlack(title)}:* ${link.join("\n")}`;
  const texts = [head, textLines(message, SLACK).join("\n")];
  if (dashboardUrl) texts.push(`<${escapeSlack(dashboardUrl)}|Open Stillup>`);
  // `verbatim` keeps Slack from making links and mentions from plain text.
  const blocks = texts.map((text) => ({
    type: "section",
    text: { type: "mrkdwn", text, verbatim: true },
  }));
  return jsonPayload(
    JSON.stringify({ text: head, blocks, unfurl_links: false, unfurl_media: false }),
  );
}

const SLACK_ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const escapeSlack = (text: string) => text.replace(/[&<>]/g, (char) => SLACK_ENTITIES[char]!);

const SLACK: Markup<string> = {
  text: escapeSlack,
  link: (address) => `<${escapeSlack(address)}>`,
  inert: (text, room) => asCode(text, room, escapeSlack),
  sizeOf: lengthOf,
};

/**
 * A webhook of Discord: an embed with a title of at most 256 characters and a description of at most 4,096. No one is
 * mentioned, whatever the text says.
 */
function discord(message: ChatMessage): Payload {
  const { title, severity, dashboardUrl } = message;
  const embed = {
    title: cut(escapeDiscord(title), DISCORD_TITLE),
    description: linkAndLines(message, DISCORD),
    color: DISCORD_COLORS[severity],
    ...(dashboardUrl && { url: dashboardUrl }),
  };
  return jsonPayload(JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }));
}

const DISCORD_TITLE = 256;
const DISCORD_COLORS = { bad: 0xc62828, good: 0x2e7d32, neutral: 0x607d8b };

const escapeDiscord = (text: string) => text.replace(/[\\`*_~|<>[\]@#]/g, "\\$&");

const DISCORD: Markup<string> = {
  text: escapeDiscord,
  link: (address) => `<${address}>`,
  inert: (text, room) => asCode(text, room),
  sizeOf: lengthOf,
};

/**
 * A workflow of Teams: a message with an adaptive card, at most 28 KB in total. It stays below half as many characters,
 * since each may count as two bytes.
 */
function teams(message: ChatMessage): Payload {
  const { title, severity, dashboardUrl } = message;
  const [first, ...more] = renderLink(message, TEAMS);
  const head = {
    ...textRun(first ? `${title}: ` : title),
    weight: "bolder",
    color: TEAMS_COLORS[severity],
  };
  const link = [first ? [head, first] : [head], ...more.map((each) => [each])];
  const card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [...link, ...renderLines(message, TEAMS)].map((inlines) => ({
      type: "RichTextBlock",
      inlines,
    })),
    ...(dashboardUrl && { actions: [{ ...openUrl(dashboardUrl), title: "Open Stillup" }] }),
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", content: card };
  return jsonPayload(JSON.stringify({ type: "message", attachments: [attachment] }));
}

const TEAMS_COLORS = { bad: "attention", good: "good", neutral: "default" };

/** The text of a TextRun is never markup. */
type TextRun = { type: "TextRun"; text: string; selectAction?: ReturnType<typeof openUrl> };

const textRun = (text: string): TextRun => ({ type: "TextRun", text });

const openUrl = (url: string) => ({ type: "Action.OpenUrl", url });

const TEAMS: Markup<TextRun> = {
  text: textRun,
  link: (address) => ({ ...textRun(address), selectAction: openUrl(address) }),
  inert: (text, room) => textRun(cut(text, room)),
  sizeOf: ({ text }) => text.length,
};

/**
 * The method sendMessage of Telegram's bots: plain text of at most 4,096 characters, to the chat in the webhook's URL.
 * Previews are off, since they would fetch a page that someone else chose.
 */
function telegram(message: ChatMessage, webhookUrl: string): Payload {
  const { title, dashboardUrl } = message;
  const link = renderLink(message, TELEGRAM).join("\n");
  const head = link ? `${title}: ${link}` : title;
  const lines = [head, ...textLines(message, TELEGRAM), ...(dashboardUrl ? [dashboardUrl] : [])];
  const { origin, pathname, searchParams } = new URL(webhookUrl);
  const body = {
    ...telegramOptions(searchParams),
    text: lines.join("\n"),
    link_preview_options: { is_disabled: true },
  };
  // The rest of the query could turn plain text into markup.
  return { ...jsonPayload(JSON.stringify(body)), url: origin + pathname };
}

/** The chat, the topic in it, and whether the message makes no sound. */
function telegramOptions(query: URLSearchParams) {
  const topic = query.get("message_thread_id") ?? "";
  const silent = query.get("disable_notification");
  return {
    chat_id: query.get("chat_id") ?? "",
    ...(/^\d{1,15}$/.test(topic) && { message_thread_id: Number(topic) }),
    ...(silent !== null && { disable_notification: /^(true|yes|1)$/i.test(silent) }),
  };
}

const TELEGRAM = plainText(lengthOf);

/** A topic of ntfy: plain text of at most 4,096 bytes, and headers with texts and addresses of ours, in ASCII. */
function ntfy(message: ChatMessage): Payload {
  const { title, severity, dashboardUrl } = message;
  return {
    body: linkAndLines(message, NTFY),
    headers: {
      "content-type": "text/plain; charset=utf-8",
      title,
      ...NTFY_HEADERS[severity],
      ...(dashboardUrl && { click: dashboardUrl }),
    },
  };
}

/** `tags` are names of emoji that ntfy shows before the title. Priority 3 is the default, 4 is high. */
const NTFY_HEADERS: Record<Severity, { tags: string; priority: string }> = {
  bad: { tags: "rotating_light", priority: "4" },
  good: { tags: "white_check_mark", priority: "3" },
  neutral: { tags: "information_source", priority: "3" },
};

const NTFY = plainText((text) => Buffer.byteLength(text));

/**
 * An Apprise API server, which passes the message on to whatever is configured under the key in its path. Of the query
 * only `tag` is for it.
 */
function apprise(message: ChatMessage, url: string): Payload {
  const { title, severity, dashboardUrl } = message;
  const to = new URL(url);
  const tag = to.searchParams.get("tag");
  to.search = tag === null ? "" : `?${new URLSearchParams({ tag })}`;
  const body = [linkAndLines(message, APPRISE), ...(dashboardUrl ? [dashboardUrl] : [])];
  const payload = { title, body: body.join("\n"), type: APPRISE_TYPES[severity], format: "text" };
  return { ...jsonPayload(JSON.stringify(payload)), url: to.href };
}

const APPRISE_TYPES: Record<Severity, string> = {
  bad: "failure",
  good: "success",
  neutral: "info",
};

const APPRISE = plainText(lengthOf);

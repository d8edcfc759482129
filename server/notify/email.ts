import type { Mail } from "../ground/net/mail.ts";
import { DARK_ONLY, type MailContent, renderMail, singleLine } from "../mail/layout.ts";
import { mailPath, unsubscribeHeaders } from "../mail/links.ts";
import type { Deps } from "../work/deps.ts";
import {
  type ChatMessage,
  LISTED_EVENTS,
  type StoredEvent,
  toChatMessage,
} from "./chat-message.ts";

/** What a mail about an event is made of. */
export type Recipient = {
  webhookId: string;
  accountId: string;
  address: string;
  name: string | null;
  timeZone: string | null;
};

type Composing = Pick<Deps, "config" | "secrets" | "clock">;

const MAIL = { listed: LISTED_EVENTS.mail };

/** Longest address in a subject. */
const SUBJECT_LENGTH = 120;

/**
 * Returns the mail about an event: the same at every attempt. All mail to a recipient about a link is one thread, so its
 * subject stays the same and the state is in the sender's name: programs group by references, and some also by subject.
 */
export function mailFor(
  deps: Composing,
  id: string,
  event: StoredEvent,
  recipient: Recipient,
): Mail {
  const { publicUrl } = deps.config;
  const message = toChatMessage(event, { ...MAIL, publicUrl, timeZone: recipient.timeZone });
  const link = { ...recipient, n: 0 };
  const unsubscribeUrl = `${publicUrl}${mailPath(deps, "unsubscribe", link)}`;
  const content = { ...contentOf(message, recipient, publicUrl), unsubscribeUrl };
  return {
    id,
    to: recipient.address,
    at: event.createdAt,
    kind: "alert",
    fromName: message.state ? `Stillup: ${message.state}` : "Stillup",
    ...(message.linkId && { thread: `link.${message.linkId}.${recipient.webhookId}` }),
    ...renderMail(content),
    headers: {
      "List-Id": `${listPhrase(recipient)} <${recipient.webhookId}.${new URL(publicUrl!).hostname}>`,
      ...unsubscribeHeaders(unsubscribeUrl),
      "X-Stillup-Event": event.type,
    },
  };
}

/**
 * The name as the phrase of a `List-Id`, whose identifier is never encoded (RFC 2919 §3): words, or encoded words (RFC
 * 2047 §5 (3)). The mail library encodes a header with a quoted string as a whole.
 */
function listPhrase({ name }: Pick<Recipient, "name">): string {
  // Short, since a line of a header cannot be longer than 998 characters (RFC 5322 §2.1.1).
  const text = [...singleLine(name ?? "").replace(/[<>"\\]/g, "")].slice(0, 100).join("");
  if (text === "") return "Stillup";
  if (/^[\w !#$%&'*+/=?^`{|}~-]+$/.test(text)) return text;
  return encodedWords(text).join(" ");
}

/** An encoded word has 75 characters at most, and whole characters (RFC 2047 §2, §5). */
const ENCODED_BYTES = 45;

function encodedWords(text: string): string[] {
  const words: string[] = [""];
  for (const character of text) {
    const longer = words.at(-1)! + character;
    if (Buffer.byteLength(longer) <= ENCODED_BYTES) words[words.length - 1] = longer;
    else words.push(character);
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`);
}

/**
 * The HTML of the mail in one of its themes, for a preview: without the link to unsubscribe, as `mailTextFor`.
 */
export function mailPreview(
  event: StoredEvent,
  recipient: Pick<Recipient, "name" | "timeZone">,
  { publicUrl, theme }: { publicUrl: string | null; theme: "light" | "dark" },
): string {
  const message = toChatMessage(event, { ...MAIL, publicUrl, timeZone: recipient.timeZone });
  const { html } = renderMail(contentOf(message, recipient, publicUrl));
  return html.replace(DARK_ONLY, theme === "dark" ? "@media all" : "@media not all");
}

/** The text of the mail, without the link to unsubscribe: with that, other people could decide for the recipient. */
export function mailTextFor(
  event: StoredEvent,
  recipient: Pick<Recipient, "name" | "timeZone">,
  publicUrl: string | null,
): string {
  const message = toChatMessage(event, { ...MAIL, publicUrl, timeZone: recipient.timeZone });
  return renderMail(contentOf(message, recipient, publicUrl)).text;
}

function contentOf(
  message: ChatMessage,
  { name }: Pick<Recipient, "name">,
  publicUrl: string | null,
): MailContent {
  const { title, url, linkTitle, severity, dashboardUrl } = message;
  const rows = message.lines.flatMap((line): [string, string][] =>
    "said" in line ? [[line.name, line.said]] : [],
  );
  const lines = message.lines.flatMap((line) => ("said" in line ? [] : [line]));
  const firstLink = lines.findIndex((line) => line.url !== null);
  const isAfter = (i: number) => firstLink >= 0 && i > firstLink;
  const factsThat = (are: (i: number) => boolean) =>
    lines.flatMap((line, i) => (line.url === null && are(i) ? [line.text] : []));
  const list = lines.flatMap((line) =>
    line.url === null ? [] : { text: line.url, detail: `${line.text}. ${line.rest ?? ""}`.trim() },
  );
  return {
    subject: url === null ? title : (linkTitle ?? shortAddress(url)),
    heading: title,
    tone: severity,
    ...(url !== null && { about: { title: linkTitle, url } }),
    ...(rows.length > 0 && { rows }),
    ...(list.length > 0 && { list }),
    paragraphs: factsThat((i) => !isAfter(i)),
    closing: factsThat(isAfter),
    ...(dashboardUrl && { button: { text: "Open Stillup", url: dashboardUrl } }),
    footer: [
      `Sent by ${name ? `the alert “${name}”` : "an alert"}${publicUrl ? ` on ${new URL(publicUrl).host}` : ""}.`,
    ],
  };
}

/** An address without what is the same for most. */
function shortAddress(url: string): string {
  const short = url.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
  return short.length <= SUBJECT_LENGTH ? short : `${short.slice(0, SUBJECT_LENGTH - 1)}…`;
}

import type { Mail } from "../ground/net/mail.ts";
import {
  DARK_ONLY,
  type MailContent,
  type MailList,
  renderMail,
  singleLine,
} from "../mail/layout.ts";
import { mailPath, unsubscribeHeaders } from "../mail/links.ts";
import type { Deps } from "../work/deps.ts";
import {
  type ChatMessage,
  dashboardPage,
  LISTED_EVENTS,
  type StoredEvent,
  toChatMessage,
} from "./chat-message.ts";
import type { LinkLine } from "./event-types.ts";

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
  const { title, url, linkTitle, severity, dashboardUrl, evidence, lines } = message;
  const rows = lines.flatMap((line): [string, string][] =>
    "said" in line ? [[line.name, line.said]] : [],
  );
  const plain = lines.flatMap((line) => ("said" in line || line.url !== null ? [] : [line.text]));
  // What comes after links is about all of them.
  const hasLead = lines.findIndex((line) => "url" in line && line.url !== null) !== 0;
  const [lead, closing] = hasLead ? [plain[0], plain.slice(1)] : [undefined, plain];
  const isProof = evidence.length > 0 && message.linkId !== null;
  const text = isProof ? "See the evidence" : "Open Stillup";
  return {
    subject: url === null ? title : (linkTitle ?? shortAddress(url)),
    heading: title,
    tone: severity,
    ...(lead !== undefined && { lead }),
    ...(url !== null && { about: { title: linkTitle, url } }),
    rows,
    evidence,
    lists: listsOf(lines, publicUrl),
    closing,
    ...(dashboardUrl && { button: { text, url: dashboardUrl } }),
    footer: [
      `Sent by ${name ? `the alert “${name}”` : "an alert"}${publicUrl ? ` on ${new URL(publicUrl).host}` : ""}.`,
    ],
  };
}

/** The lines about links by what they have in common, the most common first where links died. */
function listsOf(lines: ChatMessage["lines"], publicUrl: string | null): MailList[] {
  const links = lines.filter((line): line is LinkLine => "url" in line && line.url !== null);
  const texts = [...new Set(links.map(({ text }) => text))];
  const groups = Map.groupBy(links, ({ text, cause }) => [text, cause].filter(Boolean).join(": "));
  return [...groups]
    .toSorted(
      ([, [a, ...others]], [, [b, ...more]]) =>
        texts.indexOf(a!.text) - texts.indexOf(b!.text) || more.length - others.length,
    )
    .map(([name, items]) => ({ name, items: items.map((line) => itemOf(line, publicUrl)) }));
}

const itemOf = ({ url, rest, linkId }: LinkLine, publicUrl: string | null) => ({
  text: url,
  detail: rest ?? "",
  url: linkId === null ? null : dashboardPage(publicUrl, linkId),
});

/** An address without what is the same for most. */
function shortAddress(url: string): string {
  const short = url.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
  return short.length <= SUBJECT_LENGTH ? short : `${short.slice(0, SUBJECT_LENGTH - 1)}…`;
}

import type { Notice } from "./notice.ts";
import { jsonPosted, type Posted } from "./posted.ts";
import { cut, inert, lengthOf } from "./text.ts";
import { ADDRESS_ROOM, type Hand, writtenAddress, writtenLines } from "./write.ts";

/**
 * As the method sendMessage of Telegram's bots takes it: plain text of at most 4,096 characters, to the chat that
 * the webhook's URL names. Without a preview, since that would fetch a page that somebody else chose.
 */
export function telegramMessage(notice: Notice, url: string): Posted {
  const { dashboardUrl } = notice;
  const lines = [headOf(notice), ...writtenLines(notice, HAND)];
  const text = [...lines, ...(dashboardUrl ? [dashboardUrl] : [])].join("\n");
  const { origin, pathname, searchParams } = new URL(url);
  const body = { ...askedIn(searchParams), text, link_preview_options: { is_disabled: true } };
  // Without the query, of which the rest could turn plain text into markup.
  return { ...jsonPosted(JSON.stringify(body)), url: origin + pathname };
}

function headOf({ title, url }: Notice): string {
  return url === null ? title : `${title}: ${writtenAddress(url, ADDRESS_ROOM, HAND)}`;
}

/** The chat, the topic in it, and whether the message comes without a sound. */
function askedIn(query: URLSearchParams) {
  const topic = query.get("message_thread_id") ?? "";
  const silent = query.get("disable_notification");
  return {
    chat_id: query.get("chat_id") ?? "",
    ...(/^\d{1,15}$/.test(topic) && { message_thread_id: Number(topic) }),
    ...(silent !== null && { disable_notification: /^(true|yes|1)$/i.test(silent) }),
  };
}

const HAND: Hand = {
  words: (text) => text,
  link: (address) => address,
  stump: (text, room) => cut(text, room, { write: inert }),
  sizeOf: lengthOf,
};

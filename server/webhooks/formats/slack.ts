import type { Notice } from "./notice.ts";
import { jsonPosted, type Posted } from "./posted.ts";
import { cut, lengthOf, withoutBackticks } from "./text.ts";
import { ADDRESS_ROOM, type Hand, writtenAddress, writtenLines } from "./write.ts";

/**
 * As Slack's incoming webhooks take it: at most 3,000 characters in the text of a section. `text` is what a
 * notification shows. Previews are off, since they would fetch a page that somebody else chose.
 */
export function slackMessage(notice: Notice): Posted {
  const head = headOf(notice);
  const lines = writtenLines(notice, HAND).join("\n");
  const more = notice.dashboardUrl
    ? [section(`<${escaped(notice.dashboardUrl)}|Open Stillup>`)]
    : [];
  return jsonPosted(
    JSON.stringify({
      text: head,
      blocks: [section(head), section(lines), ...more],
      unfurl_links: false,
      unfurl_media: false,
    }),
  );
}

function headOf({ title, url }: Notice): string {
  if (url === null) return `*${escaped(title)}*`;
  return `*${escaped(title)}:* ${writtenAddress(url, ADDRESS_ROOM, HAND)}`;
}

/** `verbatim` keeps Slack from making links and mentions of plain text. */
const section = (text: string) => ({
  type: "section",
  text: { type: "mrkdwn", text, verbatim: true },
});

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => ENTITIES[sign]!);

const HAND: Hand = {
  words: escaped,
  link: (address) => `<${escaped(address)}>`,
  stump: (text, room) =>
    `\`${cut(text, room - 2, { write: (sign) => escaped(withoutBackticks(sign)) })}\``,
  sizeOf: lengthOf,
};

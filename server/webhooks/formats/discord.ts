import type { Notice } from "./notice.ts";
import { jsonPosted, type Posted } from "./posted.ts";
import { cut, lengthOf, withoutBackticks } from "./text.ts";
import type { Severity } from "./words.ts";
import { ADDRESS_ROOM, type Hand, writtenAddress, writtenLines } from "./write.ts";

/**
 * As Discord executes webhooks: an embed with a title of at most 256 characters and a description of at most
 * 4,096. Nobody is mentioned, whatever the text says.
 */
export function discordMessage(notice: Notice): Posted {
  const { title, url, severity, dashboardUrl } = notice;
  const address = url === null ? [] : [writtenAddress(url, ADDRESS_ROOM, HAND)];
  const embed = {
    title: escaped(title),
    description: [...address, ...writtenLines(notice, HAND)].join("\n"),
    color: COLORS[severity],
    ...(dashboardUrl && { url: dashboardUrl }),
  };
  return jsonPosted(JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }));
}

const COLORS: Record<Severity, number> = { bad: 0xc62828, good: 0x2e7d32, plain: 0x607d8b };

const escaped = (text: string) => text.replace(/[\\`*_~|<>[\]@#]/g, "\\$&");

const HAND: Hand = {
  words: escaped,
  link: (address) => `<${address}>`,
  stump: (text, room) => `\`${cut(text, room - 2, { write: withoutBackticks })}\``,
  sizeOf: lengthOf,
};

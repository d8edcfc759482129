import type { Notice } from "./notice.ts";
import type { Posted } from "./posted.ts";
import { cut, inert } from "./text.ts";
import type { Severity } from "./words.ts";
import { ADDRESS_ROOM, type Hand, writtenAddress, writtenLines } from "./write.ts";

/**
 * As ntfy takes a message for a topic: plain text of at most 4,096 bytes, and the rest in headers. Those hold words
 * and addresses of ours only, which are ASCII.
 */
export function ntfyMessage(notice: Notice): Posted {
  const { title, url, severity, dashboardUrl } = notice;
  const address = url === null ? [] : [writtenAddress(url, ADDRESS_ROOM, HAND)];
  return {
    body: [...address, ...writtenLines(notice, HAND)].join("\n"),
    headers: {
      "content-type": "text/plain; charset=utf-8",
      title,
      tags: TAGS[severity],
      priority: severity === "bad" ? HIGH : USUAL,
      ...(dashboardUrl && { click: dashboardUrl }),
    },
  };
}

/** Names of emoji that ntfy shows before the title. */
const TAGS: Record<Severity, string> = {
  bad: "rotating_light",
  good: "white_check_mark",
  plain: "information_source",
};

const HIGH = "4";
const USUAL = "3";

const bytesOf = (text: string) => Buffer.byteLength(text);

const HAND: Hand = {
  words: (text) => text,
  link: (address) => address,
  stump: (text, room) => cut(text, room, { write: inert, sizeOf: bytesOf }),
  sizeOf: bytesOf,
};

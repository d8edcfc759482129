import { EVENT_TYPES, type EventType } from "../../server/db/tables.ts";
import type { DigestData, StoredEvent } from "../../server/webhooks/chat-message.ts";
import { sampleOf } from "../../server/webhooks/event-types.ts";

export const AT = Date.parse("2030-01-01T12:34:56.789Z");

type Changes = { url?: string; reason?: string; previousStatus?: string; test?: boolean };

/** An event as it is stored, about an example unless something else is said. */
export const telling = (type: EventType, changes: Changes = {}): StoredEvent => ({
  type,
  data: JSON.stringify({ ...sampleOf(type, AT), ...changes }),
  createdAt: AT,
});

/** Many events as one. `first` are told one by one. */
export function tellingOfMany(counts: DigestData["counts"], first: StoredEvent[]): StoredEvent {
  const told = first.map(({ type, data }) => ({
    event: type,
    timestamp: new Date(AT).toISOString(),
    data: JSON.parse(data),
  }));
  const data = {
    from: "2030-01-01T12:34:00.000Z",
    until: "2030-01-01T12:34:59.999Z",
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    first: told,
  };
  return { type: "digest", data: JSON.stringify(data), createdAt: AT };
}

const bits = [
  ...[
    "&",
    "<",
    ">",
    "|",
    "`",
    "*",
    "_",
    "~",
    "\\",
    '"',
    "'",
    "(",
    "[",
    "#",
    "%",
    "é",
    "😀",
    "\u202e",
  ],
  ...["@everyone ", "<!channel>", "<@1>", "](https://evil.example)", "` @here `", "%F0%9F%98%80"],
];

const STARTS = ["https://example.com/", "https://example.com/?q=", "ftp://example.com/"];
/** What has room in some place of a message, and what has none. */
const LENGTHS = [250, 400, 800, 2048];

/** Up to as long as a URL may be, of what markup and mentions are made of. The last character may be half of one. */
export const HOSTILE_URLS = STARTS.flatMap((start) =>
  bits.flatMap((bit) => LENGTHS.map((length) => (start + bit.repeat(length)).slice(0, length))),
);

/** The reason that takes the most words, everywhere. */
export const wordy = (url: string) => ({ url, reason: "redirect_forbidden_target" });

/** The largest digest that there can be: every count, and ten links about which there is much to say. */
export const largestDigest = (url: string): StoredEvent =>
  tellingOfMany(
    Object.fromEntries(EVENT_TYPES.map((type) => [type, 1_000_000])),
    Array.from({ length: 10 }, () =>
      telling("link.alive", { ...wordy(url), previousStatus: "dead" }),
    ),
  );

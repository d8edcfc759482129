import { EVENT_TYPES, type EventType } from "../../server/ground/lib/vocabulary.ts";
import type { DigestData, StoredEvent } from "../../server/notify/chat-message.ts";
import { type LinkNotes, sampleOf } from "../../server/notify/event-types.ts";

export const AT = Date.parse("2030-01-01T12:34:56.789Z");

type Changes = { url?: string; reason?: string; previousStatus?: string; test?: boolean } & Partial<
  Pick<LinkNotes, "title" | "note" | "tags" | "assignee">
>;

/** Returns an event as it is stored, about an example by default. */
export const storedEvent = (type: EventType, changes: Changes = {}): StoredEvent => ({
  type,
  data: JSON.stringify({ ...sampleOf(type, AT), ...changes }),
  createdAt: AT,
});

/** Returns a digest event. `first` are listed one by one. */
export function storedDigest(counts: DigestData["counts"], first: StoredEvent[]): StoredEvent {
  const entries = first.map(({ type, data }) => ({
    event: type,
    timestamp: new Date(AT).toISOString(),
    data: JSON.parse(data),
  }));
  const data = {
    from: "2030-01-01T12:34:00.000Z",
    until: "2030-01-01T12:34:59.999Z",
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    first: entries,
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
    "\u2028",
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

/** The reason with the longest text. */
export const longReason = (url: string) => ({ url, reason: "redirect_forbidden_target" });

/** The largest digest that there can be: every count, and ten links about which there is much to say. */
export const largestDigest = (url: string): StoredEvent =>
  storedDigest(
    Object.fromEntries(EVENT_TYPES.map((type) => [type, 1_000_000])),
    Array.from({ length: 10 }, () =>
      storedEvent("link.alive", { ...longReason(url), previousStatus: "dead" }),
    ),
  );

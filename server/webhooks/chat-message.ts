import { EVENT_TYPES, type EventRow, type EventType, type Verdict } from "../db/tables.ts";
import { messageOf, type Reason } from "../verdict/reasons/reasons.ts";
import type { EventData, StatusChange } from "./event-types.ts";

/** An event as it is stored: `data` is JSON. */
export type StoredEvent = Pick<EventRow, "type" | "data" | "createdAt">;

/** The data of a digest: how many events it has of each type, and the first ten. Times are ISO 8601. */
export type DigestData = {
  from: string;
  until: string;
  total: number;
  counts: Partial<Record<EventType, number>>;
  first: DigestEntry[];
};

export type DigestEntry = {
  [T in EventType]: { event: T; timestamp: string; data: EventData[T] & { test?: boolean } };
}[EventType];

/** Services show it as a color; ntfy also raises the priority of bad news. */
export type Severity = "bad" | "good" | "neutral";

/** A message for people, before a service's markup. */
export type ChatMessage = {
  title: string;
  /** The link that it is about, if it is about one. */
  url: string | null;
  lines: Line[];
  severity: Severity;
  /** Page of the dashboard; null if the server does not know its public address. */
  dashboardUrl: string | null;
};

/** `text: url – rest`. The texts are ours and short; the URL may contain anything and be long. */
export type Line = { text: string; url: string | null; rest: string | null };

/** How many events a digest lists one by one. */
export const LISTED_EVENTS = 10;
/** Longest dashboard address that a message has room for. */
const DASHBOARD_URL_LENGTH = 500;

export function toChatMessage(event: StoredEvent, publicUrl: string | null): ChatMessage {
  if (event.type !== "digest") return eventMessage(toDigestEntry(event), publicUrl);
  const digest = JSON.parse(event.data) as DigestData;
  const [first] = digest.first;
  return digest.total === 1 && first
    ? eventMessage(first, publicUrl)
    : digestMessage(digest, publicUrl);
}

/** Returns an event as a digest lists it. We wrote the data, so it has the shape of its type. */
export const toDigestEntry = ({ type, data, createdAt }: StoredEvent): DigestEntry =>
  ({
    event: type,
    timestamp: new Date(createdAt).toISOString(),
    data: JSON.parse(data),
  }) as DigestEntry;

function eventMessage(entry: DigestEntry, publicUrl: string | null): ChatMessage {
  const { title, url, details, severity } = wordsFor(entry.event, entry.data);
  const isTest = entry.data.test === true;
  return {
    title: isTest ? `Test: ${title}` : title,
    url,
    lines: [...details, timeOf(entry.timestamp)].map(plainLine),
    severity,
    // The link of a test never existed.
    dashboardUrl: dashboardPage(publicUrl, isTest ? null : linkIdOf(entry)),
  };
}

function digestMessage(digest: DigestData, publicUrl: string | null): ChatMessage {
  const listed = digest.first.slice(0, LISTED_EVENTS);
  const more = digest.total - listed.length;
  return {
    title: countsInWords(digest.counts),
    url: null,
    lines: [
      ...listed.map(lineOf),
      ...(more > 0 ? [plainLine(`and ${more} more`)] : []),
      plainLine(`From ${timeOf(digest.from)} to ${timeOf(digest.until)}`),
    ],
    severity: severityOf(digest.counts),
    dashboardUrl: dashboardPage(publicUrl, null),
  };
}

function lineOf({ event, data }: DigestEntry): Line {
  const { title, url, details } = wordsFor(event, data);
  return { text: title, url, rest: details[0] ?? null };
}

/** Returns for example "12 links are dead, 3 are alive". */
function countsInWords(counts: DigestData["counts"]): string {
  return EVENT_TYPES.filter((type) => counts[type])
    .map((type, i) => {
      const count = counts[type]!;
      const { noun, one, many } = WORDS[type].counted;
      const named = noun === "link" && i > 0 ? "" : ` ${count === 1 ? noun : PLURAL[noun]}`;
      return `${count}${named} ${count === 1 ? one : many}`;
    })
    .join(", ");
}

const PLURAL = { link: "links", check: "checks", batch: "batches" };

function severityOf(counts: DigestData["counts"]): Severity {
  if (counts["link.dead"]) return "bad";
  return counts["link.alive"] ? "good" : "neutral";
}

const plainLine = (text: string): Line => ({ text, url: null, rest: null });

const timeOf = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

/** Returns the link that the dashboard can show; null for one that is deleted. */
const linkIdOf = ({ event, data }: DigestEntry): string | null =>
  event !== "link.deleted" && "linkId" in data ? data.linkId : null;

function dashboardPage(publicUrl: string | null, linkId: string | null): string | null {
  if (publicUrl === null) return null;
  const page = linkId === null ? `${publicUrl}/` : `${publicUrl}/links/${linkId}`;
  return page.length <= DASHBOARD_URL_LENGTH ? page : null;
}

/** An event in words. All are ours except for the URL, which may contain anything. */
type Words = { title: string; url: string | null; details: string[]; severity: Severity };

type Counted = { noun: keyof typeof PLURAL; one: string; many: string };

/** The table takes the data of each type, and `DigestEntry` keeps the two together. */
const wordsFor = <T extends EventType>(event: T, data: EventData[EventType]): Words =>
  WORDS[event].words(data as EventData[T]);

const WORDS: { [T in EventType]: { counted: Counted; words: (data: EventData[T]) => Words } } = {
  "link.dead": {
    counted: { noun: "link", one: "is dead", many: "are dead" },
    words: (data) => ({ ...changed(data), title: "Dead", severity: "bad" }),
  },
  "link.alive": {
    counted: { noun: "link", one: "is alive", many: "are alive" },
    words: (data) => ({
      ...changed(data),
      title: data.previousStatus === "dead" ? "Alive again" : "Alive",
      severity: "good",
    }),
  },
  "link.created": {
    counted: { noun: "link", one: "was added", many: "were added" },
    words: ({ url, checkFrequency }) => ({
      title: "Added",
      url,
      details: [`Checked ${checkFrequency}.`],
      severity: "neutral",
    }),
  },
  "link.deleted": {
    counted: { noun: "link", one: "was deleted", many: "were deleted" },
    words: ({ url, lastStatus }) => ({
      title: "Deleted",
      url,
      details: [`Last status: ${STATUS[lastStatus]}.`],
      severity: "neutral",
    }),
  },
  "check.complete": {
    counted: { noun: "check", one: "was completed", many: "were completed" },
    words: (data) => ({
      title: "Checked",
      url: data.url,
      details: [
        `Status: ${STATUS[data.currentStatus]}. ${reasonOf(data)}`,
        ...(data.statusChanged ? [previously(data.previousStatus)] : []),
      ],
      severity: data.statusChanged ? SEVERITY[data.currentStatus] : "neutral",
    }),
  },
  "batch.complete": {
    counted: { noun: "batch", one: "was completed", many: "were completed" },
    words: (data) => ({
      title: "Batch complete",
      url: null,
      details: [checkedInBatch(data), ...(data.skipped > 0 ? [skippedInBatch(data)] : [])],
      severity: "neutral",
    }),
  },
};

const STATUS: Record<Verdict, string> = { active: "alive", dead: "dead", unknown: "unknown" };

const SEVERITY: Record<Verdict, Severity> = { active: "good", dead: "bad", unknown: "neutral" };

const previously = (status: Verdict) => `Previous status: ${STATUS[status]}.`;

const changed = (data: StatusChange) => ({
  url: data.url,
  details: [reasonOf(data), previously(data.previousStatus)],
});

/** Events contain the reason of a check as its code. */
const reasonOf = ({ reason, statusCode }: { reason: string; statusCode: number | null }) =>
  messageOf(reason as Reason, statusCode);

type Batch = EventData["batch.complete"];

const checkedInBatch = ({ checked, total, active, dead, unknown }: Batch) =>
  `Checked ${checked} of ${total} links: ${active} alive, ${dead} dead, ${unknown} unknown.`;

const skippedInBatch = ({ skipped }: Batch) =>
  skipped === 1
    ? "1 link was deleted before its check."
    : `${skipped} links were deleted before their checks.`;

/** How a chat service marks up text. */
export type Markup = {
  /** Escapes words of ours, so that they show as they are. */
  escape(text: string): string;
  /** Makes an address clickable. It contains only characters of RFC 3986. */
  link(address: string): string;
  /** Returns as much of a text as fits, so that nothing in it is clickable or starts markup. */
  inert(text: string, room: number): string;
  sizeOf(text: string): number;
};

/**
 * Room for the address next to the title, and for a whole line. One of the former and ten of the latter, with our own
 * words, fit into the smallest message: the 3,000 characters of a section in Slack, which has a section of its own for
 * the title, and the 4,096 of the others.
 */
export const ADDRESS_ROOM = 2100;
export const LINE_ROOM = 270;

/** What RFC 3986, section 2, does not allow. Markup needs such characters, or depends on what surrounds an address. */
const BEYOND_RFC_3986 = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/g;
/** What chat apps look for when they make links and mentions from plain text. */
const TRIGGERS = /[@:/.#]/g;
const ZERO_WIDTH_SPACE = "\u200b";

/** Returns the lines below the title. */
export const renderLines = ({ lines }: ChatMessage, markup: Markup): string[] =>
  lines.map(({ text, url, rest }) => {
    const after = rest === null ? "" : markup.escape(` – ${rest}`);
    if (url === null) return markup.escape(text) + after;
    const before = markup.escape(`${text}: `);
    const room = LINE_ROOM - markup.sizeOf(before) - markup.sizeOf(after);
    return before + renderAddress(url, markup, room) + after;
  });

/** Returns the address as a link. Without room it is cut and no link, since that would lead elsewhere. */
export function renderAddress(url: string, markup: Markup, room = ADDRESS_ROOM): string {
  const address = webAddress(url);
  if (address === null) return markup.inert(singleLine(url), room);
  const link = markup.link(address);
  return markup.sizeOf(link) <= room ? link : markup.inert(address, room);
}

/** Returns an http or https address in the characters of RFC 3986; null for anything else. */
export function webAddress(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replace(BEYOND_RFC_3986, encodeURIComponent);
}

/** Replaces what would break the line or reverse its direction. */
export const singleLine = (text: string) => text.toWellFormed().replace(/[\p{Cc}\p{Cf}]/gu, " ");

type Cutting = { write?: (character: string) => string; sizeOf?: (text: string) => number };

/** Returns as much of the text as fits, without splitting a character or an escape. "…" marks that it was cut. */
export function cut(text: string, room: number, options: Cutting = {}): string {
  const { write = (character: string) => character, sizeOf = lengthOf } = options;
  const written = (text.match(/%[0-9a-f]{2}|./gisu) ?? []).map(write);
  if (sizeOf(written.join("")) <= room) return written.join("");
  let left = room - sizeOf("…");
  const end = written.findIndex((character) => {
    left -= sizeOf(character);
    return left < 0;
  });
  return `${written.slice(0, end).join("")}…`;
}

/** Plain text. Invisible spaces keep apps from making links and mentions from text that is not a link. */
export const plainText = (sizeOf: Markup["sizeOf"]): Markup => ({
  escape: (text) => text,
  link: (address) => address,
  inert: (text, room) =>
    cut(text, room, {
      write: (character) => character.replace(TRIGGERS, `$&${ZERO_WIDTH_SPACE}`),
      sizeOf,
    }),
  sizeOf,
});

/** Returns the text as code, where only a backtick is markup. */
export const asCode = (text: string, room: number, escaped = (text: string) => text) =>
  `\`${cut(text, room - 2, { write: (character) => escaped(character.replaceAll("`", "'")) })}\``;

export const lengthOf = (text: string) => text.length;

export const bytesOf = (text: string) => Buffer.byteLength(text);

import type { EventRow } from "../ground/db/tables.ts";
import { toIso } from "../ground/lib/moments.ts";
import { EVENT_TYPES, type EventType } from "../ground/lib/vocabulary.ts";
import { singleLine } from "../mail/layout.ts";
import {
  type Detail,
  EVENT_DEFINITIONS,
  type EventData,
  foundText,
  type LinkLine,
  type Noun,
  type SaidLine,
  type Severity,
  textOf,
} from "./event-types.ts";

/** An event as it is stored: `data` is JSON. */
export type StoredEvent = Pick<EventRow, "type" | "data" | "createdAt">;

/** The data of a digest: its number of events of each type, and the first ten. Times are ISO 8601. */
export type DigestData = {
  from: string;
  until: string;
  total: number;
  counts: Partial<Record<EventType, number>>;
  first: DigestEntry[];
};

type DigestEntry = {
  [T in EventType]: { event: T; timestamp: string; data: EventData[T] & { test?: boolean } };
}[EventType];

/** A message for people, before a service's markup. */
export type ChatMessage = {
  title: string;
  /** The link that it is about, if it is about one. */
  url: string | null;
  /** What people call that link, on one line. It may contain anything. */
  linkTitle: string | null;
  lines: Line[];
  /** What the check saw, where there is room. It may contain anything. */
  evidence: string[];
  severity: Severity;
  /** A page of the dashboard; null if the server does not know its public address. */
  dashboardUrl: string | null;
  /** The link that it is about; null if it is about several or none, or only a test. */
  linkId: string | null;
  /** What has become of that link, such as "dead"; null if nothing has. */
  state: string | null;
};

type PlainLine = { text: string; url: null; cause: string | null; rest: string | null };
type Line = LinkLine | PlainLine | SaidLine;

/** Number of events that a digest lists, in a chat and in a mail. */
export const LISTED_EVENTS = { chat: 10, mail: 50 };
/** Links that a summary lists in a chat: fewer, since it has more lines of its own. */
const LISTED_IN_SUMMARY = 6;
/** Longest dashboard address that a message has room for. */
const DASHBOARD_URL_LENGTH = 500;

/** Where a message leads, the time zone of its times (null is UTC), and how many events it has room for. */
type Setting = { publicUrl: string | null; timeZone: string | null; listed?: number };

export function toChatMessage(event: StoredEvent, setting: Setting): ChatMessage {
  if (event.type !== "digest") return eventMessage(toDigestEntry(event), setting);
  const digest = JSON.parse(event.data) as DigestData;
  const [first] = digest.first;
  return digest.total === 1 && first
    ? eventMessage(first, setting)
    : digestMessage(digest, setting);
}

/** Returns an event as a digest lists it. We wrote the data, so it has the shape of its type. */
export const toDigestEntry = ({ type, data, createdAt }: StoredEvent): DigestEntry =>
  ({ event: type, timestamp: toIso(createdAt), data: JSON.parse(data) }) as DigestEntry;

function eventMessage(entry: DigestEntry, setting: Setting): ChatMessage {
  const { publicUrl, timeZone } = setting;
  const {
    title,
    url,
    linkTitle = null,
    details,
    evidence = [],
    severity,
  } = textOf(entry.event, entry.data);
  const isTest = entry.data.test === true;
  const linkId = linkIdOf(entry);
  return {
    title: isTest ? `Test: ${title}` : title,
    url,
    linkTitle,
    lines: [
      ...firstLines(details, setting),
      plainLine(
        entry.event === "summary.ready"
          ? spanOf(entry.data, timeZone)
          : timeOf(entry.timestamp, timeZone),
      ),
    ],
    evidence,
    severity,
    dashboardUrl: dashboardPage(publicUrl, linkId),
    linkId,
    state: isTest ? "test" : severity === "neutral" ? null : title.toLowerCase(),
  };
}

/** As many lines about links as there is room for, and all others. */
function firstLines(details: Detail[], { timeZone, listed = LISTED_IN_SUMMARY }: Setting): Line[] {
  const isLink = (each: Detail) => typeof each !== "string" && "url" in each;
  const ofLinks = details.filter(isLink).slice(0, listed);
  return details.flatMap((each): Line[] => {
    if (typeof each === "string") return [plainLine(each)];
    if ("at" in each) return [{ name: each.name, said: timeOf(each.at, timeZone), isOurs: true }];
    return isLink(each) && !ofLinks.includes(each) ? [] : [each];
  });
}

function digestMessage(digest: DigestData, setting: Setting): ChatMessage {
  const { publicUrl, timeZone, listed = LISTED_EVENTS.chat } = setting;
  const { counts, total } = digest;
  const first = digest.first.slice(0, listed);
  const more = total - first.length;
  const severity = counts["link.alive"] ? "good" : "neutral";
  return {
    title: countsText(counts),
    url: null,
    linkTitle: null,
    lines: [
      ...first.map(lineOf),
      ...(more > 0 ? [plainLine(`and ${more.toLocaleString("en")} more`)] : []),
      plainLine(spanOf(digest, timeZone)),
    ],
    evidence: [],
    severity: counts["link.dead"] ? "bad" : severity,
    dashboardUrl: dashboardPage(publicUrl, null),
    linkId: null,
    state: null,
  };
}

function lineOf(entry: DigestEntry): Line {
  const { event, data } = entry;
  const { title, url, details } = textOf(event, data);
  const [first] = details;
  const cause = typeof first === "string" ? first : null;
  const rest = "foundOn" in data ? foundText(data) : null;
  return { text: title, url, cause, rest, linkId: linkIdOf(entry) } as Line;
}

/** Returns for example "12 links are dead, 3 are alive". */
function countsText(counts: DigestData["counts"]): string {
  return EVENT_TYPES.filter((type) => counts[type])
    .map((type, i) => {
      const count = counts[type]!;
      const { noun, one, many } = EVENT_DEFINITIONS[type].counted;
      const named = noun === "link" && i > 0 ? "" : ` ${count === 1 ? noun : PLURAL[noun]}`;
      return `${count.toLocaleString("en")}${named} ${count === 1 ? one : many}`;
    })
    .join(", ");
}

const PLURAL: Record<Noun, string> = {
  link: "links",
  check: "checks",
  batch: "batches",
  source: "sources",
  summary: "summaries",
  limit: "limits",
};

const plainLine = (text: string): PlainLine => ({ text, url: null, cause: null, rest: null });

const formatIn = (timeZone: string | null) =>
  new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    timeZone: timeZone ?? "UTC",
  });

/** "12 Nov 2026, 08:41 CET" */
const timeOf = (iso: string, timeZone: string | null) => formatIn(timeZone).format(new Date(iso));

/** "12 Nov 2026, 08:00–09:00 CET" */
const spanOf = ({ from, until }: { from: string; until: string }, timeZone: string | null) =>
  formatIn(timeZone).formatRange(new Date(from), new Date(until)).replaceAll("\u2009", " ");

/** Returns the link that the dashboard can show; null for a deleted one, and for that of a test, which never existed. */
const linkIdOf = ({ event, data }: DigestEntry): string | null =>
  event !== "link.deleted" && "linkId" in data && data.test !== true ? data.linkId : null;

/** Returns the page of a link, or the overview; null if the address is unknown or too long. */
export function dashboardPage(publicUrl: string | null, linkId: string | null): string | null {
  if (publicUrl === null) return null;
  const page = linkId === null ? `${publicUrl}/` : `${publicUrl}/links/${linkId}`;
  return page.length <= DASHBOARD_URL_LENGTH ? page : null;
}

/** How a chat service marks up text. `Part` is a string, except where text is not marked up. */
export type Markup<Part> = {
  /** Shows our own text as it is. */
  text(text: string): Part;
  /** Makes an address clickable. It contains only characters of RFC 3986. */
  link(address: string): Part;
  /** Shows as much of a text as fits, so that nothing in it is clickable or starts markup. */
  inert(text: string, room: number): Part;
  sizeOf(part: Part): number;
};

/**
 * Room for the address next to the title, and for a whole line. One of the former and ten of the latter, with our own
 * texts, fit into the smallest message: the 3,000 characters of a section in Slack, which has a section of its own for
 * the title, and the 4,096 of the others.
 */
const ADDRESS_ROOM = 2100;
const LINE_ROOM = 270;

/** What RFC 3986, section 2, does not allow. Markup needs such characters, or depends on what surrounds an address. */
const BEYOND_RFC_3986 = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/g;
/** What chat apps look for when they make links and mentions from plain text. */
const TRIGGERS = /[@:/.#]/g;
const ZERO_WIDTH_SPACE = "\u200b";

/** Returns the title and the address of the link that the message is about, each of which is a line. */
export const renderLink = <Part>({ linkTitle, url }: ChatMessage, markup: Markup<Part>): Part[] => [
  ...(linkTitle === null ? [] : [markup.inert(linkTitle, LINE_ROOM)]),
  ...(url === null ? [] : [renderAddress(url, markup)]),
];

/** Returns the parts of each line below those. */
export const renderLines = <Part>({ lines }: ChatMessage, markup: Markup<Part>): Part[][] =>
  lines.map((line) => renderLine(line, markup));

function renderLine<Part>(line: Line, markup: Markup<Part>): Part[] {
  if ("said" in line) {
    if (line.isOurs) return [markup.text(`${line.name}: ${line.said}`)];
    const name = markup.text(`${line.name}: `);
    return [name, markup.inert(line.said, LINE_ROOM - markup.sizeOf(name))];
  }
  const { text, url } = line;
  const rest = [line.cause, line.rest].filter(Boolean).join(" ");
  const after = rest === "" ? [] : [markup.text(` – ${rest}`)];
  if (url === null) return [markup.text(text), ...after];
  const before = markup.text(`${text}: `);
  const taken = [before, ...after].reduce((sum, part) => sum + markup.sizeOf(part), 0);
  return [before, renderAddress(url, markup, LINE_ROOM - taken), ...after];
}

/** Returns the address as a link; if there is no room it is cut and not a link, since that would lead elsewhere. */
function renderAddress<Part>(url: string, markup: Markup<Part>, room = ADDRESS_ROOM): Part {
  const address = webAddress(url);
  if (address === null) return markup.inert(singleLine(url), room);
  const link = markup.link(address);
  return markup.sizeOf(link) <= room ? link : markup.inert(address, room);
}

/** Returns an http or https address in the characters of RFC 3986; null for anything else. */
function webAddress(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replace(BEYOND_RFC_3986, encodeURIComponent);
}

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

/** Plain text. Zero-width spaces keep apps from making links and mentions from text that is not a link. */
export const plainText = (sizeOf: (text: string) => number): Markup<string> => ({
  text: (text) => text,
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

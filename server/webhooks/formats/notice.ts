import { EVENT_TYPES, type EventRow, type EventType, type Verdict } from "../../db/tables.ts";
import type { Reason } from "../../verdict/reasons/reasons.ts";
import { messageOf } from "../../verdict/reasons/reasons.ts";
import type { EventData, StatusChange } from "../events/types.ts";

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
export type Notice = {
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

export function noticeOf(event: StoredEvent, publicUrl: string | null): Notice {
  if (event.type !== "digest") return eventNotice(toDigestEntry(event), publicUrl);
  const digest = JSON.parse(event.data) as DigestData;
  const [first] = digest.first;
  return digest.total === 1 && first
    ? eventNotice(first, publicUrl)
    : digestNotice(digest, publicUrl);
}

/** Returns an event as a digest lists it. We wrote the data, so it has the shape of its type. */
export const toDigestEntry = ({ type, data, createdAt }: StoredEvent): DigestEntry =>
  ({
    event: type,
    timestamp: new Date(createdAt).toISOString(),
    data: JSON.parse(data),
  }) as DigestEntry;

function eventNotice(entry: DigestEntry, publicUrl: string | null): Notice {
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

function digestNotice(digest: DigestData, publicUrl: string | null): Notice {
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

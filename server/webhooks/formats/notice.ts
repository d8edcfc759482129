import { EVENT_TYPES, type EventType } from "../../db/tables.ts";
import { type DigestData, digestIn, type Happened, happenedIn, type Told } from "./told.ts";
import { type Severity, wordsOf } from "./words.ts";

/** What a person is told, before a service's own way of writing. */
export type Notice = {
  title: string;
  /** What it is about, where that is a single link. */
  url: string | null;
  lines: Line[];
  severity: Severity;
  /** Where the dashboard shows more of it; null where nobody said at which address people reach it. */
  dashboardUrl: string | null;
};

/** `text: url – rest`. The words are ours and short; the URL may hold anything and be long. */
export type Line = { text: string; url: string | null; rest: string | null };

/** So many events of a digest are told one by one. */
const TOLD_ONE_BY_ONE = 10;
/** Longest address of the dashboard that a message has room for. */
const DASHBOARD_URL_LENGTH = 500;

export function noticeOf(told: Told, publicUrl: string | null): Notice {
  if (told.type !== "digest") return eventNotice(happenedIn(told), publicUrl);
  const digest = digestIn(told);
  const [first] = digest.first;
  return digest.total === 1 && first
    ? eventNotice(first, publicUrl)
    : digestNotice(digest, publicUrl);
}

function eventNotice(happened: Happened, publicUrl: string | null): Notice {
  const { title, url, said, severity } = wordsOf(happened);
  const isTest = happened.data.test === true;
  return {
    title: isTest ? `Test: ${title}` : title,
    url,
    lines: [...said, momentOf(happened.timestamp)].map(sentence),
    severity,
    // The link of a test was never there, and one that was deleted is not there any more.
    dashboardUrl: pageOf(publicUrl, isTest ? null : linkIdOf(happened)),
  };
}

function digestNotice(digest: DigestData, publicUrl: string | null): Notice {
  const first = digest.first.slice(0, TOLD_ONE_BY_ONE);
  const more = digest.total - first.length;
  const period = `From ${momentOf(digest.from)} to ${momentOf(digest.until)}`;
  return {
    title: inWords(digest.counts),
    url: null,
    lines: [
      ...first.map(lineOf),
      ...(more > 0 ? [sentence(`and ${more} more`)] : []),
      sentence(period),
    ],
    severity: severityOf(digest.counts),
    dashboardUrl: pageOf(publicUrl, null),
  };
}

function lineOf(happened: Happened): Line {
  const { title, url, said } = wordsOf(happened);
  return { text: title, url, rest: said[0] ?? null };
}

/** As in "12 links are dead, 3 are alive". */
function inWords(counts: DigestData["counts"]): string {
  const kinds = EVENT_TYPES.filter((type) => counts[type]);
  return kinds
    .map((type, i) => {
      const count = counts[type]!;
      const [noun, one, many] = COUNTED[type];
      const named = noun !== "link" || i === 0 ? ` ${count === 1 ? noun : PLURAL[noun]}` : "";
      return `${count}${named} ${count === 1 ? one : many}`;
    })
    .join(", ");
}

const PLURAL = { link: "links", check: "checks", batch: "batches" };

const COUNTED: Record<EventType, [noun: keyof typeof PLURAL, one: string, many: string]> = {
  "link.dead": ["link", "is dead", "are dead"],
  "link.alive": ["link", "is alive", "are alive"],
  "link.created": ["link", "was added", "were added"],
  "link.deleted": ["link", "was deleted", "were deleted"],
  "check.complete": ["check", "was made", "were made"],
  "batch.complete": ["batch", "is complete", "are complete"],
};

function severityOf(counts: DigestData["counts"]): Severity {
  if (counts["link.dead"]) return "bad";
  return counts["link.alive"] ? "good" : "plain";
}

const sentence = (text: string): Line => ({ text, url: null, rest: null });

const momentOf = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

const linkIdOf = ({ event, data }: Happened): string | null =>
  event === "link.deleted" || event === "batch.complete" ? null : data.linkId;

function pageOf(publicUrl: string | null, linkId: string | null): string | null {
  if (publicUrl === null) return null;
  const page = linkId === null ? `${publicUrl}/` : `${publicUrl}/links/${linkId}`;
  return page.length <= DASHBOARD_URL_LENGTH ? page : null;
}

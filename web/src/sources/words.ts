import { counted, lastingTime, many } from "../data/format.ts";
import { isRunning, type Source } from "../data/sources.ts";
import { reasonWords, type Shape } from "../data/words.ts";
import { KINDS } from "./kinds.ts";
import type { Run, SourceKind, SourcePage } from "./queries.ts";

/** "page", "file", "item" */
export const pageWord = (kind: SourceKind) => KINDS[kind].page ?? "page";

/** Why a run ended early, or removed nothing. */
const REASONS: Record<string, string> = {
  limit: "a limit was reached",
  pages_failed: "too many pages could not be read",
  total_mismatch: "the number of entries changed during the run",
  shrunken: "it is much smaller than before",
  not_found: "not found",
  unauthorized: "the credential was rejected",
  unreachable: "the server cannot be reached",
  robots_unreachable: "robots.txt cannot be read",
  robots_refused: "robots.txt does not allow it",
  moved_away: "it redirects to another site",
  not_a_sitemap: "this is not a sitemap",
  cut_off: "the answer was cut off",
  unreadable: "the format was not understood",
  too_large: "it is too large",
  forbidden_target: "the address is not allowed",
};

const reasonText = (reason: string) => REASONS[reason] ?? reason.replaceAll("_", " ");

const STATUSES: Record<Run["status"], string> = {
  queued: "Waiting to start",
  reading: "Reading",
  settling: "Comparing with the last run",
  complete: "Complete",
  incomplete: "Incomplete",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** "Incomplete: too many pages could not be read" */
export const runText = ({ status, reason }: Run): string =>
  reason ? `${STATUSES[status]}: ${reasonText(reason)}` : STATUSES[status];

/** Pages that a run has met. */
export const metIn = ({ pages: { read, unchanged, gone, failed } }: Run) =>
  read + unchanged + gone + failed;

/** "310 pages read, 207 waiting" */
export function progressText(run: Run, kind: SourceKind): string {
  const { waiting } = run.pages;
  const read = `${counted(metIn(run), pageWord(kind))} read`;
  return waiting > 0 ? `${read}, ${many(waiting)} waiting` : read;
}

const parts = (counts: (readonly [count: number, text: string])[]) =>
  counts.flatMap(([count, text]) => (count > 0 ? [`${many(count)} ${text}`] : [])).join(", ");

/** "3 new, 2 missing", or that the links are as before. */
export const linksText = ({ links }: Run): string =>
  parts([
    [links.new, links.new === 1 ? "new link" : "new links"],
    [links.returned, "back"],
    [links.missing, "missing"],
    [links.retired, "removed"],
    [links.refused, "refused"],
  ]) || "No new links";

/** "812 pages, 290 unchanged, 1 gone" */
export const pagesText = (run: Run, kind: SourceKind): string => {
  const { unchanged, gone, failed, skipped } = run.pages;
  const rest = parts([
    [unchanged, "unchanged"],
    [gone, "gone"],
    [failed, "failed"],
    [skipped, "skipped"],
  ]);
  const met = counted(metIn(run), pageWord(kind));
  return rest ? `${met}: ${rest}` : met;
};

/** What a source shows of itself: its mark and a few words. */
export function stateOf(source: Source, now: number): { shape: Shape; text: string; bad: boolean } {
  const { run, status, failing_since: since } = source;
  if (isRunning(source) && run) {
    const text = run.status === "reading" ? progressText(run, source.kind) : STATUSES[run.status];
    return { shape: run.status === "queued" ? "waiting" : "checking", text, bad: false };
  }
  if (status === "paused") return { shape: "muted", text: "Paused", bad: false };
  if (since) {
    const lasting = lastingTime(since, now);
    // A narrow column cuts the end.
    const text = run?.reason
      ? `Failing: ${reasonText(run.reason)}, ${lasting}`
      : `Failing ${lasting}`;
    return { shape: "dead", text, bad: true };
  }
  if (!run) {
    const text = source.kind === "push" ? "Waiting for pages" : "Not read yet";
    return source.counts.pages > 0 && source.kind === "push"
      ? { shape: "active", text: "Up to date", bad: false }
      : { shape: "waiting", text, bad: false };
  }
  if (run.status === "complete") return { shape: "active", text: "Up to date", bad: false };
  return { shape: "unknown", text: runText(run), bad: false };
}

const PAGE_STATES: Record<SourcePage["state"], string> = {
  waiting: "Waiting to be read",
  read: "Read",
  gone: "Not found",
  failed: "Not read",
  moved: "Redirects",
  skipped: "Skipped",
};

const PAGE_REASONS: Record<string, string> = {
  robots: "robots.txt does not allow it",
  trap: "pages like it lead to nothing new",
  depth: "too far from the start page",
  limit: "the limit of pages was reached",
  not_in_sitemap: "not in a sitemap",
  nofollow: "only links marked nofollow lead there",
  left_out: "leads to what is left out",
  sitemap: "a list of pages",
  outside: "to another site",
  redirect: "to another page",
  canonical: "names another address as its own",
  no_page: "not a web page",
  too_long: "the address is too long",
  growing: "the address repeats itself",
  action: "the address does something, such as signing out",
};

/** "Skipped: robots.txt does not allow it" */
export function pageStateText({ state, reason, status_code: code }: SourcePage): string {
  const known = reason && (PAGE_REASONS[reason] ?? REASONS[reason] ?? reasonWords(reason, code));
  const why = known ?? (code !== null && code >= 400 ? String(code) : null);
  return why ? `${PAGE_STATES[state]}: ${why}` : PAGE_STATES[state];
}

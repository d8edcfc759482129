import { lengthText } from "./format.ts";
import type { Verdict } from "./link-view.ts";
import type { LinkDetail } from "./links.ts";

/** What a link is and why, to be read one after the other. */
type VerdictTold = {
  status: Verdict;
  /** "Dead for 3 days." */
  headline: string;
  /** Whole sentences. */
  why: string[];
  /** The code of the reason. */
  reason: string | null;
};

const WORDS: Record<Verdict, string> = { active: "Active", dead: "Dead", unknown: "Unknown" };

/** Also while a check is under way, when the link still is what it was. */
export function verdictOf(link: LinkDetail, now: number): VerdictTold {
  const status = settledStatus(link);
  const { reason } = link;
  if (!link.last_check) {
    const headline =
      link.status === "checking" ? "The first check is under way." : "Not checked yet.";
    return { status, headline, why: [], reason };
  }
  const length = now - Date.parse(link.status_changed_at);
  const since = length < 60_000 ? "since just now" : `for ${lengthText(length)}`;
  return { status, headline: `${WORDS[status]} ${since}.`, why: sentencesOf(link, status), reason };
}

/** What the link is apart from a check that is under way. */
function settledStatus({ status, last_change, last_check }: LinkDetail): Verdict {
  if (status !== "checking") return status;
  return last_change?.status ?? last_check?.status ?? "unknown";
}

function sentencesOf(link: LinkDetail, status: Verdict): string[] {
  const { last_check: last, last_change: change } = link;
  if (!last) return [];
  if (last.status === status) return [last.message, ...confirmationOf(status, link.evidence)];
  const inconclusive = `The latest check was not conclusive: ${last.message}`;
  if (change?.status !== status) return [inconclusive];
  return [change.message, ...confirmationOf(status, change.evidence), inconclusive];
}

/** Before a link is called dead it is looked at more than once. */
function confirmationOf(status: Verdict, evidence: LinkDetail["evidence"]): string[] {
  const attempts = evidence?.attempts.length ?? 0;
  return status === "dead" && attempts > 1 ? [`Confirmed by ${attempts} attempts.`] : [];
}

const WARNED_MS = 14 * 86_400_000;

/** What to say of a certificate that ends soon or has ended; null where there is nothing to say. */
export function certificateWarning(expiresAt: string | null, now: number): string | null {
  const left = expiresAt === null ? Number.NaN : Date.parse(expiresAt) - now;
  if (Number.isNaN(left) || left > WARNED_MS) return null;
  return left <= 0
    ? "The server's certificate has expired."
    : `The server's certificate expires in ${lengthText(left)}.`;
}

/** Where copies of the page may be kept. Nothing is asked there before someone follows it. */
export const archivedCopyOf = (url: string) => `https://web.archive.org/web/${url}`;

import { lengthText } from "./format.ts";
import type { Verdict } from "./link-view.ts";
import type { LinkDetail } from "./links.ts";

type LinkVerdict = {
  status: Verdict;
  /** "Dead for 3 days." */
  headline: string;
  /** Whole sentences. */
  why: string[];
  reason: string | null;
};

const WORDS: Record<Verdict, string> = { active: "Alive", dead: "Dead", unknown: "Unknown" };

/** During a check, the verdict is that of the last one. */
export function verdictOf(link: LinkDetail, now: number): LinkVerdict {
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

/** A dead link was checked more than once. */
function confirmationOf(status: Verdict, evidence: LinkDetail["evidence"]): string[] {
  const attempts = evidence?.attempts.length ?? 0;
  return status === "dead" && attempts > 1 ? [`Confirmed by ${attempts} attempts.`] : [];
}

const WARNED_MS = 14 * 86_400_000;

/** Null unless the certificate expires soon or has expired. */
export function certificateWarning(expiresAt: string | null, now: number): string | null {
  const left = expiresAt === null ? Number.NaN : Date.parse(expiresAt) - now;
  if (Number.isNaN(left) || left > WARNED_MS) return null;
  return left <= 0
    ? "The server's certificate has expired."
    : `The server's certificate expires in ${lengthText(left)}.`;
}

/** Nothing is requested there before the user follows the link. */
export const archivedCopyOf = (url: string) => `https://web.archive.org/web/${url}`;

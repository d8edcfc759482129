import type { Reason } from "../verdict/reasons/reasons.ts";
import type { ClaimedLink } from "./claim.ts";

/** Knows which links hold a place for long. */
type Slowness = {
  isExpectedOf(link: ClaimedLink): boolean;
  learn(link: ClaimedLink, isSlow: boolean): void;
};

/**
 * A check that takes longer is slow. A page that is gone as before is looked at again after three seconds,
 * and is not.
 */
export const SLOW_AFTER_MS = 4000;

/** Failures that take until a time-out, for which a link's last check is remembered by its row. */
const WAITED_FOR = new Set<string>([
  "conn_timeout",
  "read_timeout",
  "dns_timeout",
] satisfies Reason[]);

const KEPT = 50_000;

/** What was seen in this process counts; of other links, how the row says that their last check ended. */
export function createSlowness(): Slowness {
  const known = new Map<number, boolean>();

  function learn(link: ClaimedLink, isSlow: boolean) {
    known.delete(link.no);
    if (isSlow === isSlowByRow(link)) return;
    if (known.size >= KEPT) known.delete(known.keys().next().value!);
    known.set(link.no, isSlow);
  }

  return { isExpectedOf: (link) => known.get(link.no) ?? isSlowByRow(link), learn };
}

const isSlowByRow = ({ lastReason, lastCause, lastResponseTimeMs, failingClass }: ClaimedLink) =>
  WAITED_FOR.has(lastReason ?? "") ||
  WAITED_FOR.has(lastCause ?? "") ||
  failingClass === "timeout" ||
  (lastResponseTimeMs ?? 0) >= SLOW_AFTER_MS;

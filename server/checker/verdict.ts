import { readBodyState } from "./bodies.ts";
import { judgeFailure } from "./failures.ts";
import type { Finding, Reader } from "./finding.ts";
import type { Probe } from "./probe.ts";
import { readStatus } from "./statuses.ts";

/**
 * Asked in this order; the first that knows something ends it. What stands between us and the page
 * belongs before the status, because walls use any status; what a page says belongs after it.
 */
const READERS: Reader[] = [readStatus];

/** What one attempt shows. `now` is wall time, for servers that name a moment to come back at. */
export function judge(probe: Probe, now: number): Finding {
  if (probe.kind === "failed") return judgeFailure(probe);
  for (const read of READERS) {
    const finding = read(probe, now);
    if (finding) return finding;
  }
  return readBodyState(probe);
}

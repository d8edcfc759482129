import { getDomain, getHostname } from "tldts";
import { isTransport } from "./own-fault.ts";
import type { Conclusion } from "./probe/conclusion.ts";

/** Notices when much fails at once that has nothing to do with each other but us. */
type Breaker = {
  /** Learns how a check of the URL ended. */
  note(url: string, conclusion: Conclusion): void;
  isTripped(): boolean;
  reset(): void;
};

const CHECKS = 20;
const SITES = 5;
const FAILED_SHARE = 0.5;

type Ended = { site: string; isFailed: boolean };

export function createBreaker(): Breaker {
  let latest: Ended[] = [];
  // Asked for far more often than it changes.
  let isTripped = false;
  return {
    note(url, { reason, cause = reason, deferMs }) {
      if (deferMs !== null) return;
      const site = getDomain(url) ?? getHostname(url) ?? url;
      latest = [...latest, { site, isFailed: isTransport(cause) }].slice(-CHECKS);
      isTripped = haveFailed(latest);
    },
    isTripped: () => isTripped,
    reset() {
      latest = [];
      isTripped = false;
    },
  };
}

function haveFailed(latest: Ended[]): boolean {
  const failed = latest.filter(({ isFailed }) => isFailed).length;
  if (latest.length < CHECKS || failed < CHECKS * FAILED_SHARE) return false;
  return new Set(latest.map(({ site }) => site)).size >= SITES;
}

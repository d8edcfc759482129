import { getDomain, getHostname } from "tldts";
import type { Conclusion } from "../conclusion.ts";
import { isTransport } from "./own-fault.ts";

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

export function createBreaker(): Breaker {
  let latest: { site: string; isFailed: boolean }[] = [];
  return {
    note(url, { reason, cause = reason, deferMs }) {
      if (deferMs !== null) return;
      const site = getDomain(url) ?? getHostname(url) ?? url;
      latest = [...latest, { site, isFailed: isTransport(cause) }].slice(-CHECKS);
    },
    isTripped() {
      const failed = latest.filter(({ isFailed }) => isFailed).length;
      const sites = new Set(latest.map(({ site }) => site));
      return latest.length === CHECKS && sites.size >= SITES && failed >= CHECKS * FAILED_SHARE;
    },
    reset() {
      latest = [];
    },
  };
}

import type { Conclusion } from "../../server/checker/conclusion.ts";
import { type Reason, verdictOf } from "../../server/checker/reasons.ts";

/** The end of a check, as if it had been made. */
export const sawOnly = (reason: Reason, more: Partial<Conclusion> = {}): Conclusion => ({
  status: verdictOf(reason),
  reason,
  statusCode: null,
  responseTimeMs: null,
  finalUrl: null,
  redirectCount: 0,
  followUpMs: null,
  restMs: null,
  deferMs: null,
  evidence: {
    attempts: [],
    redirects: [],
    final_url: null,
    address: null,
    tls_expires_at: null,
    signals: [],
    probes: [],
    notes: [],
  },
  ...more,
});

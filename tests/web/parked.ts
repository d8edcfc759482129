import type { Reason } from "../../server/judge/reasons/reasons.ts";
import { saw } from "../checker/ended.ts";

const attempt = (second: number, profile: "A" | "B", status: number, reason: Reason) => ({
  at: `2030-01-01T00:00:0${second}.000Z`,
  profile,
  outcome: "answered" as const,
  status,
  reason,
  detail: null,
  elapsed_ms: 12,
  address: "192.0.2.7",
});

/** A check that has much to show: a domain that is for sale. */
export const PARKED = saw("domain_parked", {
  statusCode: 200,
  finalUrl: "http://sale.example.net/",
  evidence: {
    attempts: [attempt(0, "A", 200, "domain_parked"), attempt(3, "B", 404, "http_404")],
    redirects: [
      { url: "https://example.org/parked", status: 301, via: "location" },
      { url: "https://www.example.org/lander", status: 200, via: "refresh" },
    ],
    final_url: "http://sale.example.net/",
    address: "192.0.2.7",
    tls_expires_at: "2030-01-10T00:00:00.000Z",
    signals: [{ rule: "parked_host", text: "The link leads to a marketplace for domains." }],
    probes: [
      {
        asked: "sibling",
        url: "https://example.org/qwertyuiopasdfgh",
        status: 404,
        reason: null,
        final_url: null,
      },
    ],
    notes: ["The redirects leave https for plain http."],
    flapping: true,
    monitor: {
      state: "online",
      asked_at: "2030-01-01T00:00:00.000Z",
      sentinels: [
        { address: "1.1.1.1:53", answered: true },
        { address: "8.8.8.8:53", answered: true },
        { address: "9.9.9.9:53", answered: false },
      ],
    },
  },
});

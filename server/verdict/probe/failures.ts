import { isTrustProblem } from "../reasons/reasons.ts";
import {
  AS_BROWSER,
  dead,
  type Finding,
  once,
  type Retry,
  type Signal,
  TWICE,
  unclear,
} from "./finding.ts";
import type { Failure } from "./probe.ts";

/** Looking behind a bad certificate: what is found there may be dead, but never alive. */
const UNVERIFIED: Retry[] = [{ delayMs: 0, style: { trust: "any", keepsCookies: false } }];

const RETRIES: Partial<Record<Failure["reason"], Retry[]>> = {
  dns_nodata: once(),
  dns_servfail: once(),
  dns_refused: once(),
  dns_timeout: once(),
  dns_malformed: once(),
  conn_refused: TWICE,
  conn_unreachable: once(),
  conn_timeout: once({ connectMs: 20_000 }),
  read_timeout: once(),
  // Some firewalls reset programs that they do not know.
  conn_reset: [
    { delayMs: 2000, style: AS_BROWSER },
    { delayMs: 8000, style: {} },
  ],
  http_malformed: once(),
  http_unexpected: once(),
  header_overflow: once(),
  tls_protocol: once(),
  tls_handshake_reset: once(),
  redirect_loop: once(AS_BROWSER),
  redirect_too_many: once({ maxHops: 20 }),
  redirect_bad_location: once(),
};

/** Never counts as a failure that lasts: the page may be there for everyone else. */
const UNSAFE_LOCATION: Signal = {
  rule: "unsafe_location",
  text: "The redirect leads to an address that this monitor refuses to follow.",
};

/** An attempt without a usable answer. Only a name that does not exist speaks against the link. */
export function judgeFailure({ reason, heldMs, isUnsafe }: Failure): Finding {
  if (isUnsafe && reason !== "dns_nxdomain") {
    return { ...unclear(reason, RETRIES[reason]), signals: [UNSAFE_LOCATION] };
  }
  if (heldMs !== undefined && reason !== "dns_nxdomain") return unclear(reason, [], heldMs);
  if (reason === "dns_nxdomain") return dead(reason, "C3");
  return unclear(reason, isTrustProblem(reason) ? UNVERIFIED : RETRIES[reason]);
}

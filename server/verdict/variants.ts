import { type Check, leftOf, type Sighting } from "./look.ts";
import { toShownOnTheWay } from "./probe/conclusion.ts";
import { probe } from "./probe/probe.ts";

/** Failures of https that plain http may be spared. */
const SECURE_ONLY = /^(conn_|read_timeout$|tls_protocol$|tls_handshake_reset$)/;

/**
 * Looks whether a neighbouring address answers, to help whoever reads the evidence: the same over plain
 * http, or with and without `www.` where the certificate is for another name. It changes no verdict.
 */
export async function noteVariants(
  check: Check,
  { probe: seen, style }: Sighting,
): Promise<string[]> {
  if (seen.kind === "answered") return [];
  const variant = variantOf(new URL(seen.finalUrl), seen.reason);
  if (!variant) return [];
  const { checker } = check;
  const timeoutMs = Math.min(checker.checkTimeoutMs, leftOf(check));
  if (timeoutMs <= 0) return [];
  const input = { url: variant.href, style, timeoutMs, signal: checker.signal };
  const found = await probe(checker, input);
  const isFine = found.kind === "answered" && found.status >= 200 && found.status < 300;
  return isFine ? [`${toShownOnTheWay(variant.href)} answers with ${found.status}.`] : [];
}

function variantOf(url: URL, reason: string): URL | null {
  if (url.protocol !== "https:") return null;
  const variant = new URL(url);
  if (SECURE_ONLY.test(reason)) {
    variant.protocol = "http:";
    return variant;
  }
  if (reason !== "tls_name_mismatch") return null;
  variant.hostname = url.hostname.replace(/^(www\.)?/, (www) => (www ? "" : "www."));
  return variant;
}

import type { Conclusion } from "../verdict/probe/conclusion.ts";
import { messageOf } from "../verdict/reasons/reasons.ts";
import { plain } from "./io.ts";

export type Checked = { url: string; service: string; conclusion: Conclusion };

export const asJson = ({ url, service, conclusion }: Checked) =>
  JSON.stringify({
    url,
    status: conclusion.status,
    reason: conclusion.reason,
    message: messageOf(conclusion.reason, conclusion.statusCode, conclusion.cause),
    status_code: conclusion.statusCode,
    final_url: conclusion.finalUrl,
    response_time_ms: conclusion.responseTimeMs,
    service,
    evidence: conclusion.evidence,
  });

const INDENT = " ".repeat(9);

/** The verdict, what it means, and what was seen. */
export function asText({ url, conclusion }: Checked): string {
  const { status, reason, cause, statusCode, evidence } = conclusion;
  const lines = [`${status.padEnd(INDENT.length)}${url}`, messageOf(reason, statusCode, cause)];
  for (const hop of evidence.redirects) lines.push(`${hop.status} redirect from ${hop.url}`);
  if (evidence.redirects.length > 0) lines.push(`final URL ${conclusion.finalUrl}`);
  if (conclusion.responseTimeMs !== null) {
    lines.push(`answered ${statusCode} in ${conclusion.responseTimeMs} ms`);
  }
  lines.push(...evidence.signals.map(({ text }) => text), ...evidence.notes);
  if (status !== "active") lines.push(...attemptsOf(conclusion));
  return lines.map(plain).join(`\n${INDENT}`);
}

function attemptsOf({ reason, cause, evidence }: Conclusion): string[] {
  const seen = evidence.attempts.map((attempt) => attempt.detail ?? attempt.reason);
  const first = `reason ${reason}${cause ? `, caused by ${cause}` : ""}`;
  return [first, ...seen.map((what, i) => `attempt ${i + 1}: ${what}`)];
}

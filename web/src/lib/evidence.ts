/** What the last check saw, as far as this dashboard knows how to show it. */
export type Evidence = {
  attempts: Attempt[];
  redirects: { url: string; status: number | null }[];
  /** Single facts in the order they are read: final URL, address, and so on. */
  facts: { name: string; value: string }[];
};

export type Attempt = {
  at: string | null;
  /** "404", or the reason of a failure. */
  outcome: string;
  detail: string | null;
  elapsedMs: number | null;
  address: string | null;
};

const NAMES: Record<string, string> = {
  final_url: "Final URL",
  address: "Address",
  tls_expires_at: "Certificate valid until",
  cause: "Cause",
};

/** Reads evidence of any version: what is missing or new does no harm. */
export function readEvidence(evidence: Record<string, unknown>): Evidence {
  const { attempts, redirects, ...rest } = evidence;
  return {
    attempts: records(attempts).map(toAttempt),
    redirects: records(redirects).map(({ url, status }) => ({
      url: String(url ?? ""),
      status: numberOrNull(status),
    })),
    facts: Object.entries(rest).flatMap(([name, value]) =>
      isPlain(value) ? [{ name: NAMES[name] ?? spaced(name), value: String(value) }] : [],
    ),
  };
}

const toAttempt = (attempt: Record<string, unknown>): Attempt => ({
  at: momentOrNull(attempt.at),
  outcome: String(attempt.status ?? attempt.reason ?? attempt.outcome ?? ""),
  detail: textOrNull(attempt.detail),
  elapsedMs: numberOrNull(attempt.elapsed_ms),
  address: textOrNull(attempt.address),
});

const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];

const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);

const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);

const momentOrNull = (value: unknown) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) ? value : null;

const numberOrNull = (value: unknown) => (typeof value === "number" ? value : null);

const spaced = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

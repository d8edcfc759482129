import * as z from "zod";
import type { FragmentState, PageMatch } from "../../ground/lib/vocabulary.ts";
import { ONLINE_STATES } from "../online/online.ts";
import type { PageFacts } from "../page/page-facts.ts";
import { type Reason, type Verdict, verdictOf } from "../reasons/reasons.ts";
import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";
import type { CapturedResponse } from "./response.ts";
import type { Profile } from "./style.ts";

const AttemptRecord = z.object({
  at: z.string().meta({ format: "date-time" }),
  profile: z.string().meta({ example: "A" }),
  outcome: z.enum(["answered", "failed"]),
  status: z.int().meta({ example: 200 }).nullable(),
  reason: z.string().meta({ example: "ok" }),
  detail: z.string().nullable().meta({ example: null }),
  elapsed_ms: z.int().meta({ example: 182 }),
  address: z.string().meta({ example: "93.184.215.14" }).nullable(),
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

const Redirect = z.object({
  url: z.string(),
  status: z.int(),
  via: z.enum(["location", "refresh"]),
});

/** Another address that was requested to judge the page, such as a random one next to it. */
const ProbeRecord = z.object({
  asked: z.enum([
    "sibling",
    "root",
    "home",
    "control",
    "sitemap",
    "subdomain",
    "service",
    "canary",
  ]),
  url: z.string(),
  status: z.int().nullable(),
  reason: z.string().nullable(),
  final_url: z.string().nullable(),
});
export type ProbeRecord = z.infer<typeof ProbeRecord>;

const Signal = z.object({ rule: z.string(), text: z.string() });

const Monitor = z.object({
  state: z.enum(ONLINE_STATES),
  asked_at: z.string(),
  sentinels: z.array(z.object({ address: z.string(), answered: z.boolean() })),
});

/** What a check saw: enough to judge its verdict. Contains no secrets and no user names. */
export const Evidence = z
  .object({
    attempts: z.array(AttemptRecord),
    redirects: z.array(Redirect),
    final_url: z.string().nullable(),
    address: z.string().nullable(),
    tls_expires_at: z.string().nullable(),
    signals: z.array(Signal),
    probes: z.array(ProbeRecord),
    notes: z.array(z.string()),
    monitor: Monitor.nullable(),
    flapping: z.boolean(),
    cause: z.string().nullable(),
    dns_ms: z.int().nullable().meta({
      description: "How long the name servers took; null if the address was known.",
      example: 8,
    }),
    server: z.string().nullable().meta({
      description: "The `Server` header of the response.",
      example: "nginx",
    }),
    excerpt: z.string().nullable().meta({
      description: "The beginning of the visible text of a dead page.",
      example: null,
    }),
  })
  .meta({
    id: "Evidence",
    example: {
      redirects: [],
      final_url: "https://example.com/a",
      address: "93.184.215.14",
      signals: [],
      probes: [],
      notes: [],
      monitor: null,
      flapping: false,
      cause: null,
    },
  });
type Evidence = z.infer<typeof Evidence>;

/** Evidence as stored, without what is rarely set. */
export type StoredEvidence = Omit<Evidence, RarelySet> & Partial<Pick<Evidence, RarelySet>>;
type RarelySet = "monitor" | "flapping" | "cause" | "dns_ms" | "server" | "excerpt";

const NOTHING_SEEN: StoredEvidence = {
  attempts: [],
  redirects: [],
  final_url: null,
  address: null,
  tls_expires_at: null,
  signals: [],
  probes: [],
  notes: [],
};

const NOT_SET: Pick<Evidence, RarelySet> = {
  monitor: null,
  flapping: false,
  cause: null,
  dns_ms: null,
  server: null,
  excerpt: null,
};

/** @param stored the JSON of a `StoredEvidence`; an older version may have stored less */
export function toEvidence(stored: string | null): Evidence | null {
  if (stored === null) return null;
  const evidence = { ...NOTHING_SEEN, ...NOT_SET, ...(JSON.parse(stored) as StoredEvidence) };
  const redirects = evidence.redirects.map((hop) => ({ ...hop, via: hop.via ?? "location" }));
  return { ...evidence, redirects };
}

/** What is kept of a full reading that showed a link alive. Hashes are whole numbers of 53 bits. */
export type Reading = {
  /** Of the rules, and of what the link expects. */
  rules: number;
  /** Of the redirects, the final URL and its certificate. */
  path: number;
  /** Of the status, the headers that count, and the body as received. */
  content: number;
  finalUrl: string;
  redirectCount: number;
  /** The validators of RFC 9110 §8.8; null if there are none that can be used. */
  etag: string | null;
  lastModified: string | null;
};

/** How a check found out that nothing has changed. */
export type Unchanged = "not_modified" | "same_bytes";

/** The result of a whole check. */
export type Conclusion = {
  status: Verdict;
  reason: Reason;
  /** What an `unconfirmed` check saw first and did not see again. */
  cause?: Reason;
  statusCode: number | null;
  responseTimeMs: number | null;
  finalUrl: string | null;
  redirectCount: number;
  /** Milliseconds until the link needs another check, whatever its frequency. */
  followUpMs: number | null;
  /** For how many milliseconds several checks must see the failure before the link is dead. */
  patienceMs: number | null;
  /** Milliseconds until the link may be requested again. */
  restMs: number | null;
  /**
   * Set if the site is in a cooldown and nothing was requested: the link is due again after so many
   * milliseconds and nothing counts. `reason` is the reason of the cooldown.
   */
  deferMs: number | null;
  /** The page ended the process that read it: this counts, although no site is at fault. */
  endedProcess?: true;
  /** Set if only the beginning of the page was read: what changes when the page does. */
  page?: string;
  /** The beginning of the page's text, for a link that dies because the same is seen for long enough. */
  excerpt?: string;
  /** The response, if it is not the stored one. */
  response?: CapturedResponse;
  /** What it shows of the setting for the link's host. */
  host?: { id: string; version: number; found: "accepted" | "refused" };
  /** Set if nothing has changed since the last full reading: the evidence is what the link has. */
  unchanged?: Unchanged;
  /** A server on the way was not found on the internet. */
  isInside?: true;
  /** For how long the certificate is valid in all, in milliseconds. */
  tlsLifetimeMs?: number;
  /** What is kept of the page, to find out next time whether it has changed. */
  reading?: Reading;
  /** What was seen of the link's fragments, if the check found it active and read its page. */
  fragments?: { fragment: string; state: FragmentState; alike?: string[] }[];
  /** What the server made of a validator that was made up: `barred` if it says that this page is unchanged. */
  validators?: "proven" | "barred" | undefined;
  /** What is compared with the remembered page. Missing: nothing is. */
  facts?: PageFacts | null;
  /** Whether the page is the one that was to be found, if one was. */
  matches?: PageMatch;
  evidence: StoredEvidence;
};

/** One attempt and its finding. */
type Observation = { probe: Probe; finding: Finding };

/** How a check ends beyond its last attempt. */
export type Ending = {
  reason: Reason;
  cause?: Reason;
  followUpMs?: number | undefined;
  patienceMs?: number | undefined;
  evidence?: Partial<StoredEvidence>;
};

export const LONGEST_URL = 2048;
/** For the addresses in between, which a hostile site can make long and many. */
const LONGEST_URL_IN_BETWEEN = 512;

/** Concludes a check from its last attempt; `ending` may overrule that attempt's reason. */
export function conclude(
  attempts: AttemptRecord[],
  { probe, finding }: Observation,
  ending: Ending,
): Conclusion {
  const { reason, cause, followUpMs = null, patienceMs = null } = ending;
  const { hops, finalUrl, address, tlsExpiresAt, tlsLifetimeMs } = probe;
  const status = verdictOf(reason);
  const excerpt = status === "active" ? null : excerptOf(probe);
  return {
    status,
    reason,
    ...(cause && { cause }),
    statusCode: statusIn(probe),
    responseTimeMs: probe.kind === "answered" ? probe.responseTimeMs : null,
    finalUrl: storedUrl(finalUrl),
    redirectCount: hops.length,
    followUpMs,
    patienceMs,
    restMs: finding.restMs,
    deferMs: null,
    ...(probe.isInside && { isInside: true }),
    ...(tlsLifetimeMs !== undefined && { tlsLifetimeMs }),
    ...(excerpt !== null && status === "unknown" && { excerpt }),
    evidence: {
      attempts,
      redirects: hops.map((hop) => ({ ...hop, url: urlInBetween(hop.url) })),
      final_url: storedUrl(finalUrl),
      address,
      tls_expires_at: tlsExpiresAt === null ? null : new Date(tlsExpiresAt).toISOString(),
      signals: finding.signals,
      probes: [],
      ...ending.evidence,
      notes: [...(isDowngraded(probe) ? [LESS_SAFE] : []), ...(ending.evidence?.notes ?? [])],
      ...(cause && { cause }),
      ...seenOf(probe),
      ...(excerpt !== null && status === "dead" && { excerpt }),
    },
  };
}

const EXCERPT_CHARS = 200;
const SERVER_CHARS = 100;

/** The rest of what is rarely set. */
function seenOf(probe: Probe): Partial<StoredEvidence> {
  const server = probe.kind === "answered" ? plainText(probe.headers.get("server") ?? "") : "";
  return {
    ...(probe.dnsMs !== null && { dns_ms: Math.round(probe.dnsMs) }),
    ...(server !== "" && { server: server.slice(0, SERVER_CHARS) }),
  };
}

/** Null if there is no page, or no text in it. */
function excerptOf(probe: Probe): string | null {
  const text = probe.kind === "answered" ? probe.page?.text : undefined;
  if (!text) return null;
  // Characters that are removed, or cut in two, leave less.
  const beginning = plainText(text.slice(0, 2 * EXCERPT_CHARS)).slice(0, EXCERPT_CHARS);
  return beginning.toWellFormed().trim() || null;
}

/** Removes what is not seen, or changes how text is shown: control, format and private characters. */
const plainText = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, "");

/** Concludes a check that made no attempt. */
export const sawNothing = (reason: Reason, evidence: Partial<StoredEvidence> = {}): Conclusion => ({
  status: verdictOf(reason),
  reason,
  statusCode: null,
  responseTimeMs: null,
  finalUrl: null,
  redirectCount: 0,
  followUpMs: null,
  patienceMs: null,
  restMs: null,
  deferMs: null,
  evidence: { ...NOTHING_SEEN, ...evidence },
});

/** @param at wall time in milliseconds */
export const attemptRecord = (
  { probe, finding }: Observation,
  profile: Profile,
  at: number,
): AttemptRecord => ({
  at: new Date(at).toISOString(),
  profile,
  outcome: probe.kind,
  status: statusIn(probe),
  reason: finding.reason,
  detail: probe.kind === "failed" ? probe.detail : null,
  elapsed_ms: Math.round(probe.elapsedMs),
  address: probe.address,
});

/** Records a request for another address than the link's; `reason` is that of a failure by default. */
export const probeRecord = (
  asked: ProbeRecord["asked"],
  url: string,
  probe: Probe,
  reason: Reason | null = probe.kind === "failed" ? probe.reason : null,
): ProbeRecord => ({
  asked,
  url: urlInBetween(url),
  status: statusIn(probe),
  reason,
  final_url: null,
});

export const statusIn = (probe: Probe) => (probe.kind === "answered" ? probe.status : null);

const LESS_SAFE = "The redirects leave https for plain http.";

function isDowngraded({ hops, finalUrl }: Probe): boolean {
  const path = [...hops.map(({ url }) => url), finalUrl];
  return path.some((url, i) => url.startsWith("http:") && path[i - 1]?.startsWith("https:"));
}

/** Removes user name and password from a URL, and shortens it. */
const storedUrl = (url: string) =>
  url.replace(/^([a-z]+:\/*)[^/?#]*@/i, "$1").slice(0, LONGEST_URL);

/** The same for an address that a check passes or requests in between. */
export const urlInBetween = (url: string) => storedUrl(url).slice(0, LONGEST_URL_IN_BETWEEN);

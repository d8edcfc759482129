import type { HostNames } from "../../net/dns-query.ts";
import type { ActiveReason, DeadReason, UnknownReason } from "../reasons/reasons.ts";
import type { Answer, Probe } from "./probe.ts";

/** Another attempt inside the same check: how long to wait first, and what it does differently. */
export type Retry = { delayMs: number; style: Partial<Style> };

/**
 * What was noticed, as evidence: a rule of docs/verdicts.md, and one sentence for people, which may quote
 * a few words of the page.
 */
export type Signal = { rule: string; text: string };

/** The classes of confirmation. C1 to C3 are settled by one check. */
type Confirmation = "C1" | "C2" | "C3" | "C4";

/** What one attempt shows. `restMs` is how long the link is at least left alone afterwards. */
export type Finding = (
  | { verdict: "active"; reason: ActiveReason; confirm: "none" }
  | { verdict: "dead"; reason: DeadReason; confirm: Confirmation }
  | { verdict: "unknown"; reason: UnknownReason; confirm: "none" }
) & {
  retries: Retry[];
  restMs: number | null;
  signals: Signal[];
  /** Of class C4: how long death must be seen. */
  patienceMs?: number;
};

/**
 * What was learned around a page. A missing entry was not asked yet; null could not be learned, or was
 * not allowed to be asked, and says nothing.
 */
export type Facts = {
  /** What the host showed for random addresses when it was last asked, up to a week ago. */
  profile?: HostProfile | null;
  /** A random address next to the link's own: same folder, same ending. */
  sibling?: Probe | null;
  /** A random address directly below the root of the link's host. */
  root?: Probe | null;
  /** The home page of the link's host. */
  home?: Probe | null;
  /** The root of a random name below the link's registrable domain. */
  subdomain?: Probe | null;
  /** Who serves the names of the host at which the answer was found. */
  names?: HostNames | null;
};

/** How a host answers for addresses that do not exist: with 404, or with a page, identified by its fingerprint. */
export type HostProfile = { kind: "honest" } | { kind: "page"; fingerprint: string };

/** What signals ask about a link's service: whether it knows the kind of address. */
type Served = { target: object | null };

/** Everything one judgement rests on. `now` is wall time in milliseconds since 1970. */
export type Seen<S extends Served = Served> = {
  answer: Answer;
  /** The link's own URL, before any redirect. */
  url: URL;
  now: number;
  facts: Facts;
  /** What the link's service has to say; null for a link that none owns. */
  serving: S | null;
  /**
   * The name was missing, or the domain parked, when last decided. Whoever registered it since must show
   * more than a page: it is alive only if it is neither parked nor the same for every address.
   */
  isReregistered: boolean;
};

/** Nothing can be said before this is known. */
export type Need = { needs: keyof Facts };

/** Looks at a response from one side. `null` passes it on to the next reader. Pure. */
export type Reader<S extends Served = Served> = (seen: Seen<S>) => Finding | Need | null;

export const alive = (reason: ActiveReason, retries: Retry[] = []): Finding => ({
  verdict: "active",
  reason,
  confirm: "none",
  retries,
  restMs: null,
  signals: [],
});

export const dead = (
  reason: DeadReason,
  confirm: Confirmation,
  signals: Signal[] = [],
): Finding => ({
  verdict: "dead",
  reason,
  confirm,
  retries: [],
  restMs: null,
  signals,
});

export const unclear = (
  reason: UnknownReason,
  retries: Retry[] = [],
  restMs: number | null = null,
): Finding => ({ verdict: "unknown", reason, confirm: "none", retries, restMs, signals: [] });

/** Unclear because of what was noticed on the page. */
export const suspected = (reason: UnknownReason, signals: Signal[]): Finding => ({
  ...unclear(reason),
  signals,
});

export const needs = (fact: keyof Facts): Need => ({ needs: fact });

/** One more attempt after a moment, in another style if given. */
export const once = (style: Partial<Style> = {}): Retry[] => [{ delayMs: 2000, style }];

/** Two more attempts, for trouble that often passes. */
export const TWICE: Retry[] = [
  { delayMs: 2000, style: {} },
  { delayMs: 8000, style: {} },
];

export const AS_BROWSER: Partial<Style> = { profile: "B" };

/** A says who we are. B looks like a browser, to rescue links from servers that turn programs away. */
export type Profile = "A" | "B";

/** How one attempt asks. */
export type Style = {
  profile: Profile;
  /** Whether cookies are kept from one hop to the next. */
  keepsCookies: boolean;
  maxHops: number;
  trust: "verified" | "any";
  /** Milliseconds until a connection must stand. */
  connectMs: number;
  /** Sent instead of the profile's own. */
  headers: Record<string, string>;
};

export const USUAL_STYLE: Style = {
  profile: "A",
  keepsCookies: true,
  maxHops: 10,
  trust: "verified",
  connectMs: 10_000,
  headers: {},
};

const BROWSER_HEADERS = {
  "User-Agent":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36",
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "Accept-Language": "en-US,en;q=0.9",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Sec-Ch-Ua": '"Chromium";v="146", "Google Chrome";v="146", "Not_A Brand";v="24"',
  "Sec-Ch-Ua-Mobile": "?0",
  "Sec-Ch-Ua-Platform": '"Windows"',
  "Sec-Fetch-Dest": "document",
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-Site": "none",
  "Sec-Fetch-User": "?1",
};

/** The headers of a profile, with the style's own on top. */
export function headersOf(style: Style, userAgent: string): Record<string, string> {
  const honest = {
    "User-Agent": userAgent,
    Accept: "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Language": "en;q=0.9,*;q=0.5",
    "Accept-Encoding": "gzip, br",
  };
  return { ...(style.profile === "A" ? honest : BROWSER_HEADERS), ...style.headers };
}

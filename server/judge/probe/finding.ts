import type { HostNames } from "../../ground/net/dns-query.ts";
import type { ActiveReason, DeadReason, UnknownReason } from "../reasons/reasons.ts";
import type { Answer, Probe } from "./probe.ts";
import type { Style } from "./style.ts";

/** Another attempt within the same check, and what it does differently. */
export type Retry = { delayMs: number; style: Partial<Style> };

/** Evidence: a rule of docs/verdicts.md, and one sentence for people. */
export type Signal = { rule: string; text: string };

/** See docs/verdicts.md, "Confirmation". */
type Confirmation = "C1" | "C2" | "C3" | "C4";

/** The result of one attempt. `restMs` is the shortest time until the link is requested again. */
export type Finding = (
  | { verdict: "active"; reason: ActiveReason; confirm: "none" }
  | { verdict: "dead"; reason: DeadReason; confirm: Confirmation }
  | { verdict: "unknown"; reason: UnknownReason; confirm: "none" }
) & {
  retries: Retry[];
  restMs: number | null;
  signals: Signal[];
  /** For class C4: how long the failure must last. */
  patienceMs?: number;
};

/** What was learned around a page. Missing: not requested yet. Null: could not be learned, or is not allowed. */
export type Facts = {
  /** How the host answered for a random address, up to a week ago. */
  profile?: HostProfile | null;
  /** A random address in the same folder, with the same ending. */
  sibling?: Probe | null;
  /** A random address directly below the root of the link's host. */
  root?: Probe | null;
  home?: Probe | null;
  /** The root of a random name below the link's registrable domain. */
  subdomain?: Probe | null;
  /** The name servers and aliases of the final host. */
  names?: HostNames | null;
  /** An address that must exist, compared with the page that a death would rest on. */
  control?: Control | null;
};

/** What an address that the site itself offers shows; `nothing` if it shows an error or asks for something first. */
export type Control = { url: string; shows: "same" | "different" | "nothing" };

/** How a host answers for missing addresses: `honest` is with 404, or else with a page. */
export type HostProfile = { kind: "honest" } | { kind: "page"; fingerprint: string };

/** What signals need of a link's service: whether it knows this kind of address. */
type Served = { target: object | null };

/** The input of one judgement. `now` is wall time in milliseconds since 1970. */
export type Seen<S extends Served = Served> = {
  answer: Answer;
  /** The link's own URL, before redirects. */
  url: URL;
  now: number;
  facts: Facts;
  /** Null if no known service owns the link. */
  serving: S | null;
  /** The name was missing or parked when last decided, so a page alone does not make it active. */
  isReregistered: boolean;
};

/** A fact that must be learned first. */
export type Need = { needs: keyof Facts };

/** Judges one aspect of a response; null passes it on to the next reader. Pure. */
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

export const suspected = (reason: UnknownReason, signals: Signal[]): Finding => ({
  ...unclear(reason),
  signals,
});

export const needs = (fact: keyof Facts): Need => ({ needs: fact });

/** One more attempt, in another style if given. */
export const once = (style: Partial<Style> = {}): Retry[] => [{ delayMs: 2000, style }];

/** For failures that often pass. */
export const TWICE: Retry[] = [
  { delayMs: 2000, style: {} },
  { delayMs: 8000, style: {} },
];

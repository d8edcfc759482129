import type { Answer } from "./probe.ts";
import type { Style } from "./profiles.ts";
import type { ActiveReason, DeadReason, UnknownReason } from "./reasons.ts";

/** Another attempt inside the same check: how long to wait first, and what it does differently. */
export type Retry = { delayMs: number; style: Partial<Style> };

/** What one attempt shows. `retryAfterMs` is how long the server wants to be left alone. */
export type Finding = (
  | { verdict: "active"; reason: ActiveReason; confirm: "none" }
  | { verdict: "dead"; reason: DeadReason; confirm: "C1" | "C2" | "C3" }
  | { verdict: "unknown"; reason: UnknownReason; confirm: "none" }
) & { retries: Retry[]; retryAfterMs: number | null };

/** Looks at a response from one side. `null` passes it on to the next reader. */
export type Reader = (answer: Answer, now: number) => Finding | null;

export const alive = (reason: ActiveReason, retries: Retry[] = []): Finding => ({
  verdict: "active",
  reason,
  confirm: "none",
  retries,
  retryAfterMs: null,
});

export const dead = (reason: DeadReason, confirm: "C1" | "C2" | "C3"): Finding => ({
  verdict: "dead",
  reason,
  confirm,
  retries: [],
  retryAfterMs: null,
});

export const unclear = (
  reason: UnknownReason,
  retries: Retry[] = [],
  retryAfterMs: number | null = null,
): Finding => ({ verdict: "unknown", reason, confirm: "none", retries, retryAfterMs });

/** One more attempt after a moment, in another style if given. */
export const once = (style: Partial<Style> = {}): Retry[] => [{ delayMs: 2000, style }];

/** Two more attempts, for trouble that often passes. */
export const TWICE: Retry[] = [
  { delayMs: 2000, style: {} },
  { delayMs: 8000, style: {} },
];

export const AS_BROWSER: Partial<Style> = { profile: "B" };

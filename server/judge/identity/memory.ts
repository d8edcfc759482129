import type { LinkChangeKind } from "../../ground/lib/vocabulary.ts";
import type { Shown } from "../page/page-facts.ts";
import type { Sign } from "./signs.ts";

/**
 * `learning`: seen once. `thin`: there is too little to compare. `variable`: it changes too often to be compared.
 * `doubted`: it shows something else, which is not confirmed. `changed` and `lost` have been reported.
 */
export const MEMORY_STATES = [
  "learning",
  "known",
  "thin",
  "variable",
  "doubted",
  "changed",
  "lost",
] as const;
export type MemoryState = (typeof MEMORY_STATES)[number];

/** Of `waySeen`: the link has led to one place in three checks, and for a week. */
export const SETTLED_LOOKS = 3;

/** What is remembered of a link's page. Times are in milliseconds since 1970. */
export type Memory = {
  state: MemoryState;
  /** When the page was first seen, or last accepted by a person. */
  since: number;
  /** The page that others are compared with; null while the memory is thin. */
  page: Shown | null;
  /** The page of the last comparison. */
  now: Shown | null;
  /** The title of the page that was remembered first, if another one was accepted since. */
  firstTitle: string | null;
  textHash: number | null;
  comparedAt: number;
  /** Where the link leads if that is elsewhere, since when, and whether all redirects are permanent. */
  way: string | null;
  waySince: number;
  isWayPermanent: boolean;
  /** In how many checks in a row, 3 at most: then it has led there for a week as well. 0 while it alternates. */
  waySeen: number;
  /** Registrable domains that it led to while the page matched, other than its own. */
  domains: string[];
  /** Names of the link's query parameters that its redirects keep, with their values. */
  kept: string[];
  doubts: Doubts;
  past: Past;
};

/** What was seen and is not confirmed. `seen`: in how many comparisons, the last of which was at `at`. */
type Doubt = { since: number; seen: number; at: number };

export type Doubts = {
  page?: Doubt & { signs: Sign[] };
  way?: Doubt & { url: string; isPermanent: boolean };
  parameters?: Doubt & { names: string[] };
};

export type Past = {
  /** When each kind of notice was last given. */
  given?: Partial<Record<NoticeKind, number>>;
  /** When doubts about the page ended well. */
  cleared?: number[];
  variableUntil?: number;
  /** The name was missing, or its domain parked, since the page last matched. */
  hasGap?: boolean;
  /** How often the second look at a page showed another one. */
  restarts?: number;
  /** Dead because its domain changed hands. */
  isDead?: boolean;
};

/** What comparisons report, of all that `link.changed` says. */
export type NoticeKind = Extract<
  LinkChangeKind,
  | "redirect_changed"
  | "content_changed"
  | "identity_lost"
  | "parameters_lost"
  | "parameters_changed"
>;

/** What is said about a link whose page, or the way to it, is not what it was. */
export type Notice = {
  kind: NoticeKind;
  before: string;
  after: string;
  signs: Sign[];
  firstSeenAt: number;
};

import type { Clock } from "../../lib/clock.ts";
import { isOutside } from "../../net/policy.ts";
import { parseServer } from "../../net/resolve.ts";
import { type ClockSkew, createClockSkew } from "./clock-skew.ts";
import { type AskSentinel, createSentinels, type Round } from "./sentinels.ts";

/** What the sentinels said, as evidence: all that had answered or failed to when it was clear. */
export type SentinelReport = {
  state: OnlineState;
  /** ISO 8601. */
  asked_at: string;
  sentinels: { address: string; answered: boolean }[];
};

/** What is known without asking: nothing before the first failure, or where there are no sentinels. */
export type KnownState =
  | { state: "unknown" }
  /** `since` when it is so, in milliseconds since 1970; `report` is the latest. */
  | { state: OnlineState; since: number; report: SentinelReport };

/** Knows whether it is us. */
export type Online = {
  /**
   * What the sentinels say when asked after the moment `since` (the clock's `elapsed()`); null when there
   * are none to ask, which counts as online.
   */
  confirm(since: number): Promise<SentinelReport | null>;
  /**
   * Whether the sentinels tell anything about the way to an address (null: to any name server). Sentinels
   * out on the internet say nothing about this machine and its own network.
   */
  speaksFor(address: string | null): boolean;
  known(): KnownState;
  /** Learns from the `Date` header of an answer what time it is elsewhere. */
  noteAnswer: ClockSkew["note"];
  /** Whether our clock is so wrong that dates say nothing. */
  clockIsOff: ClockSkew["isOff"];
};

/** A change that must be reported. Learning that we are online is not one. */
export type OnlineChange = { from: KnownState; to: Exclude<KnownState, { state: "unknown" }> };

type OnlineOptions = {
  clock: Clock;
  /** `ip:port` each; with none, nothing is ever asked. */
  sentinels: string[];
  ask: AskSentinel;
  onChange?: (change: OnlineChange) => void;
};

export function createOnline({ clock, sentinels, ask, onChange }: OnlineOptions): Online {
  const rounds = createSentinels({ clock, addresses: sentinels, ask });
  const skew = createClockSkew(clock);
  let known: KnownState = { state: "unknown" };
  let knownFrom = Number.NEGATIVE_INFINITY;

  /** A slow round may end after a later one, and then tells nothing new. */
  function learn({ startedAt, report }: Round) {
    if (startedAt <= knownFrom) return;
    knownFrom = startedAt;
    const from = known;
    const { state } = report;
    const since = from.state === state ? from.since : clock.now();
    known = { state, since, report };
    const isNews = from.state !== state && !(from.state === "unknown" && state === "online");
    if (isNews) onChange?.({ from, to: known });
  }

  async function confirm(since: number) {
    if (sentinels.length === 0) return null;
    const round = await rounds.roundSince(since);
    learn(round);
    return round.report;
  }

  const areOutside = sentinels.every((sentinel) => isOutside(parseServer(sentinel).address));
  const speaksFor = (address: string | null) =>
    address === null || isOutside(address) || !areOutside;

  return { confirm, speaksFor, known: () => known, noteAnswer: skew.note, clockIsOff: skew.isOff };
}

export const ONLINE_STATES = ["online", "degraded", "offline"] as const;

/** Whether this monitor can reach the internet, as far as its sentinels know. */
export type OnlineState = (typeof ONLINE_STATES)[number];

/** `unknown` before there was a reason to ask, and where there are no sentinels. */
export const MONITOR_STATES = [...ONLINE_STATES, "unknown"] as const;

/** Works off what has gathered, without everything at once. */
type Ramp = {
  /** Begins with so many links that are due. */
  begin(backlog: number): void;
  /** How many links may be taken on now; infinite when nothing has gathered. */
  allowance(): number;
  took(links: number): void;
  /** Nothing of it is left. */
  end(): void;
};

const LEAST_PER_SECOND = 64;
const LONGEST_S = 600;

/** Spreads a backlog over its size in seconds at 64 a second, but over ten minutes at most. */
export function createRamp(clock: Clock): Ramp {
  let climb: { perSecond: number; startedAt: number; backlog: number; taken: number } | null = null;

  return {
    begin(backlog) {
      const perSecond = Math.max(LEAST_PER_SECOND, Math.ceil(backlog / LONGEST_S));
      climb = { perSecond, startedAt: clock.elapsed(), backlog, taken: 0 };
    },
    allowance() {
      if (!climb) return Number.POSITIVE_INFINITY;
      // A second's worth at once, so that the first does not wait.
      const seconds = 1 + (clock.elapsed() - climb.startedAt) / 1000;
      return Math.floor(climb.perSecond * seconds) - climb.taken;
    },
    took(links) {
      if (!climb) return;
      climb.taken += links;
      if (climb.taken >= climb.backlog) climb = null;
    },
    end() {
      climb = null;
    },
  };
}

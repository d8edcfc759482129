import { getDomain, getHostname } from "tldts";
import type { Clock } from "../../ground/lib/clock.ts";
import { log } from "../../ground/lib/log.ts";
import type { NameServer } from "../../ground/net/dns-query.ts";
import { isOutside } from "../../ground/net/policy.ts";
import { parseServer } from "../../ground/net/resolve.ts";

/** The sentinels that had answered or failed when the state was clear, as evidence. */
export type SentinelReport = {
  state: OnlineState;
  /** ISO 8601. */
  asked_at: string;
  sentinels: { address: string; answered: boolean }[];
};

/** `unknown` before the first failure, or without sentinels. */
export type KnownState =
  | { state: "unknown" }
  /** `since` is in milliseconds since 1970; `report` is the latest. */
  | { state: OnlineState; since: number; report: SentinelReport };

/** Whether this monitor can reach the internet (docs/verdicts.md, "Outage of the monitor"). */
export type Online = {
  /** Asks the sentinels, at `since` (the clock's `elapsed()`) or later; null without sentinels. */
  confirm(since: number): Promise<SentinelReport | null>;
  /**
   * Whether the sentinels are evidence for the path to an address (null: to any name server). Sentinels on
   * the internet are not evidence for this machine's own network.
   */
  speaksFor(address: string | null): boolean;
  known(): KnownState;
  /** Compares the clock with the `Date` header of an answer. */
  noteAnswer(answer: { finalUrl: string; headers: Headers }): void;
  /** Whether the clock is too wrong to judge the dates of certificates. */
  clockIsOff(): boolean;
};

/** A change to report. Becoming online for the first time is not one. */
export type OnlineChange = { from: KnownState; to: Exclude<KnownState, { state: "unknown" }> };

type OnlineOptions = {
  clock: Clock;
  /** `ip:port` each. */
  sentinels: string[];
  ask: AskSentinel;
  onChange?: (change: OnlineChange) => void;
};

export function createOnline({ clock, sentinels, ask, onChange }: OnlineOptions): Online {
  const rounds = createSentinels({ clock, addresses: sentinels, ask });
  const skew = createClockSkew(clock);
  let known: KnownState = { state: "unknown" };
  let knownFrom = Number.NEGATIVE_INFINITY;

  /** Ignores a round that ends after a later one. */
  function learn({ startedAt, report }: Round) {
    if (startedAt <= knownFrom) return;
    knownFrom = startedAt;
    const from = known;
    const { state } = report;
    const since = from.state === state ? from.since : clock.now();
    known = { state, since, report };
    const isReported = from.state !== state && !(from.state === "unknown" && state === "online");
    if (isReported) onChange?.({ from, to: known });
  }

  async function confirm(since: number) {
    if (sentinels.length === 0) return null;
    const round = await rounds.roundSince(since);
    learn(round);
    return round.report;
  }

  return {
    confirm,
    speaksFor: speaksFor(sentinels),
    known: () => known,
    noteAnswer: skew.note,
    clockIsOff: skew.isOff,
  };
}

export function speaksFor(sentinels: string[]): Online["speaksFor"] {
  const areOutside = sentinels.every((sentinel) => isOutside(parseServer(sentinel).address));
  return (address) => address === null || isOutside(address) || !areOutside;
}

export const ONLINE_STATES = ["online", "degraded", "offline"] as const;

export type OnlineState = (typeof ONLINE_STATES)[number];

export const MONITOR_STATES = [...ONLINE_STATES, "unknown"] as const;

/** Spreads the checks of links that became due during an outage. */
type Ramp = {
  begin(backlog: number): void;
  /** How many links may start now; infinite without a backlog. */
  allowance(): number;
  took(links: number): void;
  end(): void;
};

const LEAST_PER_SECOND = 64;
const LONGEST_S = 600;

/** Starts 64 links a second, or as many as it takes to finish within ten minutes. */
export function createRamp(clock: Clock): Ramp {
  let climb: { perSecond: number; startedAt: number; backlog: number; taken: number } | null = null;

  return {
    begin(backlog) {
      const perSecond = Math.max(LEAST_PER_SECOND, Math.ceil(backlog / LONGEST_S));
      climb = { perSecond, startedAt: clock.elapsed(), backlog, taken: 0 };
    },
    allowance() {
      if (!climb) return Number.POSITIVE_INFINITY;
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

/** Resolves to whether a server accepts a TCP connection in time. */
export type AskSentinel = (server: NameServer, timeoutMs: number) => Promise<boolean>;

/** `startedAt` is on the clock's `elapsed()`. */
type Round = { startedAt: number; report: SentinelReport };

type Sentinels = {
  /** A round that started at `since` or later. */
  roundSince(since: number): Promise<Round>;
};

type SentinelsOptions = {
  clock: Clock;
  /** `ip:port` each, at least one. */
  addresses: string[];
  ask: AskSentinel;
};

const ROUND_GAP_MS = 1000;
const ANSWER_MS = 5000;
/** A broken network may still reach a single one. */
const QUORUM = 2;

/** Asks all sentinels together, in rounds that concurrent callers share. */
function createSentinels(options: SentinelsOptions): Sentinels {
  const { clock } = options;
  let latest: { startedAt: number; round: Promise<Round> } | null = null;
  let next: Promise<Round> | null = null;

  function begin(): Promise<Round> {
    next = null;
    const startedAt = clock.elapsed();
    const round = askAll(options).then((report) => ({ startedAt, report }));
    latest = { startedAt, round };
    return round;
  }

  return {
    async roundSince(since) {
      if (latest && latest.startedAt >= since) return latest.round;
      const waitMs = latest ? latest.startedAt + ROUND_GAP_MS - clock.elapsed() : 0;
      if (!next && waitMs <= 0) return begin();
      next ??= clock.sleep(waitMs).then(begin);
      return next;
    },
  };
}

/** Ends as soon as enough have answered, so that a silent sentinel does not delay it. */
async function askAll({ clock, addresses, ask }: SentinelsOptions): Promise<SentinelReport> {
  const asked_at = new Date(clock.now()).toISOString();
  const needed = Math.min(QUORUM, addresses.length);
  const sentinels: SentinelReport["sentinels"] = [];
  const enough = Promise.withResolvers<void>();
  const asking = addresses.map(async (address) => {
    const answered = await ask(parseServer(address), ANSWER_MS);
    sentinels.push({ address, answered });
    if (countAnswers(sentinels) >= needed) enough.resolve();
  });
  await Promise.race([Promise.all(asking), enough.promise]);
  const state = stateOf(countAnswers(sentinels), needed);
  return { state, asked_at, sentinels: [...sentinels] };
}

const countAnswers = (sentinels: SentinelReport["sentinels"]) =>
  sentinels.filter(({ answered }) => answered).length;

function stateOf(answers: number, needed: number): OnlineState {
  if (answers >= needed) return "online";
  return answers > 0 ? "degraded" : "offline";
}

type ClockSkew = {
  note(answer: { finalUrl: string; headers: Headers }): void;
  isOff(): boolean;
};

const SITES_KEPT = 20;
const SITES_NEEDED = 3;
/** Once enough sites are known, at most one answer is read in this time. */
const ENOUGH_MS = 1000;
const MOST_MS = 5 * 60_000;
/** The wall clock only differs this much from `elapsed()` if it was set. */
const STEP_MS = 60_000;

/**
 * Compares the clock with the median of the sites that answer. Certificates are judged by this machine's own
 * clock, so if another one is used, both must be right.
 */
export function createClockSkew(clock: Clock): ClockSkew {
  // How far each site is ahead in milliseconds, the latest last.
  const skews = new Map<string, number>();
  let notedAt = 0;
  let wasOff = false;
  let start = startOf(clock);

  /** Measurements are void once the clock has been set. */
  function forgetWhenSet() {
    if (Math.abs(startOf(clock) - start) < STEP_MS) return;
    start = startOf(clock);
    skews.clear();
  }

  function isOff(): boolean {
    forgetWhenSet();
    if (skews.size < SITES_NEEDED) return false;
    const behind = median([...skews.values()]);
    const ownBehind = behind - (clock.source?.ownAheadMs() ?? 0);
    return Math.max(Math.abs(behind), Math.abs(ownBehind)) > MOST_MS;
  }

  function note({ finalUrl, headers }: { finalUrl: string; headers: Headers }) {
    if (skews.size >= SITES_KEPT && clock.elapsed() - notedAt < ENOUGH_MS) return;
    const time = timeIn(headers);
    if (time === null) return;
    notedAt = clock.elapsed();
    forgetWhenSet();
    const site = getDomain(finalUrl) ?? getHostname(finalUrl) ?? finalUrl;
    skews.delete(site);
    skews.set(site, time - clock.now());
    const [oldest] = skews.keys();
    if (skews.size > SITES_KEPT) skews.delete(oldest!);
    report();
  }

  function report() {
    const nowOff = isOff();
    if (nowOff === wasOff || skews.size < SITES_NEEDED) return;
    wasOff = nowOff;
    if (!nowOff) return log.info("clock agrees with other sites again");
    log.warn("clock is wrong: dates of certificates are not judged", {
      behind_s: Math.round(median([...skews.values()]) / 1000),
    });
  }

  return { note, isOff };
}

/** The wall time at which `elapsed()` was 0. */
const startOf = (clock: Clock) => clock.now() - clock.elapsed();

/** `Date` (RFC 9110 §6.6.1), plus the `Age` that a cache adds (RFC 9111 §5.1). */
function timeIn(headers: Headers): number | null {
  const date = headers.get("date") ?? "";
  const time = /[a-z]{3}/i.test(date) ? Date.parse(date) : Number.NaN;
  const age = headers.get("age") ?? "";
  if (Number.isNaN(time)) return null;
  return time + (/^\d{1,9}$/.test(age) ? Number(age) * 1000 : 0);
}

const median = (numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

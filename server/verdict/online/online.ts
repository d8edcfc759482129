import { getDomain, getHostname } from "tldts";
import type { Clock } from "../../lib/clock.ts";
import { log } from "../../lib/log.ts";
import type { NameServer } from "../../net/dns-query.ts";
import { isOutside } from "../../net/policy.ts";
import { parseServer } from "../../net/resolve.ts";

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

/** Whether a server takes a TCP connection within as many milliseconds. */
export type AskSentinel = (server: NameServer, timeoutMs: number) => Promise<boolean>;

/** The report of a round, and when the round began, on the clock's `elapsed()`. */
type Round = { startedAt: number; report: SentinelReport };

type Sentinels = {
  /** A round that began at the moment `since` or later: one under way or done, or else a new one. */
  roundSince(since: number): Promise<Round>;
};

type SentinelsOptions = {
  clock: Clock;
  /** `ip:port` each, at least one. */
  addresses: string[];
  ask: AskSentinel;
};

/** However much fails at once, the sentinels are asked no more often. */
const ROUND_GAP_MS = 1000;
const ANSWER_MS = 5000;
/** One alone may be the one that a broken network still reaches. */
const QUORUM = 2;

/** Asks all sentinels together, in rounds that everybody shares who comes in time. */
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

/** Ends as soon as enough have answered, so that a silent one delays nothing. */
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
/** With enough sites known, one more in such a time tells nothing new, and thousands may answer. */
const ENOUGH_MS = 1000;
const MOST_MS = 5 * 60_000;
/** The wall clock differs this much from `elapsed()` only when it was set. */
const STEP_MS = 60_000;

/**
 * Compares our clock with those of the sites that answer: any of them may be wrong, most are not. Certificates
 * are judged by this machine's own, so where another one is followed, both have to be right.
 */
export function createClockSkew(clock: Clock): ClockSkew {
  // How far each site is ahead of us in milliseconds, the latest last.
  const skews = new Map<string, number>();
  let notedAt = 0;
  let wasOff = false;
  let start = startOf(clock);

  /** What was measured against a clock that was set meanwhile says nothing. */
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
    tell();
  }

  function tell() {
    const nowOff = isOff();
    if (nowOff === wasOff || skews.size < SITES_NEEDED) return;
    wasOff = nowOff;
    if (!nowOff) return log.info("this machine's clock agrees with other sites again");
    log.warn("this machine's clock is wrong: dates of certificates are not judged", {
      behind_s: Math.round(median([...skews.values()]) / 1000),
    });
  }

  return { note, isOff };
}

/** When the clock's `elapsed()` was 0, by the wall. */
const startOf = (clock: Clock) => clock.now() - clock.elapsed();

/** RFC 9110 §6.6.1; a cache keeps the date and says in `Age` how old it is (RFC 9111 §5.1). */
function timeIn(headers: Headers): number | null {
  const date = headers.get("date") ?? "";
  const time = /[a-z]{3}/i.test(date) ? Date.parse(date) : Number.NaN;
  const age = headers.get("age") ?? "";
  if (Number.isNaN(time)) return null;
  return time + (/^\d{1,9}$/.test(age) ? Number(age) * 1000 : 0);
}

const median = (numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

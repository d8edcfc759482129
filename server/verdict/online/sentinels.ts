import type { Clock } from "../../lib/clock.ts";
import type { NameServer } from "../../net/dns-query.ts";
import { parseServer } from "../../net/resolve.ts";
import type { OnlineState, SentinelReport } from "./online.ts";

/** Whether a server takes a TCP connection within as many milliseconds. */
export type AskSentinel = (server: NameServer, timeoutMs: number) => Promise<boolean>;

/** The report of a round, and when the round began, on the clock's `elapsed()`. */
export type Round = { startedAt: number; report: SentinelReport };

export type Sentinels = {
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
export function createSentinels(options: SentinelsOptions): Sentinels {
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

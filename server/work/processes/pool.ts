import type { Config } from "../../ground/config/config.ts";
import { type Clock, repeat } from "../../ground/lib/clock.ts";
import { describeError, log } from "../../ground/lib/log.ts";
import { lineOf } from "../../ground/lib/site.ts";
import type { KnownLink } from "../../judge/confirm.ts";
import type { CheckLink } from "../../judge/create-check.ts";
import type { Online } from "../../judge/online/online.ts";
import type { SiteLoads } from "../../judge/politeness/politeness.ts";
import { loadFromJson, loadToJson, type SiteLoad } from "../../judge/politeness/site-load.ts";
import { sawNothing } from "../../judge/probe/conclusion.ts";
import type { Canaries } from "../../judge/services/canaries.ts";
import type { ProfileStore } from "../../judge/surroundings.ts";
import { sameAs } from "../../judge/unchanged.ts";
import type { Batch, ReadSource } from "../../read/crawl/job.ts";
import { createCaps, type Ended } from "./caps.ts";
import { type Child, deleteOldNotes, ProcessEnded, startChild } from "./child.ts";
import {
  type Channel,
  type CheckerCalls,
  type CheckerSettings,
  mayLimit,
  ownerOf,
  type ServerCalls,
} from "./messages.ts";

type PoolOptions = {
  config: Config;
  clock: Clock;
  online: Online;
  canaries: Canaries;
  profiles: ProfileStore;
  /** Starts a process: this program with another first argument. */
  command: string[];
};

/** The processes that check links, and the one that reads sources. */
export type CheckerPool = {
  check: CheckLink;
  read: ReadSource;
  loads: SiteLoads;
  processes(): CheckerProcess[];
  /** Whether a process starts or answers late, so that no site can be blamed for a check that takes long. */
  isLate(): boolean;
  /** Ends all processes at once. */
  stop(): void;
};

/** Counts are since the server started. */
export type CheckerProcess = {
  /** Its number, or `reader` for the one that reads sources. */
  name: string;
  /** Null while it does not run, as before the first check. */
  pid: number | null;
  /** Whether checks wait for it to start, as after a crash. */
  isStarting: boolean;
  memoryBytes: number;
  checks: number;
  /** How often it ended and was replaced. */
  restarts: number;
};

/**
 * Runs checks in processes of their own, so that no page can hold up the server, and no crash ends it. Each site belongs
 * to one process. One more reads sources, which delays no check. A process that does not answer is killed and replaced;
 * its checks begin again in the next one.
 */
export function createCheckerPool(options: PoolOptions): CheckerPool {
  const { config, clock } = options;
  const caps = createCaps();
  const loads = createLoads(clock);
  const places: Place[] = [];
  const placeOf = (site: string) => places[ownerOf(site, places.length)]!;
  const lines = createLines(placeOf);
  const noteClock = createClockNotes(options.online, places);
  const takers = new Map<number, (batch: Batch) => Promise<void>>();
  const waits = new Map<number, (isWaiting: boolean) => void>();
  let last = 0;
  deleteOldNotes(config.dataDir);

  /** What one process may ask. */
  const callsOf = (place: Place, channel: Channel<CheckerCalls>): ServerCalls => ({
    confirm: (agoMs) => options.online.confirm(clock.elapsed() - agoMs),
    noteAnswer: noteClock,
    findProfile: (host) => options.profiles.find(host),
    keepProfile: ({ host, entry }) => options.profiles.keep(host, entry),
    noteAlive: (target) => options.canaries.noteAlive(target),
    wasAlive: (target) => options.canaries.wasAlive(target),
    isReliable: ({ target, isNews, ask }) =>
      options.canaries.isReliable(target, {
        isNews,
        ask: () => channel.call("askCanary", ask),
      }),
    noteWaiting: ({ no, isWaiting }) => waits.get(no)?.(isWaiting),
    noteLoad: ({ site, json }) => loads.note(site, loadFromJson(clock, json)),
    takeBatch: async ({ no, batch }) => takers.get(no)?.(batch),
    ...lines.of(place),
  });
  for (let index = 0; index < config.checkProcesses; index++) {
    places.push(createPlace({ ...options, index, loads, callsOf, onEnd: lines.endAll }));
  }
  // It owns no sites, so it waits for its turn at each of them.
  const reader = createPlace({
    ...options,
    loads,
    callsOf,
    onEnd: lines.endAll,
    index: config.checkProcesses,
    env: READER_MEMORY,
    isBusy: () => takers.size > 0,
  });

  async function check(
    link: KnownLink,
    signal: AbortSignal,
    onWait: (isWaiting: boolean) => void = () => {},
  ) {
    const host = URL.parse(link.url)?.host;
    const place = host === undefined ? places[0]! : placeOf(lineOf(host, config.ownSites));
    for (let isLight = false; ; ) {
      const { channel } = await place.child();
      if (signal.aborted) return sawNothing("check_aborted");
      const no = ++last;
      const mostBytes = caps.of(link, isLight);
      const abort = () => channel.tell("abort", no);
      signal.addEventListener("abort", abort);
      let isWaiting = false;
      waits.set(no, (now) => {
        isWaiting = now;
        onWait(now);
      });
      const found = await channel
        .call("check", { no, link: mostBytes === null ? link : { ...link, mostBytes } })
        .catch(unlessEnded)
        .finally(() => {
          waits.delete(no);
          signal.removeEventListener("abort", abort);
        });
      if (!(found instanceof ProcessEnded)) {
        place.noteCheck();
        return caps.learn(link, "evidence" in found ? found : sameAs(link.known!, found));
      }
      if (isWaiting) onWait(false);
      const { kind, at } = found.why;
      // Many pages may have filled the memory together, so each is first read again with a limit.
      if (at === no && (kind !== "memory" || isLight)) return caps.blame(link, found.why);
      isLight ||= kind === "memory" || kind === "killed";
    }
  }

  /** A process that ends takes the step with it, which can be repeated. */
  const read: ReadSource = async (job, emit, signal) => {
    const { channel } = await reader.child();
    const no = ++last;
    const abort = () => channel.tell("abort", no);
    if (signal.aborted) return { kind: "aborted" };
    signal.addEventListener("abort", abort);
    takers.set(no, emit);
    const end = await channel
      .call("read", { no, job })
      .catch(unlessEnded)
      .finally(() => {
        takers.delete(no);
        signal.removeEventListener("abort", abort);
      });
    if (!(end instanceof ProcessEnded)) return end;
    const isBlamed = end.why.at === no;
    return isBlamed ? { kind: "failed", ...ENDED_PROCESS } : { kind: "aborted" };
  };

  return {
    check,
    read,
    loads: loads.withRemember((site, load) =>
      placeOf(site).tell("remember", { site, json: loadToJson(clock, load) }),
    ),
    processes: () => [...places, reader].map((place) => place.state()),
    isLate: () => places.some((place) => place.isLate()),
    stop() {
      for (const place of [...places, reader]) place.stop();
    },
  };
}

const ENDED_PROCESS = {
  reason: "unreadable",
  message: "Reading it took too long or too much memory, so Stillup stopped.",
} as const;

function unlessEnded(error: unknown): ProcessEnded {
  if (error instanceof ProcessEnded) return error;
  throw error;
}

/** Tells the processes when other sites show that this machine's clock is wrong, and when it is right again. */
function createClockNotes(online: Online, places: Place[]): ServerCalls["noteAnswer"] {
  let isOff = false;
  return ({ finalUrl, headers }) => {
    online.noteAnswer({ finalUrl, headers: new Headers(headers) });
    if (online.clockIsOff() === isOff) return;
    isOff = !isOff;
    for (const place of places) place.tell("setClockIsOff", isOff);
  };
}

/** Passes requests on that lead from the site of one process to that of another, and ends those of processes that end. */
function createLines(placeOf: (site: string) => Place) {
  /** Sites by the ids of requests. */
  const open = new Map<Place, Map<string, string>>();

  /** The request waits again in the process that replaces one that has ended. */
  async function takeTurn(wait: Parameters<ServerCalls["takeTurn"]>[0]) {
    for (;;) {
      const { channel } = await placeOf(wait.site).child();
      const turn = await channel.call("takeTurn", wait).catch(unlessEnded);
      if (!(turn instanceof ProcessEnded)) return turn;
    }
  }

  return {
    of(place: Place): Pick<ServerCalls, "takeTurn" | "hurry" | "endTurn"> {
      const own = new Map<string, string>();
      open.set(place, own);
      return {
        takeTurn(wait) {
          own.set(wait.id, wait.site);
          return takeTurn(wait);
        },
        hurry: (line) => placeOf(line.site).tell("hurry", line),
        async endTurn(end) {
          own.delete(end.id);
          const owner = placeOf(end.site);
          if (mayLimit(end.response)) return owner.endTurn(end);
          owner.tell("endTurn", end);
          return null;
        },
      };
    },
    endAll(place: Place) {
      for (const [id, site] of open.get(place) ?? []) {
        placeOf(site).tell("hurry", { id });
        placeOf(site).tell("endTurn", { id, site, response: null });
      }
      open.delete(place);
    },
  };
}

type Loads = ReturnType<typeof createLoads>;

/** Loads that differ from the usual one, for processes that start later. */
function createLoads(clock: Clock) {
  const known = new Map<string, SiteLoad>();
  const isUsual = ({ hold, penaltyMs, refusals }: SiteLoad) =>
    penaltyMs === 0 && refusals === 0 && (hold === null || hold.until <= clock.elapsed());

  function keep(site: string, load: SiteLoad) {
    if (isUsual(load)) known.delete(site);
    else known.set(site, load);
  }

  const shared: SiteLoads = { onLoad: () => {}, remember: keep };
  return {
    note(site: string, load: SiteLoad) {
      keep(site, load);
      shared.onLoad(site, load);
    },
    withRemember(tell: SiteLoads["remember"]): SiteLoads {
      shared.remember = (site, load) => {
        keep(site, load);
        tell(site, load);
      };
      return shared;
    },
    /** Also forgets those that are over. */
    all() {
      for (const [site, load] of known) keep(site, load);
      return [...known];
    },
  };
}

/** Reading keeps little and makes much garbage. With this setting the runtime collects it sooner. */
export const READER_MEMORY = { BUN_JSC_forceRAMSize: String(128 * 1024 * 1024) };

/** Longer than any gap between two requests to a site, which a new process would not know. */
const IDLE_MS = 15 * 60_000;
const SHORT_LIFE_MS = 1000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

type PlaceOptions = PoolOptions & {
  index: number;
  env?: Record<string, string>;
  /** Whether it has work that takes long. */
  isBusy?: () => boolean;
  loads: Loads;
  callsOf: (place: Place, channel: Channel<CheckerCalls>) => ServerCalls;
  onEnd: (place: Place) => void;
};

type Place = ReturnType<typeof createPlace>;

/** A process, and those that replace it. It starts when it is first needed, and ends after a long time without work. */
function createPlace(options: PlaceOptions) {
  const { clock, config, env = {}, index, isBusy, loads, online } = options;
  let current: Promise<Child> | null = null;
  let running: Child | null = null;
  let pauseMs = 0;
  let usedAt = clock.elapsed();
  let [startedAt, checks, restarts] = [0, 0, 0];
  const stopping = new AbortController();

  const aheadMs = () => clock.now() - Date.now();

  async function begin(): Promise<Child> {
    await clock.sleep(pauseMs);
    startedAt = performance.now();
    const { command, callsOf } = options;
    const child = await startChild({
      command,
      aheadMs,
      onEnd,
      env,
      dataDir: config.dataDir,
      settings: settingsOf(config, { index, aheadMs: aheadMs() }),
      callsOf: (channel) => callsOf(place, channel),
    }).catch((error) => {
      log.error("failed to start a checker process", describeError(error));
      onEnd({ kind: "crashed", at: 0 });
      throw error;
    });
    if (stopping.signal.aborted) child.end("stopped");
    running = child;
    greet(child);
    return child;
  }

  function greet({ channel }: Child) {
    for (const [site, load] of loads.all()) {
      if (ownerOf(site, config.checkProcesses) !== index) continue;
      channel.tell("remember", { site, json: loadToJson(clock, load) });
    }
    channel.tell("setClockIsOff", online.clockIsOff());
  }

  function onEnd({ kind }: Ended) {
    current = null;
    running = null;
    options.onEnd(place);
    if (kind === "stopped") return;
    restarts++;
    const isSick = performance.now() - startedAt < SHORT_LIFE_MS;
    pauseMs = isSick ? Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pauseMs)) : 0;
  }

  void repeat(options, IDLE_MS / 15, stopping.signal, async () => {
    if (clock.elapsed() - usedAt > IDLE_MS && !isBusy?.()) running?.end("stopped");
  });

  const place = {
    /** @throws when all processes have been stopped */
    async child(): Promise<Child> {
      usedAt = clock.elapsed();
      while (!stopping.signal.aborted) {
        current ??= begin();
        const child = await current.catch(() => null);
        if (child) return child;
      }
      throw new Error("The checker processes were stopped.");
    },
    tell<Name extends keyof CheckerCalls>(name: Name, input: Parameters<CheckerCalls[Name]>[0]) {
      running?.channel.tell(name, input);
    },
    /** Returns the load of the site; null without a process. */
    endTurn: async (end: Parameters<CheckerCalls["endTurn"]>[0]): Promise<string | null> =>
      running?.channel.call("endTurn", end).catch(() => null) ?? null,
    noteCheck() {
      checks++;
      usedAt = clock.elapsed();
    },
    isLate: () => current !== null && (running?.isLate() ?? true),
    state: (): CheckerProcess => ({
      name: index < config.checkProcesses ? String(index + 1) : "reader",
      pid: running?.pid ?? null,
      isStarting: current !== null && running === null,
      memoryBytes: running?.memoryBytes() ?? 0,
      checks,
      restarts,
    }),
    stop() {
      stopping.abort();
      running?.end("stopped");
    },
  };
  return place;
}

const settingsOf = (
  config: Config,
  own: Pick<CheckerSettings, "index" | "aheadMs">,
): CheckerSettings => ({
  hostConcurrency: config.hostConcurrency,
  hostGapMs: config.hostGapMs,
  ownSites: config.ownSites,
  checkConcurrency: Math.ceil(config.checkConcurrency / config.checkProcesses),
  checkTimeoutMs: config.checkTimeoutMs,
  confirmDelaysMs: config.confirmDelaysMs,
  checkUserAgent: config.checkUserAgent,
  dnsServers: config.dnsServers,
  outboundProxy: config.outboundProxy,
  outboundProxyResolves: config.outboundProxyResolves,
  extraCa: config.extraCa,
  sentinels: config.outboundProxy === null ? config.sentinels : [],
  services: config.services,
  logFormat: config.logFormat,
  logLevel: config.logLevel,
  allowedHosts: config.checkAllowedHosts.text,
  blockedHosts: config.checkBlockedHosts.text,
  count: config.checkProcesses,
  ...own,
});

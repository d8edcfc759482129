import { dlopen } from "bun:ffi";
import { writeFileSync } from "node:fs";
import { checkOutbound } from "../../ground/config/outbound.ts";
import { type Clock, createLag, systemClock } from "../../ground/lib/clock.ts";
import { compareClock, startLogging } from "../../ground/lib/log.ts";
import { parseHostList } from "../../ground/net/policy.ts";
import type { KnownLink } from "../../judge/confirm.ts";
import { createCheck, createPolitenessFor } from "../../judge/create-check.ts";
import { type Online, speaksFor } from "../../judge/online/online.ts";
import { type Line, lineAt, type Politeness } from "../../judge/politeness/politeness.ts";
import { loadFromJson, loadToJson } from "../../judge/politeness/site-load.ts";
import type { Canaries } from "../../judge/services/canaries.ts";
import { ownServicesOf } from "../../judge/services/own-services.ts";
import { catalogueWith } from "../../judge/services/records/built-in.ts";
import { createHostProfiles } from "../../judge/surroundings.ts";
import { stillSameIn } from "../../judge/unchanged.ts";
import type { Batch, ReadJob, ReadSource } from "../../read/crawl/job.ts";
import { createReadSource } from "../../read/crawl/read.ts";
import {
  type Channel,
  type CheckerCalls,
  type CheckerSettings,
  createChannel,
  type Message,
  mayLimit,
  ownerOf,
  responseToSend,
  type ServerCalls,
} from "./messages.ts";

/**
 * Runs checks for the server that started this process, until the server ends or disconnects.
 * @param notePath a file of eight bytes for the number of the check that runs now; "" without one
 * @param serverPid the server, which may have ended meanwhile
 * @returns the exit code
 */
export function runChecker(notePath: string, serverPid: number): Promise<number> {
  const ended = Promise.withResolvers<number>();
  // The server ends this process; a terminal would send Ctrl+C to both.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  process.on("disconnect", () => ended.resolve(0));
  if (!process.send) {
    process.stderr.write("Only the server starts this command.\n");
    return Promise.resolve(64);
  }
  endWithServer();
  if (process.ppid !== serverPid) return Promise.resolve(0);
  const note = openNote(notePath);
  process.once("message", (settings: CheckerSettings) => start(settings, note));
  process.send("ready");
  return ended.promise;
}

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** Makes Linux kill this process when the server is killed, even while a page keeps it busy, or memory runs out. */
function endWithServer() {
  if (process.platform !== "linux") return;
  try {
    writeFileSync("/proc/self/oom_score_adj", "500");
  } catch {
    // Without /proc the system chooses what to end.
  }
  const arch = process.arch === "x64" ? "x86_64" : "aarch64";
  for (const library of ["libc.so.6", `libc.musl-${arch}.so.1`]) {
    try {
      const symbols = { prctl: { args: ["i32", "u64"], returns: "i32" } } as const;
      dlopen(library, symbols).symbols.prctl(PR_SET_PDEATHSIG, BigInt(SIGKILL));
      return;
    } catch {
      // The other kind of system.
    }
  }
}

/** The number of the check that runs now, which the server reads if this process does not answer. */
const openNote = (path: string): Float64Array =>
  path === "" ? new Float64Array(1) : new Float64Array(Bun.mmap(path, { shared: true }).buffer);

function start(settings: CheckerSettings, note: Float64Array): void {
  const { logLevel: level, logFormat: format } = settings;
  startLogging({ level, format });
  let aheadMs = settings.aheadMs;
  compareClock(() => -aheadMs);
  const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const catalogue = catalogueWith(ownServicesOf(settings));
  const politeness = createPolitenessFor({ config: settings, clock, catalogue });
  const lines = createLines(politeness, clock);
  const checks = createChecks((check) => channel.tell("noteWaiting", check));
  const reads = createReads((no, batch) => channel.call("takeBatch", { no, batch }));
  const asks = new Map<number, () => Promise<boolean>>();
  const online = { isClockOff: false };
  const channel: Channel<ServerCalls> = createChannel<CheckerCalls, ServerCalls>(
    {
      check: (job) => checks.run(job),
      read: (job) => reads.run(job),
      abort(no) {
        checks.abort(no);
        reads.abort(no);
      },
      ping(ahead) {
        aheadMs = ahead;
      },
      askCanary: async (ask) => (await asks.get(ask)?.()) ?? false,
      setClockIsOff(isOff) {
        online.isClockOff = isOff;
      },
      remember: ({ site, json }) => politeness.remember(site, loadFromJson(clock, json)),
      ...lines,
    },
    (messages) => process.send!(messages),
  );
  process.on("message", (messages: Message[]) => channel.receive(messages));
  politeness.elsewhere = createElsewhere(channel, settings, (site, json) =>
    politeness.remember(site, loadFromJson(clock, json)),
  );
  politeness.onLoad = createLoadNotes(channel, clock);
  const outbound = checkOutbound(
    {
      ...settings,
      checkAllowedHosts: parseHostList(settings.allowedHosts),
      checkBlockedHosts: parseHostList(settings.blockedHosts),
    },
    clock,
  );
  reads.set(
    createReadSource({
      clock,
      outbound,
      politeness,
      userAgent: settings.checkUserAgent,
      timeoutMs: settings.checkTimeoutMs,
      onStep(job) {
        note[0] = reads.numberOf(job);
      },
    }),
  );
  checks.set(
    createCheck({
      config: settings,
      clock,
      outbound,
      online: remoteOnline(channel, clock, settings.sentinels, online),
      lag: createLag(systemClock),
      profiles: createHostProfiles({
        clock,
        store: {
          find: (host) => channel.call("findProfile", host),
          keep: (host, entry) => channel.tell("keepProfile", { host, entry }),
        },
      }),
      canaries: remoteCanaries(channel, asks),
      catalogue,
      random: Math.random,
      politeness,
      onStep(link) {
        note[0] = checks.numberOf(link);
      },
    }),
  );
}

type Check = ReturnType<typeof createCheck>;

/** The checks under way, by number. */
function createChecks(noteWaiting: ServerCalls["noteWaiting"]) {
  const endings = new Map<number, AbortController>();
  const numbers = new WeakMap<KnownLink, number>();
  let check: Check;
  return {
    set(next: Check) {
      check = next;
    },
    numberOf: (link: KnownLink) => numbers.get(link) ?? 0,
    async run({ no, link }: { no: number; link: KnownLink }) {
      const ending = new AbortController();
      endings.set(no, ending);
      numbers.set(link, no);
      const conclusion = await check(link, ending.signal, (isWaiting) =>
        noteWaiting({ no, isWaiting }),
      ).finally(() => endings.delete(no));
      return stillSameIn(conclusion) ?? conclusion;
    },
    abort: (no: number) => endings.get(no)?.abort(),
  };
}

/** The sources that are being read, by number. */
function createReads(takeBatch: (no: number, batch: Batch) => Promise<void>) {
  const endings = new Map<number, AbortController>();
  const numbers = new WeakMap<ReadJob, number>();
  let read: ReadSource;
  return {
    set(next: ReadSource) {
      read = next;
    },
    numberOf: (job: ReadJob) => numbers.get(job) ?? 0,
    async run({ no, job }: { no: number; job: ReadJob }) {
      const ending = new AbortController();
      endings.set(no, ending);
      numbers.set(job, no);
      return read(job, (batch) => takeBatch(no, batch), ending.signal).finally(() =>
        endings.delete(no),
      );
    },
    abort: (no: number) => endings.get(no)?.abort(),
  };
}

/** Lines of this process's sites for requests of others, by the requests' ids. */
function createLines(
  politeness: Politeness,
  clock: Clock,
): Pick<CheckerCalls, "takeTurn" | "hurry" | "endTurn"> {
  const lines = new Map<string, { line: Line; ending: AbortController }>();
  return {
    async takeTurn({ id, site, ...wait }) {
      const line = lineAt(politeness, site);
      const ending = new AbortController();
      lines.set(id, { line, ending });
      const turn = await line.take({ ...wait, signal: ending.signal });
      if (turn.kind === "held") lines.delete(id);
      return turn;
    },
    hurry: ({ id }) => lines.get(id)?.ending.abort(),
    endTurn({ id, site, response }) {
      lines.get(id)?.line.end(response && { ...response, headers: new Headers(response.headers) });
      lines.delete(id);
      const load = politeness.sites.get(site)?.load;
      return load && mayLimit(response) ? loadToJson(clock, load) : null;
    },
  };
}

/** Lines at sites that another process requests. `learn` gets their loads, which may lengthen the rest of a link. */
function createElsewhere(
  channel: Channel<ServerCalls>,
  { index, count }: CheckerSettings,
  learn: (site: string, json: string) => void,
) {
  let last = 0;
  return (site: string): Line | null => {
    if (ownerOf(site, count) === index) return null;
    const line = { id: `${process.pid}.${++last}`, site };
    return {
      async take({ signal, maxHoldMs, isUrgent = false }) {
        const hurry = () => channel.tell("hurry", line);
        signal?.addEventListener("abort", hurry);
        const turn = channel.call("takeTurn", { ...line, maxHoldMs, isUrgent });
        if (signal?.aborted) hurry();
        return turn.finally(() => signal?.removeEventListener("abort", hurry));
      },
      async end(answer) {
        const response = answer && responseToSend(answer);
        const ended = { ...line, response };
        if (!mayLimit(response)) return channel.tell("endTurn", ended);
        const load = await channel.call("endTurn", ended);
        if (load !== null) learn(site, load);
      },
    };
  };
}

/** Tells the server of loads that differ from the usual one, and when they no longer do. */
function createLoadNotes(channel: Channel<ServerCalls>, clock: Clock): Politeness["onLoad"] {
  const known = new Set<string>();
  return (site, load) => {
    const isUsual = load.hold === null && load.penaltyMs === 0 && load.refusals === 0;
    if (isUsual && !known.delete(site)) return;
    if (!isUsual) known.add(site);
    channel.tell("noteLoad", { site, json: loadToJson(clock, load) });
  };
}

/** Shortest time between two answers whose dates the server compares with its clock. */
const ANSWERS_EVERY_MS = 50;

function remoteOnline(
  channel: Channel<ServerCalls>,
  { elapsed }: Clock,
  sentinels: string[],
  state: { isClockOff: boolean },
): Online {
  let notedAt = Number.NEGATIVE_INFINITY;
  return {
    confirm: (since) => channel.call("confirm", Math.max(0, elapsed() - since)),
    speaksFor: speaksFor(sentinels),
    // Only the server asks: it begins no checks while it is offline.
    known: () => ({ state: "unknown" }),
    noteAnswer({ finalUrl, headers }) {
      if (elapsed() - notedAt < ANSWERS_EVERY_MS) return;
      notedAt = elapsed();
      const dates = [...headers].filter(([name]) => name === "date" || name === "age");
      channel.tell("noteAnswer", { finalUrl, headers: dates });
    },
    clockIsOff: () => state.isClockOff,
  };
}

function remoteCanaries(
  channel: Channel<ServerCalls>,
  asks: Map<number, () => Promise<boolean>>,
): Canaries {
  let last = 0;
  return {
    noteAlive: (target) => channel.tell("noteAlive", keyOf(target)),
    wasAlive: (target) => channel.call("wasAlive", keyOf(target)),
    isReliable(target, { isNews, ask }) {
      const no = ++last;
      asks.set(no, ask);
      return channel
        .call("isReliable", { target: keyOf(target), isNews, ask: no })
        .finally(() => asks.delete(no));
    },
  };
}

/** Without the rest of the record. */
const keyOf = ({ service, kind }: { service: { id: string }; kind: { kind: string } }) => ({
  service: { id: service.id },
  kind: { kind: kind.kind },
});

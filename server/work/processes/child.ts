import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describeError, log } from "../../ground/lib/log.ts";
import type { Ended } from "./caps.ts";
import {
  type Channel,
  type CheckerCalls,
  type CheckerSettings,
  createChannel,
  type Message,
  type ServerCalls,
} from "./messages.ts";

/** A running checker process. */
export type Child = {
  pid: number;
  channel: Channel<CheckerCalls>;
  memoryBytes(): number;
  /** Whether it has answered late within the last seconds, or has only just started. */
  isLate(): boolean;
  /** Ends it at once. */
  end(why: Ended["kind"]): void;
};

type ChildOptions = {
  command: string[];
  /** Variables in addition to those that it gets from the server's environment. */
  env: Record<string, string>;
  dataDir: string;
  settings: CheckerSettings;
  /** By how many milliseconds the clock is ahead of this machine's. */
  aheadMs: () => number;
  /** What the process may ask. */
  callsOf: (channel: Channel<CheckerCalls>) => ServerCalls;
  onEnd: (why: Ended) => void;
};

/** What the calls to a process that has ended throw. */
export class ProcessEnded extends Error {
  constructor(readonly why: Ended) {
    super(`The checker process ended (${why.kind}).`);
  }
}

/** How often a process is asked whether it answers, and how often in a row it may not. */
const TICK_MS = 500;
const SILENT_TICKS = 10;
/** A silent tick in which the process hardly ran counts less: the machine may have had no time for it. */
const WAITING_TICK = 1 / 6;
const BUSY_MS = TICK_MS / 2;
/** A later answer to a ping shows that the machine has too little time for the process. */
const LATE_MS = 250;
/** As long as a check may take before it is slow. */
const LATE_FOR_MS = 4000;
/** A process that uses more memory is replaced. */
const MOST_BYTES = 1024 * 1024 * 1024;

/** Environment of a checker process: no settings of the server, which may be secret. */
const KEPT_VARIABLES = /^(PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|NODE_\w+|SSL_\w+|BUN_\w+|LD_\w+)$/;

/** Starts a process and watches it. Resolves when it is ready for calls. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const note = openNote(options.dataDir);
  try {
    return await start(options, note);
  } catch (error) {
    note.close();
    throw error;
  }
}

async function start(options: ChildOptions, note: Note): Promise<Child> {
  const ready = Promise.withResolvers<void>();
  let why: Ended["kind"] | null = null;
  let [silentTicks, cpuMs, isReady] = [0, 0, false];
  let pings = watchPings();
  const env = Object.entries(process.env).filter(([name]) => KEPT_VARIABLES.test(name));

  const child = Bun.spawn([...options.command, note.path, String(process.pid)], {
    stdio: ["ignore", "ignore", "inherit"],
    serialization: "json",
    env: { ...Object.fromEntries(env), ...options.env },
    ipc(messages: Message[] | "ready") {
      silentTicks = 0;
      if (messages === "ready") ready.resolve();
      else channel.receive(messages);
    },
    onExit(_, exitCode, signal) {
      clearInterval(ticking);
      const kind = why ?? (isKill(signal) ? "killed" : "crashed");
      const at = kind === "killed" || kind === "stopped" ? 0 : note.read();
      note.close();
      if (kind !== "stopped") {
        log.error(`checker process ended: ${WORDS[kind]}`, { pid: child.pid, exitCode, signal });
      }
      const ended = new ProcessEnded({ kind, at });
      channel.close(ended);
      ready.reject(ended);
      if (isReady) options.onEnd(ended.why);
    },
  });
  const channel = createChannel<ServerCalls, CheckerCalls>(
    // The calls need the channel, which needs the calls.
    new Proxy({} as ServerCalls, { get: (_, name) => calls[name as keyof ServerCalls] }),
    (messages) => {
      // A process that is being ended takes no more; its calls fail when it has ended.
      if (why === null) child.send(messages);
    },
  );
  const calls = options.callsOf(channel);

  function end(kind: Ended["kind"]) {
    why ??= kind;
    // It ends when it can; should it hang, it ends with the server at the latest.
    if (kind === "stopped") child.disconnect();
    else child.kill("SIGKILL");
  }

  async function ping() {
    pings.sent();
    await channel.call("ping", options.aheadMs());
    pings.answered();
  }

  /** Counts ticks instead of time, since the server itself may have been held up or suspended. */
  const ticking = setInterval(() => {
    const cpuBefore = cpuMs;
    cpuMs = cpuMsOf(child.pid);
    silentTicks += cpuMs - cpuBefore < BUSY_MS ? WAITING_TICK : 1;
    if (silentTicks > SILENT_TICKS) end("silent");
    else if (memoryOf(child.pid) > MOST_BYTES) end("memory");
    else if (isReady && !pings.isOpen()) ping().catch(() => {});
  }, TICK_MS);
  child.unref();
  ticking.unref();

  await ready.promise;
  isReady = true;
  pings = watchPings();
  note.hide();
  child.send(options.settings);
  const isLate = () => silentTicks >= 1 || pings.areLate();
  return { pid: child.pid, channel, memoryBytes: () => memoryOf(child.pid), isLate, end };
}

/**
 * Knows whether a process has answered late within the last seconds, or is about to: one that has no time for its checks
 * has none for an answer either. A process that has only just started is late.
 */
export function watchPings(now = () => performance.now()) {
  let lateAt = now();
  let sentAt: number | null = null;
  const isOverdue = () => sentAt !== null && now() - sentAt > LATE_MS;
  return {
    sent() {
      sentAt = now();
    },
    answered() {
      if (isOverdue()) lateAt = now();
      sentAt = null;
    },
    /** Whether the last ping has no answer yet. */
    isOpen: () => sentAt !== null,
    areLate: () => isOverdue() || now() - lateAt < LATE_FOR_MS,
  };
}

const isKill = (signal: unknown) =>
  signal === "SIGKILL" || signal === "SIGTERM" || signal === 9 || signal === 15;

const WORDS = {
  silent: "no answer for five seconds",
  memory: "it used too much memory",
  crashed: "it crashed",
  killed: "it was killed",
} as const;

/** Linux counts processor time in hundredths of a second. */
const MS_PER_COUNT = 10;

/** Processor time in milliseconds, where Linux reports it; elsewhere as if the process never waited. */
function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [user, system] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
    return (Number(user) + Number(system)) * MS_PER_COUNT;
  } catch {
    return performance.now();
  }
}

/** Resident memory, where Linux reports it; 0 elsewhere. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * Eight bytes that the process shares with the server, with the number of the check that runs now: a process that
 * hangs can send no message. Without them, as on a full disk, no check is blamed. `hide` removes the name of the file.
 */
function openNote(folder: string): Note {
  // Windows shares no file in this way, and keeps the name of an open one.
  if (process.platform === "win32") return NO_NOTE;
  const path = join(folder, `checker-${crypto.randomUUID()}`);
  try {
    const file = openSync(path, "w+", 0o600);
    writeSync(file, new Uint8Array(8));
    let isClosed = false;
    return {
      path,
      hide: () => rmSync(path, { force: true }),
      read() {
        const number = new Float64Array(1);
        readSync(file, number, 0, 8, 0);
        return number[0]!;
      },
      close() {
        if (isClosed) return;
        isClosed = true;
        closeSync(file);
        rmSync(path, { force: true });
      },
    };
  } catch (error) {
    log.warn("failed to create the note of a checker process", describeError(error));
    return NO_NOTE;
  }
}

const NO_NOTE: Note = { path: "", hide() {}, read: () => 0, close() {} };

const NOTE_NAME = /^checker-[\da-f-]{36}$/;

/** Deletes the notes whose names a killed server had not removed yet. No other server may use the folder. */
export function deleteOldNotes(folder: string): void {
  try {
    const names = readdirSync(folder).filter((name) => NOTE_NAME.test(name));
    for (const name of names) rmSync(join(folder, name), { force: true });
  } catch (error) {
    log.warn("failed to delete notes of earlier checker processes", describeError(error));
  }
}

type Note = { path: string; hide(): void; read(): number; close(): void };

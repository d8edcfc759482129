import { SQL } from "bun";
import { Unavailable } from "./store.ts";

/** Watches whether a server answers at all, on whichever connection it is asked. */
export type SilenceWatch = {
  /** Whether nothing has been answered for so long that asking is of no use. */
  isSilent(): boolean;
  /** To be called for each answer of the server, an error included. */
  heard(): void;
  /** Calls `listener` when the server falls silent, until the returned function is called. */
  onSilent(listener: () => void): () => void;
  /** Waits less from now on, because the process is about to end. */
  hurry(): void;
  isInHurry(): boolean;
  stop(): void;
};

export type SilenceOptions = {
  /** Between two looks. */
  lookMs?: number;
};

const LOOK_MS = 1000;
/** Looks in a row that found no answer. Counted, so that a process that was suspended does not take that time for silence. */
const [PROBED_AFTER, SILENT_AFTER, SILENT_AFTER_IN_HURRY] = [8, 14, 4];
/** Each probe has this many looks to be answered, until the next one takes its place. */
const LOOKS_PER_PROBE = 3;
const PROBE_CONNECT_SECONDS = 5;

export const noAnswer = () => new Unavailable("The database does not answer.");

/**
 * Usual traffic shows that the server answers. Where there has been none for a while, a probe on a new connection
 * finds out, and goes on doing so until the server answers again.
 */
export function watchSilence(url: string, { lookMs = LOOK_MS }: SilenceOptions = {}): SilenceWatch {
  const listeners = new Set<() => void>();
  let unanswered = 0;
  let isInHurry = false;
  let isSilent = false;
  let probe: SQL | null = null;
  const timer = setInterval(look, lookMs);
  timer.unref();

  function look() {
    unanswered++;
    const probed = unanswered - (isInHurry ? 1 : PROBED_AFTER);
    if (probed >= 0 && probed % LOOKS_PER_PROBE === 0) ask();
    if (isSilent || unanswered < (isInHurry ? SILENT_AFTER_IN_HURRY : SILENT_AFTER)) return;
    isSilent = true;
    for (const listener of [...listeners]) listener();
  }

  function ask() {
    dropProbe();
    const asked = new SQL(url, { max: 1, connectionTimeout: PROBE_CONNECT_SECONDS });
    probe = asked;
    const answered = () => {
      if (asked === probe) dropProbe();
      heard();
    };
    asked.unsafe("select 1").then(answered, (error) => {
      if (isAnswer(error)) answered();
    });
  }

  function dropProbe() {
    void probe?.close({ timeout: 0 }).catch(() => {});
    probe = null;
  }

  function heard() {
    unanswered = 0;
    isSilent = false;
  }

  return {
    isSilent: () => isSilent,
    heard,
    onSilent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hurry() {
      isInHurry = true;
    },
    isInHurry: () => isInHurry,
    stop() {
      clearInterval(timer);
      dropProbe();
    },
  };
}

/** Whether the error came from the server and not from the driver, which has no SQLSTATE for its own. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof SQL.PostgresError && error.errno !== undefined;

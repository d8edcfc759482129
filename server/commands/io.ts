import { createInterface } from "node:readline/promises";
import type { Env } from "../ground/config/config.ts";
import { failure } from "../ground/lib/errors.ts";
import { plain } from "../ground/lib/text.ts";

export { plain };

/** What a command uses of the process: its streams, signals and restart. */
export type Io = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  /**
   * From now on, the first SIGINT or SIGTERM aborts the returned signal, and the second exits with the code. Without
   * it, commands cannot be interrupted.
   */
  catchSignals?(exitCode: number): AbortSignal;
  /** Replaces the process by a new one with this environment. Without it, the process stays as it is. */
  restart?(env: Env): void;
};

/** The exit code that shells use for Ctrl-C: 128 plus the number of SIGINT. SIGTERM gives the same. */
export const INTERRUPTED = 130;

/** Aborts at Ctrl-C, for long work that stops after its current part. A second Ctrl-C exits at once. */
export const interruption = (io: Io): AbortSignal =>
  io.catchSignals?.(INTERRUPTED) ?? new AbortController().signal;

/** The reader has closed our output, as `head` does. This is not a failure, and nothing is printed about it. */
export class OutputClosed extends Error {}

/** Long output in pieces. Each write is awaited, so that little waits in memory for a slow reader. */
export type Output = {
  /** @throws OutputClosed; a sentence when the output cannot be written, such as to a full disk */
  write(text: string | Uint8Array): Promise<void>;
};

export const openOutput = ({ stdout }: Io): Output => ({
  write: (text) =>
    new Promise((resolve, reject) => {
      if (text.length === 0) return resolve();
      stdout.write(Buffer.from(text), (error) => (error ? reject(closedOr(error)) : resolve()));
    }),
});

/** Keeps errors of standard output and standard error, which would otherwise end the process with a stack. */
export function watchOutput({ stdout, stderr }: Io): {
  /** Waits until all is written. Returns the error to fail with; null also when the reader has closed the output. */
  end(): Promise<Error | null>;
} {
  let first: Error | null = null;
  stdout.on("error", (error) => {
    first ??= error;
  });
  // There is nowhere left to report this.
  stderr.on("error", () => {});
  return {
    async end() {
      // After an error, Bun 1.4.5 never ends the stream, and uses the processor forever.
      if (!first) {
        // An error is emitted only after the callback.
        await new Promise<void>((resolve) => stdout.end(() => setImmediate(resolve)));
      }
      const problem = first && closedOr(first);
      return problem instanceof OutputClosed ? null : problem;
    },
  };
}

const closedOr = (error: Error) =>
  "code" in error && error.code === "EPIPE"
    ? new OutputClosed()
    : failure("Standard output cannot be written", error);

/** Reads standard input to its end. */
export async function readInput({ stdin }: Io): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stdin) text += decoder.decode(Buffer.from(chunk), { stream: true });
  return text + decoder.decode();
}

/** Asks on the terminal. Ctrl-C and the end of input count as no. */
export async function confirm({ stdin, stdout, stderr }: Io, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stdout.isTTY ? stdout : stderr });
  const answer = await lines.question(`${question} [y/N] `).catch(() => "");
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

export const CLEAR_LINE = "\r\x1b[K";

/** The last line of the terminal, for progress. Prints nothing when standard error is not a terminal. */
type StatusLine = { show(text: string): void; clear(): void };

export function openStatusLine({ stderr }: Io, isShown = stderr.isTTY): StatusLine {
  if (!isShown) return { show: () => {}, clear: () => {} };
  const clear = () => void stderr.write(CLEAR_LINE);
  return {
    clear,
    show(text) {
      clear();
      stderr.write(text);
    },
  };
}

const BAR_CELLS = 24;

/** @param done from 0 to 1; null when the length of the work is unknown */
export const progressBar = (done: number | null, what: string): string => {
  if (done === null) return what;
  const cells = "█".repeat(Math.round(done * BAR_CELLS)).padEnd(BAR_CELLS, "░");
  return `${cells} ${Math.floor(done * 100)} %  ${what}`;
};

/** Rows in aligned columns under their titles, readable for people and for `awk`. */
export function tableOf(titles: string[], rows: string[][]): string {
  const all = [titles, ...rows].map((row) => row.map(visible));
  const widths = titles.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** An empty cell would shift the columns after it. */
const visible = (cell: string) => plain(cell) || "-";

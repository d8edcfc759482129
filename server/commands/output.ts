import { failure } from "../lib/failure.ts";

/** The reader of our output has closed it, such as `head`. This is not a failure, and nothing is printed about it. */
export class OutputClosed extends Error {}

/** Long output, in pieces: each is waited for, so that what a slow reader has not taken yet stays short. */
export type Output = {
  /** @throws OutputClosed; a sentence when it cannot be written, such as to a full disk */
  write(text: string): Promise<void>;
};

export function openOutput(): Output {
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (text === "") return resolve();
        process.stdout.write(Buffer.from(text), (error) =>
          error ? reject(closedOr(error)) : resolve(),
        );
      }),
  };
}

/** Keeps errors of standard output and standard error, which would otherwise end the process with a stack. */
export function watchOutput(): {
  /** Waits until all is written. Gives the sentence to fail with; null also when the reader has closed it. */
  end(): Promise<Error | null>;
} {
  const { stdout, stderr } = process;
  let first: Error | null = null;
  stdout.on("error", (error) => {
    first ??= error;
  });
  // There is nowhere left to report this.
  stderr.on("error", () => {});
  return {
    async end() {
      // An error is emitted only after the callback.
      await new Promise<void>((resolve) => stdout.end(() => setImmediate(resolve)));
      const problem = first && closedOr(first);
      return problem instanceof OutputClosed ? null : problem;
    },
  };
}

const closedOr = (error: Error) =>
  "code" in error && error.code === "EPIPE"
    ? new OutputClosed()
    : failure("Standard output cannot be written", error);

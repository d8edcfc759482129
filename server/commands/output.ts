/** Whoever read our output wants no more of it, such as `head`. No failure, and nothing is said of it. */
export class OutputClosed extends Error {}

/** Long output, in pieces: each is waited for, so that what a slow reader has not taken yet stays short. */
export type Output = {
  /** @throws OutputClosed */
  write(text: string): Promise<void>;
};

export function openOutput(): Output {
  const { stdout } = process;
  // Told to the write that failed; without a listener it would end the process with a stack.
  stdout.on("error", () => {});
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (text === "") return resolve();
        stdout.write(text, (error) => (error ? reject(closedOr(error)) : resolve()));
      }),
  };
}

const closedOr = (error: Error) =>
  "code" in error && error.code === "EPIPE" ? new OutputClosed() : error;

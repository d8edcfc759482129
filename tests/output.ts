import { waitFor } from "./waits.ts";

/** What a program prints and logs, from its start on. */
export type Output = {
  text(): string;
  /** Resolves with the first that matches, also of what was printed before. @throws with all output once the program ends without it */
  has(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with where the program listens. */
  url(): Promise<string>;
  /** Resolves once neither the program nor what it has started can print any more. */
  ended: Promise<unknown>;
};

type Program = { stdout: ReadableStream<Uint8Array>; stderr: ReadableStream<Uint8Array> };

/** Reads both outputs of the program, so that it never waits for a reader. */
export function outputOf({ stdout, stderr }: Program): Output {
  let text = "";
  const waiting = new Set<() => void>();
  const keep = async (output: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const part of output) {
      text += decoder.decode(part, { stream: true });
      for (const look of waiting) look();
    }
  };
  const ended = Promise.all([keep(stdout), keep(stderr)]);

  async function has(pattern: RegExp): Promise<RegExpExecArray> {
    const found = Promise.withResolvers<RegExpExecArray>();
    const look = () => {
      const match = pattern.exec(text);
      if (match) found.resolve(match);
    };
    waiting.add(look);
    look();
    void ended.then(() => found.reject(new Error(`It ended without ${pattern}: ${text}`)));
    return waitFor(found.promise, () => `${pattern} in the output; seen: ${text}`).finally(() =>
      waiting.delete(look),
    );
  }

  return {
    text: () => text,
    has,
    ended,
    url: async () => (await has(/listening on (http:[^\s"]+)/))[1]!,
  };
}

import { describeError } from "./log.ts";

/** An error for whoever runs the program: what could not be done, why, and where to look. */
export function failure(what: string, error: unknown, hint?: string): Error {
  const why = asSentence(inWords(describeError(error).error));
  return new Error(`${what}: ${why}${hint ? ` ${hint}` : ""}`, { cause: error });
}

/** What the system says of a file, without the names that only programmers know; any other text as it is. */
export function inWords(text: string): string {
  const [, reason, path] = /^E[A-Z]+: ([^,]+), \w+(?: '(.+)')?$/.exec(text) ?? [];
  if (!reason) return text;
  return path ? `${reason} (${path})` : reason;
}

const asSentence = (text: string) => (/[.?!]$/.test(text) ? text : `${text}.`);

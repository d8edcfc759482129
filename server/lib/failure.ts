import { describeError } from "./log.ts";

/** An error for whoever runs the program: what could not be done, why, and where to look. */
export function failure(what: string, error: unknown, hint?: string): Error {
  const why = describeError(error).error.replace(/\.$/, "");
  return new Error(`${what}: ${why}.${hint ? ` ${hint}` : ""}`, { cause: error });
}

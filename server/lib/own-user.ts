import { existsSync, readFileSync } from "node:fs";
import { failure } from "./failure.ts";

/**
 * As `failure`, to somebody who was refused a file and may have typed the command as another: also says whose
 * rights the process has.
 */
export const failureOfFile = (what: string, error: unknown, hint: string): Error =>
  failure(what, error, hint + whoRuns());

/** Not `userInfo()` of `node:os`, which believes `USER`. Empty where users have no numbers. */
function whoRuns(): string {
  const id = process.geteuid?.();
  return id === undefined ? "" : ` This runs as the user ${nameOf(id)}.`;
}

function nameOf(id: number): string {
  const users = existsSync(USERS) ? readFileSync(USERS, "utf8") : "";
  return new RegExp(`^([^:\n]+):[^:\n]*:${id}:`, "m").exec(users)?.[1] ?? String(id);
}

const USERS = "/etc/passwd";

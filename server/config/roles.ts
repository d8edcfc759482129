import { choice, listOf } from "../lib/settings.ts";

/** What a process that serves may do: answer requests, check links, deliver events. */
export const ROLES = ["api", "checker", "delivery"] as const;
export type Role = (typeof ROLES)[number];

/** In one order, however they are given. */
export function roles(text: string): readonly Role[] {
  const given = listOf((name) => choice("", ROLES[0], [...ROLES, "all"]).parse(name))(text);
  if (given.length === 0) throw new RangeError(text);
  return ROLES.filter((role) => given.includes("all") || given.includes(role));
}

/**
 * For SQLite, which one process serves.
 * @throws when that is not to do everything
 */
export function refusePart(role: readonly Role[]): void {
  if (role.length === ROLES.length) return;
  throw new Error(
    `STILLUP_ROLE (${role}): one process does everything on SQLite. Leave it out, or set STILLUP_DATABASE_URL to a PostgreSQL database.`,
  );
}

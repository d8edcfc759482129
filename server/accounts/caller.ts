import { AppError } from "../lib/errors.ts";
import type { Tier } from "../store/tables.ts";

export type Permissions = { read: boolean; write: boolean };

/** Who asks, whichever door they came by. History names the account by its number. */
export type Caller = {
  accountId: string;
  accountNo: number;
  tier: Tier;
  permissions: Permissions;
};

/** `read` allows GET, `write` allows POST, PATCH and DELETE. */
export function requirePermission({ permissions }: Caller, method: string) {
  const needed = method === "GET" || method === "HEAD" ? "read" : "write";
  if (permissions[needed]) return;
  throw new AppError("INSUFFICIENT_PERMISSIONS", `This needs the ${needed} permission.`);
}

import type { Command } from "commander";
import { listUsers, operatorOf, requireUser } from "../accounts/users.ts";
import type { Caller } from "../api/caller.ts";
import type { Deps } from "../work/deps.ts";
import { UsageError } from "./cli.ts";
import { readEmail } from "./user.ts";

export const withEmail = (command: Command) =>
  command.option("--email <email>", "whose account; needed where there are several");

/**
 * The operator, acting in the account of a user or in the only one.
 * @throws UsageError when it is not clear which is meant; NOT_FOUND
 */
export async function callerFor(deps: Deps, email: string | undefined): Promise<Caller> {
  if (email !== undefined) {
    const user = await requireUser(deps, await readEmail(email));
    return operatorOf(deps, user.accountId);
  }
  const accountIds = new Set((await listUsers(deps)).map(({ user }) => user.accountId));
  const [only] = accountIds;
  if (only === undefined) {
    throw new Error("There is no account yet; make one with `stillup user create`.");
  }
  if (accountIds.size > 1) {
    throw new UsageError("There are several accounts; say whose is meant with --email.");
  }
  return operatorOf(deps, only);
}

import { eq } from "drizzle-orm";
import { operatorOf } from "../../server/accounts/users.ts";
import { type UserRow, users } from "../../server/ground/db/tables.ts";
import { hashPassword } from "../../server/ground/lib/passwords.ts";
import type { Actor, Caller } from "../../server/http/caller.ts";
import type { Deps } from "../../server/work/deps.ts";
import { PASSWORD_MEMORY_MB } from "../harness.ts";
import { PASSWORD } from "../session/browser.ts";

/** Someone at the dashboard, as the audit log names them. */
export const asActor = ({ id, email }: UserRow): Actor => ({
  kind: "user",
  id,
  name: email,
  address: () => "198.51.100.24",
});

/** The person, in front of their account. */
export const callerOf = async (deps: Deps, person: UserRow): Promise<Caller> => ({
  ...(await operatorOf(deps, person.accountId)),
  by: asActor(person),
});

/** The first person of the account. */
export async function ownerOf(deps: Deps, accountId: string): Promise<Caller> {
  const [owner] = await deps.store.select().from(users).where(eq(users.accountId, accountId));
  return callerOf(deps, owner!);
}

/** The first person of the account, who can sign in with the usual password from now on. */
export async function setPassword({ store }: Deps, accountId: string): Promise<UserRow> {
  const passwordHash = await hashPassword(PASSWORD, PASSWORD_MEMORY_MB);
  const [owner] = await store.select().from(users).where(eq(users.accountId, accountId));
  await store.update(users).set({ passwordHash }).where(eq(users.id, owner!.id));
  return owner!;
}

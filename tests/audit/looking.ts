import { asc, eq, notInArray } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { sessionCookie } from "../../server/accounts/doors.ts";
import { createKey } from "../../server/accounts/keys.ts";
import { createSession } from "../../server/accounts/sessions.ts";
import { type NewAccount, operatorOf } from "../../server/accounts/users.ts";
import { type AuditRow, audit, users } from "../../server/ground/db/tables.ts";
import { makeChange } from "../../server/work/unit.ts";
import type { Asker, TestServer } from "../harness.ts";
import { type Browser, newOwner, openBrowser } from "../session/browser.ts";

/** Someone who has an account, a key and an open browser, and may manage the installation. */
export type Administrator = NewAccount & { me: Asker; keyId: string; browser: Browser };

export async function newAdministrator(server: TestServer): Promise<Administrator> {
  const fresh = await newOwner(server);
  const { store } = server.deps;
  await store.update(users).set({ isAdmin: true }).where(eq(users.id, fresh.owner.id));
  const caller = await operatorOf(server.deps, fresh.account.id);
  const { value, id } = await makeChange(server.deps, caller, (unit) =>
    createKey(unit, caller, { name: "mine" }),
  );
  const browser = await enter(server, fresh.owner.id);
  return { ...fresh, me: server.asker(value, caller), keyId: id, browser };
}

/** A browser in which someone is signed in already. */
export async function enter(server: TestServer, userId: string): Promise<Browser> {
  const { deps } = server;
  const token = await createSession(deps.store, userId, deps.clock.now());
  return openBrowser(server, sessionCookie(deps.config, token).split(";")[0]);
}

/** What the work leaves in the log, oldest first. */
export async function entriesOf<T>(
  { deps: { store } }: TestServer,
  work: () => Promise<T>,
): Promise<{ result: T; entries: AuditRow[] }> {
  const before = await store.select({ id: audit.id }).from(audit);
  const result = await work();
  const known = before.map(({ id }) => id);
  const entries = await store
    .select()
    .from(audit)
    .where(known.length ? notInArray(audit.id, known) : undefined)
    .orderBy(asc(audit.id));
  return { result, entries };
}

/** What the app shows at the server's present moment. */
export const codeOf = ({ clock }: TestServer, secret: string) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: clock.now() });

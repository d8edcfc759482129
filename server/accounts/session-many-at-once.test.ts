import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { PASSWORD_MEMORY_MB, startServer } from "../../tests/harness.ts";
import { BEHIND_PROXY, newOwner, openBrowser } from "../../tests/session/browser.ts";
import { users } from "../ground/db/tables.ts";
import { createPasswords, type Passwords } from "../ground/lib/passwords.ts";
import { signIn } from "./sign-in.ts";

const MB = 1 << 20;
const STRANGER = {
  userAgent: null,
  sessionHash: undefined,
  address: () => "127.0.0.1",
  networks: [],
};

test("a thousand who sign in at once cost little memory, and do not delay those who only read", async () => {
  const server = await startServer("sqlite", BEHIND_PROXY);
  await newOwner(server);
  const before = process.memoryUsage.rss();
  let ended = 0;

  const attempts = Array.from({ length: 1000 }, (_, i) =>
    openBrowser(server)
      .signIn(`person${i}@example.org`, "not the right password")
      .finally(() => ended++),
  );
  const reader = openBrowser(server);
  const reads = await Promise.all([1, 2, 3].map(() => reader.get("/session")));
  const endedBeforeReads = ended;
  const replies = await Promise.all(attempts);

  const statuses = new Set(replies.map(({ status }) => status));
  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(endedBeforeReads).toBeLessThan(1000);
  expect([...statuses].sort()).toEqual([401, 503]);
  const sentAway = replies.filter(({ status }) => status === 503);
  expect(sentAway.every(({ headers }) => headers.get("retry-after") === "5")).toBe(true);
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MB);
  await server.stop();
});

test("a wrong password, an unknown e-mail and a user without a password take the same work", async () => {
  const server = await startServer("sqlite");
  const { owner } = await newOwner(server);
  const { owner: bare } = await newOwner(server);
  const real = createPasswords(PASSWORD_MEMORY_MB);
  const verified: (string | null)[] = [];
  const passwords: Passwords = {
    ...real,
    verify: (password, hash) => {
      verified.push(hash);
      return real.verify(password, hash);
    },
  };
  const { deps } = server;
  const isBare = eq(users.id, bare.id);
  await deps.store.update(users).set({ passwordHash: null }).where(isBare);
  const guarded = { ...deps, passwords };
  const attempt = (email: string) =>
    signIn(guarded, { email, password: "not the right password" }, STRANGER).catch(
      ({ code, message }) => [code, message],
    );

  const wrong = await attempt(owner.email);
  const others = [await attempt("unknown@example.org"), await attempt(bare.email)];

  expect(others).toEqual([wrong, wrong]);
  // One hash is made for each, whether there is one to compare with or not.
  expect(verified.map((hash) => hash !== null)).toEqual([true, false, false]);
  await server.stop();
});

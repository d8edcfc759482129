import { expect, onTestFinished, test } from "bun:test";
import { SQL } from "bun";
import { eq } from "drizzle-orm";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { sendAll } from "../../tests/mail/recipients.ts";
import { lockIsAwaited } from "../../tests/postgres.ts";
import {
  deliverOnce,
  makeMuchNews,
  makeNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { openBrowser } from "../../tests/session/browser.ts";
import { mailSettings, startMailHost } from "../../tests/smtp.ts";
import { waitFor } from "../../tests/waits.ts";
import { audit, webhooks } from "../ground/db/tables.ts";

// SQLite has one writer, so only PostgreSQL can be caught between the two.
/** Runs the statement in a transaction that is committed once the work waits for its lock. */
async function duringChange<T>(
  server: TestServer,
  change: (connection: SQL) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const other = new SQL(server.config.databaseUrl, { max: 1 });
  const isToCommit = Promise.withResolvers<void>();
  const hasBegun = Promise.withResolvers<void>();
  const changing = other.begin(async (connection) => {
    await change(connection);
    hasBegun.resolve();
    await isToCommit.promise;
  });
  await hasBegun.promise;

  const working = work();
  await lockIsAwaited(server.config.databaseUrl);
  isToCommit.resolve();
  await changing;
  const result = await working;
  await other.close();
  return result;
}

test("an event that comes while its webhook is being deleted is not an error", async () => {
  const server = await startServer("postgres");
  onTestFinished(server.stop);
  const me = await server.account();
  const { id } = await subscribe(me, "https://example.com/");

  const made = await duringChange(
    server,
    (connection) => connection`delete from webhooks where id = ${id}`,
    () => makeNews(me),
  );

  expect(made.status).toBe(201);
});

test("a recipient who confirms while the webhook is being deleted does not switch it on again", async () => {
  const host = await startMailHost();
  const server = await startServer("postgres", mailSettings(host.port));
  onTestFinished(server.stop);
  const me = await server.account();
  const wish = { url: "mailto:ann@example.org", format: "email", events: ["link.dead"] };
  const { id } = (await me.post("/api/v1/webhooks", wish)).body.data;
  await sendAll(server.deps);
  const [, path] = /https?:\/\/[^/]+(\/mail\/confirm\/\S+)/.exec(host.letters[0]!.text!)!;

  const confirmed = await duringChange(
    server,
    (connection) => connection`update webhooks set deleted_at = 1 where id = ${id}`,
    () => openBrowser(server).post(path!),
  );

  expect(confirmed.status).toBe(200);
  const [row] = await server.deps.store.select().from(webhooks).where(eq(webhooks.id, id));
  expect(row).toMatchObject({ isActive: false, deletedAt: 1 });
  expect(await server.deps.store.$count(audit, eq(audit.action, "webhook.changed"))).toBe(0);
});

test("what another process is claiming is not sent as well", async () => {
  const server = await startServer("postgres");
  onTestFinished(server.stop);
  const me = await server.account();
  const receiver = startReceiver();
  await subscribe(me, receiver.url);
  await makeMuchNews(me, 5);
  const other = new SQL(server.config.databaseUrl, { max: 1 });

  const sent = await other.begin(async (connection) => {
    await connection`update deliveries set status = 'delivering', lease = 'other', due_at = due_at + 60000`;
    return waitFor(deliverOnce(server), () => "a round that waits for no other process");
  });

  expect([sent, receiver.requests]).toEqual([0, []]);
  await other.close();
});

import { afterEach, expect, onTestFinished, test } from "bun:test";
import { reset } from "@logtape/logtape";
import { sql } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import { freePort } from "../../tests/free-port.ts";
import { type Asker, onServer, type Reply, type TestServer } from "../../tests/harness.ts";
import { deliverAll, makeNews, startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { keptBy } from "../../tests/webhooks/kept.ts";
import { webhooks } from "../ground/db/tables.ts";
import { startLogging } from "../ground/lib/log.ts";

const bare = (secret: string) => secret.slice("whsec_".length);

/** The secret as it was shown, and as the bytes that it stands for, in the ways in which one might write them. */
const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(bare(secret), "base64");
  return [
    bare(secret),
    ...(["hex", "base64url", "latin1"] as const).map((form) => bytes.toString(form)),
  ];
};

/** A webhook that was delivered to, tested, asked, changed and rotated, and every reply that was not about a secret. */
async function livelyWebhook(server: TestServer, me: Asker, url: string) {
  const { secret, path } = await subscribe(me, url);
  await makeNews(me);
  await deliverDue(server.deps);
  const replies: Reply[] = [await me.post(`${path}/test`)];
  const rotated = await me.post(`${path}/rotate-secret`);
  await makeNews(me);
  await deliverAll(server);
  replies.push(await me.get(`${path}/deliveries`));
  for (const { id } of replies[1]!.body.data.items) {
    replies.push(await me.get(`${path}/deliveries/${id}`));
    replies.push(await me.post(`${path}/deliveries/${id}/redeliver`));
  }
  replies.push(
    await me.get(path),
    await me.get("/api/v1/webhooks"),
    await me.patch(path, { events: ["link.created", "link.dead"] }),
    await me.patch(path, { signing_secret: secret }),
    await me.patch(path, { url: null, events: [secret] }),
    await me.post(`${path}/rotate-secret`, { grace_period_seconds: -1 }),
    await me.post("/api/v1/webhooks", { url, events: [], signing_secret: secret }),
  );
  return { secrets: [secret, rotated.body.data.signing_secret as string], replies };
}

onServer("the signing secret of a webhook", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("is returned when it is created, and in no other reply", async () => {
    const me = await server().account();

    const { secrets, replies } = await livelyWebhook(server(), me, startReceiver().url);

    expect(replies.length).toBeGreaterThan(10);
    const text = JSON.stringify(replies.map(({ body, headers }) => [body, [...headers]]));
    for (const secret of secrets) {
      for (const form of formsOf(secret)) expect(text).not.toContain(form);
    }
    expect(text).not.toContain("whsec_");
  });

  test("is nowhere in the database, nor is the old one", async () => {
    const me = await server().account();
    const { secrets } = await livelyWebhook(server(), me, startReceiver(500).url);

    const kept = await keptBy(server());

    expect(kept).toContain(me.accountId);
    for (const secret of secrets) {
      for (const form of formsOf(secret)) expect(kept).not.toContain(form);
    }
    expect(kept).not.toContain("whsec_");
  });

  test("is not sent to the receiver", async () => {
    const me = await server().account();
    const receiver = startReceiver();

    const { secrets } = await livelyWebhook(server(), me, receiver.url);

    const sent = receiver.requests.map(({ headers, body }) => `${[...headers]} ${body}`).join();
    for (const secret of secrets) {
      for (const form of formsOf(secret)) expect(sent).not.toContain(form);
    }
  });

  eachRow(["text", "json"] as const)(
    "is in no line of the log (%s), whatever goes wrong, and neither is where messages go",
    async (format) => {
      const lines: string[] = [];
      startLogging({ level: "debug", format, write: (line) => lines.push(line) });
      onTestFinished(reset);
      const token = "bot12345:AAFxyz";
      const ends = [
        startReceiver().url,
        startReceiver(410).url,
        `http://127.0.0.1:${freePort()}/`,
        "http://nowhere.invalid/",
        startReceiver().url.replace("http:", "https:"),
      ].map((url) => `${url}${url.endsWith("/") ? "" : "/"}${token}?token=${token}`);

      const used: string[] = [];
      for (const url of ends) {
        const { secrets } = await livelyWebhook(server(), await server().account(), url);
        used.push(...secrets);
      }
      const me = await server().account();
      const broken = await subscribe(me, ends[0]!);
      await server().deps.store.run(
        sql`update webhooks set secret = 'AAAA' where id = ${broken.id}`,
      );
      await makeNews(me);
      await deliverDue(server().deps);

      const text = lines.join();
      expect(text).toContain("test delivery sent");
      expect(text).toContain("webhook disabled");
      expect(lines.at(-1)).toMatch(/\berror\b.*sealed under another secret key/);
      for (const secret of used) {
        for (const form of formsOf(secret)) expect(text).not.toContain(form);
      }
      expect(text).not.toContain(token);
    },
  );

  test("opens with the key of this server only", async () => {
    const me = await server().account();
    const { id, secret } = await subscribe(me, startReceiver().url);
    const { store, secrets } = server().deps;

    const [row] = await store
      .select({ secret: webhooks.secret })
      .from(webhooks)
      .where(sql`id = ${id}`);

    expect(secrets.open(row!.secret)).toBe(secret);
    const bytes = Buffer.from(row!.secret, "base64");
    bytes[bytes.length - 1]! ^= 1;
    expect(() => secrets.open(bytes.toString("base64"))).toThrow();
  });
});

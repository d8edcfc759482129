import { afterEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { addKey, READ_ONLY } from "../../tests/keys/asking.ts";
import { newTeam } from "../../tests/people/people.ts";
import {
  deliverAll,
  deliverOnce,
  makeNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { keptBy } from "../../tests/webhooks/kept.ts";
import { webhooks } from "../ground/db/tables.ts";
import { createSecretBox } from "../ground/lib/secret-box.ts";
import type { Deps } from "../work/deps.ts";

const TOKEN = "B0secretPath";
const CHAT = "-100987654321";

/** A webhook of every kind of record that could repeat its URL, and the paths that show them. */
async function usedWebhook(server: TestServer, me: Asker) {
  const answer = ({ path }: { path: string }) =>
    new Response(`Cannot POST ${path}`, { status: 404 });
  const url = `${startReceiver(answer).url}/${TOKEN}/sendMessage?chat_id=${CHAT}`;
  const { id, path } = await subscribe(me, url, ["link.created", "link.dead"], "telegram");
  const link = (await makeNews(me)).body.data.id;
  await me.post(`${path}/test`);
  await deliverAll(server);
  await me.patch(path, { events: ["link.created"] });
  const { items } = (await me.get(`${path}/deliveries`)).body.data;
  const one = `/webhooks/${id}/deliveries/${items[0].id}`;
  await me.post(`/api/v1${one}/redeliver`);
  return {
    id,
    path,
    url,
    shown: ["/webhooks", `/webhooks/${id}`, `/webhooks/${id}/deliveries`, one]
      .concat(items.map((item: Parsed) => `/webhooks/${id}/deliveries/${item.id}`))
      .concat(["/audit", "/overview", `/links/${link}/events`, "/account", "/history"]),
  };
}

const rowOf = async ({ deps }: TestServer, id: string) =>
  (await deps.store.select().from(webhooks).where(eq(webhooks.id, id)))[0]!;

/** The same server after its secret key was lost and another one accepted. */
const withOtherKey = (deps: Deps): Deps => ({
  ...deps,
  secrets: createSecretBox(Buffer.alloc(32, 7)),
});

onServer("the URL of a webhook", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("is shown whole to those who may write, and without its secrets to others", async () => {
    const { browsers } = await newTeam(server());
    const { body } = await browsers.owner.post("/keys", { name: "all" });
    const me = server().asker(body.data.key);
    const { id, url, shown } = await usedWebhook(server(), me);
    const reader = await addKey(server(), me, READ_ONLY);
    const short = `${new URL(url).origin}/…`;

    for (const asker of [browsers.owner, browsers.editor]) {
      expect((await asker.get(`/webhooks/${id}`)).body.data).toMatchObject({
        url,
        url_state: "full",
      });
    }
    expect((await me.get("/api/v1/webhooks")).body.data.items[0].url).toBe(url);
    const asViewer = shown.map((path) => browsers.viewer.get(path));
    const asReader = shown.map((path) => reader.get(`/api/v1${path}`));
    const replies = await Promise.all([...asViewer, ...asReader]);
    for (const reply of [replies[1]!, replies[shown.length + 1]!]) {
      expect(reply.body.data).toMatchObject({ url: short, url_state: "shortened" });
    }
    const text = JSON.stringify(replies.map((reply) => reply.body));
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(12);
    expect(text).toContain("Cannot POST …");
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(CHAT);
  });

  test("is nowhere in the database", async () => {
    const me = await server().account();
    await usedWebhook(server(), me);

    const kept = await keptBy(server());

    expect([me.accountId, TOKEN, CHAT].map((text) => kept.includes(text))).toEqual([
      ...[true, false, false],
    ]);
  });

  test("that cannot be opened says so, and is there again once it was entered again", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { id, path } = await subscribe(me, `${receiver.url}/${TOKEN}`);
    const { deps } = server();
    const lost = await rowOf(server(), id);
    const { sealedUrl, secret } = await sealedByOther(deps, lost);
    await deps.store.update(webhooks).set({ sealedUrl, secret }).where(eq(webhooks.id, id));

    const seen = await me.get(path);
    const refused = await me.post(`${path}/test`);
    await makeNews(me);
    await deliverOnce(server());
    const [failed] = (await me.get(`${path}/deliveries`)).body.data.items;

    const short = `${new URL(receiver.url).origin}/…`;
    expect(seen.body.data).toMatchObject({ url: short, url_state: "unreadable", is_active: true });
    expect(refused.status).toBe(409);
    expect(refused.body.error.details.reason).toBe("secret_key_replaced");
    expect(failed.last_attempt.error_code).toBe("secret_key");
    expect(await rowOf(server(), id)).toMatchObject({ sealedUrl });

    await me.patch(path, { url: receiver.url });
    await me.post(`${path}/rotate-secret`, { grace_period_seconds: 0 });
    expect((await me.post(`${path}/test`)).body.data.success).toBe(true);
    expect((await me.get(path)).body.data).toMatchObject({ url: receiver.url, url_state: "full" });
  });

  test("is not replaced by what those see who may not see it", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, "https://example.com/whole");

    const { status, body } = await me.patch(path, { url: "https://example.com/…" });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ url: ["must be the whole URL, without …"] });
    expect((await me.get(path)).body.data.url).toBe("https://example.com/whole");
  });
});

/** What the row holds after its secrets were sealed under another key. */
async function sealedByOther(deps: Deps, { url }: { url: string }) {
  const { secrets } = withOtherKey(deps);
  return { sealedUrl: secrets.seal(url), secret: secrets.seal("whsec_AAAA") };
}

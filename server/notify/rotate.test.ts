import { afterEach, expect } from "bun:test";
import { type Asker, onServer, type Reply } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { makeNews, startReceiver, subscribe, verified } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { webhooks } from "../ground/db/tables.ts";

const HOOK = "https://ops.example.com/hook";

onServer("POST /webhooks/{id}/rotate-secret", (server, { test, testOnBoth }) => {
  const rotate = (me: Asker, path: string, seconds?: number, headers?: Record<string, string>) => {
    const body = seconds === undefined ? undefined : { grace_period_seconds: seconds };
    return me.post(`${path}/rotate-secret`, body, headers);
  };
  const secretIn = ({ body }: Reply): string => body.data.signing_secret;
  const inSeconds = (seconds: number) =>
    new Date(server().clock.now() + seconds * 1000).toISOString();

  /** Which of the secrets verify a message that is sent now. */
  async function verifying(me: Asker, receiver: ReturnType<typeof startReceiver>, all: string[]) {
    await makeNews(me);
    await deliverDue(server().deps);
    const request = receiver.requests.at(-1)!;
    return all.filter((secret) => {
      try {
        return verified(request, secret, server().clock.now());
      } catch {
        return false;
      }
    });
  }

  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("the new secret is shown this once, and the old one signs for another day", async () => {
    const me = await server().account();
    const { secret, path } = await subscribe(me, HOOK);
    const before = (await me.get(path)).body.data;
    server().clock.moveBy(1000);

    const { status, body } = await rotate(me, path);

    const { signing_secret: fresh, previous_secrets_expire_at: ends, ...record } = body.data;
    expect(status).toBe(200);
    expect(fresh).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(fresh).not.toBe(secret);
    expect(ends).toEqual([inSeconds(86_400)]);
    expect(record).toEqual({ ...before, updated_at: inSeconds(0) });
    expect((await me.get(path)).body.data).toEqual(record);
  });

  test("both secrets verify during the grace period, and only the new one after it", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { secret: old, path } = await subscribe(me, receiver.url);
    const fresh = secretIn(await rotate(me, path, 60));

    server().clock.moveBy(59_999);
    const during = await verifying(me, receiver, [old, fresh]);
    server().clock.moveBy(1);
    const after = await verifying(me, receiver, [old, fresh]);

    expect(during).toEqual([old, fresh]);
    expect(after).toEqual([fresh]);
  });

  test("the current secret signs first, then the old ones from the newest on", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { secret: first, path } = await subscribe(me, receiver.url);
    const second = secretIn(await rotate(me, path, 60));
    const reply = await rotate(me, path, 120);

    const all = [secretIn(reply), second, first];
    await verifying(me, receiver, all);

    expect(reply.body.data.previous_secrets_expire_at).toEqual([inSeconds(120), inSeconds(60)]);
    const [request] = receiver.requests as [(typeof receiver.requests)[0]];
    const signatures = request.headers.get("webhook-signature")!.split(" ");
    const makers = signatures.map((signature) => {
      const headers = new Headers(request.headers);
      headers.set("webhook-signature", signature);
      return all.findIndex((secret) => {
        try {
          return verified({ ...request, headers }, secret, server().clock.now());
        } catch {
          return false;
        }
      });
    });
    expect(makers).toEqual([0, 1, 2]);
  });

  test("a grace period of 0 ends all old secrets at once", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { secret: oldest, path } = await subscribe(me, receiver.url);
    await rotate(me, path, 600);
    const old = secretIn(await rotate(me, path, 600));

    const reply = await rotate(me, path, 0);

    expect(reply.body.data.previous_secrets_expire_at).toEqual([]);
    const fresh = secretIn(reply);
    expect(await verifying(me, receiver, [oldest, old, fresh])).toEqual([fresh]);
  });

  test("two old secrets are the most, until the first of them ends", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, HOOK);
    await rotate(me, path, 600);
    await rotate(me, path, 60);

    const refused = await rotate(me, path, 60);
    const ends = inSeconds(60);
    server().clock.moveBy(60_000);
    const later = await rotate(me, path, 60);

    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({
      code: "CONFLICT",
      details: { reason: "too_many_secrets", firstExpiresAt: ends },
    });
    expect(refused.body.error.message).toContain(ends);
    expect(later.body.data.previous_secrets_expire_at).toEqual([inSeconds(60), inSeconds(540)]);
  });

  testOnBoth(
    "ten at once lose no secret: each one that was shown signs until it ends",
    async () => {
      const me = await server().account();
      const receiver = startReceiver();
      const { secret: first, path } = await subscribe(me, receiver.url);

      const replies = await Promise.all(Array.from({ length: 10 }, () => rotate(me, path, 60)));

      const shown = replies.filter(({ status }) => status === 200).map(secretIn);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, ...Array(8).fill(409)]);
      const all = [first, ...shown];
      expect(await verifying(me, receiver, all)).toEqual(all);
    },
  );

  test("a body may be left empty, must otherwise be an object, and a week is not too long", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, HOOK);

    const empty = await me.post(`${path}/rotate-secret`, {});
    const list = await me.post(`${path}/rotate-secret`, []);
    const week = await rotate(me, path, 604_800);

    expect(empty.body.data.previous_secrets_expire_at).toEqual([inSeconds(86_400)]);
    expect(list.body.error.details.fields).toEqual({ body: ["must be a JSON object"] });
    expect(week.body.data.previous_secrets_expire_at[0]).toBe(inSeconds(604_800));
  });

  test("no secret is shown anywhere else, nor kept in clear", async () => {
    const lines = await logLines("debug");
    const me = await server().account();
    const { secret, path } = await subscribe(me, startReceiver().url);
    const key = { "idempotency-key": "rotation" };
    const secrets = [secret, secretIn(await rotate(me, path, 60, key))];
    await makeNews(me);
    await deliverDue(server().deps);

    const [{ id }] = (await me.get(`${path}/deliveries`)).body.data.items;
    const replies = [
      await rotate(me, path, 60, key),
      await me.get(path),
      await me.get("/api/v1/webhooks"),
      await me.get(`${path}/deliveries/${id}`),
      await me.patch(path, { signing_secret: secret }),
      await me.patch(path, { url: HOOK }),
    ];
    const rows = await server().deps.store.select().from(webhooks);

    expect([replies[0]!.status, replies[0]!.body.error.details.reason]).toEqual([
      409,
      "secret_not_replayable",
    ]);
    const text = JSON.stringify([lines, replies.map(({ body }) => body), rows]);
    for (const each of secrets) expect(text).not.toContain(each.slice("whsec_".length));
  });

  test("an unknown webhook is not found, a stranger's is forbidden", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const stranger = await server().account();
    const { secret, path } = await subscribe(stranger, receiver.url);

    expect((await rotate(me, "/api/v1/webhooks/x")).status).toBe(404);
    expect((await rotate(me, path)).status).toBe(403);
    expect(await verifying(stranger, receiver, [secret])).toEqual([secret]);
  });
});

import { afterEach, expect, test } from "bun:test";
import { type Chat, MINUTE_MS, oneByOne, openChat } from "../../tests/events/chat.ts";
import { onServer, type Parsed } from "../../tests/harness.ts";
import { exceptRequests, logLines } from "../../tests/log.ts";
import { deliveriesOf, earlierAttemptsOf, hoursPass } from "../../tests/receiver.ts";
import { webhooks } from "../ground/db/tables.ts";
import { deleteOldEvents } from "./events.ts";
import { limitWaits } from "./leases.ts";

const NEVER = new AbortController().signal;

/** One of the events of the digest, as the log has it. */
async function memberOf({ me, path }: Chat): Promise<Parsed> {
  const { items } = (await me.get(`${path}/deliveries?event=link.created`)).body.data;
  return items.at(-1);
}

const readDelivery = async ({ me, path }: Chat, id: string): Promise<Parsed> =>
  (await me.get(`${path}/deliveries/${id}`)).body.data;

const redeliver = ({ me, path }: Chat, id: string) => me.post(`${path}/deliveries/${id}/redeliver`);

onServer("a digest", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("that was not taken goes again as it was, and what came since is none of it", async () => {
    const chat = await openChat(server(), { answer: 500 });
    await chat.news(11);
    await chat.pass(0);
    await chat.news(3);
    chat.receiver.answers(200);

    await chat.pass(5000);
    await chat.pass(MINUTE_MS);

    const [first, second] = chat.receiver.requests;
    expect(chat.heads()).toEqual([
      ...["*11 links were added*", "*11 links were added*"],
      "*3 links were added*",
    ]);
    expect(second!.body).toEqual(first!.body);
    expect(second!.headers.get("webhook-id")).toBe(first!.headers.get("webhook-id"));
    expect(await chat.digests()).toMatchObject([
      { status: "succeeded", attempts: 2 },
      { status: "succeeded", attempts: 1 },
    ]);
    expect(await chat.statuses()).toEqual({ digested: 14 });
  });

  test("does not hold back a manual redelivery: one of its events is sent again alone", async () => {
    const chat = await openChat(server());
    await chat.news(11);
    await chat.pass(0);
    const { id, digest_id: digestId } = await memberOf(chat);

    expect((await redeliver(chat, id)).status).toBe(200);
    await chat.pass(0);

    expect(chat.heads()).toHaveLength(2);
    expect(chat.heads()[1]).toStartWith("*Added:* <");
    expect(await readDelivery(chat, id)).toMatchObject({
      status: "succeeded",
      digest_id: digestId,
      last_attempt: { trigger: "manual", status_code: 200 },
    });
  });

  test("counts an event as sent although its manual redelivery failed", async () => {
    const chat = await openChat(server());
    await chat.news(11);
    await chat.pass(0);
    const { id } = await memberOf(chat);
    chat.receiver.answers(500);

    await redeliver(chat, id);
    await chat.pass(0);
    await chat.pass(10 * MINUTE_MS);

    expect(chat.heads()).toHaveLength(2);
    expect(await readDelivery(chat, id)).toMatchObject({ status: "digested", attempts: 1 });
  });

  test("can be asked for again as a whole", async () => {
    const chat = await openChat(server());
    await chat.news(11);
    await chat.pass(0);
    const [{ id }] = await chat.digests();

    expect((await redeliver(chat, id)).status).toBe(200);
    await chat.pass(0);

    expect(chat.heads()).toEqual(["*11 links were added*", "*11 links were added*"]);
  });

  test("that gathers is closed after its minute while its webhook is off, and goes when it is on", async () => {
    const chat = await openChat(server());
    await oneByOne(chat, 12);
    await chat.me.patch(chat.path, { is_active: false });
    await chat.pass(2 * MINUTE_MS);
    expect(chat.heads()).toHaveLength(10);

    await chat.me.patch(chat.path, { is_active: true });
    await chat.pass(0);

    expect(chat.heads().slice(10)).toEqual(["*2 links were added*"]);
    expect(await chat.statuses()).toEqual({ succeeded: 10, digested: 2 });
  });

  test("that is older than three days when its webhook is on again is not sent", async () => {
    const chat = await openChat(server());
    await oneByOne(chat, 12);
    await chat.me.patch(chat.path, { is_active: false });
    await chat.pass(MINUTE_MS);
    hoursPass(server(), 72);

    await chat.me.patch(chat.path, { is_active: true });
    await chat.pass(0);
    await chat.pass(MINUTE_MS);

    expect(chat.heads()).toHaveLength(10);
    expect(await chat.digests()).toMatchObject([{ status: "expired" }]);
  });

  test("takes nothing with it when it is forgotten: what comes then is sent", async () => {
    const chat = await openChat(server());
    await oneByOne(chat, 11);
    await chat.me.patch(chat.path, { is_active: false });
    hoursPass(server(), 31 * 24);
    await deleteOldEvents(server().deps);

    await chat.me.patch(chat.path, { is_active: true });
    await chat.news(2);
    await chat.pass(0);
    await chat.pass(MINUTE_MS);

    expect(chat.heads().slice(10).join()).toMatch(/^(\*2 links were added\*|(,?\*Added:.*){2})$/);
  });

  test("goes with its webhook while it gathers", async () => {
    const chat = await openChat(server());
    await oneByOne(chat, 12);
    const lines = await logLines("info");

    await chat.me.delete(chat.path);
    await chat.pass(2 * MINUTE_MS);

    expect(chat.heads()).toHaveLength(10);
    expect(await deliveriesOf(server(), chat.id)).toEqual([]);
    expect(await earlierAttemptsOf(server(), chat.id)).toEqual([]);
    expect(exceptRequests(lines)).toEqual([]);
  });

  test("closes in its time although the clock was set back by an hour", async () => {
    const chat = await openChat(server());
    await oneByOne(chat, 12);
    server().clock.moveBy(-60 * MINUTE_MS);
    await limitWaits(server().deps, NEVER);

    await chat.pass(2 * MINUTE_MS);

    expect(chat.heads().slice(10)).toEqual(["*2 links were added*"]);
  });

  test("does not wait for an hour after another when the clock was set back", async () => {
    const chat = await openChat(server());
    await chat.news(11);
    await chat.pass(0);
    server().clock.moveBy(-60 * MINUTE_MS);
    await limitWaits(server().deps, NEVER);
    await chat.news(11);

    await chat.pass(0);
    await chat.pass(2 * MINUTE_MS);

    expect(chat.heads()).toEqual(["*11 links were added*", "*11 links were added*"]);
  });
});

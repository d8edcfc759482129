import { afterEach, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import {
  deliveriesOf,
  makeNews,
  startRawReceiver,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { replies } from "../../tests/site.ts";
import { webhooks } from "../ground/db/tables.ts";

const plain = { random: () => 0.5 };
const KEPT_BYTES = 16 * 1024;

/** One event for a receiver at this URL, and its delivery after one attempt. */
async function deliverOnce(server: TestServer, me: Asker, url: string) {
  const { id, path } = await subscribe(me, url);
  await makeNews(me);
  await deliverDue(server.deps, plain);
  const [delivery] = await deliveriesOf(server, id);
  return { path, delivery: delivery! };
}

/** What the receiver answered, as the log of the API tells it. */
async function answerKept(server: TestServer, answer: () => Response) {
  const me = await server.account();
  const { path } = await deliverOnce(server, me, startReceiver(answer).url);
  const [{ id }] = (await me.get(`${path}/deliveries`)).body.data.items;
  return (await me.get(`${path}/deliveries/${id}`)).body.data.last_attempt;
}

onServer("the answer of a receiver", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  eachRow([
    [200, "succeeded"],
    [201, "succeeded"],
    [202, "succeeded"],
    [204, "succeeded"],
    [299, "succeeded"],
    [300, "failed"],
    [304, "failed"],
    [307, "failed"],
    [400, "failed"],
    [401, "failed"],
    [404, "failed"],
    [429, "failed"],
    [500, "failed"],
    [503, "failed"],
    [599, "failed"],
  ] as const)("%i means %s", async (statusCode, status) => {
    const me = await server().account();
    const url = await startRawReceiver(
      replies(`HTTP/1.1 ${statusCode} Said\r\nConnection: close\r\n\r\n`),
    );

    const { delivery } = await deliverOnce(server(), me, url);

    expect(delivery).toMatchObject({ status, attempts: 1, lastStatusCode: statusCode });
    expect(delivery.lease).toBeNull();
  });

  eachRow([100, 103, 199])(
    "%i alone is none, since one of these comes before the answer",
    async (code) => {
      const me = await server().account();
      const url = await startRawReceiver(replies(`HTTP/1.1 ${code} Wait\r\n\r\n`));

      const { delivery } = await deliverOnce(server(), me, url);

      expect(delivery).toMatchObject({ status: "failed", lastStatusCode: 0, lastError: "connect" });
    },
  );

  eachRow([
    [200, "succeeded"],
    [500, "failed"],
  ] as const)("may come after a 100: then %i means %s", async (statusCode, status) => {
    const me = await server().account();
    const url = await startRawReceiver(
      replies(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ${statusCode} Said\r\n\r\n`),
    );

    const { delivery } = await deliverOnce(server(), me, url);

    expect(delivery).toMatchObject({ status, lastStatusCode: statusCode });
  });

  test("410 means that nothing is sent there any more", async () => {
    const me = await server().account();
    const url = await startRawReceiver(replies("HTTP/1.1 410 Gone\r\n\r\n"));

    const { path, delivery } = await deliverOnce(server(), me, url);

    expect(delivery).toMatchObject({ status: "paused", lastStatusCode: 410 });
    expect((await me.get(path)).body.data).toMatchObject({
      is_active: false,
      disabled_reason: "gone",
    });
  });

  eachRow([
    ["nothing", ""],
    ["nonsense", "hello\r\n\r\n"],
    ["half a head", "HTTP/1.1 200 OK\r\nContent-"],
  ])("that is %s is none", async (_, text) => {
    const me = await server().account();
    const url = await startRawReceiver(replies(text));

    const { delivery } = await deliverOnce(server(), me, url);

    expect(delivery).toMatchObject({ status: "failed", lastStatusCode: 0, lastError: "connect" });
  });

  test("is kept with its type and its text", async () => {
    const headers = { "content-type": "text/plain; charset=utf-8" };

    const kept = await answerKept(
      server(),
      () => new Response("Danke, 例え 💀!", { status: 503, headers }),
    );

    expect(kept).toMatchObject({
      status_code: 503,
      error_code: null,
      response_content_type: "text/plain; charset=utf-8",
      response_body: "Danke, 例え 💀!",
      response_truncated: false,
    });
  });

  test("may contain what is not text: it is kept as text on every database", async () => {
    const bytes = new Uint8Array([0x61, 0x00, 0x62, 0xff, 0xfe, 0xc3, 0x28, 0x63]);

    const kept = await answerKept(server(), () => new Response(bytes));

    expect(kept.response_body).toBe("a\uFFFDb\uFFFD\uFFFD\uFFFD(c");
    expect(kept.response_truncated).toBe(false);
  });

  test("is whole at 16 KiB, and cut beyond", async () => {
    const whole = await answerKept(server(), () => new Response("a".repeat(KEPT_BYTES)));
    const cut = await answerKept(server(), () => new Response("a".repeat(KEPT_BYTES + 1)));

    expect(whole).toMatchObject({ response_truncated: false });
    expect(whole.response_body).toHaveLength(KEPT_BYTES);
    expect(cut).toMatchObject({ response_truncated: true, status_code: 200 });
    expect(cut.response_body).toHaveLength(KEPT_BYTES);
  });

  test("that is cut within a character is kept all the same", async () => {
    const kept = await answerKept(server(), () => new Response(`a${"💀".repeat(KEPT_BYTES)}`));

    expect(kept.response_body).toEndWith("💀\uFFFD");
    expect(kept.response_truncated).toBe(true);
  });

  test("of an absurd type keeps the beginning of that", async () => {
    const headers = { "content-type": `text/${"x".repeat(2000)}` };

    const kept = await answerKept(server(), () => new Response("", { headers }));

    expect(kept.response_content_type).toHaveLength(255);
  });
});

import { expect, test } from "bun:test";
import { onServer, type TestServer } from "../../tests/harness.ts";
import {
  deliveriesOf,
  earlierAttemptsOf,
  makeMuchNews,
  startRawReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { replies } from "../../tests/site.ts";

const HOUR_MS = 3_600_000;
/** Between one attempt and the next, in seconds. */
const WAITS_S = [5, 300, 1800, 7200, 18_000];

/** Numbers from 0 to 1 that lie close to each other everywhere, and are the same in every run. */
function evenly() {
  let n = 0;
  return () => (++n * 0.6180339887) % 1;
}

/** Lets time pass until then, with each attempt at the very moment when it is due. */
async function passUntil(server: TestServer, webhookId: string, until: number) {
  const random = evenly();
  for (;;) {
    await deliverDue(server.deps, { random });
    const moments = (await deliveriesOf(server, webhookId)).flatMap(({ dueAt }) => dueAt ?? []);
    const next = Math.min(...moments, until);
    server.clock.moveBy(Math.max(0, next - server.clock.now()));
    if (next === until) return;
  }
}

/** When each delivery was attempted, one list for each. */
async function momentsOf(server: TestServer, webhookId: string): Promise<number[][]> {
  const earlier = await earlierAttemptsOf(server, webhookId);
  const byEvent = Map.groupBy(earlier, ({ eventId }) => eventId);
  return (await deliveriesOf(server, webhookId)).map(({ eventId, lastStartedAt }) => [
    ...(byEvent.get(eventId) ?? []).map(({ startedAt }) => startedAt),
    lastStartedAt!,
  ]);
}

onServer("a receiver that is down for six hours", (server) => {
  test("gets everything once it is up, and each attempt comes at its time within a fifth", async () => {
    const me = await server().account();
    let isUp = false;
    let arrived = 0;
    const url = await startRawReceiver((socket) => {
      if (!isUp) return socket.resetAndDestroy();
      arrived++;
      replies("HTTP/1.1 204 Thanks\r\n\r\n")(socket);
    });
    const { id } = await subscribe(me, url);
    const upAt = server().clock.now() + 6 * HOUR_MS;
    await makeMuchNews(me, 10);
    await passUntil(server(), id, upAt);

    isUp = true;
    await passUntil(server(), id, upAt + 4 * HOUR_MS);

    const rows = await deliveriesOf(server(), id);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(10).fill(["succeeded", 6]),
    );
    expect(arrived).toBe(10);
    const waits = (await momentsOf(server(), id)).flatMap((moments) =>
      WAITS_S.map((seconds, i) => (moments[i + 1]! - moments[i]!) / (seconds * 1000)),
    );
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.8);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.2);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(0.3);
  });
});

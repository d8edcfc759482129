import { expect, test } from "bun:test";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { movableClock } from "../../tests/clock.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { createGracefulStop } from "./start-and-stop.ts";

/** Runs in another thread: sends a request, and another one over the same connection while this thread is blocked. */
const ASK_TWICE = `
  const { parentPort, workerData: { port, sent } } = require("node:worker_threads");
  const ask = (written) => socket.write("GET / HTTP/1.1\\r\\nhost: a.example\\r\\n\\r\\n", written);
  const socket = require("node:net").connect(port, "127.0.0.1", () => ask());
  socket.once("data", () => {
    let reply = "";
    socket.on("data", (data) => (reply += data));
    socket.on("close", () => parentPort.postMessage(reply));
    parentPort.postMessage("answered");
  });
  parentPort.once("message", () =>
    ask(() => {
      Atomics.store(sent, 0, 1);
      Atomics.notify(sent, 0);
    }),
  );
`;

test("a request that arrives while a stopping server is blocked gets its reply", async () => {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const graceful = createGracefulStop(async ({ url }) => {
    if (url.endsWith("/slow")) {
      client.postMessage("ask again");
      Atomics.wait(sent, 0, 0);
    }
    return new Response("whole");
  }, systemClock);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: graceful.front });
  const workerData = { port: server.port, sent };
  const client = new Worker(ASK_TWICE, { eval: true, workerData });
  expect(await once(client, "message")).toEqual(["answered"]);

  const replied = once(client, "message");
  const slow = fetch(new URL("/slow", server.url));
  await graceful.stop(() => server.stop());

  expect(await (await slow).text()).toBe("whole");
  const [reply] = await replied;
  expect(reply).toMatch(/^HTTP\/1.1 200 /);
  expect(reply).toMatch(/^connection: close\r$/im);
  await client.terminate();
});

test("replies are held back until the listener is closed, and then end their connections", async () => {
  const order: string[] = [];
  const clock = movableClock(0, { autoMove: true });
  const graceful = createGracefulStop(async () => new Response("whole"), clock);
  const ask = () => graceful.front(new Request("http://a.example/"));
  expect((await ask()).headers.get("connection")).toBeNull();

  const stopped = graceful.stop(async () => {
    order.push("the listener is closed");
  });
  const reply = await ask();
  order.push("replied");
  await stopped;

  expect(order).toEqual(["the listener is closed", "replied"]);
  expect(reply.headers.get("connection")).toBe("close");
});

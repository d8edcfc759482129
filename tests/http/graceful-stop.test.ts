import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGracefulStop } from "../../server/http/start-and-stop.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { movableClock } from "../clock.ts";
import { until } from "../until.ts";

/** Longer than a stopping server waits for requests that keep coming. */
const HELD_UP_MS = 1100;

/** Runs in another process: sends a request, and another one over the same connection while this process is blocked. */
const askTwice = (url: URL, folder: string) => `
  const { existsSync, writeFileSync } = require("node:fs");
  const ask = () => socket.write("GET / HTTP/1.1\\r\\nhost: a.example\\r\\n\\r\\n");
  const socket = require("node:net").connect(${url.port}, "${url.hostname}", ask);
  socket.once("data", () => {
    writeFileSync("${folder}/answered", "");
    const looking = setInterval(() => {
      if (!existsSync("${folder}/held-up")) return;
      clearInterval(looking);
      socket.on("data", (data) => process.stdout.write(data));
      ask();
      writeFileSync("${folder}/asked", "");
    }, 5);
  });
  socket.on("error", () => {});
`;

test("a request that arrives while a stopping server is blocked gets its reply", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stillup-stop-"));
  const isThere = (note: string) => existsSync(join(folder, note));
  const graceful = createGracefulStop(async ({ url }) => {
    if (url.endsWith("/slow")) {
      writeFileSync(join(folder, "held-up"), "");
      holdUp(() => isThere("asked"));
    }
    return new Response("whole");
  }, systemClock);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: graceful.front });
  const client = Bun.spawn([process.execPath, "-e", askTwice(server.url, folder)]);
  await until(() => isThere("answered"));

  const slow = fetch(new URL("/slow", server.url));
  await graceful.stop(() => server.stop());

  expect(await (await slow).text()).toBe("whole");
  const reply = await new Response(client.stdout).text();
  expect(reply).toMatch(/^HTTP\/1.1 200 /);
  expect(reply).toMatch(/^connection: close\r$/im);
  rmSync(folder, { recursive: true });
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

/** Lets nothing else happen in this process for so long, and until it is so. */
function holdUp(isSo: () => boolean) {
  for (const end = performance.now() + HELD_UP_MS; performance.now() < end || !isSo(); ) {
    Bun.sleepSync(5);
  }
}

import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFarewell } from "../../server/http/other-fronts.ts";
import { systemClock } from "../../server/lib/clock.ts";

/** Longer than a server that takes its leave waits for requests that keep coming. */
const HELD_UP_MS = 1100;

/** In another process asks once, and over the same connection again while this one is held up. */
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

test("Whoever asks while a server that takes its leave is held up is answered", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stillup-farewell-"));
  const isThere = (note: string) => existsSync(join(folder, note));
  const farewell = createFarewell(async ({ url }) => {
    if (url.endsWith("/slow")) {
      writeFileSync(join(folder, "held-up"), "");
      holdUp(() => isThere("asked"));
    }
    return new Response("whole");
  }, systemClock);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: farewell.front });
  const client = Bun.spawn([process.execPath, "-e", askTwice(server.url, folder)]);
  while (!isThere("answered")) await Bun.sleep(5);

  const slow = fetch(new URL("/slow", server.url));
  await farewell.takeLeave(() => server.stop());

  expect(await (await slow).text()).toBe("whole");
  const reply = await new Response(client.stdout).text();
  expect(reply).toMatch(/^HTTP\/1.1 200 /);
  expect(reply).toMatch(/^connection: close\r$/im);
  rmSync(folder, { recursive: true });
});

/** Lets nothing else happen in this process for so long, and until it is so. */
function holdUp(isSo: () => boolean) {
  for (const end = performance.now() + HELD_UP_MS; performance.now() < end || !isSo(); ) {
    Bun.sleepSync(5);
  }
}

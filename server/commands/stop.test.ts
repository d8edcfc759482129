import { expect, test } from "bun:test";
import { seed } from "../../bench/seed.ts";
import { createProgram } from "../../tests/commands/program.ts";
import { listeningUrl } from "../../tests/listening.ts";

/** More than a connection holds on its way. */
const LINKS = 10_000;
const urlOf = (n: number) => `https://example.org/${n}/${"x".repeat(1900)}`;

/** Asks, and reads no more once the reply has begun. */
async function askAndStall(url: URL, request: string): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      data(self) {
        self.pause();
        begun.resolve();
      },
    },
  });
  socket.write(`${request}\r\n`);
  await begun.promise;
}

test("ends although a client neither reads a file to its end nor disconnects", async () => {
  const { start, dataDir } = createProgram({ STILLUP_PORT: "0", STILLUP_HOST: "127.0.0.1" });
  const { key } = await seed({ STILLUP_DATA_DIR: dataDir }, { links: LINKS, urlOf });
  const server = start(["serve"]);
  const url = new URL(await listeningUrl(server.stdout));
  const head = `host: ${url.host}\r\nauthorization: Bearer ${key}\r\n`;
  await askAndStall(url, `GET /api/v1/links/export HTTP/1.1\r\n${head}`);

  server.kill("SIGTERM");

  expect(await server.exited).toBe(0);
  expect(await new Response(server.stderr).text()).not.toContain("ERR");
});

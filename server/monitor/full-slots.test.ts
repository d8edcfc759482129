import { expect, onTestFinished, test } from "bun:test";
import { createProgram } from "../../tests/commands/program.ts";
import { listeningUrl } from "../../tests/listening.ts";
import { startReceiver } from "../../tests/receiver.ts";
import { startRawSite } from "../../tests/site.ts";
import { createWatch } from "../../tests/waits.ts";

/** More than the runtime allows at once by default. */
const PLACES = 300;
const PASSWORD = "correct horse battery staple";

const program = createProgram({
  STILLUP_PORT: "0",
  STILLUP_CHECK_CONCURRENCY: String(PLACES),
  STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_WEBHOOK_ALLOWED_HOSTS: "external,loopback",
});

/** A key of a new user, from the command line. */
async function newKey(): Promise<string> {
  const email = ["--email", "me@example.org"];
  await program.run(["user", "create", ...email, "--password-file", "-"], {}, PASSWORD);
  return (await program.run(["key", "create", ...email, "--name", "test"])).out.trim();
}

test.if(process.platform !== "win32")(
  "A delivery goes out while every check waits for an answer that does not come",
  async () => {
    let givenUp = 0;
    const watch = createWatch();
    const silent = await startRawSite(
      (socket) => {
        watch.changed();
        socket.on("close", () => {
          givenUp += 1;
        });
      },
      { host: "0.0.0.0" },
    );
    const receiver = startReceiver();
    const key = await newKey();
    const server = program.start(["serve"]);
    onTestFinished(async () => {
      server.kill("SIGKILL");
      await Promise.all([server.exited, silent.stop()]);
    });
    const url = await listeningUrl(server.stdout);
    const post = (path: string, body: object) =>
      fetch(`${url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const links = Array.from({ length: PLACES }, (_, i) => ({
      url: `http://127.1.${i >> 8}.${i & 255}:${silent.port}/`,
    }));
    await post("/links/batch", { links });
    await watch.when(
      () => silent.connections >= PLACES,
      () => `${PLACES} connections; seen: ${silent.connections}`,
    );

    await post("/webhooks", { url: receiver.url, events: ["link.created"] });
    await post("/links", { url: "https://example.org/" });
    await receiver.seen(1);

    expect(receiver.requests).toHaveLength(1);
    expect(givenUp).toBe(0);
  },
);

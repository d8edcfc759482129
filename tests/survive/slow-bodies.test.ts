import { expect, test } from "bun:test";
import { connect } from "node:net";
import { createProgram } from "../commands/program.ts";
import { listeningUrl } from "../listening.ts";
import { IS_LONG } from "../long.ts";

const SLOW = 200;

/** The program has no setting for it, and a minute has to pass. */
test.if(IS_LONG)(
  "Clients whose bodies never end are cut off, and hinder no other meanwhile",
  async () => {
    const { start } = createProgram({ STILLUP_PORT: "0" });
    const child = start(["serve"]);
    const url = new URL(await listeningUrl(child.stdout));
    const sockets = Array.from({ length: SLOW }, () => connect(Number(url.port), url.hostname));
    const ended = sockets.map((socket) => new Promise((resolve) => socket.on("close", resolve)));
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.write(
        `POST /dashboard/api/session HTTP/1.1\r\nhost: ${url.host}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n{`,
      );
    }
    const dripping = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write(" ");
    }, 1000);

    for (let n = 0; n < 20; n++) expect((await fetch(`${url}health`)).status).toBe(200);
    await Promise.all(ended);

    clearInterval(dripping);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  },
  180_000,
);

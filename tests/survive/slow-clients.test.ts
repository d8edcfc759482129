import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { createProgram } from "../commands/program.ts";
import { sendRaw } from "../http/raw.ts";
import { sized } from "../long.ts";

const SLOW = sized(50, 300);

test("clients whose heads never end are cut off, and hinder no one meanwhile", async () => {
  const { begin } = createProgram({ STILLUP_PORT: "0" });
  const { output, stop } = begin(["serve"]);
  const url = new URL(await output.url());
  const sockets = Array.from({ length: SLOW }, () => connect(Number(url.port), url.hostname));
  const ended = sockets.map((socket) => new Promise((resolve) => socket.on("close", resolve)));
  for (const socket of sockets) {
    socket.on("error", () => {});
    socket.write(`GET /health HTTP/1.1\r\nhost: ${url.host}\r\nx-slow: `);
  }
  const dripping = setInterval(() => sockets.forEach(drip), 1000);

  for (let n = 0; n < 20; n++) expect((await fetch(`${url}health`)).status).toBe(200);
  await Promise.all(ended);

  clearInterval(dripping);
  expect(await stop()).toBe(0);
});

const drip = (socket: Socket) => {
  if (socket.writable) socket.write("x");
};

test("Heads and bodies beyond every measure are refused, and the server goes on", async () => {
  const { begin } = createProgram({ STILLUP_PORT: "0" });
  const { output, stop } = begin(["serve"]);
  const url = await output.url();
  const lines = (...more: string[]) =>
    `${["GET /health HTTP/1.1", "Host: a.example", "Connection: close", ...more].join("\r\n")}\r\n\r\n`;
  const statusOf = async (text: string) => (await sendRaw(url, text)).status;

  expect([400, 431]).toContain(await statusOf(lines(`X-Long: ${"x".repeat(64 * 1024)}`)));
  const many = Array.from({ length: 500 }, (_, n) => `X-${n}: x`);
  expect([400, 431]).toContain(await statusOf(lines(...many)));
  const both = ["Content-Length: 3", "Transfer-Encoding: chunked"];
  expect(await statusOf(lines(...both))).toBe(400);
  for (const method of ["TRACE", "CONNECT"]) {
    const { status } = await sendRaw(
      url,
      lines().replace("GET /health", `${method} /api/v1/links`),
    );
    expect([method, status >= 400 && status < 500]).toEqual([method, true]);
  }
  expect(await statusOf(lines().replace("/health", "http://elsewhere.example/health"))).toBe(200);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(await stop()).toBe(0);
});

import { afterAll, beforeAll, expect } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startFullServer } from "../../tests/checker/full-server.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { freePort } from "../../tests/free-port.ts";
import { type Asker, type Parsed, startServer, type TestServer } from "../../tests/harness.ts";
import { type NameSays, type PlayedNameServer, startNameServer } from "../../tests/name-server.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import {
  type Certificate,
  greets,
  type Routes,
  replies,
  repliesAndHolds,
  resets,
  type Says,
  startRawSite,
  startSite,
  staysSilent,
  TEST_CA,
} from "../../tests/site.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";

/**
 * Each row is a link that goes the whole way: made over the API, checked by the program with its own
 * resolver, certificates and sentinels, and read over the API.
 */
type Row = {
  what: string;
  /** Of the host, below `.test`. Each has its own, so that no link waits for the politeness to another one's site. */
  name: string;
  scheme?: "https";
  path?: string;
  /** Where both name servers, or each of them, say that the host is; else it is here. */
  dns?: NameSays;
  second?: NameSays;
  /** A port without a server, or with one that is full. */
  free?: true;
  full?: true;
  /** A server below HTTP. */
  raw?: Raw;
  certificate?: Certificate;
  /** A site, and what it says at other addresses. */
  routes?: Record<string, Said>;
  otherwise?: Said;
  seen: string;
  more?: object;
};

type Said = number | string | { to: string } | { status: number; headers: Record<string, string> };
type Raw = "silent" | "resets" | Partial<Record<keyof typeof RAW, string>>;

const ROWS = Object.values(
  yamlIn<Record<string, Row[]>>(import.meta.dir, "whole-checks.yaml"),
).flat();

const HERE: NameSays = { A: ["127.0.0.1"] };
const HTML = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

const TEXTS: Record<string, string> = {
  html: HTML,
  story: `<title>A story</title><h1>A story</h1><article>${"Some words of it. ".repeat(200)}</article>`,
  missing: "<title>Page not found</title><h1>Page not found</h1><p>Nothing is here.</p>",
  parked: `<html data-adblockkey="MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANDrp2lz7AOmADaN8tA50LsWcjLFyQFcb/P2Txc58oYOeILb3vBw7J6f4pamkAQVSQuqYsKx3YzdUHCvbVZvFUsCAwEAAQ"><title>parked.test</title><p>This domain is for sale!</p>`,
  "300 headers": "X-Header: 1\r\n".repeat(300),
  "70000 a": "a".repeat(70_000),
  "200 words": "<p>word</p>".repeat(200),
  "200 comments": "<!-- -->".repeat(200),
  bomb: gzipSync(Buffer.alloc(100_000_000)).toString("latin1"),
};

/** As bytes, since a part may be packed. */
const filled = (text: string): Buffer =>
  Buffer.from(
    text.replace(/\{([\w ]+)\}/g, (_, name: string) => TEXTS[name]!),
    "latin1",
  );

/** Goes on for a moment, as the rest of a page would, and then does not. */
const breaksOff = (text: Buffer) => (socket: Socket) => {
  const end = async () => {
    // The checker is in this process, and has read the text after a turn of its event loop.
    for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
    socket.destroy();
  };
  socket.once("data", () => socket.write(text, () => void end()));
};

/** Replies so at the root, and that nothing is there elsewhere. */
const repliesAtRoot = (text: Buffer) => (socket: Socket) => {
  const missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
  socket.once("data", (asked) => socket.end(String(asked).startsWith("GET / ") ? text : missing));
};

const RAW = {
  replies,
  greets: (text: Buffer) => greets(String(text)),
  holds: repliesAndHolds,
  breaks_off: breaksOff,
  root_replies: repliesAtRoot,
};

const stops: (() => unknown)[] = [];
const names: Record<string, NameSays> = {};
const second: Record<string, NameSays> = {};
const found = new Map<string, Parsed>();
let server: TestServer;

/** Starts what the row describes. */
async function urlOf(row: Row): Promise<string> {
  const host = `${row.name}.test`;
  names[host] = row.dns ?? HERE;
  second[host] = row.second ?? names[host];
  if (row.dns) return `http://${host}/page`;
  const scheme = row.scheme ?? (row.certificate ? "https" : "http");
  return `${scheme}://${host}:${await portOf(row)}${row.path ?? ""}`;
}

async function portOf({ free, full, raw, certificate, routes = {}, otherwise = 404 }: Row) {
  if (free) return freePort();
  const site = full
    ? await startFullServer()
    : raw
      ? await startRawSite(rawOf(raw), certificate ? { certificate } : {})
      : startSite(routesOf(routes), { otherwise: saysOf(otherwise) });
  stops.push(site.stop);
  return site.port;
}

function rawOf(raw: Raw): (socket: Socket) => void {
  if (raw === "silent") return staysSilent;
  if (raw === "resets") return resets;
  const [[how, text]] = Object.entries(raw) as [[keyof typeof RAW, string]];
  return RAW[how](filled(text));
}

const routesOf = (routes: Record<string, Said>): Routes =>
  Object.fromEntries(Object.entries(routes).map(([path, said]) => [path, saysOf(said)]));

function saysOf(said: Said): Says {
  if (typeof said === "number") return said;
  if (typeof said === "string") return String(filled(said));
  const { status, headers } = "to" in said ? { status: 302, headers: { Location: said.to } } : said;
  return () =>
    new Response("A page.", { status, headers: { "Content-Type": "text/html", ...headers } });
}

async function nameServers(): Promise<PlayedNameServer[]> {
  const servers = await Promise.all([names, second].map((known) => startNameServer(known)));
  stops.push(...servers.map(({ stop }) => stop));
  return servers;
}

/** Three servers nearby stand for the internet. */
async function sentinels(): Promise<string> {
  const sites = await Promise.all([1, 2, 3].map(() => startRawSite(staysSilent)));
  stops.push(...sites.map(({ stop }) => stop));
  return sites.map(({ port }) => `127.0.0.1:${port}`).join();
}

async function makeAndCheck(me: Asker): Promise<void> {
  const links = await Promise.all(ROWS.map(async (row) => ({ url: await urlOf(row) })));
  const { body } = await me.post("/api/v1/links/batch", { links });
  // One after the other, since each moves the clock on which the others' time runs out.
  while ((await checkDueLinks({ ...server.deps, check: server.check })) > 0);
  for (const [index, { link }] of body.data.results.entries()) {
    found.set(ROWS[index]!.what, (await me.get(`/api/v1/links/${link.id}`)).body.data);
  }
}

beforeAll(async () => {
  const ca = join(tmpdir(), `stillup-test-ca-${process.pid}.pem`);
  writeFileSync(ca, TEST_CA);
  server = await startServer("sqlite", {
    STILLUP_DNS_SERVERS: (await nameServers()).map(({ address }) => address).join(),
    STILLUP_EXTRA_CA_FILE: ca,
    STILLUP_SENTINELS: await sentinels(),
    STILLUP_CHECK_TIMEOUT_MS: "1500",
    STILLUP_CHECK_CONCURRENCY: "1",
  });
  await makeAndCheck(await server.account());
  rmSync(ca);
});

afterAll(async () => {
  await server.stop();
  await Promise.all(stops.map((stop) => stop()));
});

/** What stands between slashes in a list is a regular expression. */
const wanted = (more: unknown) =>
  JSON.parse(JSON.stringify(more), (_, value) => {
    const [, pattern] = (typeof value === "string" && /^\/(.*)\/$/.exec(value)) || [];
    return pattern === undefined ? value : expect.stringMatching(new RegExp(pattern));
  });

eachRow(ROWS)("A link comes the whole way to its verdict", ({ what, seen, more = {} }) => {
  const link = found.get(what);
  const { status, reason, message } = link.last_check;

  expect(`${status} ${reason}`).toBe(seen);
  expect(message).toMatch(/^[A-Z].*\.$/);
  expect(link).toMatchObject(wanted(more));
});

import type { Socket } from "node:net";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readConfig } from "../server/ground/config/config.ts";
import { systemClock } from "../server/ground/lib/clock.ts";
import { createPageReader } from "../server/judge/page/page.ts";
import { newSigningSecret } from "../server/notify/secrets.ts";
import { sendMessage } from "../server/notify/send.ts";
import type { Deps } from "../server/work/deps.ts";
import { labOutbound } from "../tests/outbound/lab.ts";
import { startRawSite } from "../tests/site.ts";
import { startProgram } from "./program.ts";

/**
 * By how many megabytes resident memory grew while bodies were read, and by how many it may; null where
 * that is not ours to decide.
 */
export type Growth = { what: string; grownMb: number; mostMb: number | null };

type Case = {
  what: string;
  /** Whether it is read as a page is, or as the answer to a delivery. */
  as: "page" | "answer";
  path: string;
  /** How many at once. */
  requests: number;
  mostMb: number | null;
};

const MIB = 1024 * 1024;
const PAGE_BYTES = MIB;
const ENDLESS_BYTES = 10 * 1024 * MIB;
const BOMB_BYTES = 500 * MIB;
const WARM_UPS = ["/page", "/gzip-page", "/brotli-page"];
const WARM_UP_ROUNDS = 5;
const STEADY_STEPS = 64;
const STEADY_STEP_MS = 160;
const DRIP_MS = 20;
/** Long enough for a receiver that drips to send some hundred drops. */
const ANSWER_MS = 4000;

/**
 * `fetch` takes up to 0.7 MB for each response off the network before anyone reads, and another 0.5 MB
 * for moving it about, so that pages sent all at once cost more than pages that come as fast as from a
 * network of 170 Mbit/s.
 */
const CASES: Case[] = [
  { what: "a body of 10 GB", as: "page", path: "/endless", requests: 1, mostMb: 5 },
  { what: "a gzip bomb of 500 MB", as: "page", path: "/gzip-bomb", requests: 1, mostMb: 5 },
  { what: "a brotli bomb of 500 MB", as: "page", path: "/brotli-bomb", requests: 1, mostMb: 5 },
  {
    what: "200 pages of 1 MiB in 10 s",
    as: "page",
    path: "/steady-page",
    requests: 200,
    mostMb: 150,
  },
  { what: "200 pages of 1 MiB at once", as: "page", path: "/page", requests: 200, mostMb: null },
  {
    what: "200 packed pages of 1 MiB at once",
    as: "page",
    path: "/gzip-page",
    requests: 200,
    mostMb: null,
  },
  { what: "4 answers of 10 GB", as: "answer", path: "/endless", requests: 4, mostMb: 20 },
  {
    what: "4 answers that are gzip bombs",
    as: "answer",
    path: "/gzip-bomb",
    requests: 4,
    mostMb: 20,
  },
  {
    what: "4 answers that are brotli bombs",
    as: "answer",
    path: "/brotli-bomb",
    requests: 4,
    mostMb: 20,
  },
  {
    what: "4 answers whose heads drip",
    as: "answer",
    path: "/dripping-head",
    requests: 4,
    mostMb: 20,
  },
  {
    what: "4 answers whose bodies drip",
    as: "answer",
    path: "/dripping-body",
    requests: 4,
    mostMb: 20,
  },
  { what: "64 answers of 10 GB", as: "answer", path: "/endless", requests: 64, mostMb: null },
];

/** Reads hostile and large bodies as checks and deliveries do: each case in a process of its own, the site in another. */
export async function measureBodies(): Promise<Growth[]> {
  const site = await startProgram([process.execPath, import.meta.path, "serve"]);
  const growths: Growth[] = [];
  for (const { what, mostMb } of CASES) {
    const command = [process.execPath, import.meta.path, "measure", site.url, what];
    const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
    const printed = await new Response(child.stdout).text();
    // Not a number, which no limit allows, when the child broke down.
    growths.push({ what, grownMb: Number.parseFloat(printed), mostMb });
  }
  await site.stop();
  return growths;
}

async function serve(): Promise<void> {
  const zeros = Buffer.alloc(BOMB_BYTES);
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  const page = varied(PAGE_BYTES);
  const answers = new Map<string, (socket: Socket) => void>([
    ["/endless", sendEndlessly],
    ["/gzip-bomb", sends(gzipSync(zeros), "gzip")],
    ["/brotli-bomb", sends(brotliCompressSync(zeros, quick), "br")],
    ["/page", sends(page)],
    ["/steady-page", sendsSteadily(page)],
    ["/gzip-page", sends(gzipSync(page), "gzip")],
    ["/brotli-page", sends(brotliCompressSync(page, quick), "br")],
    ["/dripping-head", dripsAfter(HEAD, "X-Drop: drop\r\n")],
    ["/dripping-body", dripsAfter(`${HEAD}\r\n`, "drop")],
  ]);
  const site = await startRawSite((socket) =>
    socket.once("data", (request) => {
      const path = request.toString().split(" ")[1] ?? "";
      answers.get(path)?.(socket);
    }),
  );
  console.log(`listening on ${site.url}`);
}

/** HTML that packs about as well as a real page. */
function varied(length: number): Buffer {
  const rows = Array.from(
    { length: length / 40 },
    (_, i) => `<p>${i * 7919} tells ${i ** 3}</p>\n`,
  );
  return Buffer.from(rows.join("").padEnd(length)).subarray(0, length);
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

const headOf = (body: Uint8Array, coding: string) =>
  `${HEAD}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`;

const sends =
  (body: Uint8Array, coding = "identity") =>
  (socket: Socket) => {
    socket.write(headOf(body, coding));
    socket.end(body);
  };

const sendsSteadily = (body: Uint8Array) => async (socket: Socket) => {
  socket.write(headOf(body, "identity"));
  const step = body.length / STEADY_STEPS;
  for (let at = 0; at < body.length; at += step) {
    socket.write(body.subarray(at, at + step));
    await Bun.sleep(STEADY_STEP_MS);
  }
  socket.end();
};

const dripsAfter = (start: string, drop: string) => (socket: Socket) => {
  socket.write(start);
  const timer = setInterval(() => socket.write(drop), DRIP_MS);
  socket.on("close", () => clearInterval(timer));
};

function sendEndlessly(socket: Socket): void {
  const piece = Buffer.alloc(65_536, "<p>and so on</p>");
  let left = ENDLESS_BYTES;
  const send = () => {
    while (left > 0) {
      left -= piece.length;
      if (!socket.write(piece)) return;
    }
    socket.end();
  };
  socket.on("drain", send);
  socket.write(`${HEAD}\r\n`);
  send();
}

/** Prints by how many megabytes memory grew at most. Code and pools that every check needs come before. */
async function measure(url: string, { as, path, requests }: Case): Promise<void> {
  const read = as === "page" ? pageReader() : answerReader();
  for (let i = 0; i < WARM_UP_ROUNDS; i++) {
    for (const page of WARM_UPS) await read(url + page);
  }
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let most = before;
  const sample = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(sample, 1);
  await Promise.all(Array.from({ length: requests }, () => read(url + path)));
  sample();
  clearInterval(timer);
  console.log(((most - before) / MIB).toFixed(1));
}

/** As a check reads a page. */
function pageReader() {
  const outbound = labOutbound();
  return async (target: string) => {
    const page = createPageReader("text/html");
    const onBody = (piece: Uint8Array) => page.take(piece);
    const usual = { timeoutMs: 30_000, bodyCap: PAGE_BYTES, onBody };
    const exchange = await outbound.request(target, usual);
    await page.end();
    if (exchange.kind === "failed") throw new Error(`${target} failed: ${exchange.reason}`);
  };
}

/** As a delivery reads what its receiver answers. */
function answerReader() {
  const config = readConfig({ STILLUP_WEBHOOK_TIMEOUT_MS: String(ANSWER_MS) });
  const deps = toDeps({ webhookOutbound: labOutbound(), clock: systemClock, config });
  const secrets = [newSigningSecret()];
  const headers = { "content-type": "application/json" };
  const message = { id: "msg_bench", body: "{}", headers, secrets };
  return async (url: string) => {
    const outcome = await sendMessage(deps, { url, ...message });
    const isAnswered =
      (outcome !== "aborted" && outcome.kind === "answered") || url.endsWith("/dripping-head");
    if (!isAnswered) throw new Error(`${url} gave no answer`);
  };
}

/** Sending takes nothing else of what a verb may need. */
const toDeps = (deps: Pick<Deps, "webhookOutbound" | "clock" | "config">) => deps as Deps;

if (import.meta.main) {
  const [, , mode, url = "", what] = process.argv;
  if (mode === "serve") await serve();
  else if (mode === "measure") await measure(url, CASES.find((one) => one.what === what)!);
  else console.table(await measureBodies());
}

import { heapStats } from "bun:jsc";
import { createPageReader } from "../server/judge/page/page.ts";
import type { Answer } from "../server/judge/probe/probe.ts";
import { judge } from "../server/judge/verdict.ts";

/** Medians of one page: milliseconds and kilobytes of garbage for judging it, and for only parsing it. */
export type Judging = { judgeMs: number; parseMs: number; ratio: number; garbageKb: number };

const PAGE_BYTES = 200_000;
/** As pieces come from a socket. */
const PIECE_BYTES = 16_384;
const WARM_UP = 200;
const ROUNDS = 300;
const GARBAGE_ROUNDS = 8;
const HEADERS = new Headers({ "Content-Type": "text/html; charset=utf-8" });
export const CONTEXT = {
  url: new URL("http://site.test/articles/some-story"),
  now: Date.parse("2030-01-01T00:00:00Z"),
  facts: { profile: { kind: "honest" } },
  serving: null,
  isReregistered: false,
} as const;

/** Judges a usual page of 200 kB, from its bytes to the verdict, in turn with a bare pass of the parser. */
export async function measureJudging(): Promise<Judging> {
  const pieces = piecesOf(usualPage());
  const runs: { judgeMs: number; parseMs: number }[] = [];
  for (let i = 0; i < WARM_UP + ROUNDS; i++) {
    const parseMs = await timed(() => parse(pieces));
    const judgeMs = await timed(() => readAndJudge(pieces));
    if (i >= WARM_UP) runs.push({ judgeMs, parseMs });
  }
  const judgeMs = median(runs.map((run) => run.judgeMs));
  const parseMs = median(runs.map((run) => run.parseMs));
  const ratio = median(runs.map((run) => run.judgeMs / run.parseMs));
  return { judgeMs, parseMs, ratio, garbageKb: await garbageOf(() => readAndJudge(pieces)) };
}

/** Much markup, some scripts and styles, and an article in the middle, as the pages of newspapers. */
function usualPage(): Buffer {
  const head = `<!doctype html><html lang="en"><head><title>A story &amp; more | The Paper</title>
    <meta name="robots" content="index,follow"><meta property="og:type" content="article">
    <link rel="canonical" href="/articles/some-story"><style>${".a{color:red}".repeat(1500)}</style>
    <script>${"window.dataLayer=window.dataLayer||[];\n".repeat(800)}</script></head><body>`;
  const rows: string[] = [];
  for (let length = head.length, i = 0; length < PAGE_BYTES; i++) {
    const row = `<div class="row r${i}" data-id="${i * 7919}"><p>Some words of text number ${i} for the
      <a href="/l/${i}?ref=story" class="link">reader &amp; other</a> people, and what they think of it.</p></div>\n`;
    rows.push(row);
    length += row.length;
  }
  return Buffer.from(`${head}<h1>A story</h1><article>${rows.join("")}`.slice(0, PAGE_BYTES));
}

function piecesOf(bytes: Buffer): Uint8Array[] {
  const count = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * PIECE_BYTES, (i + 1) * PIECE_BYTES),
  );
}

async function readAndJudge(pieces: Uint8Array[]): Promise<void> {
  const reader = createPageReader(HEADERS.get("content-type"));
  for (const piece of pieces) reader.take(piece);
  const finding = judge({ ...CONTEXT, answer: { ...ANSWER, page: await reader.end() } });
  if (!("reason" in finding) || finding.reason !== "ok") throw new Error("The page was misjudged.");
}

export const ANSWER: Answer = {
  kind: "answered",
  hops: [],
  finalUrl: CONTEXT.url.href,
  fragment: "",
  address: "198.51.100.7",
  tlsExpiresAt: null,
  dnsMs: null,
  elapsedMs: 5,
  waitedMs: 0,
  status: 200,
  headers: HEADERS,
  page: null,
  text: null,
  bodyBytes: PAGE_BYTES,
  truncated: false,
  bodyProblem: null,
  responseTimeMs: 5,
};

/** The same parser over the same pieces, looking for nothing. */
async function parse(pieces: Uint8Array[]): Promise<void> {
  const source = new ReadableStream<Uint8Array>({
    start(feed) {
      for (const piece of pieces) feed.enqueue(piece);
      feed.close();
    },
  });
  const nothing = { element() {} };
  const reader = new HTMLRewriter()
    .on("no-such-element", nothing)
    .transform(new Response(source))
    .body!.getReader();
  while (!(await reader.read()).done);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** So few rounds that nothing is collected in between. */
async function garbageOf(work: () => Promise<void>): Promise<number> {
  const used = () => {
    const { heapSize, extraMemorySize } = heapStats();
    return heapSize + extraMemorySize;
  };
  Bun.gc(true);
  const before = used();
  for (let i = 0; i < GARBAGE_ROUNDS; i++) await work();
  return (used() - before) / GARBAGE_ROUNDS / 1000;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

if (import.meta.main) console.table(await measureJudging());

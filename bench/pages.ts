import { crc32, deflateRawSync } from "node:zlib";
import { type Random, randomFrom } from "../tests/random.ts";

export type Page = { body: Buffer<ArrayBuffer>; isGzip: boolean };

/** What follows the distinct start of many pages. */
type Rest = { plain: Buffer; deflated: Buffer };

const RESTS = 300;
/** Real sites compress most pages for clients that accept it. */
const GZIP_PERCENT = 75;
/** Sizes of pages in bytes at shares of all pages, interpolated in between. */
const SIZES: [share: number, bytes: number][] = [
  [0, 2000],
  [0.05, 4000],
  [0.5, 11_000],
  [0.85, 16_000],
  [0.97, 50_000],
  [1, 200_000],
];

const CONSONANTS = "bcdfglmnprstv";
const VOWELS = "aeiou";
const WORDS = Array.from({ length: 2000 }, (_, n) => createWord(randomFrom(n)));

function createWord(random: Random): string {
  const syllables = Array.from({ length: 1 + random(4) }, () => {
    const syllable = CONSONANTS[random(CONSONANTS.length)]! + VOWELS[random(VOWELS.length)];
    return random(3) === 0 ? `${syllable}n` : syllable;
  });
  return syllables.join("");
}

/** The first words are the most frequent, as in a language. */
const wordFrom = (random: Random) => WORDS[random(1 + random(WORDS.length))]!;

const wordsFrom = (random: Random, count: number) =>
  Array.from({ length: count }, () => wordFrom(random)).join(" ");

/**
 * All names below `*.ck` are public suffixes, like `co.uk`. So each name below this one is a site of its own, although
 * one wildcard certificate is valid for all of them.
 */
export const SUFFIX = "bench.ck";

/** Returns the host of the site with that number. */
export const hostOf = (n: number) => `n${n}.${SUFFIX}`;

/** Returns the number of the site in a host. */
export const siteIn = (host: string) => Number(/^n(\d+)\./i.exec(host)?.[1] ?? 0);

/** Returns the address of a site: all of 127.0.0.0/8 is this machine. */
export const addressOf = (n: number) => `127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;

/** Returns the path of the page with that number; similar paths do not exist. */
export function pathOf(n: number): string {
  const random = randomFrom(n);
  return `/news/${wordFrom(random)}-${wordFrom(random)}-${n}`;
}

/** Prepares most of the content, so that serving the pages takes little CPU. */
export function createPages() {
  const rests = Array.from({ length: RESTS }, (_, n) => createRest(n));

  /** Returns the page with that number, of 2 to 200 kB, with a title, head and first paragraph of its own. */
  function pageOf(n: number, acceptsGzip: boolean): Page {
    const random = randomFrom(n);
    const start = Buffer.from(startOf(n, random));
    const rest = rests[random(RESTS)]!;
    return acceptsGzip && random(100) < GZIP_PERCENT
      ? { body: gzipOf(start, rest), isGzip: true }
      : { body: Buffer.concat([start, rest.plain]), isGzip: false };
  }

  /** Returns null if no page has the path. */
  function pageAt(path: string, acceptsGzip: boolean): Page | null {
    const n = Number(/-(\d+)$/.exec(path)?.[1] ?? -1);
    return n >= 0 && pathOf(n) === path ? pageOf(n, acceptsGzip) : null;
  }

  return { pageOf, pageAt };
}

const STYLE = `body{margin:0;font:16px/1.5 Georgia,serif;color:#222}header,nav,main,footer{max-width:44rem;margin:0 auto;padding:1rem}
nav a{margin-right:1rem;color:#0645ad;text-decoration:none}nav a:hover{text-decoration:underline}h1{font-size:2rem;line-height:1.2}
figure{margin:2rem 0}img{max-width:100%;height:auto}@media (max-width:40rem){body{font-size:15px}h1{font-size:1.5rem}}`;
const SCRIPT = `(function(d){var t=d.documentElement;t.className="js";d.addEventListener("click",function(e){var a=e.target.closest("a");
if(a&&a.dataset.track){navigator.sendBeacon("/track",a.href)}})})(document)`;

function startOf(n: number, random: Random): string {
  const title = wordsFrom(random, 4 + random(5));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} ${n}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${wordsFrom(random, 20)}"><meta property="og:title" content="${title}">
<link rel="canonical" href="${pathOf(n)}"><link rel="icon" href="/favicon.ico">
<style>${STYLE}</style><script>${SCRIPT}</script></head>
<body><header><nav><a href="/">${wordFrom(random)}</a><a href="${pathOf(n + 1)}">${wordFrom(random)}</a></nav></header>
<main><article><h1>${title}</h1><p>${wordsFrom(random, 40)}</p>
`;
}

function createRest(n: number): Rest {
  const random = randomFrom(-1 - n);
  const bytes = sizeAt((n + 0.5) / RESTS);
  const end = endOf(random, Math.min(10, Math.floor(bytes / 1000) - 2));
  const size = bytes - startOf(n, random).length - end.length;
  const parts = [];
  for (let length = 0; length < size; length += parts.at(-1)!.length) {
    parts.push(paragraph(random, size - length));
  }
  const plain = Buffer.from([...parts, end].join(""));
  return { plain, deflated: deflateRawSync(plain) };
}

function endOf(random: Random, cardCount: number): string {
  const cards = Array.from(
    { length: cardCount },
    () =>
      `<li class="card card--small"><img class="card__image" src="/images/${random(1e6)}-160x90.jpg" alt="" width="160" height="90" loading="lazy">${linkFrom(random)}</li>`,
  );
  return `</article><aside class="related"><ul>
${cards.join("\n")}
</ul></aside></main><footer><p>© 2026 ${wordsFrom(random, 3)}</p></footer></body></html>
`;
}

const linkFrom = (random: Random) =>
  `<a class="link" href="${pathOf(random(1_000_000))}" data-track="1">${wordsFrom(random, 4)}</a>`;

/** Every few paragraphs have a heading and a picture. */
function paragraph(random: Random, mostBytes: number): string {
  const words = Math.min(30 + random(60), Math.ceil(mostBytes / 6));
  const text = `<p class="text">${wordsFrom(random, words)} ${linkFrom(random)} ${wordsFrom(random, 10)}.</p>\n`;
  if (random(3) > 0) return text;
  const image = `<img src="/images/${random(1e6)}.jpg" alt="${wordsFrom(random, 4)}" width="800" height="450" loading="lazy">`;
  return `<h2>${wordsFrom(random, 4)}</h2>\n${text}<figure>${image}</figure>\n`;
}

function sizeAt(share: number): number {
  const upper = SIZES.findIndex(([at]) => at >= share);
  const [[from, least], [until, most]] = [SIZES[upper - 1]!, SIZES[upper]!];
  return least * (most / least) ** ((share - from) / (until - from));
}

const GZIP_HEAD = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

/** One gzip member (RFC 1952): a stored block with the start, and the prepared blocks (RFC 1951 §3.2.4). */
function gzipOf(start: Buffer, { plain, deflated }: Rest): Buffer<ArrayBuffer> {
  const stored = Buffer.alloc(5);
  stored.writeUInt16LE(start.length, 1);
  stored.writeUInt16LE(~start.length & 0xffff, 3);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(plain, crc32(start)), 0);
  tail.writeUInt32LE(start.length + plain.length, 4);
  return Buffer.concat([Buffer.from(GZIP_HEAD), stored, start, deflated, tail]);
}

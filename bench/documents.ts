import { rmSync, writeFileSync } from "node:fs";
import { DOCUMENT_FORMATS, type DocumentFormat } from "../server/read/documents/formats.ts";
import { randomFrom } from "../tests/random.ts";
import { command, newFolder, newHome, peakMb, serve } from "./program.ts";
import { seed } from "./seed.ts";
import { medianBy, type Note } from "./table.ts";

const FILES = 1000;
const BYTES = 10_000;
const PARTS = 5;
/** Of 4 links in a part, 3 lead to other sites. */
const REMOTE = FILES * PARTS * 3;
const ROUNDS = 3;

/** Trees of documents: read, checked with a server that knows all of their links, and by format. */
export async function documents(note: Note): Promise<void> {
  const small = writeTree(FILES, BYTES);
  const offline = await medianOf(() => check(["--offline", "--root", small, small]));
  note("1,000 Markdown files of 10 kB with 20,000 links, offline, s", offline.seconds, SECONDS(2));
  note("memory meanwhile, MB", offline.mb, { most: 200 });

  const home = await newHome();
  const { key } = await seed(home, { links: Math.ceil((REMOTE * 20) / 19) + 40, urlOf: knownUrl });
  const server = await serve(home);
  const asking = ["--server", server.url, "--root", small, small];
  const known = await medianOf(() => check(asking, { STILLUP_API_KEY: key }));
  await server.stop();
  note("the same, and a server knows all links, s", known.seconds, SECONDS(3));
  note("memory meanwhile, MB", known.mb, { most: 200 });

  const large = writeTree(5 * FILES, 8000);
  const much = await check(["--offline", "--root", large, large]);
  note("5,000 files of 8 kB with 100,000 links, offline, s", much.seconds, SECONDS(20));
  note("memory meanwhile, MB", much.mb, { most: 300 });

  const replacing = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: suggest });
  const fixing = ["fix", "--server", `http://127.0.0.1:${replacing.port}`, large];
  const fixed = await run(fixing, { STILLUP_API_KEY: "su_0123456789" }, 1);
  await replacing.stop(true);
  note("the same, of which fix changes 300 links, s", fixed.seconds, SECONDS(25));
  note("memory meanwhile, MB", fixed.mb, { most: 300 });

  const start = await medianOf(() =>
    check(["--offline", "--root", small, ...THREE.map((name) => `${small}/${name}`)]),
  );
  note("three files, from the start to the end, ms", start.seconds * 1000, { most: 150 });

  for (const folder of [small, large]) rmSync(folder, { recursive: true });

  for (const [format, { least, part }] of Object.entries(SPEEDS)) {
    note(`${format} read a second, MB`, await speedOf(format as DocumentFormat, part), {
      least,
      digits: 1,
    });
  }
}

/** As a server that watches all links, of which people replaced each 250th. */
async function suggest(request: Request): Promise<Response> {
  const { urls } = (await request.json()) as { urls: string[] };
  const results = urls.map((url) => ({
    url,
    status: "active",
    accepted_url: Number(url.slice(url.lastIndexOf("/") + 1)) % 250 === 0 ? `${url}/new` : null,
  }));
  return Response.json({ data: { results } });
}

const SAMPLE_MS = 10;
const SECONDS = (most: number) => ({ most, digits: 1 });
const THREE = ["page-0.md", "page-1.md", "page-2.md"];

/** A tree of documents that link to each other and to other sites. */
function writeTree(files: number, bytes: number): string {
  const folder = newFolder();
  for (let file = 0; file < files; file++) {
    writeFileSync(`${folder}/page-${file}.md`, pageOf(file, files, bytes));
  }
  return folder;
}

const hostOf = (n: number) => `https://site-${n % 500}.bench.test`;
const urlOf = (n: number) => `${hostOf(n)}/page/${n}`;

/** Of what is seeded, one in twenty is dead, and the seventh is unknown. */
const knownUrl = (n: number) =>
  n < 20 || n % 20 === 0 ? `${hostOf(n)}/not-used/${n}` : urlOf(n - 20 - Math.ceil((n - 20) / 20));

function pageOf(file: number, files: number, bytes: number): string {
  const prose = writer(file);
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const n = (file * PARTS + part) * 3;
    const other = (file + part + 1) % files;
    return [
      `## Part ${part} of page ${file}`,
      `${prose(60)} See [the page](${urlOf(n)}) for more.`,
      `- ${prose(14)} [Next](page-${other}.md#part-${part}-of-page-${other})\n- ${prose(20)} See ${urlOf(n + 1)}\n- [ ] ${prose(10)}`,
      `\`\`\`ts\n${prose(40)}\n\`\`\``,
      `${prose(70)} It is in [the manual][m${part}] too.`,
      `[m${part}]: ${urlOf(n + 2)}`,
    ].join("\n\n");
  });
  const page = `# Page ${file}\n\n${parts.join("\n\n")}\n\n| name | value |\n|---|---|\n| one | \`two\` |\n\n`;
  return page + filler(prose, bytes - page.length);
}

const WORDS =
  "the service reads its settings from a file and each of them has a name with value it starts when is read stops an error where not one those that are allowed people who use this program can change what they see on page".split(
    " ",
  );

/** Prose with some code and emphasis in it, on lines as people write them. */
function writer(start: number): (words: number) => string {
  const roll = randomFrom(start);
  const word = () => {
    const plain = WORDS[roll(WORDS.length)]!;
    return [`\`${plain}\``, `*${plain}*`, `${plain},`][roll(30)] ?? plain;
  };
  return (words) => {
    const lines = Array.from({ length: Math.ceil(words / 13) }, (_, i) =>
      Array.from({ length: Math.min(13, words - i * 13) }, word).join(" "),
    );
    return `${lines.join("\n")}.`;
  };
}

function filler(prose: (words: number) => string, length: number): string {
  let text = "";
  while (text.length < length) text += `${prose(40)}\n\n`;
  return text;
}

type Run = { seconds: number; mb: number };

const check = (args: string[], env: Record<string, string> = {}) => run(["check", ...args], env, 0);

/** Runs a command in a process of its own, which must end with the code. */
async function run(args: string[], env: Record<string, string>, wanted: number): Promise<Run> {
  const startedAt = performance.now();
  const child = Bun.spawn([...command, ...args], {
    env: { PATH: process.env.PATH!, STILLUP_DATA_DIR: newFolder(), ...env },
    stdout: "ignore",
    stderr: "inherit",
  });
  let mb = 0;
  // The system keeps the peak, but for the process that started it as well.
  const timer = setInterval(() => {
    mb = Math.max(mb, peakMb(child.pid));
  }, SAMPLE_MS);
  const code = await child.exited;
  clearInterval(timer);
  if (code !== wanted) throw new Error(`The command ended with ${code}.`);
  return { seconds: (performance.now() - startedAt) / 1000, mb };
}

async function medianOf(measure: () => Promise<Run>): Promise<Run> {
  const runs: Run[] = [];
  for (let i = 0; i < ROUNDS; i++) runs.push(await measure());
  return medianBy(runs, ({ seconds }) => seconds);
}

/** What documents of a format consist of, again and again. */
const SPEEDS: Partial<Record<DocumentFormat, { least: number; part: (n: number) => string }>> = {
  markdown: { least: 2, part: (n) => pageOf(n, FILES, BYTES) },
  html: {
    least: 10,
    part: (n) =>
      `<h2 id="part-${n}">Part ${n}</h2>\n<p class="text">${writer(n)(60)} See <a class="out" href="${urlOf(n)}">the page</a>, or <img src="/a-${n}.png" alt="A &amp; b">.</p>\n`,
  },
  rst: {
    least: 5,
    part: (n) =>
      `Part ${n}\n${"=".repeat(20)}\n\n${writer(n)(60)} See \`the page <${urlOf(n)}>\`_ for more.\n\n* ${writer(n)(20)}\n* ${urlOf(n)}\n\n.. code-block:: ts\n\n   read();\n\n`,
  },
  asciidoc: {
    least: 5,
    part: (n) =>
      `== Part ${n}\n\n${writer(n)(60)} See ${urlOf(n)}[the page] for more.\n\n* ${writer(n)(20)}\n* ${urlOf(n)}\n\n----\nread();\n----\n\n`,
  },
  text: { least: 5, part: (n) => `${writer(n)(60)} See ${urlOf(n)} for more.\n\n` },
};

const READ_BYTES = 10_000_000;

/** Megabytes a second of documents of the usual length, once the reader is warm. */
async function speedOf(format: DocumentFormat, part: (n: number) => string): Promise<number> {
  const read = await DOCUMENT_FORMATS[format].load();
  const texts: string[] = [];
  for (let length = 0, n = 0; length < READ_BYTES; length += texts.at(-1)!.length) {
    let text = "";
    while (text.length < BYTES) text += part(n++ % FILES);
    texts.push(text);
  }
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const startedAt = performance.now();
    for (const text of texts) read(text, { name: "a" });
    times.push(performance.now() - startedAt);
  }
  return bytes / 1000 / medianBy(times, (ms) => ms);
}

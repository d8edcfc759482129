import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { serviceIdOf } from "../server/judge/services/catalogue.ts";
import { catalogueWith } from "../server/judge/services/records/built-in.ts";

const URLS = 1_000_000;
const STARTS = 15;
const SOURCE = new URL("../server/judge/services/records/built-in.ts", import.meta.url).pathname;

/** How long it takes to file a million addresses under their services, and to read them as URLs. */
export async function measureFiling(): Promise<Filing> {
  const run = Bun.spawn([process.execPath, import.meta.path]);
  return JSON.parse(await new Response(run.stdout).text());
}

type Filing = { classifyMs: number; parseMs: number };

/** In a process of its own, since whatever else was measured leaves a full heap. */
if (import.meta.main) console.log(JSON.stringify(fileAll()));

function fileAll(): Filing {
  const catalogue = catalogueWith([]);
  const hosts = [...catalogue.index().owners.keys()].filter((place) => !place.includes("/"));
  const addresses = Array.from({ length: URLS }, (_, i) => addressOf(i, hosts));
  const urls = addresses.map((address) => new URL(address));
  const classifyMs = took(() => {
    for (const url of urls) serviceIdOf(catalogue, url);
  });
  const parseMs = took(() => {
    for (const address of addresses) new URL(address);
  });
  return { classifyMs, parseMs };
}

/** Half of them belong to someone, at any depth below the name. */
function addressOf(i: number, hosts: string[]): string {
  const host = i % 2 === 0 ? hosts[(i / 2) % hosts.length]! : `site-${i % 50_000}.example.co.uk`;
  const below = ["", "www.", "a.b."][i % 3]!;
  return `https://${below}${host}/watch/${i}?v=${i}`;
}

function took(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

const WITHOUT = "console.log(performance.now());";
const WITH = `
  import { catalogueWith } from ${JSON.stringify(SOURCE)};
  if (catalogueWith([]).services.length > 0) ${WITHOUT}
`;

/** Milliseconds that the catalogue adds to a start: two executables, of which one does nothing else. */
export async function measureCatalogue(): Promise<number> {
  const [bare, full] = await Promise.all([compiled("bare", WITHOUT), compiled("full", WITH)]);
  const times = { bare: [] as number[], full: [] as number[] };
  for (let i = 0; i < STARTS; i++) {
    times.bare.push(await startOf(bare));
    times.full.push(await startOf(full));
  }
  return median(times.full) - median(times.bare);
}

/** An executable made as that of the program is. */
async function compiled(name: string, source: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "stillup-bench-"));
  await Bun.write(join(folder, `${name}.ts`), source);
  const options = ["--compile", "--minify", "--bytecode", "--format=esm"];
  await $`bun build ${options} ${name}.ts --outfile ${name}`.cwd(folder).quiet();
  return join(folder, name);
}

const startOf = async (executable: string) => Number(await $`${executable}`.text());

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

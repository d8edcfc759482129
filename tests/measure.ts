/**
 * Prints how large the product is, how many places a change touches, and through how many files a request, a check and
 * a delivery go.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plugin } from "bun";
import { parseSync, Visitor } from "vite";
import { circlesIn, importsOf, isTest, mutualPairs, productFiles, ROOT } from "./imports.ts";

/** Facts about services, words and marks of known pages, and lists from elsewhere: read as data, not as code. */
const DATA =
  /^server\/judge\/(services\/records|signals\/known)\/(?!signature)|^server\/ground\/lib\/public-suffixes/;
/** The rooms that know nothing of the product. */
const GROUND = /^server\/(ground|lib|db|net)\//;

/** For each kind of change, things of that kind that are there, with what names each in the code. */
const RECIPES: Record<string, Record<string, RegExp>> = {
  "a field of a link": {
    "external id": /\bexternal_?id\b/i,
    metadata: /\bmetadata\b/,
    assignee: /\bassignee(_?id)?\b/i,
    mute: /\bmuted?_?(at|until)\b/i,
  },
  "a type of event": { "batch.complete": /"batch\.complete"/ },
  "a type of event with a schedule": { "summary.ready": /"summary\.ready"|\bsummar(y|ies)\b/i },
  "a chat format": { ntfy: /\bntfy\b/, telegram: /\btelegram\b/, teams: /"teams"|\bteams\b/ },
  "a kind of source": { linkace: /\blinkace\b/i, karakeep: /\bkarakeep\b/i },
  "a section of the settings": {
    "two-factor": /"two-factor"|settings\/two-factor|two-factor\.tsx/,
  },
};

type Row = (string | number)[];
type Source = { file: string; text: string };

const sources = productFiles().map(source);
const styles = scan("web/src/**/*.css");
const code = sources.filter(({ file }) => !DATA.test(file));
const server = code.filter(isOfServer);
const web = [...sources.filter(({ file }) => file.startsWith("web/")), ...styles];

print(
  "Lines and files",
  ["code", "lines", "files"],
  [
    ...[...Map.groupBy(server, roomOf)].map(([room, own]) => sizes(room, own)),
    sizes("server without data", server),
    sizes(
      "data of the server",
      sources.filter((each) => isOfServer(each) && DATA.test(each.file)),
    ),
    sizes("web with styles", web),
    sizes("tests", ["tests", "server", "web/src"].flatMap(testsIn)),
    sizes("benchmarks", scan("bench/**/*.ts")),
  ],
);
print(
  "Files that name one thing, as a change of its kind touches them",
  ["server", "drizzle", "web"],
  [
    ...Object.entries(RECIPES).flatMap(([kind, things]) =>
      Object.entries(things).map(([thing, name]) => [`${kind}: ${thing}`, ...naming(name)]),
    ),
  ],
);
print(
  "Lengths in lines",
  ["median", "p90", "p95", "p99", "longest", "over 40"],
  [
    ["functions", ...percentiles(code.flatMap(functionLengths))],
    ["files", ...percentiles(code.map(({ text }) => linesOf(text)))],
  ],
);
const imports = sources.flatMap(({ file }) => importsOf(file));
print(
  "Structure",
  [],
  [
    ["rooms of the server", new Set(server.map(roomOf)).size],
    ["pairs of folders that import each other", mutualPairs(imports).length],
    ["circles of files inside a room", circlesIn(imports.filter(isInsideRoom)).length],
    ["files under 60 lines with one importer, in the same folder", crumbs().length],
    ["private functions with one caller and under four lines", code.flatMap(usedOnce).length],
    ["spreads of a literal", code.flatMap(packedSpreads).length],
  ],
);
const trips = await traced();
print(
  "Files that run, and calls",
  ["files", "of them above the ground", "calls"],
  [
    ...Object.entries(trips).map(([trip, { files, calls }]) => [
      trip,
      files.length,
      files.filter((file) => !GROUND.test(file)).length,
      calls,
    ]),
  ],
);
if (process.argv.includes("--files"))
  for (const [trip, { files }] of Object.entries(trips))
    print(
      trip,
      [],
      files.map((file) => [file]),
    );
process.exit(0);

function source(file: string): Source {
  return { file, text: readFileSync(join(ROOT, file), "utf8") };
}

function scan(pattern: string): Source[] {
  return [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].map(source);
}

function testsIn(folder: string): Source[] {
  return scan(`${folder}/**/*.ts`).filter(({ file }) => folder === "tests" || isTest(file));
}

function isOfServer({ file }: Source): boolean {
  return file.startsWith("server/");
}

function roomOf({ file }: { file: string }): string {
  return file.split("/")[1]!;
}

function isInsideRoom({ from, to }: { from: string; to: string }): boolean {
  return roomOf({ file: from }) === roomOf({ file: to }) && from.split("/")[0] === to.split("/")[0];
}

function linesOf(text: string): number {
  return text.split("\n").length - 1;
}

/** Lines with more than white space and comments, as cloc counts them. */
function codeLines({ file, text }: Source): number {
  const comments = file.endsWith(".css")
    ? [...text.matchAll(/\/\*.*?\*\//gs)].map(({ 0: { length }, index }) => [index, index + length])
    : parseSync(file, text).comments.map(({ start, end }) => [start, end]);
  let bare = "";
  let at = 0;
  for (const [start, end] of comments) {
    bare += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, " ");
    at = end!;
  }
  return (bare + text.slice(at)).split("\n").filter((line) => line.trim() !== "").length;
}

function sizes(name: string, files: Source[]): Row {
  const sum = (count: (each: Source) => number) =>
    files.reduce((all, each) => all + count(each), 0);
  return [name, sum(codeLines), sum(({ text }) => linesOf(text)), files.length];
}

/** How many files of the server, migrations and files of the dashboard name it. */
function naming(name: RegExp): number[] {
  const isNaming = ({ text }: Source) => name.test(text);
  return [server, scan("drizzle/*.sql"), web].map((files) => files.filter(isNaming).length);
}

type FunctionNode = {
  start: number;
  end: number;
  body: { type: string; start: number; end: number } | null;
};

function functionsIn({ file, text }: Source): FunctionNode[] {
  const found: FunctionNode[] = [];
  const add = (node: FunctionNode) => void (node.body && found.push(node));
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(parseSync(file, text).program);
  return found;
}

function functionLengths(each: Source): number[] {
  return functionsIn(each).map(({ start, end }) => linesOf(each.text.slice(start, end)) + 1);
}

/** Functions at the top of a file that are short, not exported, and named once more only. */
function usedOnce({ file, text }: Source): string[] {
  return parseSync(file, text).program.body.flatMap((node) => {
    const lines = linesOf(text.slice(node.start, node.end)) + 1;
    const name =
      node.type === "FunctionDeclaration"
        ? node.id?.name
        : node.type === "VariableDeclaration"
          ? nameOfArrow(node.declarations[0])
          : undefined;
    if (name === undefined || lines >= 4) return [];
    return text.match(new RegExp(`\\b${name}\\b`, "g"))!.length === 2 ? [`${file} ${name}`] : [];
  });
}

type Declarator = { id: { type: string; name?: string }; init?: { type: string } | null };

function nameOfArrow(declarator: Declarator | undefined): string | undefined {
  return declarator?.init?.type === "ArrowFunctionExpression" ? declarator.id.name : undefined;
}

/** Spreads of an object or list that is written out in the same place. */
function packedSpreads({ file, text }: Source): number[] {
  const found: number[] = [];
  new Visitor({
    SpreadElement: ({ start, argument }) => {
      if (/^(Object|Array)Expression$/.test(argument.type)) found.push(start);
    },
  }).visit(parseSync(file, text).program);
  return found;
}

function percentiles(values: number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return [...[0.5, 0.9, 0.95, 0.99, 1].map(at), sorted.filter((value) => value > 40).length];
}

function crumbs(): string[] {
  const importers = Map.groupBy(imports, ({ to }) => to);
  const folder = (file: string) => file.slice(0, file.lastIndexOf("/"));
  return code
    .filter(({ file, text }) => {
      const from = new Set(importers.get(file)?.map((each) => each.from));
      return linesOf(text) < 60 && from.size === 1 && folder([...from][0]!) === folder(file);
    })
    .map(({ file }) => file);
}

type Trip = { files: string[]; calls: number };

/**
 * Runs the service on SQLite with a note at the start of each function: creates a link, checks a dead one with all its
 * confirmations, and delivers the event. What is made once only was made before.
 */
async function traced(): Promise<Record<string, Trip>> {
  let seen: string[] | undefined;
  Object.assign(globalThis, { [Symbol.for("ran")]: (file: string) => seen?.push(file) });
  plugin({
    name: "note",
    setup(build) {
      build.onLoad({ filter: /\/server\/.*\.ts$/ }, ({ path }) => ({
        contents: noted(source(path.slice(ROOT.length + 1))),
        loader: "ts",
      }));
    },
  });
  const { startServer } = await import("./harness.ts");
  const { startSite } = await import("./site.ts");
  const { subscribe } = await import("./receiver.ts");
  const { checkDueLinks, deliverDue } = await import("./rounds.ts");
  const running = await startServer("sqlite");
  const site = startSite({ "/hook": 204 });
  const me = await running.account();
  await subscribe(me, `${site.url}/hook`, ["link.dead"]);
  const steps = {
    "POST /links": (path: string) => me.post("/api/v1/links", { url: site.url + path }),
    "a check": () => checkDueLinks({ ...running.deps, check: running.check }),
    "a delivery": () => deliverDue(running.deps),
  };
  const trips: Record<string, Trip> = {};
  for (const path of ["/first", "/second"])
    for (const [trip, step] of Object.entries(steps)) {
      const ran: string[] = [];
      seen = ran;
      await step(path);
      seen = undefined;
      trips[trip] = { files: [...new Set(ran)].sort(), calls: ran.length };
    }
  const arrived = site.requests.filter(({ method }) => method === "POST").length;
  if (arrived !== 2) throw new Error(`${arrived} of 2 messages arrived.`);
  await running.stop();
  return trips;
}

/** The same program, in which each function first notes its file. */
function noted(each: Source): string {
  const note = `globalThis[Symbol.for("ran")](${JSON.stringify(each.file)})`;
  const inserted = functionsIn(each).flatMap(({ body }) =>
    body!.type === "BlockStatement"
      ? [{ at: body!.start + 1, part: `${note};` }]
      : [
          { at: body!.start, part: `(${note},` },
          { at: body!.end, part: ")" },
        ],
  );
  return inserted
    .toSorted((a, b) => b.at - a.at)
    .reduce((rest, { at, part }) => rest.slice(0, at) + part + rest.slice(at), each.text);
}

function print(title: string, columns: string[], rows: Row[]) {
  console.info(`\n${title}\n`);
  const widths = columns.map((column) => Math.max(9, column.length + 2));
  const line = ([name, ...values]: Row) =>
    `  ${String(name).padEnd(60)}${values.map((value, i) => String(value).padStart(widths[i] ?? 9)).join("")}`;
  if (columns.length > 0) console.info(line(["", ...columns]));
  for (const row of rows) console.info(line(row));
}

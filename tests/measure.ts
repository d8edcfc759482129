/**
 * Prints how large the product is and how it hangs together: lines and files of each wing, folders that import each
 * other, lengths of functions and files, and the files whose functions run for one `POST /links`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plugin } from "bun";
import { parseSync, Visitor } from "vite";
import { importsOf, mutualPairs, productFiles, ROOT } from "./imports.ts";

/** Facts about services, and lists that come from elsewhere: read as data, not as code. */
const DATA = /^server\/verdict\/services\/records\/|^server\/lib\/public-suffixes/;

type Row = (string | number)[];

const GROUND = /^server\/(lib|db|net)\//;

const sources = productFiles().map((file) => ({ file, text: read(file) }));
const styles = scan("web/src/**/*.css");
const code = sources.filter(({ file }) => !DATA.test(file));

print("Lines and files", [
  ...sizes(code.filter(({ file }) => file.startsWith("server/"))),
  total("server without data", ofServer(code)),
  total("data of the server", ofServer(sources.filter(({ file }) => DATA.test(file)))),
  total("web with styles", [...sources.filter(({ file }) => file.startsWith("web/")), ...styles]),
  total("product without data", [...code, ...styles]),
  total("tests", [...scan("tests/**/*.ts"), ...scan("{server,web/src}/**/*.test.ts")]),
  total("benchmarks", scan("bench/**/*.ts")),
]);
print("Lengths in lines", [
  ["", "median", "p90", "p95", "p99", "longest", "over 40"],
  ["functions", ...percentiles(code.flatMap(functionLengths))],
  ["files", ...percentiles(code.map(({ text }) => linesOf(text)))],
]);
print("Structure", [
  [
    "pairs of folders that import each other",
    mutualPairs(sources.flatMap(({ file }) => importsOf(file))).length,
  ],
  ["files under 60 lines with one importer, in the same folder", crumbs().length],
]);
const ran = await filesOfOneCreate();
print("Files that one POST /links runs", [
  ...ran.map((file) => [file]),
  ["in all", ran.length],
  ["above lib, db and net", ran.filter((file) => !GROUND.test(file)).length],
]);
process.exit(0);

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

function scan(pattern: string) {
  return [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].map((file) => ({
    file,
    text: read(file),
  }));
}

function linesOf(text: string): number {
  return text.split("\n").length - 1;
}

function ofServer(files: typeof sources) {
  return files.filter(({ file }) => file.startsWith("server/"));
}

function total(name: string, files: typeof sources): Row {
  return [name, files.reduce((sum, { text }) => sum + linesOf(text), 0), files.length];
}

/** One row for each wing. */
function sizes(files: typeof sources): Row[] {
  const wings = Map.groupBy(files, ({ file }) => file.split("/")[1]!);
  return [["", "lines", "files"], ...[...wings].map(([wing, own]) => total(wing, own))];
}

function functionLengths({ file, text }: { file: string; text: string }): number[] {
  return functionsIn(file, text).map(({ start, end }) => linesOf(text.slice(start, end)) + 1);
}

type FunctionNode = {
  start: number;
  end: number;
  body: { type: string; start: number; end: number } | null;
};

function functionsIn(file: string, text: string): FunctionNode[] {
  const found: FunctionNode[] = [];
  const add = (node: FunctionNode) => void (node.body && found.push(node));
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
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
  const importers = Map.groupBy(
    sources.flatMap(({ file }) => importsOf(file)),
    ({ to }) => to,
  );
  const folder = (file: string) => file.slice(0, file.lastIndexOf("/"));
  return code
    .filter(({ file, text }) => {
      const from = new Set(importers.get(file)?.map((each) => each.from));
      return linesOf(text) < 60 && from.size === 1 && folder([...from][0]!) === folder(file);
    })
    .map(({ file }) => file);
}

/** Runs the service on SQLite with a note at the start of each function, and creates a link. */
async function filesOfOneCreate(): Promise<string[]> {
  const seen = new Set<string>();
  let isNoting = false;
  Object.assign(globalThis, { [Symbol.for("ran")]: (file: string) => isNoting && seen.add(file) });
  plugin({
    name: "note",
    setup(build) {
      build.onLoad({ filter: /\/server\/.*\.ts$/ }, ({ path }) => ({
        contents: noted(path.slice(ROOT.length + 1), readFileSync(path, "utf8")),
        loader: "ts",
      }));
    },
  });
  const { startServer } = await import("./harness.ts");
  const server = await startServer("sqlite");
  const { post } = await server.account();
  const create = async (url: string) => {
    const { status } = await post("/api/v1/links", { url });
    if (status !== 201) throw new Error(`POST /links returned ${status}.`);
  };
  // What is made once runs with the first.
  await create("https://example.org/first");
  isNoting = true;
  await create("https://example.org/second");
  isNoting = false;
  await server.stop();
  return [...seen].sort();
}

/** The same program, in which each function first notes its file. */
function noted(file: string, text: string): string {
  const note = `globalThis[Symbol.for("ran")](${JSON.stringify(file)})`;
  const inserted = functionsIn(file, text).flatMap(({ body }) =>
    body!.type === "BlockStatement"
      ? [{ at: body!.start + 1, part: `${note};` }]
      : [
          { at: body!.start, part: `(${note},` },
          { at: body!.end, part: ")" },
        ],
  );
  return inserted
    .toSorted((a, b) => b.at - a.at)
    .reduce((rest, { at, part }) => rest.slice(0, at) + part + rest.slice(at), text);
}

function print(title: string, rows: Row[]) {
  console.info(`\n${title}\n`);
  for (const [name, ...values] of rows)
    console.info(
      `  ${String(name).padEnd(60)}${values.map((value) => String(value).padStart(9)).join("")}`,
    );
}

import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const ROOT = join(import.meta.dir, "..");

/** One import: `what` is the clause before `from`, and `to` a path from the root or the name of a package. */
export type Import = { from: string; what: string; to: string };

const filesOf = (...patterns: string[]) =>
  patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].sort());

export const isTest = (file: string): boolean => file.endsWith(".test.ts");

/** The source files of the product, as paths from the root. */
export const productFiles = (): string[] =>
  filesOf("server/**/*.ts", "web/src/**/*.{ts,tsx}").filter((file) => !isTest(file));

/** Tests stand next to the code that they are about, and in `tests` where that is in several rooms. */
export const testFiles = (): string[] =>
  filesOf("server/**/*.test.ts", "tests/**/*.test.ts", "web/src/**/*.test.ts");

/** All imports of a file, those of types as well: who knows a type knows the file. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const found = text.matchAll(/^(?:import\s+|(?:import|export)\s([^;"]*?)\sfrom\s+)"([^"]+)"/gms);
  const dynamic = text.matchAll(/(import)\("([^"]+)"\)/g);
  return [...found, ...dynamic].map(([, what = "", to]) => ({
    from: file,
    what: what.trim(),
    to: to!.startsWith(".") ? normalize(join(file, "..", to!)) : to!,
  }));
}

/** Pairs of folders of which each imports the other. */
export function mutualPairs(imports: Import[]): string[] {
  const crossing = imports
    .map(({ from, to }) => ({ from: dirname(from), to: dirname(to) }))
    .filter(({ from, to }) => from !== to);
  const edges = new Set(crossing.map(({ from, to }) => `${from} ${to}`));
  return [...edges].filter((edge) => {
    const [from, to] = edge.split(" ");
    return from! < to! && edges.has(`${to} ${from}`);
  });
}

/** The first circle of each file that is in one, as "a > b > a". */
export function circlesIn(imports: Import[]): string[] {
  const next = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const found: string[] = [];
  function follow(file: string, path: string[]) {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(" > "));
    else if (!done.has(file)) {
      for (const { to } of next.get(file) ?? []) follow(to, [...path, file]);
      done.add(file);
    }
  }
  for (const file of next.keys()) follow(file, []);
  return found;
}

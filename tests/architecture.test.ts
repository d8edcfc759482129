import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";

/**
 * Where a file of the server stands. The first that fits counts; the rest are verbs. Imports point
 * down, or to the same layer.
 */
const LAYERS: [layer: number, name: string, files: RegExp][] = [
  [0, "lib", /^server\/lib\//],
  [0, "readers of lists", /^server\/imports\//],
  [0, "vocabulary", /^server\/(checker\/(reasons|messages|online\/states)|audit\/actions)\.ts$/],
  [1, "store", /^server\/store\//],
  [1, "outbound", /^server\/outbound\//],
  [2, "model", /\/model\.ts$/],
  [4, "http", /^server\/http\//],
  [5, "routes", /\/routes\.ts$/],
  [6, "wiring", /^server\/((main|app|build|housekeeping)\.ts$|commands\/)/],
];
const VERBS = 3;
const HTTP = 4;
const ROUTES = 5;

/** One import: `what` is the clause before `from`. */
type Import = { from: string; what: string; to: string };

const layerOf = (file: string) => LAYERS.find(([, , files]) => files.test(file))?.[0] ?? VERBS;

const filesOf = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: root })].sort();

const root = join(import.meta.dir, "..");
const imports = ["server/**/*.ts", "web/src/**/*.{ts,tsx}"].flatMap(filesOf).flatMap(importsOf);
const inServer = imports.filter(({ from }) => from.startsWith("server/"));
const ofOurs = inServer.filter(({ to }) => to.startsWith("server/"));
const inWeb = imports.filter(({ from }) => from.startsWith("web/"));

/** Imports of types too: who knows a type knows the file. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(/^(?:import|export)\s([^;]*?)(?:\sfrom\s+)?"([^"]+)"/gms);
  const dynamic = text.matchAll(/(import)\("([^"]+)"\)/g);
  return [...found, ...dynamic].map(([, what, to]) => ({
    from: file,
    what: what!.trim(),
    to: to!.startsWith(".") ? normalize(join(file, "..", to!)) : to!,
  }));
}

const shown = ({ from, to }: Import) => `${from} imports ${to}`;

describe("Of the server's files", () => {
  test("imports are found at all", () => {
    expect(ofOurs.map(shown)).toContain("server/links/routes.ts imports server/links/links.ts");
    expect(ofOurs.length).toBeGreaterThan(200);
  });

  test("none imports one of a layer above its own", () => {
    const upward = ofOurs.filter(({ from, to }) => layerOf(to) > layerOf(from));

    expect(upward.map(shown)).toEqual([]);
  });

  test("no slice knows another's routes", () => {
    const sideways = ofOurs.filter(
      ({ from, to }) => layerOf(from) === ROUTES && layerOf(to) === ROUTES,
    );

    expect(sideways.map(shown)).toEqual([]);
  });

  test("only routes and what is around them know the web framework", () => {
    const knowing = inServer.filter(({ from, to }) => /^elysia/.test(to) && layerOf(from) < HTTP);

    expect(knowing.map(shown)).toEqual([]);
  });

  test("those that the dashboard shares know nothing but themselves", () => {
    const shared = imports.filter(({ from }) => from.startsWith("server/imports/"));
    const isOther = ({ to }: Import) => /^(server\/(?!imports\/)|web\/|node:|bun\b)/.test(to);

    expect(shared.length).toBeGreaterThan(10);
    expect(shared.filter(isOther).map(shown)).toEqual([]);
  });

  test("none imports the dashboard's", () => {
    expect(inServer.filter(({ to }) => to.startsWith("web/src/")).map(shown)).toEqual([]);
  });
});

describe("Of the dashboard's files", () => {
  test("one type of the server is known and how lists are read, and nothing else", () => {
    const known = inWeb.filter(({ to }) => /^server\/(?!imports\/)/.test(to));

    expect(known.map(({ what, to }) => `${what} of ${to}`)).toEqual([
      "type { App } of server/app.ts",
    ]);
  });

  test("components know no page, and the library neither", () => {
    const upward = inWeb.filter(
      ({ from, to }) =>
        (/^web\/src\/(components|lib)\//.test(from) && to.startsWith("web/src/pages/")) ||
        (from.startsWith("web/src/lib/") && to.startsWith("web/src/components/")),
    );

    expect(upward.map(shown)).toEqual([]);
  });
});

import { describe, expect, test } from "bun:test";
import { type Import, importsOf, mutualPairs, productFiles } from "./imports.ts";

/**
 * The wings of the server, from the ground up: each folder of `server/` is one, and imports only from itself and from
 * those before it.
 */
const WINGS = [
  "lib",
  "db",
  "net",
  "verdict",
  "config",
  "checker",
  "work",
  "api",
  "history",
  "accounts",
  "webhooks",
  "links",
  "monitor",
  "ops",
  "views",
  "http",
  "app",
  "commands",
  "main.ts",
];

/** The wings that know the web framework; elsewhere only routes do. */
const OF_HTTP = ["api", "http", "app"];

/** List readers run in the dashboard as well. */
const SHARED = "server/links/imports/";

const imports = productFiles().flatMap(importsOf);
const inServer = imports.filter(({ from }) => from.startsWith("server/"));
const ofOurs = inServer.filter(({ to }) => to.startsWith("server/"));
const inWeb = imports.filter(({ from }) => from.startsWith("web/"));

const wingOf = (file: string) => file.split("/")[1]!;
const isRoutes = (file: string) => /[/-]routes\.ts$/.test(file);
const shown = ({ from, to }: Import) => `${from} imports ${to}`;

describe("In the server", () => {
  test("imports are found at all", () => {
    expect(ofOurs.map(shown)).toContain("server/links/routes.ts imports server/links/links.ts");
    expect(ofOurs.length).toBeGreaterThan(200);
  });

  test("every file is in a wing", () => {
    const wings = new Set(
      productFiles()
        .filter((file) => file.startsWith("server/"))
        .map(wingOf),
    );

    expect([...wings].sort()).toEqual([...WINGS].sort());
  });

  test("a wing imports only from wings above it in the list", () => {
    const wrong = ofOurs.filter(
      ({ from, to }) => WINGS.indexOf(wingOf(to)) > WINGS.indexOf(wingOf(from)),
    );

    expect(wrong.map(shown)).toEqual([]);
  });

  test("no two folders import each other", () => {
    expect(mutualPairs(ofOurs)).toEqual([]);
  });

  test("lib knows nothing of ours", () => {
    const known = ofOurs.filter(({ from, to }) => wingOf(from) === "lib" && wingOf(to) !== "lib");

    expect(known.map(shown)).toEqual([]);
  });

  test("only the app imports routes", () => {
    const wrong = ofOurs.filter(({ from, to }) => isRoutes(to) && wingOf(from) !== "app");

    expect(wrong.map(shown)).toEqual([]);
  });

  test("only routes and the wings of HTTP import the web framework", () => {
    const wrong = inServer.filter(
      ({ from, to }) => /^elysia/.test(to) && !isRoutes(from) && !OF_HTTP.includes(wingOf(from)),
    );

    expect(wrong.map(shown)).toEqual([]);
  });

  test("list readers import nothing else of ours, and nothing that a browser lacks", () => {
    const shared = imports.filter(({ from }) => from.startsWith(SHARED));
    const wrong = shared.filter(
      ({ to }) => /^(server\/|web\/|node:|bun\b)/.test(to) && !to.startsWith(SHARED),
    );

    expect(shared.length).toBeGreaterThan(10);
    expect(wrong.map(shown)).toEqual([]);
  });

  test("nothing of the dashboard is imported", () => {
    expect(inServer.filter(({ to }) => to.startsWith("web/src/")).map(shown)).toEqual([]);
  });
});

describe("In the dashboard", () => {
  test("one type of the server and the list readers are imported, and nothing else", () => {
    const known = inWeb.filter(({ to }) => to.startsWith("server/") && !to.startsWith(SHARED));

    expect(known.map(({ what, to }) => `${what} of ${to}`)).toEqual([
      "type { App } of server/app/app.ts",
    ]);
  });

  test("components import no page, and the library neither pages nor components", () => {
    const upward = inWeb.filter(
      ({ from, to }) =>
        (/^web\/src\/(components|lib)\//.test(from) && to.startsWith("web/src/pages/")) ||
        (from.startsWith("web/src/lib/") && to.startsWith("web/src/components/")),
    );

    expect(upward.map(shown)).toEqual([]);
  });

  test("no two folders import each other", () => {
    expect(mutualPairs(inWeb.filter(({ to }) => to.startsWith("web/src/")))).toEqual([]);
  });
});

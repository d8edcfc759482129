import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COUNTED_HEADERS } from "../server/judge/unchanged.ts";
import { circlesIn, type Import, importsOf, mutualPairs, productFiles, ROOT } from "./imports.ts";

/**
 * The rooms of the server, from the ground up: each folder of `server/` is one, and imports only from itself and from
 * those before it.
 */
const ROOMS = [
  "ground",
  "judge",
  "read",
  "work",
  "http",
  "mail",
  "history",
  "accounts",
  "notify",
  "links",
  "hosts",
  "sources",
  "repair",
  "monitor",
  "ops",
  "pages",
  "mcp",
  "app",
  "commands",
  "main.ts",
];

/** The rooms that know the web framework; elsewhere only routes do. */
const OF_HTTP = ["http", "app"];

/** The readers of lists and documents, the reasons of verdicts and the paths of pages serve the dashboard as well. */
const SHARED = [
  "server/read/lists/",
  "server/read/documents/",
  "server/judge/reasons/",
  "server/http/page-paths.ts",
  "server/ground/lib/vocabulary.ts",
];
/** What reads documents in a thread, and lists as they arrive at the server. */
const NOT_SHARED = [
  "server/read/documents/reader.ts",
  "server/read/documents/document-thread.ts",
  "server/read/lists/read-bytes.ts",
];
const isShared = (path: string) =>
  SHARED.some((folder) => path.startsWith(folder)) && !NOT_SHARED.includes(path);

const imports = productFiles().flatMap(importsOf);
const inServer = imports.filter(({ from }) => from.startsWith("server/"));
const ofOurs = inServer.filter(({ to }) => to.startsWith("server/"));
const inWeb = imports.filter(({ from }) => from.startsWith("web/"));
const ofWeb = inWeb.filter(({ to }) => to.startsWith("web/src/") && !to.endsWith(".css"));

const roomOf = (file: string) => file.split("/")[1]!;
const isRoutes = (file: string) => /[/-]routes\.ts$/.test(file);
const shown = ({ from, to }: Import) => `${from} imports ${to}`;

/** Names the table of all links, of which retired ones are some: in words of SQL, or by its name in code. */
const NAMES_ALL_LINKS =
  /(?<!delete )\b(from|join) links\b(?= (where|on|group|order|l)\b|\s*\n|[)"`])|\b(from|join) \$\{links\}|\$count\(links\b|\ballLinks\b/;

const MAY_NAME_ALL_LINKS = [
  "server/accounts/delete.ts",
  "server/ground/db/tables.ts",
  "server/history/history.ts",
  "server/history/pending-deletions.ts",
  "server/history/subject.ts",
  "server/links/create.ts",
  "server/links/links.ts",
  "server/links/retire.ts",
  "server/links/retired.ts",
];

/** What a feature of the dashboard may import. */
const BELOW = ["ui", "chart", "data", "frame", "triage", "replace"];

/** The folders of the dashboard, and which others each may import. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  data: [],
  ui: ["data"],
  chart: ["ui", "data"],
  frame: ["ui", "data"],
  triage: ["ui", "data", "frame"],
  replace: ["ui", "data", "frame", "triage"],
  ...Object.fromEntries(
    [
      ...["overview", "links", "link", "sites", "sources", "changes", "alerts", "add"],
      ...["repair", "settings", "doors"],
    ].map((feature) => [feature, BELOW]),
  ),
  "app.tsx": [...BELOW, "overview", "links", "link", "sites", "sources"].concat([
    "changes",
    "alerts",
    "add",
    "repair",
    "settings",
    "doors",
  ]),
  "main.tsx": ["app.tsx", "data", "frame", "styles", "style.css"],
};

const folderOf = (file: string) => file.slice("web/src/".length).split("/")[0]!;

describe("In the server", () => {
  test("imports are found at all", () => {
    expect(ofOurs.map(shown)).toContain("server/links/routes.ts imports server/links/links.ts");
    expect(ofOurs.length).toBeGreaterThan(200);
  });

  test("every file is in a room", () => {
    const rooms = new Set(
      productFiles()
        .filter((file) => file.startsWith("server/"))
        .map(roomOf),
    );

    expect([...rooms].sort()).toEqual([...ROOMS].sort());
  });

  test("a room imports only from rooms above it in the list", () => {
    const wrong = ofOurs.filter(
      ({ from, to }) => ROOMS.indexOf(roomOf(to)) > ROOMS.indexOf(roomOf(from)),
    );

    expect(wrong.map(shown)).toEqual([]);
  });

  test("no file imports itself by way of others of its room", () => {
    const inside = ofOurs.filter(({ from, to }) => roomOf(from) === roomOf(to));

    expect(circlesIn(inside)).toEqual([]);
  });

  test("the server starts no other program than itself, and only `stillup check` asks git", () => {
    const starting = productFiles().filter((file) =>
      /\bspawn(Sync)?\(|\bchild_process\b|\bexecFile|import \{[^}]*\$[^}]*\} from "bun"/.test(
        readFileSync(join(ROOT, file), "utf8"),
      ),
    );

    expect(starting.sort()).toEqual([
      "server/commands/check/changed-lines.ts",
      "server/work/processes/child.ts",
    ]);
  });

  test("no two folders import each other", () => {
    expect(mutualPairs(ofOurs)).toEqual([]);
  });

  test("lib knows nothing of ours", () => {
    const isLib = (file: string) => file.startsWith("server/ground/lib/");
    const known = ofOurs.filter(({ from, to }) => isLib(from) && !isLib(to));

    expect(known.map(shown)).toEqual([]);
  });

  test("only the app imports routes", () => {
    const wrong = ofOurs.filter(({ from, to }) => isRoutes(to) && roomOf(from) !== "app");

    expect(wrong.map(shown)).toEqual([]);
  });

  test("only routes and the rooms of HTTP import the web framework", () => {
    const wrong = inServer.filter(
      ({ from, to }) => /^elysia/.test(to) && !isRoutes(from) && !OF_HTTP.includes(roomOf(from)),
    );

    expect(wrong.map(shown)).toEqual([]);
  });

  test("readers and reasons import nothing else of ours, and nothing that a browser lacks", () => {
    const shared = imports.filter(({ from }) => isShared(from));
    const wrong = shared.filter(
      ({ to }) => /^(server\/|web\/|node:|bun\b)/.test(to) && !isShared(to),
    );

    expect(shared.length).toBeGreaterThan(10);
    expect(wrong.map(shown)).toEqual([]);
  });

  test("retired links are left out of every statement, but for those of a few files", () => {
    const naming = productFiles().filter(
      (file) =>
        /^server\/(?!read|judge|ops\/move)/.test(file) &&
        NAMES_ALL_LINKS.test(readFileSync(join(ROOT, file), "utf8")),
    );

    expect(naming.toSorted()).toEqual(MAY_NAME_ALL_LINKS);
  });

  test("each header that a rule reads is part of what shows that a page has not changed", () => {
    const rules = productFiles().filter((file) =>
      /^server\/judge\/(page|signals|verdict|expectations|probe\/(hops|statuses))/.test(file),
    );
    const read = rules.flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), "utf8").matchAll(/headers\.(?:get|has)\("([^"]+)"\)/g),
      ].map(([, name]) => name!),
    );

    expect(read).toContain("content-type");
    // How long to wait is only asked of pages that are not alive.
    const counted = [...COUNTED_HEADERS, "retry-after"];
    expect(read.filter((name) => !counted.includes(name))).toEqual([]);
  });

  test("nothing of the dashboard is imported", () => {
    expect(inServer.filter(({ to }) => to.startsWith("web/src/")).map(shown)).toEqual([]);
  });
});

describe("In the dashboard", () => {
  test("one type of the server, the readers and the reasons are imported, and nothing else", () => {
    const known = inWeb.filter(({ to }) => to.startsWith("server/") && !isShared(to));

    expect(known.map(({ what, to }) => `${what} of ${to}`)).toEqual([
      "type { App } of server/app/app.ts",
    ]);
  });

  test("imports are found at all", () => {
    expect(ofWeb.length).toBeGreaterThan(200);
  });

  test("every file is in a folder of the list", () => {
    const folders = new Set(inWeb.map(({ from }) => folderOf(from)));

    expect([...folders].filter((folder) => !Object.hasOwn(MAY_IMPORT, folder))).toEqual([]);
  });

  test("a folder imports only from those that it may, and features never from each other", () => {
    const wrong = ofWeb.filter(({ from, to }) => {
      const may: readonly string[] | undefined = MAY_IMPORT[folderOf(from)];
      return folderOf(from) !== folderOf(to) && !may?.includes(folderOf(to));
    });

    expect(wrong.map(shown)).toEqual([]);
  });

  test("no file imports itself by way of others", () => {
    expect(circlesIn(ofWeb)).toEqual([]);
  });
});

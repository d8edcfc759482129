import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { createProgram } from "../../tests/commands/program.ts";

const { run } = createProgram();
const PACKAGES = join(import.meta.dir, "../../node_modules");

/** The dead anchors in documents of others, each looked at by hand: no heading and no tag there has that name. */
const DEAD_ANCHORS: Record<string, string[]> = {
  "@lezer/markdown": ["README.md #user-content-common.parsemixed"],
  "type-fest": [],
  enquirer: [
    ...["README.md #-built-in-prompts", "README.md #-multiselect"],
    ...["README.md #select", "README.md #survey"],
  ],
  commander: [],
  "encoding-japanese": [],
  "node-fetch": [],
  picomatch: ["README.md #brace-expansion"],
  "source-map-js": [],
  "ts-algebra": ["README.md #meta-types", "README.md #✨-meta-types"],
  jose: [],
  ws: [],
  "bun-types": ["docs/test/reporters.mdx /docs/pm/cli/install#ci%2Fcd"],
};

const OPTIONS: Record<string, string[]> = {
  "bun-types": ["--extensions", "mdx", "--anchors", "mintlify"],
};

type Row = { url: string; status: string; reason: string; places: { file: string }[] };

test.each(Object.keys(DEAD_ANCHORS))(
  "The documents of %s have no dead link that leads somewhere",
  async (name) => {
    const folder = join(PACKAGES, name);
    const args = ["--json", "--offline", "--include-ignored", "--root", folder];

    const { out } = await run(["check", ...args, ...(OPTIONS[name] ?? []), folder]);

    const rows: Row[] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const dead = rows.filter(({ status }) => status === "dead");
    const anchors = dead.filter(({ reason }) => reason === "anchor_missing");
    // A package does not have all files of its repository.
    const files = dead.filter(({ reason }) => reason === "file_missing");
    const isThere = ({ url, places }: Row) =>
      existsSync(join(dirname(places[0]!.file), decodeURI(url.replace(/[?#].*/, ""))));
    const shown = anchors.map(({ url, places }) => `${relative(folder, places[0]!.file)} ${url}`);
    expect(rows.length).toBeGreaterThan(20);
    expect([...new Set(shown)].sort()).toEqual(DEAD_ANCHORS[name]!);
    expect(files.filter(isThere)).toEqual([]);
    expect(anchors.length + files.length).toBe(dead.length);
  },
);

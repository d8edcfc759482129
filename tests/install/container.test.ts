import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { readConfig } from "../../server/ground/config/config.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
const dockerfile = read("Dockerfile").split("\n");
const compose = parse(read("compose.yaml"));

const lines = (instruction: string) =>
  dockerfile
    .filter((line) => line.startsWith(`${instruction} `))
    .map((line) => line.split(" ").slice(1));

type Packages = Record<
  string,
  { optionalDependencies?: Record<string, string>; integrity?: string }
>;

describe("The image", () => {
  test("is made of files that are there and not ignored", () => {
    const copied = lines("COPY").filter(([first]) => !first!.startsWith("--"));
    const sources = copied.flatMap((words) => words.slice(0, -1));
    const ignored = read(".dockerignore").trim().split("\n");

    expect(sources).toContain("package-lock.json");
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
    for (const needed of ["web", "server", "drizzle", ".ci", "package.json", ".npmrc"])
      expect(ignored).not.toContain(needed);
  });

  test("is made of images and packages that cannot change unseen", () => {
    const images = lines("FROM").map(([image]) => image);

    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image!))).toEqual([]);
    expect(lines("RUN").map(([program, command]) => `${program} ${command}`)).toContain("npm ci");
  });

  test("names a package for every platform in the lock file, so that npm ci works on each", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Packages };
    const wanted = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => ({ path, name })),
    );
    const isLocked = ({ path, name }: (typeof wanted)[number]) =>
      [`${path}/node_modules/${name}`, `node_modules/${name}`].some((each) => each in packages);

    expect(wanted.filter((each) => !isLocked(each))).toEqual([]);
    const unverified = Object.entries(packages).filter(
      ([path, { integrity }]) => path && !integrity,
    );
    expect(unverified).toEqual([]);
  });

  test("runs as a user without a login, and keeps its data where its volume is", () => {
    const settings = Object.fromEntries(lines("ENV")[0]!.map((each) => each.split("=")));
    const { host, dataDir } = readConfig(settings);

    expect(lines("USER")).toEqual([["65532:65532"]]);
    expect(lines("VOLUME")).toEqual([[dataDir]]);
    expect(host).toBe("0.0.0.0");
  });
});

describe("compose.yaml", () => {
  const { stillup, postgres } = compose.services;

  test("gives the program nothing that it does not need", () => {
    expect(stillup).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: "unless-stopped",
    });
    expect(stillup.ports).toEqual(["127.0.0.1:8484:8484"]);
    expect(stillup.volumes).toEqual([`data:${lines("VOLUME")[0]![0]}`]);
  });

  test("has a PostgreSQL only on request", () => {
    expect(postgres.profiles).toEqual(["postgres"]);
    expect(stillup.depends_on.postgres.required).toBe(false);
    expect(Object.keys(compose.volumes)).toEqual(["data", "postgres"]);
  });
});

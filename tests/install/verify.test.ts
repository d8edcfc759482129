import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { IS_LONG } from "../long.ts";
import { type Machine, makeRelease, newKey, newMachine, sign, writeSums } from "./machine.ts";

/** What `npm test` need not try of each: it tells how one installs, upgrades, goes back and is refused. */
const inLongRun = test.if(IS_LONG);

let machine: Machine;
let release: string;
beforeEach(() => {
  machine = newMachine();
  release = makeRelease(machine, "1.0.0");
});
afterEach(() => machine.remove());

const install = (url: string, settings: Record<string, string> = {}) =>
  machine.install(["--system"], { STILLUP_RELEASE_URL: url, ...settings });
const isUntouched = () => !existsSync(machine.path("usr")) && !existsSync(machine.path("etc"));

const serveRelease = () =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const file = Bun.file(join(release, new URL(request.url).pathname));
      return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 });
    },
  });

/** A PATH with all that install.sh uses but curl. */
function withoutCurl(): string {
  const folder = join(machine.folder, "few tools");
  mkdirSync(folder);
  for (const tool of TOOLS.filter((each) => Bun.which(each)))
    symlinkSync(Bun.which(tool)!, join(folder, tool));
  return `${join(machine.folder, "tools")}:${folder}`;
}

const TOOLS = `sh id ls uname dirname mktemp mkdir rm cp mv chmod cat cmp sed awk grep tail ldd
  sha256sum wget`.split(/\s+/);

describe("What install.sh is given", () => {
  test("must be what SHA256SUMS says", async () => {
    for await (const name of new Bun.Glob("stillup-*").scan(release)) {
      appendFileSync(join(release, name), "echo more\n");
    }

    const { code, complained } = await install(release);

    expect(code).toBe(1);
    expect(complained).toContain("is not what SHA256SUMS says it is; nothing was changed.");
    expect(isUntouched()).toBe(true);
  });

  inLongRun("must have a SHA256SUMS", async () => {
    rmSync(join(release, "SHA256SUMS"));

    const { code, complained } = await install(release);

    expect([code, complained]).toEqual([
      1,
      `There is no SHA256SUMS at ${release}; nothing was changed.\n`,
    ]);
    expect(isUntouched()).toBe(true);
  });

  inLongRun("must be for this machine", async () => {
    writeFileSync(join(release, "stillup-windows-x64.exe"), "");
    writeSums(release, ["stillup-windows-x64.exe"]);

    const { code, complained } = await install(release);

    expect(code).toBe(1);
    expect(complained).toMatch(/^This release has no stillup-\S+, the file for this machine/);
    expect(isUntouched()).toBe(true);
  });

  inLongRun("must run here", async () => {
    for await (const name of new Bun.Glob("stillup-*").scan(release)) {
      writeFileSync(join(release, name), "#!/bin/sh\nexit 1\n");
    }
    writeSums(release, [...new Bun.Glob("stillup-*").scanSync(release)]);

    const { code, complained } = await install(release);

    expect(code).toBe(1);
    expect(complained).toStartWith("The program does not run here; nothing was changed.");
    expect(isUntouched()).toBe(true);
  });

  test("comes over HTTP from this machine", async () => {
    const server = serveRelease();

    const { code } = await install(server.url.href);

    expect(code).toBe(0);
    await server.stop(true);
  });

  test.if(IS_LONG && Bun.which("wget") !== null)(
    "comes by wget where there is no curl",
    async () => {
      const server = serveRelease();
      const settings = { PATH: withoutCurl() };

      const first = await install(server.url.href, settings);
      const again = await install(server.url.href, settings);

      expect(first).toMatchObject({ code: 0, complained: "" });
      // What is left of a key that is not there would be one that no later release is signed with.
      expect(existsSync(machine.path("etc/stillup/release.pub"))).toBe(false);
      expect(again).toMatchObject({ code: 0, complained: "" });
      await server.stop(true);
    },
  );

  test.each([
    "http://example.org/release",
    "http://localhost.example.org/release",
    "http://127.0.0.1.example.org",
    "http://127.0.0.1:80@example.org/release",
    "ftp://127.0.0.1",
    "release 1.0.0",
  ])("does not come from %s", async (url) => {
    const { code, complained } = await install(url);

    expect(code).toBe(1);
    expect(complained).toStartWith("STILLUP_RELEASE_URL must be https://…");
    expect(isUntouched()).toBe(true);
  });
});

describe("A signed release", () => {
  test("is installed, and its key is kept for the next", async () => {
    await sign(release, await newKey(machine, "ours"));

    const { code } = await install(release);

    expect(code).toBe(0);
    const kept = machine.read("etc/stillup/release.pub");
    expect(kept).toBe(readFileSync(join(machine.folder, "ours.pub"), "utf8"));
  });

  test("of another key is refused once a key is known", async () => {
    await sign(release, await newKey(machine, "ours"));
    await install(release);
    const next = makeRelease(machine, "1.1.0");
    await sign(next, await newKey(machine, "theirs"));

    const { code, complained } = await install(next);

    expect(code).toBe(1);
    expect(complained).toContain("The release is not signed with the key that is known");
    expect(await $`${machine.path("usr/local/bin/stillup")} version`.text()).toBe(
      "stillup 1.0.0\n",
    );
  });

  inLongRun("is followed by no unsigned one", async () => {
    await sign(release, await newKey(machine, "ours"));
    await install(release);

    const { code, complained } = await install(makeRelease(machine, "1.1.0"));

    expect(code).toBe(1);
    expect(complained).toContain("The release is not signed, and it should be");
  });

  inLongRun("must be signed with the key that was given, as text or as a file", async () => {
    const ours = await newKey(machine, "ours");
    await newKey(machine, "theirs");
    await sign(release, ours);

    const asText = readFileSync(join(machine.folder, "theirs.pub"), "utf8");
    const refused = await install(release, { STILLUP_RELEASE_KEY: asText });
    const untouched = isUntouched();
    const installed = await install(release, { STILLUP_RELEASE_KEY: `${ours}.pub` });

    expect(refused.code).toBe(1);
    expect(untouched).toBe(true);
    expect(installed.code).toBe(0);
  });

  test("has a signature over these very sums", async () => {
    await sign(release, await newKey(machine, "ours"));
    appendFileSync(join(release, "SHA256SUMS"), "\n");

    const { code } = await install(release);

    expect(code).toBe(1);
    expect(isUntouched()).toBe(true);
  });
});

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../commands/program.ts";
import { listeningUrl } from "../listening.ts";

/** Everything is read-only in there but the folder that is named first. */
const READ_ONLY = `mount --bind "$1" "$1" && mount -o remount,bind,ro / && mount -o remount,bind,rw "$1" &&
  for at in /tmp /var /home /root; do touch "$at/.stillup-probe" 2>/dev/null && exit 9; done; shift; exec "$@"`;

const inside = (folder: string, ...command: string[]) => [
  ...["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", folder],
  ...command,
];

const { dataDir, env, command } = createProgram({ STILLUP_PORT: "0" });
mkdirSync(dataDir, { recursive: true, mode: 0o700 });
const maySeal =
  Bun.which("unshare") !== null && Bun.spawnSync(inside(dataDir, "true")).exitCode === 0;
if (!maySeal)
  console.warn("nothing can be made read-only here: where the program writes is not tried");

test.skipIf(!maySeal)(
  "The program writes nowhere but into its data folder, for its user only",
  async () => {
    const child = Bun.spawn(inside(dataDir, ...command, "serve"), {
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    const log = new Response(child.stderr).text();
    const url = await listeningUrl(child.stdout);
    expect((await fetch(`${url}/ready`)).status).toBe(200);

    child.kill("SIGTERM");

    expect(await child.exited).toBe(0);
    expect(await log).not.toContain('"level":"error"');
    const files = readdirSync(dataDir);
    expect(files).toContain("stillup.db");
    const open = files.filter((name) => statSync(join(dataDir, name)).mode & 0o077);
    expect(open).toEqual([]);
  },
  30_000,
);

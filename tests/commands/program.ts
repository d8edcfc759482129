import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAtEnd } from "../shared.ts";

const MAIN = join(import.meta.dir, "../../server/main.ts");

export type Outcome = { code: number; out: string; err: string };

/**
 * The program as a real process, with a data folder of its own and nothing of our environment.
 * @param command starts another version of it
 */
export function createProgram(
  settings: Record<string, string> = {},
  command = [process.execPath, MAIN],
) {
  const folder = mkdtempSync(join(tmpdir(), "stillup-cli-"));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const env = {
    PATH: process.env.PATH!,
    STILLUP_DATA_DIR: dataDir,
    STILLUP_SENTINELS: "",
    ...settings,
  };

  function start(args: string[], more: Record<string, string> = {}, input = "") {
    return Bun.spawn([...command, ...args], {
      env: { ...env, ...more },
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  async function run(
    args: string[],
    more?: Record<string, string>,
    input?: string,
  ): Promise<Outcome> {
    const child = start(args, more, input);
    const [code, out, err] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code, out, err };
  }

  return { dataDir, start, run, env, command };
}

/**
 * Runs every test in two lanes beside each other, since one alone does not keep two processors busy.
 *
 *   bun tests/run.ts [arguments]      with arguments, what `bun test` makes of them and no more
 */
import { executable } from "./installed.ts";

const IN_BROWSER = ["tests/web"];
/** Of programs as processes, which are waited for more than they work. */
const OF_PROGRAMS = ["cluster", "commands", "crash", "install", "move", "survive", "upgrades"].map(
  (name) => `tests/${name}`,
);

/**
 * Ends what hangs, and is the only limit of a test: how long one takes on a machine that other programs use too tells
 * nothing of the product.
 */
const HANGS_AFTER_MS = 300_000;

const runTests = <Output extends "inherit" | "pipe">(args: string[], output: Output, env = {}) =>
  Bun.spawn([process.execPath, "test", `--timeout=${HANGS_AFTER_MS}`, ...args], {
    env: { ...process.env, ...env },
    stdout: output,
    stderr: output,
  });

/** @returns what it prints, which is told when nothing else prints, and how it ended */
async function runApart(folders: string[], env: object) {
  const args = folders.map((folder) => `./${folder}/`);
  const run = runTests(args, "pipe", env);
  const told = [run.stdout, run.stderr].map((each) => new Response(each).text());
  return { told: (await Promise.all(told)).join(""), code: await run.exited };
}

async function runInTurn(parts: string[][], env: object) {
  const ended = [];
  for (const folders of parts) ended.push(await runApart(folders, env));
  return ended;
}

async function runAll(): Promise<number> {
  // Once, before both need it.
  const env = { STILLUP_BINARY: await executable() };
  const apart = [IN_BROWSER, OF_PROGRAMS];
  const beside = runInTurn(apart, env);
  // Only the answers to all of these show what the API's document promises.
  const all = { ...env, STILLUP_FULL_CONTRACT: "1" };
  const ignored = apart.flat().map((folder) => `--path-ignore-patterns=${folder}/**`);
  const code = await runTests(ignored, "inherit", all).exited;
  const ended = await beside;
  for (const { told } of ended) process.stderr.write(told);
  return Math.max(code, ...ended.map((each) => each.code));
}

const given = process.argv.slice(2);
process.exit(given.length > 0 ? await runTests(given, "inherit").exited : await runAll());

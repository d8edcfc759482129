/**
 * Runs every test, those in the browser beside all others: neither keeps two processors busy alone.
 *
 *   bun tests/run.ts [arguments]      with arguments, what `bun test` makes of them and no more
 */
import { executable } from "./installed.ts";

const IN_BROWSER = "tests/web";

const runTests = <Output extends "inherit" | "pipe">(args: string[], output: Output, env = {}) =>
  Bun.spawn([process.execPath, "test", ...args], {
    env: { ...process.env, ...env },
    stdout: output,
    stderr: output,
  });

async function runAll(): Promise<number> {
  // Once, before both need it.
  const env = { STILLUP_BINARY: await executable() };
  // Only the answers to all of these show what the API's document promises.
  const all = { ...env, STILLUP_FULL_CONTRACT: "1" };
  const others = runTests([`--path-ignore-patterns=${IN_BROWSER}/**`], "inherit", all);
  const inBrowser = runTests([`./${IN_BROWSER}/`], "pipe", env);
  const told = Promise.all(
    [inBrowser.stdout, inBrowser.stderr].map((each) => new Response(each).text()),
  );
  const codes = await Promise.all([others.exited, inBrowser.exited]);
  process.stderr.write((await told).join(""));
  return Math.max(...codes);
}

const given = process.argv.slice(2);
process.exit(given.length > 0 ? await runTests(given, "inherit").exited : await runAll());

/**
 * Builds the executable with the dashboard and the migrations inside.
 *
 *   bun .ci/build.ts              dist/stillup for this platform
 *   bun .ci/build.ts --all        a release: dist/stillup-<platform> for every platform Bun builds for
 *   bun .ci/build.ts linux-x64    a release for the platforms that are named
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { $ } from "bun";
import { hashOfRules } from "../server/judge/hash-of-rules.ts";
import { fileOf, finishRelease, PLATFORMS } from "./release.ts";

const OPTIONS = [
  "--compile",
  "--minify",
  "--sourcemap",
  "--bytecode",
  "--format=esm",
  // What stands in the folder it is started from is none of its business.
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  "--asset=web/dist",
  "--asset=drizzle",
  `--define=RULES=${hashOfRules()}`,
];

/** The program, and those of the threads that it starts. */
const ENTRIES = [
  "server/main.ts",
  "server/ground/db/read-thread.ts",
  "server/ground/db/task-thread.ts",
  "server/read/documents/document-thread.ts",
];

const compile = (outfile: string, target: string[]) =>
  $`bun build ${OPTIONS} ${target} ${ENTRIES} --outfile ${outfile}`.env({
    ...process.env,
    NODE_ENV: "production",
  });

const named = process.argv.slice(2);
const platforms = named.includes("--all") ? PLATFORMS : named;
if (platforms.length === 0) {
  // Moved there at once, so that no one who builds or starts it at the same time gets half of it.
  mkdirSync("dist", { recursive: true });
  const folder = mkdtempSync("dist/made-");
  await compile(`${folder}/stillup`, []);
  for (const name of readdirSync(folder)) renameSync(`${folder}/${name}`, `dist/${name}`);
  rmdirSync(folder);
} else {
  for (const name of platforms) await compile(`dist/stillup-${name}`, [`--target=bun-${name}`]);
  await finishRelease("dist", platforms.map(fileOf));
}

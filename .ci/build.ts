/**
 * Builds the executable with the dashboard and the migrations inside.
 *
 *   bun .ci/build.ts          dist/stillup for this platform
 *   bun .ci/build.ts --all    dist/stillup-<platform> for every platform Bun builds for
 */
import { $ } from "bun";

const PLATFORMS = [
  "linux-x64",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "windows-x64",
];
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
];

/** The program, and that of the thread that it starts. */
const ENTRIES = ["server/main.ts", "server/store/beside-thread.ts"];

const compile = (outfile: string, target: string[]) =>
  $`bun build ${OPTIONS} ${target} ${ENTRIES} --outfile ${outfile}`.env({
    ...process.env,
    NODE_ENV: "production",
  });

if (process.argv.includes("--all")) {
  for (const name of PLATFORMS) await compile(`dist/stillup-${name}`, [`--target=bun-${name}`]);
} else {
  await compile("dist/stillup", []);
}

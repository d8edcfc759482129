import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newest } from "./newest.ts";

const ROOT = join(import.meta.dir, "..");
const BUILT = join(ROOT, "web/dist");
// The dashboard reads lists with modules of the server.
const SOURCES = ["web/src", "web/index.html", "web/vite.config.ts", "server"];

const isBuilt = () =>
  newest(BUILT) > Math.max(...SOURCES.map((source) => newest(join(ROOT, source))));

/**
 * Builds the dashboard unless it is there and newer than its source. Runs of the tests in one checkout each build into
 * a folder of their own, so that none reads or replaces half of another's.
 */
export async function buildDashboard(): Promise<void> {
  if (isBuilt()) return;
  // In the checkout, since nothing can be renamed into another file system.
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, "dist/dashboard-"));
  const old = `${folder}-old`;
  const vite = Bun.spawn(
    [join(ROOT, "node_modules/.bin/vite"), "build", "web", "--outDir", folder, "--emptyOutDir"],
    {
      cwd: ROOT,
      // As it is shipped: the test runner's own value would build it for development.
      env: { ...process.env, NODE_ENV: "production" },
      stdout: "ignore",
      stderr: "inherit",
    },
  );
  try {
    if ((await vite.exited) !== 0) throw new Error("vite could not build the dashboard");
    if (isBuilt()) return;
    if (existsSync(BUILT)) renameSync(BUILT, old);
    renameSync(folder, BUILT);
  } finally {
    for (const each of [folder, old]) rmSync(each, { recursive: true, force: true });
  }
}

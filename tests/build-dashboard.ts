import { join } from "node:path";
import { newest } from "./newest.ts";

/** Builds the dashboard unless it is there and newer than its source. */
export async function buildDashboard(): Promise<void> {
  const root = join(import.meta.dir, "..");
  const built = newest(join(root, "web/dist"));
  // The dashboard reads lists with modules of the server.
  const sources = ["web/src", "web/index.html", "web/vite.config.ts", "server"].map((folder) =>
    newest(join(root, folder)),
  );
  if (built > Math.max(...sources)) return;
  const vite = Bun.spawn([join(root, "node_modules/.bin/vite"), "build", "web"], {
    cwd: root,
    // As it is shipped: the test runner's own value would build it for development.
    env: { ...process.env, NODE_ENV: "production" },
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await vite.exited) !== 0) throw new Error("vite could not build the dashboard");
}

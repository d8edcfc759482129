import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";

/** What Bun reads before any code of ours runs. */
const VARIABLE = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/** What Bun allows at once unless the variable said otherwise before the process began. */
const USUAL = 256;
/** A finished check may have a request that is still being closed, or one more than its own. */
const PER_CHECK = 2;
/** Left for deliveries, of which 64 run at once, and for other requests. */
const RESERVE = 256;
/** Bun takes no more. */
const MOST = 65_535;

/**
 * How many checks at once the limit of open files has room for, as many as are wanted if it has.
 *
 * @param files the limit; null where there is none
 */
export function checksWithin(wanted: number, files = openFileLimit()): number {
  if (files === null) return wanted;
  return Math.min(wanted, Math.max(1, Math.floor((files - RESERVE) / PER_CHECK)));
}

type Env = Record<string, string | undefined>;

/**
 * Lowers the number of checks to what the limit of open files allows, in a process that can make that many requests.
 * @param restart replaces this process by a new one with another environment, where Bun needs one
 */
export function fitRuntime<C extends { checkConcurrency: number }>(
  config: C,
  env: Env,
  restart?: (env: Env) => void,
): C {
  const checkConcurrency = checksWithin(config.checkConcurrency);
  const needed = Math.min(filesFor(checkConcurrency), MOST);
  // Otherwise requests past Bun's limit would wait unseen and count as time-outs, and deliveries behind them.
  if (needed > Number(env[VARIABLE] ?? USUAL)) {
    restart?.({ ...MEMORY, ...env, [VARIABLE]: String(needed) });
  }
  return { ...config, checkConcurrency };
}

/** Open files, and requests, that so many checks at once take, with all that runs next to them. */
export const filesFor = (checksAtOnce: number): number => checksAtOnce * PER_CHECK + RESERVE;

/** The limit of this process (`ulimit -n`), which Bun raises at its start as far as it may. */
export function openFileLimit(): number | null {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  const limit = report.userLimits?.open_files?.soft;
  return typeof limit === "number" ? limit : null;
}

/**
 * The runtime lets its heap grow with the memory that the machine has. Told that there is so much, it
 * collects its garbage sooner; this is no limit.
 */
const MEMORY = { BUN_JSC_forceRAMSize: String(256 * 1024 * 1024) };

/**
 * A folder of ours: beside this file's bundle inside the executable, where it has only its last
 * name (`dist`), or at its place in a checkout (`web/dist`). The bundle of a thread is a folder deeper.
 */
export function assetFolder(path: string): string {
  const name = path.split("/").at(-1)!;
  const bundled = [join(import.meta.dir, name), join(import.meta.dir, "..", name)].find(existsSync);
  return bundled ?? join(import.meta.dir, "../..", path);
}

/** The text files of the folder, by name. */
export const readTexts = (folder: string) =>
  readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

export const VERSION = version;

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";

/** Bun reads this variable before any of our code runs. */
const VARIABLE = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/** Bun's limit without the variable. */
const USUAL = 256;
/** A check may have two requests, one of which is being closed. */
const PER_CHECK = 2;
/** For deliveries, of which 64 run at once, and for other requests. */
const RESERVE = 256;
/** Bun's maximum. */
const MOST = 65_535;

/**
 * Returns how many of the wanted checks may run at once under the limit of open files.
 * @param files the limit; null for none
 */
export function checksWithin(wanted: number, files = openFileLimit()): number {
  if (files === null) return wanted;
  return Math.min(wanted, Math.max(1, Math.floor((files - RESERVE) / PER_CHECK)));
}

type Env = Record<string, string | undefined>;

/**
 * Lowers the number of checks to what the limit of open files allows, and makes sure that Bun allows their requests.
 * @param restart replaces this process with a new one with another environment, if Bun's limit is too low
 */
export function fitRuntime<C extends { checkConcurrency: number }>(
  config: C,
  env: Env,
  restart?: (env: Env) => void,
): C {
  const checkConcurrency = checksWithin(config.checkConcurrency);
  const needed = Math.min(filesFor(checkConcurrency), MOST);
  // Requests over Bun's limit would wait and time out, and deliveries behind them too.
  if (needed > Number(env[VARIABLE] ?? USUAL)) {
    restart?.({ ...MEMORY, ...env, [VARIABLE]: String(needed) });
  }
  return { ...config, checkConcurrency };
}

/** The open files that this number of checks needs, with everything else that runs. */
export const filesFor = (checksAtOnce: number): number => checksAtOnce * PER_CHECK + RESERVE;

/** The limit of this process (`ulimit -n`), which Bun raises to the hard limit when it starts. */
export function openFileLimit(): number | null {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  const limit = report.userLimits?.open_files?.soft;
  return typeof limit === "number" ? limit : null;
}

/**
 * The runtime's heap grows with the memory of the machine. With this setting the runtime assumes less memory and
 * collects garbage sooner; the heap can still grow beyond it.
 */
const MEMORY = { BUN_JSC_forceRAMSize: String(256 * 1024 * 1024) };

/**
 * Returns the path of a folder of the product, such as `web/dist`. In the executable it is next to the bundle, under its
 * last name (`dist`); the bundle of a thread is two folders deeper.
 */
export function assetFolder(path: string): string {
  const name = path.split("/").at(-1)!;
  const bundled = ["", "../.."].map((up) => join(import.meta.dir, up, name)).find(existsSync);
  return bundled ?? join(import.meta.dir, "../../..", path);
}

/** The first argument of a process that checks links for the server. */
export const CHECKER_COMMAND = "checker-process";

/** Returns what starts this program again with another command: the executable, or the runtime with its script. */
export function ownCommand(name: string): string[] {
  const isExecutable = /^(\/\$bunfs|[A-Z]:[\\/]~BUN)/.test(import.meta.dir);
  const script = isExecutable ? [] : [join(import.meta.dir, "../../main.ts")];
  return [process.execPath, ...script, name];
}

/** The text files of the folder, by name. */
export const readTexts = (folder: string) =>
  readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

export const VERSION = version;

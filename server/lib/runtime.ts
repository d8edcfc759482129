/** What Bun reads before any code of ours runs. */
const VARIABLE = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/** What Bun allows at once unless the variable said otherwise before the process began. */
const USUAL = 256;
/** A check that is done may have a request that is still being closed, or one more beside its own. */
const PER_CHECK = 2;
/** Left for deliveries, of which 64 are made at once, and for all that is asked beside the checks. */
const RESERVE = 256;
/** Bun takes no more. */
const MOST = 65_535;

/**
 * The runtime lets its heap grow with the memory that the machine has. Told that there is so much, it
 * collects its garbage sooner; this is no limit.
 */
const MEMORY = { BUN_JSC_forceRAMSize: String(256 * 1024 * 1024) };

/**
 * Makes room for as many checks at once as are configured: the process replaces itself by itself, with
 * the variable set. Without, requests past the limit would wait unseen and count as time-outs, and
 * deliveries behind them. Returns when there is room already, and on Windows, which cannot do that.
 */
export function prepareRuntime(checksAtOnce: number): void {
  const needed = Math.min(checksAtOnce * PER_CHECK + RESERVE, MOST);
  if (needed <= Number(process.env[VARIABLE] ?? USUAL)) return;
  const env = { ...MEMORY, ...process.env, [VARIABLE]: String(needed) };
  process.execve?.(process.execPath, [process.execPath, ...ownArguments()], env);
}

/** Inside the executable the script is part of it and is not named again. */
const ownArguments = () =>
  process.argv[1]?.startsWith("/$bunfs/") ? process.argv.slice(2) : process.argv.slice(1);

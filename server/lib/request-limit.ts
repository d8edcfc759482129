const VARIABLE = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/** What Bun allows at once unless the variable said otherwise before the process began. */
const USUAL = 256;
/** Left for deliveries and lookups beside the checks. */
const RESERVE = 56;

/**
 * Makes room for as many checks at once as are configured: the process replaces itself by itself, with
 * the variable set. Without, requests past the limit would wait unseen and count as time-outs. Returns
 * when there is room already.
 */
export function allowRequests(checksAtOnce: number): void {
  const needed = checksAtOnce + RESERVE;
  if (needed <= Number(process.env[VARIABLE] ?? USUAL)) return;
  const env = { ...process.env, [VARIABLE]: String(needed) };
  process.execve?.(process.execPath, [process.execPath, ...ownArguments()], env);
}

/** Inside the executable the script is part of it and is not named again. */
const ownArguments = () =>
  process.argv[1]?.startsWith("/$bunfs/") ? process.argv.slice(2) : process.argv.slice(1);

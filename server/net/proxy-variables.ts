const NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/**
 * Takes the usual proxy variables out of an environment and returns the names of those that were there.
 * `fetch` obeys them whatever it is told, and a proxy would look up again what was judged here.
 */
export function dropProxyVariables(env: Record<string, string | undefined>): string[] {
  const found = [...NAMES, ...NAMES.map((name) => name.toLowerCase())].filter(
    (name) => name in env,
  );
  for (const name of found) delete env[name];
  return found;
}

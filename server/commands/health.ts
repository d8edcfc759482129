import type { Command } from "commander";
import type { Config } from "../config.ts";
import type { Cli } from "./cli.ts";

const TIMEOUT_MS = 5000;
/** Where a server that listens on all addresses can be asked. */
const LOCAL: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export function addHealth(program: Command, cli: Cli) {
  program
    .command("health")
    .description("ask the running server whether it is well; exit 0 or 1, for containers")
    .action(async () => {
      const base = localUrl(await cli.config());
      const status = await askHealth(`${base}/health`);
      if (status !== 200) throw new Error(`The server at ${base} ${describe(status)}.`);
      cli.print("The server is well.");
    });
}

/** The address of this machine's own server, as far as the settings tell. */
export function localUrl({ host, port }: Config): string {
  const name = LOCAL[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** @returns the status, or null when nobody answered */
const askHealth = (url: string): Promise<number | null> =>
  fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), headers: { connection: "close" } }).then(
    ({ status }) => status,
    () => null,
  );

const describe = (status: number | null) =>
  status === null ? "does not answer" : `is not well: it answered ${status}`;

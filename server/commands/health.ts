import type { Command } from "commander";
import type { Config } from "../ground/config/config.ts";
import type { Cli } from "./cli.ts";

const TIMEOUT_MS = 5000;
/** Where a server that listens on all addresses can be reached. */
const LOCAL: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export function addHealth(program: Command, cli: Cli) {
  program
    .command("health")
    .description("check the health of the running server; exit 0 or 1, for containers")
    .option("--ready", "also check that its database is up to date and its checks run")
    .action(({ ready }: { ready?: true }) => printHealth(cli, ready ? "/ready" : "/health"));
}

/** A starting server is healthy, so that no supervisor stops it, but not ready. */
async function printHealth(cli: Cli, path: "/health" | "/ready") {
  const base = localUrl(await cli.config());
  const answer = await ask(base + path);
  const doing = answer && STARTING.test(answer.text) ? await whatItDoes(base) : null;
  const isWell = answer?.status === 200;
  if (!isWell) throw new Error(`The server at ${base} ${doing ?? describe(answer)}.`);
  if (doing) return cli.print(`The server ${doing}.`);
  cli.print(path === "/ready" ? "The server is ready." : "The server is healthy.");
}

/** The address of this machine's server, according to the settings. */
export const localUrl = ({ host, port }: Pick<Config, "host" | "port">): string =>
  urlOf(LOCAL[host] ?? host, port);

export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** A response, which may come from another program. */
type Answer = { status: number; text: string };

/** @returns null without an answer */
const ask = (url: string): Promise<Answer | null> =>
  fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), headers: { connection: "close" } })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch(() => null);

const STARTING = /"status":"starting"/;

async function whatItDoes(base: string): Promise<string> {
  const answer = await ask(`${base}/ready`);
  const doing = /"doing":"([^"\\]{1,200})"/.exec(answer?.text ?? "")?.[1];
  return doing ? `is starting: ${doing}` : "is starting";
}

function describe(answer: Answer | null): string {
  if (answer === null) return "does not answer";
  const names = [...(/"troubles":\[([^\]]*)\]/.exec(answer.text)?.[1] ?? "").matchAll(/"(\w+)"/g)];
  const known = names.flatMap(([, name]) => SENTENCES[name!] ?? []);
  return `is not healthy: ${known.length > 0 ? known.join(" and ") : `it answered ${answer.status}`}`;
}

/** Problems by their names in the response. The server's log has more. */
const SENTENCES: Record<string, string> = {
  disk_full: "its disk is full (disk_full)",
  database_damaged: "its database is damaged (database_damaged)",
  data_folder_gone: "its data folder is missing (data_folder_gone)",
  unhandled_error: "an unexpected error occurred (unhandled_error)",
  backup_failed: "its last backup failed (backup_failed)",
  database_unreachable: "its database does not answer (database_unreachable)",
};

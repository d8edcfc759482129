import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Config, type Env, readConfig, unknownIn } from "../ground/config/config.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { failure } from "../ground/lib/errors.ts";
import { log, startLogging } from "../ground/lib/log.ts";
import { filesFor, fitRuntime, openFileLimit } from "../ground/lib/runtime.ts";
import { dropProxyVariables } from "../ground/net/request.ts";
import { ownServicesOf } from "../judge/services/own-services.ts";
import type { Deps } from "../work/deps.ts";
import { CLEAR_LINE, type Io } from "./io.ts";

export { UsageError } from "../ground/lib/errors.ts";

/** The process as a command sees it. */
export type Cli = {
  io: Io;
  env: Env;
  /** The environment, and the variables of `--env-file`, which it overrides. */
  sources(): { env: Env; file: Env };
  /**
   * Reads the settings and starts the log.
   * @param options.forChecks lowers the number of checks to what the limit of open files allows, and prepares the
   * process for them before anything is logged
   */
  config(options?: { forChecks: boolean }): Promise<Config>;
  /** One line on standard output. Whether it could be written is known once the command has ended. */
  print(line: string): void;
  /** For an outcome that is not an error, such as a dead link. */
  exitCode: number;
  /** Whether this is a server, all of whose output has the format of the log. */
  isServing: boolean;
  /** Whether a person starts a server at a terminal, without having chosen a format for the log. */
  isAtTerminal(): boolean;
};

/** An error whose message begins with a name as it was typed, which is shown as it is. */
export class NamedFileError extends Error {}

/** @param envFile returns the file of `--env-file` once the command line is parsed */
export function createCli(env: Env, io: Io, envFile: () => string | undefined): Cli {
  const sources = () => ({ env, file: readEnvFile(envFile()) });
  const settings = () => ({ ...sources().file, ...env });
  const cli: Cli = {
    io,
    env,
    sources,
    config: async ({ forChecks } = { forChecks: false }) => {
      const given = settings();
      const isQuiet = cli.isAtTerminal() && !given.STILLUP_LOG_LEVEL;
      const configured = readConfig(given);
      ownServicesOf(configured);
      const config = forChecks ? fitRuntime(configured, env, io.restart) : configured;
      startLogging({
        level: isQuiet ? "warning" : config.logLevel,
        format: config.logFormat,
        write: (line) => io.stderr.write(`${cli.isAtTerminal() ? CLEAR_LINE : ""}${line}\n`),
      });
      logDropped(dropProxyVariables(env));
      for (const sentence of unknownIn(given)) log.warning(sentence);
      warnOfFiles(configured, config);
      return config;
    },
    // As bytes: on a full disk Bun retries some texts, such as the list of keys, forever.
    print: (line) => io.stdout.write(Buffer.from(`${line}\n`)),
    exitCode: 0,
    isServing: false,
    isAtTerminal: () =>
      cli.isServing && !!io.stdout.isTTY && !!io.stderr.isTTY && !settings().STILLUP_LOG_FORMAT,
  };
  return cli;
}

/** Runs the work on the database, which may be that of a running server, and closes it. */
export async function withDeps<T>(cli: Cli, work: (deps: Deps) => Promise<T>): Promise<T> {
  const { openDeps } = await import("../app/build.ts");
  const { deps } = await openDeps(await cli.config(), systemClock);
  try {
    return await work(deps);
  } finally {
    await deps.store.engine.close();
  }
}

function warnOfFiles({ checkConcurrency: configured }: Config, { checkConcurrency: used }: Config) {
  if (used === configured) return;
  log.warning(
    "open file limit too low for STILLUP_CHECK_CONCURRENCY: fewer checks run at the same time",
    { limit: openFileLimit(), needed: filesFor(configured), configured, used },
  );
}

function readEnvFile(path: string | undefined): Env {
  if (path === undefined) return {};
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    throw failure("The file of --env-file cannot be read", error);
  }
}

function logDropped(names: string[]) {
  if (names.length === 0) return;
  log.info(
    `${names.join(", ")} in the environment not used; STILLUP_OUTBOUND_PROXY names a proxy for checks and webhooks`,
  );
}

import { configure, getLogger, type LogLevel, type LogRecord } from "@logtape/logtape";
import { DrizzleQueryError } from "drizzle-orm";
import { unlessRepeated } from "./log-repeats.ts";
import { masked, visible } from "./masking.ts";

export const log = getLogger("stillup");

type LogOptions = {
  level: LogLevel;
  format: "text" | "json";
  write?: (line: string) => void;
};

/** Sends every record to standard error, one line each: standard output belongs to the commands. */
export const startLogging = ({ level, format, write = toStderr }: LogOptions) =>
  configure({
    reset: true,
    sinks: {
      lines: unlessRepeated((record) => write(format === "json" ? asJson(record) : asText(record))),
    },
    loggers: [
      { category: "stillup", lowestLevel: level, sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["lines"] },
    ],
  });

/**
 * A line in the format of the log for what must be shown whatever the log's level is, unmasked: the set-up link, and
 * the error that a server ends with.
 */
export const lineIn = (format: LogOptions["format"], level: LogLevel, message: string): string =>
  format === "json"
    ? visible(JSON.stringify({ time: new Date().toISOString(), level, message }))
    : message;

/** What the runtime says of its own accord becomes lines of the log as well. */
export function logWarnings(): void {
  console.warn = (...said: unknown[]) =>
    log.warn("the runtime warns", { error: said.map(String).join(" ") });
}

/** What an error says, without the parameters that drizzle puts into its message; as facts of a line. */
export function describeError(error: unknown): { error: string; stack?: string } {
  if (error instanceof DrizzleQueryError) return describeError(error.cause);
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, ...(error.stack && { stack: error.stack }) };
}

/** For what goes on although something of it failed. */
export const logFailure = (what: string) => (error: unknown) =>
  log.error(what, describeError(error));

const toStderr = (line: string) => process.stderr.write(`${line}\n`);

const asJson = ({ timestamp, level, message, properties }: LogRecord) =>
  printable(
    JSON.stringify({
      time: new Date(timestamp).toISOString(),
      level,
      message: message.join(""),
      ...properties,
    }),
  );

/** A line stays a line: what came from outside is written as JSON, which escapes line breaks. */
function asText({ timestamp, level, message, properties }: LogRecord): string {
  const facts = Object.entries(properties).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  return printable(
    [new Date(timestamp).toISOString(), level, message.join(""), ...facts].join(" "),
  );
}

const printable = (line: string) => visible(masked(line));

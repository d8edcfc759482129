import { configure, getLogger, type LogLevel, type LogRecord } from "@logtape/logtape";
import { DrizzleQueryError } from "drizzle-orm";

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
    sinks: { lines: (record) => write(format === "json" ? asJson(record) : asText(record)) },
    loggers: [
      { category: "stillup", lowestLevel: level, sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["lines"] },
    ],
  });

/** What an error says, without the parameters that drizzle puts into its message; as facts of a line. */
export function describeError(error: unknown): { error: string; stack?: string } {
  if (error instanceof DrizzleQueryError) return describeError(error.cause);
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, ...(error.stack && { stack: error.stack }) };
}

const toStderr = (line: string) => process.stderr.write(`${line}\n`);

const asJson = ({ timestamp, level, message, properties }: LogRecord) =>
  masked(
    JSON.stringify({
      time: new Date(timestamp).toISOString(),
      level,
      message: message.join(""),
      ...properties,
    }),
  );

/** A line stays a line: what came from outside is written as JSON, which escapes control characters. */
function asText({ timestamp, level, message, properties }: LogRecord): string {
  const facts = Object.entries(properties).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  const text = message
    .map(String)
    .join("")
    .replace(/\p{Cc}/gu, " ");
  return masked([new Date(timestamp).toISOString(), level, text, ...facts].join(" "));
}

/** No key and no signing secret ever reaches a log, wherever it came from. */
const masked = (line: string) =>
  line
    .replace(/\b(su_[0-9A-Za-z]{6})[0-9A-Za-z]{20,}/g, "$1…")
    .replace(/whsec_[\w+/=-]+/g, "whsec_…");

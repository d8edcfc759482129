import { onTestFinished } from "bun:test";
import { type LogLevel, reset } from "@logtape/logtape";
import { startLogging } from "../server/ground/lib/log.ts";

/** Every line of the log from now until the end of the test. */
export async function logLines(
  level: LogLevel,
  format: "text" | "json" = "text",
): Promise<string[]> {
  const lines: string[] = [];
  startLogging({ level, format, write: (line) => lines.push(line) });
  onTestFinished(reset);
  return lines;
}

/** Those that are about something else than a request. */
export const exceptRequests = (lines: string[]) =>
  lines.filter((line) => !/^\S+ info request /.test(line));

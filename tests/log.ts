import { onTestFinished } from "bun:test";
import { type LogLevel, reset } from "@logtape/logtape";
import { startLogging } from "../server/lib/log.ts";

/** Every line of the log from now until the end of the test. */
export async function logLines(level: LogLevel): Promise<string[]> {
  const lines: string[] = [];
  await startLogging({ level, format: "text", write: (line) => lines.push(line) });
  onTestFinished(reset);
  return lines;
}

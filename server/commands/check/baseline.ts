import { failure, UsageError } from "../../ground/lib/errors.ts";
import type { Finding } from "./findings.ts";
import { readKept, replaceKept } from "./kept-file.ts";

/** Findings that are known and fail nothing: a file, an address, and its number among equals in that file. */
export type Baseline = Set<string>;

/** No line, since lines move. */
export const entryOf = ({ name, finding, no }: { name: string; finding: Finding; no: number }) =>
  [name, finding.url].map(inOneCell).join("\t") + (no > 1 ? `\t${no}` : "");

const inOneCell = (text: string) => text.replace(/[\t\r\n]/g, encodeURIComponent);

/** @throws UsageError with the line of a mistake */
export function readBaseline(path: string): Baseline {
  const entries = textOf(path)
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, ""));
  const wrong = entries.findIndex(
    (each) => each !== "" && !/^[^\t]+\t[^\t]+(?:\t\d+)?$/.test(each),
  );
  if (wrong >= 0) {
    throw new UsageError(
      `${path}, line ${wrong + 1}: a file and an address must stand there, with a tab between them.`,
    );
  }
  return new Set(entries.filter(Boolean));
}

function textOf(path: string): string {
  try {
    return readKept(path);
  } catch (error) {
    throw new UsageError(failure("The baseline cannot be read", error).message);
  }
}

/** Writes entries sorted, one on a line, so that changes of the file are easy to review. */
export function writeBaseline(path: string, entries: string[]): void {
  const text = entries
    .toSorted()
    .map((each) => `${each}\n`)
    .join("");
  try {
    replaceKept(path, text);
  } catch (error) {
    throw new UsageError(failure("The baseline cannot be written", error).message);
  }
}

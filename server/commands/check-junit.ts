import { closeSync, openSync, writeSync } from "node:fs";
import { failure } from "../lib/errors.ts";
import { messageOf } from "../verdict/reasons/reasons.ts";
import { asText, type Checked } from "./check-show.ts";

type Report = { add(checked: Checked): void; end(): void };

/**
 * A report in the XML of JUnit, which CI services show: a dead link is a failure, an unknown one an error,
 * or skipped where it is allowed. The file is opened at once, so that a wrong name is reported at the start.
 */
export function openJunit(path: string, { allowUnknown }: { allowUnknown?: true }): Report {
  const file = openFile(path);
  const cases: string[] = [];
  const counts = { active: 0, dead: 0, unknown: 0 };
  return {
    add(checked) {
      counts[checked.conclusion.status]++;
      cases.push(caseOf(checked, allowUnknown ? "skipped" : "error"));
    },
    end() {
      const [errors, skipped] = allowUnknown ? [0, counts.unknown] : [counts.unknown, 0];
      const sums = `tests="${cases.length}" failures="${counts.dead}" errors="${errors}" skipped="${skipped}"`;
      const suite = `<testsuite name="links" ${sums}>\n${cases.join("\n")}\n</testsuite>`;
      writeSync(file, `${HEAD}<testsuites ${sums}>\n${suite}\n</testsuites>\n`);
      closeSync(file);
    },
  };
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

function openFile(path: string): number {
  try {
    return openSync(path, "w");
  } catch (error) {
    throw failure("The report cannot be written", error);
  }
}

function caseOf(checked: Checked, unknownIs: "error" | "skipped"): string {
  const { url, conclusion } = checked;
  const { status, reason, statusCode, cause } = conclusion;
  const seconds = (conclusion.responseTimeMs ?? 0) / 1000;
  const head = `<testcase classname="${escaped(new URL(url).host)}" name="${escaped(url)}" time="${seconds}"`;
  if (status === "active") return `${head}/>`;
  const name = status === "dead" ? "failure" : unknownIs;
  const message = escaped(messageOf(reason, statusCode, cause));
  const type = name === "skipped" ? "" : ` type="${reason}"`;
  return `${head}><${name} message="${message}"${type}>${escaped(asText(checked))}</${name}></testcase>`;
}

const SIGNS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Without what XML cannot hold at all. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/[^\P{Cc}\n]|[\uFFFE\uFFFF]/gu, " ")
    .replace(/[&<>"]/g, (sign) => SIGNS[sign]!);

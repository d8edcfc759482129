import { plain } from "../../../ground/lib/text.ts";
import type { Conclusion } from "../../../judge/probe/conclusion.ts";
import {
  type Counts,
  type Finding,
  isProblem,
  messageAt,
  rowsOf,
  type Status,
} from "../findings.ts";

const INDENT = " ".repeat(9);

/** A finding with all that explains it, for people. */
export function explained({ url, status, message, conclusion }: Finding): string {
  const lines = [`${status.padEnd(INDENT.length)}${url}`, message];
  if (conclusion) lines.push(...detailsOf(conclusion));
  return lines.map(plain).join(`\n${INDENT}`);
}

function detailsOf(conclusion: Conclusion): string[] {
  const { status, statusCode, evidence } = conclusion;
  const lines = evidence.redirects.map((hop) => `${hop.status} redirect from ${hop.url}`);
  if (lines.length > 0) lines.push(`final URL ${conclusion.finalUrl}`);
  if (conclusion.responseTimeMs !== null) {
    lines.push(`answered ${statusCode} in ${conclusion.responseTimeMs} ms`);
  }
  lines.push(...evidence.signals.map(({ text }) => text), ...evidence.notes);
  if (status !== "active") lines.push(...attemptsOf(conclusion));
  return lines;
}

function attemptsOf({ reason, cause, evidence }: Conclusion): string[] {
  const seen = evidence.attempts.map((attempt) => attempt.detail ?? attempt.reason);
  const first = `reason ${reason}${cause ? `, caused by ${cause}` : ""}`;
  return [first, ...seen.map((what, i) => `attempt ${i + 1}: ${what}`)];
}

const COLORS: Record<Status, string> = { active: "32", dead: "31", unknown: "33" };

/** A line for each place of a problem: "docs/a.md:12:5  dead  https://…  "words"  The server …". */
export const placesOf = (findings: Finding[], hasColors: boolean): string[] =>
  rowsOf(findings.filter(isProblem))
    .filter(({ place }) => !place.isKnown)
    .map(({ place, finding }) => {
      const { file, line, column, text } = place;
      const { url, status } = finding;
      const shown = hasColors ? `\x1b[${COLORS[status]}m${status}\x1b[m` : status;
      const words = text === "" ? [] : [plain(`"${text}"`)];
      // A job on GitHub would take a line that begins with "::" for a command.
      const where = plain(`${/^[:#]/.test(file) ? "./" : ""}${file}:${line}:${column}`);
      return [where, shown, plain(url), ...words, plain(messageAt(finding, place))].join("  ");
    });

/** "1 active, 1 dead, 0 unknown." */
export const listSummary = (counts: Counts): string =>
  `${Object.entries(counts)
    .map(([status, count]) => `${count.toLocaleString("en")} ${status}`)
    .join(", ")}.`;

/** "3 dead, 2 unknown, 1,204 active, 41 left out."; of the others only what there is. */
export function documentSummary(counts: Counts, others: [count: number, what: string][]) {
  const parts: typeof others = [
    [counts.dead, "dead"],
    [counts.unknown, "unknown"],
    [counts.active, "active"],
    ...others.filter(([count]) => count > 0),
  ];
  return `${parts.map(([count, what]) => `${count.toLocaleString("en")} ${what}`).join(", ")}.`;
}

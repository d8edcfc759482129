import { plain } from "../../../ground/lib/text.ts";
import { messageAt } from "../findings.ts";
import { problemsOf, type Report, type Row } from "./report.ts";

/** GitHub shows so many of each kind of a step. */
const SHOWN = 10;

/** Annotations for the lines of a change, as commands of a job on GitHub. */
export function githubReport(report: Report): string {
  const rows = problemsOf(report).filter(({ place }) => !place.isKnown);
  const of = (status: string) => rows.filter(({ finding }) => finding.status === status);
  return [
    ...annotated("error", of("dead")),
    ...annotated("warning", of("unknown")),
    ...annotated("notice", of("active")),
  ].join("");
}

const TITLES = { error: "Dead link", warning: "Unknown link", notice: "Missing anchor" };

function annotated(kind: keyof typeof TITLES, rows: Row[]): string[] {
  const shown = rows.length > SHOWN ? rows.slice(0, SHOWN - 1) : rows;
  const left = rows.length - shown.length;
  const title = TITLES[kind];
  const lines = shown.map(({ finding, place, name }) => {
    const { line, column, endColumn } = place;
    const properties = { file: name, line, col: column, endColumn, title };
    const written = Object.entries(properties).map(([key, value]) => `${key}=${property(value)}`);
    return `::${kind} ${written.join(",")}::${data(`${finding.url}: ${messageAt(finding, place)}`)}\n`;
  });
  if (left === 0) return lines;
  return [
    ...lines,
    `::${kind} title=${title}::${left.toLocaleString("en")} more, see the summary.\n`,
  ];
}

const data = (value: string | number) => plain(String(value)).replaceAll("%", "%25");

const property = (value: string | number) =>
  data(value).replaceAll(":", "%3A").replaceAll(",", "%2C");

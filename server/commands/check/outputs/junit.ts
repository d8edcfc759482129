import { plain } from "../../../ground/lib/text.ts";
import { type Finding, messageAt, type Place, rowsOf } from "../findings.ts";
import { explained } from "./human.ts";
import type { Report } from "./report.ts";

type Case = { suite: string; text: string; status: Finding["status"] };

/**
 * A JUnit report for CI: a dead link is a failure, an unknown one an error, or skipped where it is allowed. Links of
 * documents are in a suite for each file, others in one.
 */
export function junitReport({ findings, isUnknownAllowed }: Report): string {
  const unknownIs = isUnknownAllowed ? "skipped" : "error";
  const cases: Case[] = [
    ...findings.filter(({ places }) => places.length === 0).map((each) => ofUrl(each, unknownIs)),
    ...rowsOf(findings).map(({ place, finding }) => ofPlace(place, finding, unknownIs)),
  ];
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].map(
    ([suite, some]) =>
      `<testsuite name="${escaped(suite)}" ${sumsOf(some, isUnknownAllowed)}>\n${some
        .map(({ text }) => text)
        .join("\n")}\n</testsuite>\n`,
  );
  return `${HEAD}<testsuites ${sumsOf(cases, isUnknownAllowed)}>\n${suites.join("")}</testsuites>\n`;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

function sumsOf(cases: Case[], isUnknownAllowed: boolean): string {
  const count = (status: string) => cases.filter((each) => each.status === status).length;
  const unknown = count("unknown");
  const [errors, skipped] = isUnknownAllowed ? [0, unknown] : [unknown, 0];
  return `tests="${cases.length}" failures="${count("dead")}" errors="${errors}" skipped="${skipped}"`;
}

function ofUrl(finding: Finding, unknownIs: string): Case {
  const { url, conclusion, status } = finding;
  const seconds = (conclusion?.responseTimeMs ?? 0) / 1000;
  const names = `classname="${escaped(new URL(url).host)}" name="${escaped(url)}"`;
  return { suite: "links", status, text: caseOf(`${names} time="${seconds}"`, finding, unknownIs) };
}

function ofPlace(place: Place, finding: Finding, unknownIs: string): Case {
  const { file, line, column } = place;
  const name = `${line}:${column} ${finding.url}`;
  const names = `classname="${escaped(file)}" name="${escaped(name)}" file="${escaped(file)}" line="${line}"`;
  // A test that passes: what is known fails nothing.
  if (place.isKnown) return { suite: file, status: "active", text: `<testcase ${names}/>` };
  const message = messageAt(finding, place);
  return {
    suite: file,
    status: finding.status,
    text: caseOf(names, { ...finding, message }, unknownIs),
  };
}

function caseOf(attributes: string, finding: Finding, unknownIs: string): string {
  const { status, reason, message } = finding;
  if (status === "active") return `<testcase ${attributes}/>`;
  const name = status === "dead" ? "failure" : unknownIs;
  const type = name === "skipped" ? "" : ` type="${reason}"`;
  return `<testcase ${attributes}><${name} message="${escaped(message)}"${type}>${escaped(
    explained(finding),
  )}</${name}></testcase>`;
}

const SIGNS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text in lines. XML does not allow some more characters. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .split("\n")
    .map(plain)
    .join("\n")
    .replace(/[\uFFFE\uFFFF]/g, " ")
    .replace(/[&<>"]/g, (sign) => SIGNS[sign]!);

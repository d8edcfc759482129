import { createHash } from "node:crypto";
import type { Finding, Place, Status } from "../findings.ts";
import { isProblem, rowsOf } from "../findings.ts";

/** What a report is about. */
export type Report = {
  findings: Finding[];
  isUnknownAllowed: boolean;
  /** The counts in words. */
  summary: string;
  /** The name of a file from the root on, by the name that is shown. */
  nameOf(file: string): string;
  env: Record<string, string | undefined>;
};

/** A finding at one of its places, and its number among equals in that file. */
export type Row = { finding: Finding; place: Place; name: string; no: number };

/** Each problem at each of its places, by place. */
export function problemRows({ findings, nameOf }: Pick<Report, "findings" | "nameOf">): Row[] {
  const seen = new Map<string, number>();
  return rowsOf(findings)
    .filter(({ finding }) => isProblem(finding))
    .map(({ finding, place }) => {
      const name = nameOf(place.file);
      const key = `${name}\n${finding.url}`;
      const no = (seen.get(key) ?? 0) + 1;
      seen.set(key, no);
      return { finding, place, name, no };
    });
}

/** Those rows, dead ones first, then what is unknown, and what is known last. */
export function problemsOf(report: Report): Row[] {
  const rows = problemRows(report);
  const isNew = ({ place }: Row) => !place.isKnown;
  const withStatus = (status: Status) =>
    rows.filter((row) => isNew(row) && row.finding.status === status);
  return [
    ...withStatus("dead"),
    ...withStatus("unknown"),
    ...withStatus("active"),
    ...rows.filter(({ place }) => place.isKnown),
  ];
}

/** What identifies a finding when lines above it change. */
export const fingerprintOf = ({ name, finding, no }: Row) =>
  createHash("sha256").update(`${name}\n${finding.url}\n${no}`).digest("hex").slice(0, 32);

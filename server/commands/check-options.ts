import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../ground/lib/errors.ts";
import type { AnchorKind } from "../read/documents/slugs.ts";
import type { Format } from "../read/lists/formats.ts";
import { githubReport } from "./check/outputs/github.ts";
import { asJson } from "./check/outputs/json.ts";
import { junitReport } from "./check/outputs/junit.ts";
import { markdownReport } from "./check/outputs/markdown.ts";
import type { Report } from "./check/outputs/report.ts";
import { sarifReport } from "./check/outputs/sarif.ts";

export type CheckOptions = {
  file?: string;
  stdinName?: string;
  format?: Format;
  root?: string;
  baseUrl?: string;
  extensions?: string[];
  anchors?: AnchorKind;
  exclude?: RegExp[];
  excludePath?: string[];
  includeIgnored?: true;
  allowEmpty?: true;
  cache?: string | true;
  cacheAge?: number;
  changedSince?: string;
  baseline?: string;
  writeBaseline?: true;
  output?: OutputTo[];
  json?: true;
  junit?: string;
  quiet?: true;
  allowUnknown?: true;
  offline?: true;
  exitZero?: true;
  server?: string;
  keyFile?: string;
  strict?: true;
  watchNew?: string;
  pageUrl?: string;
  prune?: true;
  /** False for `--no-config`. */
  config?: boolean;
};

/** Reads "md, .mdx". */
export const listOf = (text: string) =>
  text
    .split(",")
    .map((each) => each.trim().replace(/^\./, ""))
    .filter(Boolean);

/** A report, and its file; null for standard output. */
export type OutputTo = { format: keyof typeof REPORTS; file: string | null };

/** Reports that are written once all is known. */
export const REPORTS = {
  json: ({ findings }: Report) => findings.map((each) => `${asJson(each)}\n`).join(""),
  junit: junitReport,
  sarif: sarifReport,
  github: githubReport,
  markdown: (report: Report) => markdownReport(report),
};

/** Reads "sarif:links.sarif". @throws UsageError */
export function outputs(text: string, before: OutputTo[] = []): OutputTo[] {
  const [, format = "", file] = /^([^:]*)(?::(.+))?$/s.exec(text) ?? [];
  if (!Object.hasOwn(REPORTS, format)) {
    const known = Object.keys(REPORTS).join(", ");
    throw new UsageError(`--output ${JSON.stringify(text)} must begin with one of ${known}.`);
  }
  return [...before, { format: format as OutputTo["format"], file: file ?? null }];
}

export const DAY_MS = 86_400_000;
const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** Reads "12h", in milliseconds. @throws UsageError */
export function ageOf(text: string): number {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (unit === undefined) {
    throw new UsageError(`--cache-age ${JSON.stringify(text)} must be a time, as in 12h or 7d.`);
  }
  return Number(count) * UNIT_MS[unit]!;
}

/** For options that may be repeated. */
export const collect = (text: string, before: string[] = []) => [...before, text];

/** @throws UsageError */
export function patterns(text: string, before: RegExp[] = []): RegExp[] {
  try {
    return [...before, new RegExp(text)];
  } catch {
    throw new UsageError(`--exclude ${JSON.stringify(text)} is not a regular expression.`);
  }
}

/** @throws UsageError for options that make no sense */
export function refused(options: CheckOptions): CheckOptions {
  const { root, baseUrl } = options;
  if (options.writeBaseline && options.baseline === undefined) {
    throw new UsageError("--write-baseline needs --baseline FILE.");
  }
  if (options.watchNew === undefined && (options.prune || options.pageUrl !== undefined)) {
    throw new UsageError("--prune and --page-url are for --watch-new SOURCE.");
  }
  if (options.watchNew !== undefined && (options.changedSince !== undefined || options.offline)) {
    throw new UsageError(
      "--watch-new needs whole documents and a server: leave out --changed-since and --offline.",
    );
  }
  const places = outputsOf(options).map(({ file }) => (file === null ? "-" : resolve(file)));
  if (isStreamed(options)) places.push("-");
  const twice = places.find((place, i) => places.indexOf(place) < i);
  if (twice !== undefined) {
    throw new UsageError(
      twice === "-"
        ? "Only one report can be on standard output; give the others a file."
        : `Two reports cannot be in the same file: ${twice}.`,
    );
  }
  if (root !== undefined && !statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--root ${JSON.stringify(root)} is not a folder.`);
  }
  if (baseUrl === undefined) return options;
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith("/")) {
    throw new UsageError("--base-url must be an http or https URL that ends in a slash.");
  }
  return { ...options, baseUrl: url.href };
}

/** All reports, those of the short options too. */
export const outputsOf = ({ output = [], json, junit, baseline }: CheckOptions): OutputTo[] => [
  ...output,
  ...(junit === undefined ? [] : [{ format: "junit" as const, file: junit }]),
  // What is known is marked once all is found.
  ...(json && baseline !== undefined ? [{ format: "json" as const, file: null }] : []),
];

/** Whether each finding is printed as soon as it is made. */
export const isStreamed = ({ json, baseline }: CheckOptions) =>
  json === true && baseline === undefined;

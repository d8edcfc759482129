import { readFileSync } from "node:fs";
import * as z from "zod";
import { SettingProblem } from "../../lib/errors.ts";
import { createCatalogue } from "./catalogue.ts";
import { problemsOf } from "./problems.ts";
import type { Service } from "./record.ts";
import { createSchemas } from "./schema.ts";

/** How many problems of a file are reported: the first ones, since one often causes the others. */
const MOST_PROBLEMS = 5;

/**
 * An operator's own services: a JSON list of records (docs/services.md).
 * @throws SettingProblem that names the record, the field and what is wrong with it
 */
export function readOwnServices(path: string): Service[] {
  if (path.trim() === "") return [];
  const records = parsed(readFileSync(path, "utf8"));
  const checked = z.array(createSchemas().Service).safeParse(records);
  if (!checked.success)
    throw refusal(checked.error.issues.map((issue) => describe(issue, records)));
  const problems = problemsOf(createCatalogue(checked.data));
  if (problems.length > 0) throw refusal(problems);
  return checked.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal([`it is no JSON: ${(error as Error).message}.`]);
  }
}

function refusal(problems: string[]): SettingProblem {
  const more = problems.length - MOST_PROBLEMS;
  const told = more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `And ${more} more.`] : problems;
  return new SettingProblem(told.join("\n  "));
}

/** `Service "wiki", kinds[0].path: is no regular expression.` */
function describe(issue: z.core.$ZodIssue, records: unknown): string {
  const { path, message } = closest(issue);
  const [index, ...fields] = path;
  if (typeof index !== "number") return `it must be a list of records: ${message}.`;
  const field = fields.length > 0 ? `, ${fieldOf(fields)}` : "";
  return `${nameOf(records, index)}${field}: ${message}.`;
}

/** Of the shapes that a value may have, the one that it comes closest to is what was meant. */
function closest(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const deepest = issue.errors
    .map((issues) => issues.map(closest).sort((a, b) => b.path.length - a.path.length)[0]!)
    .sort((a, b) => b.path.length - a.path.length)[0]!;
  return deepest.path.length === 0 ? issue : { ...deepest, path: [...issue.path, ...deepest.path] };
}

const fieldOf = (path: PropertyKey[]) =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");

function nameOf(records: unknown, index: number): string {
  const id = (records as { id?: unknown }[])[index]?.id;
  return typeof id === "string" ? `Service "${id}"` : `Record ${index + 1}`;
}

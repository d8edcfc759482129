import * as z from "zod";
import type { Config } from "../../ground/config/config.ts";
import { type Catalogue, createCatalogue, targetOf } from "./catalogue.ts";
import { type Ask, asksOf, type Kind, type Page, type Service, type When } from "./record.ts";
import { createSchemas } from "./schema.ts";
import { isEncoding, slotsOf } from "./templates.ts";

/** Most reported problems of a file, since the first ones often cause the others. */
const MOST_PROBLEMS = 5;

/**
 * An operator's services: a list of records (docs/services.md).
 * @throws a sentence that names the setting, the record, the field and the problem
 */
export function ownServicesOf({ services }: Pick<Config, "services">): Service[] {
  const { file, records } = services;
  if (file === "") return [];
  const checked = z.array(createSchemas().Service).safeParse(records);
  const problems = checked.success
    ? problemsOf(createCatalogue(checked.data))
    : checked.error.issues.map((issue) => describe(issue, records));
  if (problems.length === 0) return checked.data!;
  const more = problems.length - MOST_PROBLEMS;
  const shown = more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `And ${more} more.`] : problems;
  throw new Error(`STILLUP_SERVICES_FILE (${file}): ${shown.join("\n  ")}`);
}

/** Formats an issue such as `Service "wiki", kinds[0].path: must be a regular expression.` */
function describe(issue: z.core.$ZodIssue, records: unknown): string {
  const { path, message } = closest(issue);
  const [index, ...fields] = path;
  if (typeof index !== "number") return `must be a list of records: ${message}.`;
  const field = fields.length > 0 ? `, ${fieldOf(fields)}` : "";
  return `${nameOf(records, index)}${field}: ${message}.`;
}

/** Returns the issue of the alternative that the value comes closest to. */
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

/** Values that every template may use. */
const ALWAYS = ["url", "host", "random"];

/** Returns a sentence for each problem that the schema cannot find, with the record and the field. */
export function problemsOf(catalogue: Catalogue): string[] {
  try {
    catalogue.index();
  } catch (error) {
    return [(error as Error).message];
  }
  return [...catalogue.services.flatMap(inRecord), ...strayCanaries(catalogue)];
}

const strayCanaries = (catalogue: Catalogue): string[] =>
  catalogue.services.flatMap(({ id, canary = [] }) =>
    canary.flatMap((url, i) =>
      targetOf(catalogue, new URL(url))?.service.id === id
        ? []
        : [`Service "${id}", canary[${i}]: must be an address of one of its kinds.`],
    ),
  );

function inRecord({ id, hosts, path, kinds = [] }: Service): string[] {
  const say = (field: string, problem: string) => `Service "${id}", ${field}: ${problem}`;
  const owning = hosts.length === 0 && !path ? [say("hosts", "must name a host.")] : [];
  return [
    ...owning,
    ...kinds.flatMap((kind, i) =>
      inKind(kind).map(([field, problem]) => say(`kinds[${i}]${field}`, problem)),
    ),
  ];
}

type Problem = [field: string, problem: string];

function inKind(kind: Kind): Problem[] {
  const known = [...ALWAYS, ...groupsOf(kind)];
  const asks = asksOf(kind);
  return [
    ...asks.flatMap((ask, i) =>
      inAsk(ask, [...known, ...takenBefore(asks, i)]).map(
        (problem): Problem => [`.ask[${i}]`, problem],
      ),
    ),
    ...inPage(kind, known).map((problem): Problem => [".page", problem]),
  ];
}

const takenBefore = (asks: Ask[], index: number) =>
  asks.slice(0, index).flatMap(({ take = {} }) => Object.keys(take));

function inAsk(ask: Ask, known: string[]): string[] {
  const templates = templatesIn(ask);
  const slots = templates.flatMap(slotsOf);
  return [
    ...unknownIn(templates, known),
    ...(ask.batch && /^https?:\/\/[^/?#]*\{/.test(ask.url)
      ? ["a batch must have a fixed host."]
      : []),
    ...(ask.keepMinutes !== undefined && slots.some(({ name }) => name !== "random")
      ? ["a request with keepMinutes must not depend on the link."]
      : []),
  ];
}

function inPage({ page = {}, ask }: Kind, known: string[]): string[] {
  if (page !== "never") return unknownIn(templatesIn(page), known);
  return ask ? [] : ['must not be "never" without a request.'];
}

const groupsOf = ({ host, path, query, fragment }: Kind) =>
  [host, path, query, fragment].flatMap((pattern) =>
    [...(pattern ?? "").matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name!),
  );

type Templated = Page & Pick<Ask, "form" | "json">;

const templatesIn = ({ url = "", headers = {}, form = {}, json = null, rules = [] }: Templated) => [
  url,
  ...Object.values(headers),
  ...Object.values(form).flat(),
  JSON.stringify(json),
  ...rules.flatMap(templatesOf),
  ...rules.flatMap(({ unless = {} }) => templatesOf(unless)),
];

const templatesOf = ({ url = "", text = [] }: When): string[] => [url, text].flat();

const unknownIn = (templates: string[], known: string[]): string[] =>
  templates.flatMap(slotsOf).flatMap(({ name, encoding }) => {
    if (!known.includes(name)) return [`{${name}} is not a named group of its patterns.`];
    return encoding === undefined || isEncoding(encoding)
      ? []
      : [`{${name}|${encoding}} is not a known encoding.`];
  });

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { z } from "zod";
import { type Answers, challenge, file, json, page, say, text, to } from "./played-web.ts";
import type { Proof, Row } from "./prove.ts";

const AnswerFields = z.strictObject({
  /** A page made from `page` of the file. */
  title: z.string().optional(),
  body: z.string().optional(),
  /** Anything else that a server may send; `file` is a content type and `to` is where a redirect leads. */
  html: z.string().optional(),
  json: z.unknown().optional(),
  text: z.string().optional(),
  file: z.string().optional(),
  to: z.string().optional(),
  status: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});
type AnswerFields = z.infer<typeof AnswerFields>;

/** What a request must be for `use`: its `url`, its `body`, and its headers. A regular expression is in slashes. */
const Condition = z.record(z.string(), z.string());

/** A status, an HTML page, "challenge" for bot protection, fields, a choice, or several in turn, the last for ever. */
type Answer =
  | number
  | string
  | AnswerFields
  | Answer[]
  | { if: z.infer<typeof Condition>; use: Answer; else?: Answer | undefined };

const Answer: z.ZodType<Answer> = z.lazy(() =>
  z.union([
    z.number(),
    z.string(),
    AnswerFields,
    z.array(Answer),
    z.strictObject({ if: Condition, use: Answer, else: Answer.optional() }),
  ]),
);

const RowFields = z.strictObject({
  what: z.string(),
  url: z.string().optional(),
  answer: Answer.optional(),
  web: z.record(z.string(), Answer).optional(),
  seen: z.string(),
  asked: z.array(z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

const ServiceFields = z.strictObject({
  urls: z.array(z.string()),
  url: z.string(),
  at: z.string(),
  shared: z.array(z.string()).default([]),
  rows: z.array(RowFields).default([]),
});

const Family = z.strictObject({
  page: z.string().default(""),
  shared: z.record(z.string(), z.array(RowFields)).default({}),
  services: z.record(z.string(), ServiceFields),
});

const FOLDER = join(import.meta.dir, "rows");

export const rowsFiles = () =>
  readdirSync(FOLDER)
    .sort()
    .map((name) => join(FOLDER, name));

/** Reads a file of `rows/`, whose format CONTRIBUTING.md explains. */
export function readRows(path: string): [id: string, proof: Proof][] {
  const family = Family.parse(YAML.parse(readFileSync(path, "utf8")));
  return Object.entries(family.services).map(([id, service]) => {
    const shared = service.shared.flatMap((name) => family.shared[name] ?? fail(`${id}: ${name}`));
    const rows = [...shared.map((row) => filledIn(row, service.url)), ...service.rows];
    return [id, { urls: service.urls, rows: rows.map((row) => rowOf(row, service, family.page)) }];
  });
}

function fail(name: string): never {
  throw new Error(`There are no shared rows with this name: ${name}`);
}

type RowFields = z.infer<typeof RowFields>;
type ServiceFields = z.infer<typeof ServiceFields>;

/** Shared rows name the address and the host of each service as `{url}` and `{host}`. */
function filledIn(row: RowFields, url: string): RowFields {
  const filled = JSON.stringify(row)
    .replaceAll("{url}", JSON.stringify(url).slice(1, -1))
    .replaceAll("{host}", new URL(url).host);
  return RowFields.parse(JSON.parse(filled));
}

function rowOf(row: RowFields, { url, at }: ServiceFields, shell: string): Row {
  const { answer, web = {}, ...rest } = row;
  const places = answer === undefined ? web : { [at]: answer, ...web };
  const played = Object.entries(places).map(([place, each]) => [place, answersOf(each, shell)]);
  return { ...rest, url: row.url ?? url, web: Object.fromEntries(played) };
}

function answersOf(answer: Answer, shell: string): Answers {
  if (answer === "challenge") return challenge();
  if (typeof answer !== "object") return answer;
  if (Array.isArray(answer)) return inTurn(answer.map((each) => answersOf(each, shell)));
  if (!("use" in answer)) return responseOf(answer, shell);
  const [yes, no] = [answersOf(answer.use, shell), answersOf(answer.else ?? 599, shell)];
  return async (request) => say((await meets(request, answer.if)) ? yes : no, request);
}

function responseOf(fields: AnswerFields, shell: string): Response {
  const { title, body = "", html, status = 200, headers = {} } = fields;
  if (title !== undefined) return page(filledShell(shell, { title, body }), status, headers);
  if (html !== undefined) return page(html, status, headers);
  const response = plainResponse(fields);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

function plainResponse(fields: AnswerFields): Response {
  const { status } = fields;
  if (fields.to !== undefined) return to(fields.to, status);
  if (fields.file !== undefined) return file(fields.file, status);
  if (fields.text !== undefined) return text(fields.text, status);
  return json(fields.json, status);
}

const filledShell = (shell: string, parts: Record<string, string>) =>
  shell.replace(/\{(title|body)\}/g, (_, name: string) => parts[name] ?? "");

function inTurn(answers: Answers[]): Answers {
  let asked = 0;
  return (request) => say(answers[Math.min(asked++, answers.length - 1)], request);
}

async function meets(request: Request, condition: Record<string, string>): Promise<boolean> {
  const body = await request.clone().text();
  return Object.entries(condition).every(([name, wanted]) =>
    fits({ url: request.url, body }[name] ?? request.headers.get(name) ?? "", wanted),
  );
}

const fits = (value: string, wanted: string) => {
  const [, pattern] = /^\/(.*)\/$/.exec(wanted) ?? [];
  return pattern === undefined ? value === wanted : new RegExp(pattern).test(value);
};

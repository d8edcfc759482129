import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { Front } from "../server/http/front.ts";
import type { Document, Header, Operation, Reply } from "../server/http/openapi/schemas.ts";

const METHODS = ["GET", "POST", "PATCH", "DELETE"];
const ERROR = "#/components/schemas/Error";

/** What the server answered, as the document is to have foreseen it. */
export type Answer = {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  /** As text; empty when there is none. */
  body: string;
};

/** An operation of the document. */
export type Place = { method: string; template: string; operation: Operation };

/** Judges answers by an OpenAPI document and remembers which of its promises were seen. */
type Contract = {
  places: Place[];
  /** What the answer does that the document does not say, each a sentence. */
  breaches(answer: Answer): string[];
  /** Documented operations and their statuses. */
  promises: string[];
  /** Those that an answer has shown. */
  seen: Set<string>;
};

export function createContract(document: Document): Contract {
  const ajv = addFormats(new Ajv({ strict: false, allErrors: true }));
  ajv.addSchema(document, "api");
  const places = placesOf(document);
  const templates = literalFirst(Object.keys(document.paths));
  const seen = new Set<string>();

  function breaches({ method, path, status, headers, body }: Answer): string[] {
    const asked = method === "HEAD" ? "GET" : method;
    const template = templates.find((each) => matches(each, path));
    const place = places.find((each) => each.method === asked && each.template === template);
    if (!place) return isPlainOptions(method, status) ? [] : mismatches(ERROR, body);
    const pointer = replyPointer(place, status);
    if (!pointer && isUnaskedBody(place, status)) return mismatches(ERROR, body);
    if (!pointer) return [`${nameOf(place)} does not say that it may answer ${status}: ${body}`];
    seen.add(`${nameOf(place)} ${status}`);
    const reply = at<Reply>(document, pointer);
    const found = missingHeaders(document, reply, headers);
    if (method === "HEAD") return found;
    if (reply.content?.["text/csv"]) return found;
    const schema = reply.content && `${pointer}/content/application~1json/schema`;
    return [...found, ...bodyBreaches(schema, body)].map(
      (breach) => `${nameOf(place)} ${status}: ${breach}`,
    );
  }

  function bodyBreaches(schema: string | undefined, body: string): string[] {
    if (schema) return mismatches(schema, body);
    return body === "" ? [] : [`has a body: ${body}`];
  }

  function mismatches(pointer: string, body: string): string[] {
    const reference = `api${pointer}`;
    const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
    if (validate(parsed(body))) return [];
    const errors = (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`,
    );
    return [`${errors.join("; ")} in ${body.slice(0, 500)}`];
  }

  const promises = places.flatMap((place) =>
    Object.keys(place.operation.responses).map((status) => `${nameOf(place)} ${status}`),
  );
  return { places, breaches, promises, seen };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return `not JSON: ${body.slice(0, 100)}`;
  }
}

const nameOf = ({ method, template }: Place) => `${method} ${template}`;

const isPlainOptions = (method: string, status: number) => method === "OPTIONS" && status === 204;

/** What a body brings about where none is asked for. */
const isUnaskedBody = ({ operation }: Place, status: number) =>
  !operation.requestBody && (status === 413 || status === 415);

/** As routed: `/links/batch` is not a link whose id is "batch". */
const literalFirst = (templates: string[]) =>
  templates.toSorted((a, b) => Number(a.includes("{")) - Number(b.includes("{")));

const placesOf = ({ paths }: Document): Place[] =>
  Object.entries(paths)
    .flatMap(([template, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        template,
        operation,
      })),
    )
    .filter(({ method }) => METHODS.includes(method));

const matches = (template: string, path: string) =>
  new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);

function replyPointer({ method, template, operation }: Place, status: number): string | null {
  const reply = operation.responses[status];
  if (!reply) return null;
  if ("$ref" in reply) return reply.$ref;
  const path = template.replaceAll("/", "~1");
  return `#/paths/${encodeURIComponent(path)}/${method.toLowerCase()}/responses/${status}`;
}

/** What a JSON pointer in a fragment names. */
function at<T>(document: Document, pointer: string): T {
  const steps = pointer
    .slice(2)
    .split("/")
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/"));
  return steps.reduce<unknown>(
    (value, step) => (value as Record<string, unknown>)[step],
    document,
  ) as T;
}

function missingHeaders(document: Document, { headers = {} }: Reply, given: Headers): string[] {
  const required = Object.entries(headers).filter(([, header]) => {
    const resolved = "$ref" in header ? at<Header>(document, header.$ref) : header;
    return resolved.required;
  });
  return required.filter(([name]) => !given.has(name)).map(([name]) => `has no ${name} header`);
}

let contract: Promise<Contract> | undefined;
const breaches: string[] = [];

/** Holds every answer under /api/v1 against the document that the same server gives out. */
export const watched =
  (front: Front): Front =>
  async (request, server) => {
    const response = await front(request, server);
    const path = request.url.replace(/^https?:\/\/[^/]+|\?.*$/g, "");
    if (!path.startsWith("/api/v1/")) return response;
    contract ??= contractOf(front);
    const { status, headers } = response;
    // A file is sent to the client while it is made.
    const isFile = headers.get("content-type")?.startsWith("text/csv");
    const body = isFile ? "" : await response.clone().text();
    const answer = { method: request.method, path, status, headers, body };
    breaches.push(...(await contract).breaches(answer));
    return response;
  };

/** The document as anyone gets it. */
export async function contractOf(front: Front): Promise<Contract> {
  const response = await front(new Request("http://localhost/openapi.json"));
  return createContract((await response.json()) as Document);
}

/** For after each test. @throws what the answers since the last time did that they should not */
export function failOnBreach() {
  const found = breaches.splice(0);
  if (found.length > 0) throw new Error(`The API broke its contract.\n${found.join("\n")}`);
}

/** What no test can bring about: faults of the machine, and a record that is deleted at the wrong moment. */
const RARE = /(^PATCH .* 409| 500| 503)$/;

/** Saves what this process saw, for `unseenPromises`. */
export async function saveSeen(folder: string): Promise<void> {
  if (!contract) return;
  const { promises, seen } = await contract;
  const file = join(folder, `${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ promises, seen: [...seen] }));
}

/** The promises of the document that no process saw kept. */
export function unseenPromises(folder: string): string[] {
  const saved = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name): { promises: string[]; seen: string[] } =>
      JSON.parse(readFileSync(join(folder, name), "utf8")),
    );
  const seen = new Set(saved.flatMap((each) => each.seen));
  const promises = new Set(saved.flatMap((each) => each.promises));
  return [...promises].filter((promise) => !seen.has(promise) && !RARE.test(promise));
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import Ajv from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { OPENAPI_FILE, openapiText } from "../.ci/write-openapi.ts";
import type {
  Content,
  Document,
  Operation,
  Reply,
  Schema,
} from "../server/http/openapi/schemas.ts";
import { createContract } from "./contract.ts";
import { startServer, type TestServer } from "./harness.ts";

const text = openapiText();
const document = JSON.parse(text) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
const replyOf = (reply: Operation["responses"][string]): Reply =>
  "$ref" in reply ? document.components.responses[reply.$ref.split("/").at(-1)!]! : reply;

describe("the OpenAPI document", () => {
  test("is the one in the repository; `npm run openapi` brings that up to date", () => {
    expect(readFileSync(OPENAPI_FILE, "utf8")).toBe(text);
  });

  test("has nothing that a linter finds fault with", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });

    const problems = await lintFromString({ source: text, absoluteRef: "/openapi.json", config });

    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test("describes the API behind the key door and nothing else", () => {
    const paths = Object.keys(document.paths);

    expect(document.openapi).toMatch(/^3\.1\./);
    expect(paths.filter((path) => !path.startsWith("/api/v1/"))).toEqual([]);
    expect(operations.length).toBeGreaterThanOrEqual(31);
  });

  test("describes the name, chapter, key and every refusal of the doors for each operation", () => {
    const tags = document.tags.map(({ name }) => name);

    const lacking = operations.filter(
      ({ operation: { operationId, summary, tags: [tag] = [], security, responses } }) =>
        !operationId ||
        !summary ||
        !tags.includes(tag ?? "") ||
        security?.[0]?.bearerAuth === undefined ||
        !["400", "401", "403", "429", "500", "503"].every((status) => status in responses),
    );

    expect(lacking.map(({ path, method }) => `${method} ${path}`)).toEqual([]);
  });

  test("gives every refusal the shared shape", () => {
    const shapes = operations.flatMap(({ operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([, reply]) => replyOf(reply).content?.["application/json"]?.schema.$ref),
    );

    expect([...new Set(shapes)]).toEqual(["#/components/schemas/Error"]);
  });

  test("has an example for every body and every reply, and each fits its schema", () => {
    const ajv = addFormats(new Ajv({ strict: false, allErrors: true }));
    ajv.addSchema(document, "api");

    const contents = contentsOf(document);

    const wrong = contents.flatMap(({ where, content }) => {
      const validate = ajv.compile(absolute(content.schema));
      const examples = Object.values(content.examples ?? {}).map(({ value }) => value);
      const all = content.example === undefined ? examples : [content.example, ...examples];
      if (all.length === 0) return [`${where} has no example`];
      return all
        .filter((example) => !validate(example))
        .map((example) => `${where} ${JSON.stringify(example)} ${ajv.errorsText(validate.errors)}`);
    });
    expect(wrong).toEqual([]);
    expect(contents.length).toBeGreaterThan(60);
  });

  test("closes replies to unknown fields, and knows nothing of OpenAPI 3.0", () => {
    const replies = operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap((reply) =>
        Object.values(replyOf(reply).content ?? {}).map(({ schema }) => schema),
      ),
    );
    const open = replies
      .flatMap((schema) => objectsIn(schema))
      .filter(
        ({ properties, additionalProperties }) => properties && additionalProperties !== false,
      );

    expect(open).toEqual([]);
    expect(text).not.toMatch(/"(nullable|\$schema|\$defs)"/);
  });

  test("marks every moment as one", () => {
    const unmarked = objectsIn(document as unknown as Schema)
      .flatMap(({ properties }) => Object.entries(properties ?? {}))
      .filter(([name]) => /(_at|At)$/.test(name))
      .filter(([, schema]) => !JSON.stringify(schema).includes('"date-time"'));

    expect(unmarked).toEqual([]);
  });
});

describe("the reference", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer("sqlite");
  });
  afterAll(() => server.stop());

  test("is given to anyone, and only once to those who keep it", async () => {
    const first = await fetch(`${server.url}/openapi.json`);
    const again = await fetch(`${server.url}/openapi.json`, {
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });

    expect(await first.json()).toEqual(document);
    expect(again.status).toBe(304);
  });

  test("has a page that describes every operation, event and schema", async () => {
    const page = await (await fetch(`${server.url}/docs`)).text();

    const ids = [
      ...operations.map(({ operation }) => operation.operationId),
      ...Object.values(document.webhooks).map(({ post }) => post.operationId),
      ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
    ];
    expect(ids.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
    expect(page).toContain("from &quot;standardwebhooks&quot;");
  });

  test("has no link on its page that leads nowhere", async () => {
    const page = await (await fetch(`${server.url}/docs`)).text();

    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);

    expect(targets.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
    expect(new Set(page.match(/ id="[^"]+"/g)).size).toBe(page.match(/ id="[^"]+"/g)!.length);
  });

  test("has a page that a strict content security policy lets through whole", async () => {
    const reply = await fetch(`${server.url}/docs`);
    const page = await reply.text();

    expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page).not.toMatch(/ style=|<style|<script(?! src="\/(?:docs|assets)\/)| on\w+=/);
    const loaded = [...page.matchAll(/(?:src|rel="stylesheet" href)="([^"]+)"/g)].map(
      ([, url]) => url,
    );
    // The first ones are there once the dashboard is built.
    expect(loaded.slice(-2)).toEqual(["/docs/reference.css", "/docs/reference.js"]);
    for (const url of loaded) expect((await fetch(server.url + url)).status).toBe(200);
  });
});

describe("the contract", () => {
  const answer = { method: "GET", path: "/api/v1/account", status: 200, body: "{}" };
  const headers = new Headers({ "x-request-id": "r", etag: 'W/"x"' });
  const error = { code: "NOT_FOUND", message: "No such link.", status: 404 };

  test("is broken by a status that the document does not have", () => {
    const { breaches } = createContract(document);

    expect(breaches({ ...answer, headers, status: 418 })).toEqual([
      "GET /api/v1/account does not say that it may answer 418: {}",
    ]);
  });

  test("is broken by a field too few, a field too many and a header too few", () => {
    const { breaches } = createContract(document);
    const path = "/api/v1/history/stats";
    const stats = (document.paths[path]!.get!.responses[200] as Reply).content![
      "application/json"
    ]!;
    const { totalChecks: _, ...rest } = (stats.example as { data: Record<string, unknown> }).data;
    const body = JSON.stringify({ data: { ...rest, mood: "fine" } });

    const [header, fields] = breaches({ ...answer, path, headers: new Headers(), body });

    expect(header).toContain("X-Request-Id");
    expect([header, fields, breaches({ ...answer, path, headers, body })].join()).toMatch(
      /required property 'totalChecks'.*"mood"/s,
    );
  });

  test("lets an unknown path or method answer with a refusal only", () => {
    const { breaches } = createContract(document);
    const unknown = { ...answer, headers, method: "PUT", status: 405 };

    expect(breaches({ ...unknown, body: JSON.stringify({ error }) })).toEqual([]);
    expect(breaches({ ...unknown, body: '{"ok":true}' })).toHaveLength(1);
  });

  test("remembers what it has seen", () => {
    const { breaches, seen } = createContract(document);

    breaches({ ...answer, headers, status: 304, body: "" });

    expect([...seen]).toEqual(["GET /api/v1/account 304"]);
  });
});

/** Every body and reply of the document, those of events and shared refusals as well. */
function contentsOf({ paths, webhooks, components }: Document) {
  const described = [
    ...Object.values(paths).flatMap((item) => Object.values(item)),
    ...Object.values(webhooks).map(({ post }) => post),
  ].flatMap(({ operationId, requestBody, responses }) => [
    { where: operationId, contents: requestBody?.content },
    ...Object.entries(responses).map(([status, reply]) => ({
      where: `${operationId} ${status}`,
      contents: "$ref" in reply ? undefined : reply.content,
    })),
  ]);
  const shared = Object.entries(components.responses).map(([where, { content }]) => ({
    where,
    contents: content,
  }));
  return [...described, ...shared].flatMap(({ where, contents = {} }) =>
    Object.values(contents).map((content: Content) => ({ where, content })),
  );
}

/** The schema with its references made to point into the document. */
const absolute = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"api#'));

/** Every object within, with those that references lead to. */
function objectsIn(value: unknown, known = new Set<unknown>()): Schema[] {
  if (typeof value !== "object" || value === null || known.has(value)) return [];
  known.add(value);
  const { $ref } = value as Schema;
  const target = $ref && document.components.schemas[$ref.split("/").at(-1)!];
  return [
    value as Schema,
    ...[...Object.values(value), target].flatMap((each) => objectsIn(each, known)),
  ];
}

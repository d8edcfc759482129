import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { contractOf, type Place } from "../../tests/contract.ts";
import { addDelivery } from "../../tests/deliveries/logged.ts";
import { type Asker, startServer, type TestServer } from "../../tests/harness.ts";
import { takeNumbers } from "../ground/db/queries.ts";
import { idempotencyKeys } from "../ground/db/tables.ts";
import { hashToken, newId } from "../ground/lib/ids.ts";

/** Over the limit of every path. */
const LARGE = 53_000_000;
const JSON_BODY = { "content-type": "application/json" };

/** Asks every operation of the document for each of the refusals that it says it may give. */
describe("every operation refuses as documented", () => {
  let server: TestServer;
  let places: Place[];
  let me: Asker;
  let records: Record<string, string>;
  beforeAll(async () => {
    server = await startServer("sqlite", {
      STILLUP_RATE_LIMIT_PER_MINUTE: "100000",
      STILLUP_RATE_LIMIT_PER_HOUR: "100000",
    });
    places = (await contractOf(server.front)).places;
    me = await server.account();
    records = await makeRecords(me);
    const batch = await me.post("/api/v1/links/check", { link_ids: [records.links] });
    records.imports = (await me.post("/api/v1/imports", "https://example.org/list")).body.data.id;
    const rule = { from: "https://example.org/", to: "https://new.example.org/" };
    records.replacements = (await me.post("/api/v1/replacements", rule)).body.data.id;
    records.batches = batch.body.data.batch_id;
    records.sites = (await me.get(`/api/v1/links/${records.links}`)).body.data.site;
    records.deliveries = await addDelivery(server, me, records.webhooks!);
    const [run] = (await me.get(`/api/v1/sources/${records.sources}/runs`)).body.data.items;
    records.runs = run.id;
    records.pages = await addPage(server, records.sources!);
  });
  afterAll(() => server.stop());

  const saying = (status: number) =>
    places.filter(({ operation }) => String(status) in operation.responses);

  /** The operations that did not answer as they should when asked so. */
  async function others(status: number, ask: (place: Place) => Promise<number>) {
    const answers = await Promise.all(
      saying(status).map(async (place) => ({ place, answered: await ask(place) })),
    );
    expect(answers.length).toBeGreaterThan(0);
    return answers
      .filter(({ answered }) => answered !== status)
      .map(({ place, answered }) => `${place.method} ${place.template}: ${answered}`);
  }

  const pathOf = ({ template }: Place) =>
    template.replace(/([\w-]+)\/\{\w+\}/g, (_, owner) => `${owner}/${records[owner] ?? newId()}`);

  const missing = ({ template }: Place) => template.replace(/\{\w+\}/g, newId);

  async function ask(place: Place, path: string, init: RequestInit & { key?: string } = {}) {
    const { key = me.key, headers, ...rest } = init;
    const response = await server.front(
      new Request(server.url + path, {
        method: place.method,
        headers: { authorization: `Bearer ${key}`, ...(headers as Record<string, string>) },
        ...rest,
      }),
    );
    return response.status;
  }

  /** What the document shows as a body, or nothing. */
  function example({ operation }: Place): RequestInit {
    const body = operation.requestBody?.content["application/json"]?.example;
    return body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) };
  }

  test("a request that names two hosts", async () => {
    const two = { headers: { host: "a.example,b.example" } };

    expect(await others(400, (place) => ask(place, pathOf(place), two))).toEqual([]);
  });

  test("a request without a key", async () => {
    expect(await others(401, (place) => ask(place, pathOf(place), { key: "" }))).toEqual([]);
  });

  test("a key of an account whose plan has no API", async () => {
    const { key } = await server.account("free");

    expect(await others(403, (place) => ask(place, pathOf(place), { key }))).toEqual([]);
  });

  test("a record that does not exist", async () => {
    const change = { headers: JSON_BODY, body: "{}" };

    const wrong = await others(404, (place) =>
      ask(place, missing(place), place.method === "PATCH" ? change : example(place)),
    );

    expect(wrong).toEqual([]);
  });

  test("an idempotency key that was used with another body", async () => {
    const posts = saying(409).filter(({ method }) => method === "POST");
    const used = posts.map((place) => ({
      accountId: me.accountId,
      scope: hashToken(`POST ${pathOf(place)}`),
      key: "used",
      bodyHash: "another",
      status: 200,
      runningUntil: server.clock.now(),
      createdAt: server.clock.now(),
    }));
    await server.deps.store.insert(idempotencyKeys).values(used).onConflictDoNothing();

    const wrong = await others(409, async (place) => {
      // A change conflicts only when what it refers to goes at the same moment.
      if (place.method !== "POST") return 409;
      const { headers, ...rest } = example(place);
      const known = { ...(headers as Record<string, string>), "idempotency-key": "used" };
      return ask(place, pathOf(place), { ...rest, headers: known });
    });

    expect(wrong).toEqual([]);
  });

  test("a change of a record that is not as it was", async () => {
    const stale = { headers: { ...JSON_BODY, "if-match": 'W/"stale"' }, body: "{}" };

    expect(await others(412, (place) => ask(place, pathOf(place), stale))).toEqual([]);
  });

  test("a body that is too large", async () => {
    const large = { headers: { ...JSON_BODY, "content-length": String(LARGE) }, body: "{}" };

    expect(await others(413, (place) => ask(place, pathOf(place), large))).toEqual([]);
  });

  test("a body that is not JSON", async () => {
    const form = { headers: { "content-type": "text/plain" }, body: "url=x" };

    expect(await others(415, (place) => ask(place, pathOf(place), form))).toEqual([]);
  });

  test("a request too many", async () => {
    const strict = await startServer("sqlite", { STILLUP_RATE_LIMIT_PER_MINUTE: "1" });
    const { key, get } = await strict.account();
    await get("/api/v1/account");

    const wrong = await others(429, async (place) => {
      const headers = { authorization: `Bearer ${key}` };
      const path = strict.url + missing(place);
      return (await strict.front(new Request(path, { method: place.method, headers }))).status;
    });

    expect(wrong).toEqual([]);
    await strict.stop();
  });

  test("to send again what the client has already", async () => {
    const known = { headers: { "if-none-match": "*" } };

    expect(await others(304, (place) => ask(place, pathOf(place), known))).toEqual([]);
  });
});

/** One record of each kind, by the name that its paths have. */
async function makeRecords({ post }: Asker): Promise<Record<string, string>> {
  const bodies = {
    keys: { name: "other" },
    links: { url: "https://example.org/a" },
    groups: { name: "Docs" },
    webhooks: { url: "https://example.org/hook", events: ["link.dead"] },
    "host-settings": { host: "docs.example.org", user_agent: "Test" },
    sources: { kind: "list", name: "List", url: "https://docs.example.org/list.txt" },
  };
  const made = Object.entries(bodies).map(async ([owner, body]): Promise<[string, string]> => {
    const reply = await post(`/api/v1/${owner}`, body);
    return [owner, reply.body.data.id];
  });
  return Object.fromEntries(await Promise.all(made));
}

/** A page as a run would have read it. */
async function addPage({ deps }: TestServer, sourceId: string): Promise<string> {
  const { store } = deps;
  const no = await takeNumbers(store, 1);
  await store.run(sql`
    insert into source_pages (no, source_no, url, url_key, part, line_offset, state, depth, seen_run, wanted_run,
      places, flagged, is_gone, refused)
    select ${no}, no, url, url, '', 0, 'read', 0, 1, 1, 0, 0, 0, 0 from sources where id = ${sourceId}
  `);
  return String(no);
}

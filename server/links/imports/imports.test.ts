import { expect } from "bun:test";
import { gzipSync } from "node:zlib";
import { type Asker, onServer, type Parsed } from "../../../tests/harness.ts";
import { operatorOf } from "../../accounts/users.ts";
import { housekeeping } from "../../app/housekeeping.ts";
import { beginImport, endReading } from "./imports.ts";
import { claim } from "./items.ts";
import { runImports, takeStep } from "./steps.ts";

const IMPORTS = "/api/v1/imports";
const MANY = 2100;

onServer("An import", (server, { test, testOnBoth }) => {
  const upload = async (me: Asker, text: string, query = "", headers = {}) =>
    me.post(`${IMPORTS}${query}`, text, { "content-type": "text/plain", ...headers });

  const given = async (me: Asker, text: string, query = ""): Promise<Parsed> =>
    (await upload(me, text, query)).body.data;

  const run = () => runImports(server().deps);

  const read = async (me: Asker, id: string): Promise<Parsed> =>
    (await me.get(`${IMPORTS}/${id}`)).body.data;

  const itemsOf = async (me: Asker, id: string, query = ""): Promise<string[]> =>
    (await me.get(`${IMPORTS}/${id}/items?per_page=100${query}`)).body.data.items.map(
      ({ line, url, outcome, reason, duplicate_of: first }: Parsed) =>
        [line, url, outcome, reason ?? first].filter((part) => part !== null).join(" "),
    );

  const urlsOf = async (me: Asker): Promise<string[]> =>
    (await me.get("/api/v1/links?per_page=100&sort=url")).body.data.items.map(
      ({ url }: Parsed) => url,
    );

  const groupsOf = async (me: Asker): Promise<string[]> =>
    (await me.get("/api/v1/groups?per_page=100")).body.data.items
      .map(({ name }: Parsed) => name)
      .sort();

  testOnBoth(
    "previews a list, adds it, says what became of each row, and takes it back",
    async () => {
      const me = await server().account();
      await me.post("/api/v1/links", { url: "https://example.org/known" });
      await me.post("/api/v1/groups", { name: "Docs" });
      const list = [
        "url,group,title,owner",
        "https://example.org/a,Docs,One,me",
        `https://example.org/b,Blog,${"x".repeat(201)},`,
        "https://example.org/a#x,,,",
        "https://example.org/known,,,",
        "nope,Never,,",
      ].join("\n");

      const { status, headers, body } = await upload(me, list, "?name=links.csv");
      const { id } = body.data;
      expect([status, headers.get("location")]).toEqual([201, `${IMPORTS}/${id}`]);
      expect(body.data).toMatchObject({
        status: "ready",
        name: "links.csv",
        format: "csv",
        counts: { total: 5, new: 2, duplicate: 1, already_there: 1, refused: 1, created: 0 },
        groups: { existing: ["Docs"], missing: ["Blog"] },
        notes: ["Column not used: owner."],
      });
      expect(await urlsOf(me)).toEqual(["https://example.org/known"]);
      const rows = (outcome: string) => [
        `2 https://example.org/a ${outcome}`,
        `3 https://example.org/b ${outcome}`,
        "4 https://example.org/a#x duplicate 2",
        "5 https://example.org/known already_there",
        "6 nope refused The URL must be an http or https URL.",
      ];
      expect(await itemsOf(me, id)).toEqual(rows("new"));

      const started = await me.post(`${IMPORTS}/${id}/start`, { check_frequency: "weekly" });
      expect([started.status, started.body.data.status]).toEqual([200, "adding"]);
      await run();
      expect(await read(me, id)).toMatchObject({
        status: "complete",
        counts: { total: 5, new: 0, created: 2, duplicate: 1, already_there: 1, refused: 1 },
      });
      expect(await itemsOf(me, id)).toEqual(rows("created"));
      expect(await itemsOf(me, id, "&outcome=refused,duplicate")).toEqual([
        rows("created")[2]!,
        rows("created")[4]!,
      ]);
      expect(await itemsOf(me, id, "&not_kept=true")).toEqual([rows("created")[1]!]);
      expect(await groupsOf(me)).toEqual(["Blog", "Docs"]);
      const { items } = (await me.get("/api/v1/links?sort=url")).body.data;
      expect(items.map((link: Parsed) => [link.title, link.check_frequency])).toEqual([
        ["One", "weekly"],
        [null, "weekly"],
        [null, "daily"],
      ]);

      expect((await me.post(`${IMPORTS}/${id}/undo`)).body.data.status).toBe("undoing");
      await run();
      expect(await read(me, id)).toMatchObject({ status: "ready", counts: { new: 2, created: 0 } });
      expect([await urlsOf(me), await groupsOf(me)]).toEqual([
        ["https://example.org/known"],
        ["Docs"],
      ]);
      expect((await me.delete(`${IMPORTS}/${id}`)).status).toBe(204);
      expect((await me.get(`${IMPORTS}/${id}`)).status).toBe(404);
      await run();
      expect(await server().deps.store.all("select n from import_items")).toEqual([]);
    },
  );

  testOnBoth(
    "of a long list is previewed and added in parts, can be stopped, and goes on",
    async () => {
      const me = await server().account();
      const urls = Array.from({ length: MANY }, (_, n) => `https://example.org/${n}`);

      const { id, status } = await given(me, [...urls, urls[0]].join("\n"));
      expect(status).toBe("previewing");
      await run();
      expect(await read(me, id)).toMatchObject({
        status: "ready",
        counts: { total: MANY + 1, new: MANY, duplicate: 1 },
      });
      expect(await itemsOf(me, id, "&outcome=duplicate")).toEqual([
        `${MANY + 1} https://example.org/0 duplicate 1`,
      ]);

      await me.post(`${IMPORTS}/${id}/start`);
      await takeStep(server().deps, (await claim(server().deps))!);
      const stopped = (await me.post(`${IMPORTS}/${id}/stop`)).body.data;
      expect(stopped).toMatchObject({ status: "stopped", counts: { created: 1000 } });
      await run();
      expect((await read(me, id)).counts.created).toBe(1000);
      await me.post(`${IMPORTS}/${id}/start`);
      await run();
      expect(await read(me, id)).toMatchObject({ status: "complete", counts: { created: MANY } });
      expect((await me.get("/api/v1/links")).body.data.pagination.total).toBe(MANY);
    },
  );

  testOnBoth("writes nothing of a step that was stopped meanwhile, or taken over", async () => {
    const me = await server().account();
    const { id } = await given(me, "https://example.org/a");
    await me.post(`${IMPORTS}/${id}/start`);
    const claimed = (await claim(server().deps))!;
    const refused = await me.delete(`${IMPORTS}/${id}`);
    expect([refused.status, refused.body.error.details.reason]).toEqual([409, "wrong_status"]);

    expect(await claim(server().deps)).toBeNull();
    server().clock.moveBy(60_000);
    const taken = (await claim(server().deps))!;
    const late = await takeStep(server().deps, claimed).catch(String);
    expect(late).toContain("is continued elsewhere");
    expect(await urlsOf(me)).toEqual([]);
    await takeStep(server().deps, taken);
    expect(await urlsOf(me)).toEqual(["https://example.org/a"]);
    server().clock.moveBy(60_000);
    await run();
    expect((await read(me, id)).status).toBe("complete");
  });

  test("is refused with what to do, and leaves nothing", async () => {
    const me = await server().account();
    const problem = async (content: string | Uint8Array, query = "") => {
      const headers = { authorization: `Bearer ${me.key}` };
      const body = content as BodyInit;
      const reply = await fetch(`${server().url}${IMPORTS}${query}`, {
        method: "POST",
        headers,
        body,
      });
      return [reply.status, ((await reply.json()) as Parsed).error.message];
    };

    expect(await problem("%PDF-1.7", "?name=a.pdf")).toEqual([
      400,
      "“a.pdf” is a PDF. Copy its text and paste that instead.",
    ]);
    expect((await problem('["https://example.org/a", x', "?format=json"))[1]).toContain("JSON");
    expect((await problem("x", "?format=nothing"))[0]).toBe(400);
    const nested = `{"links": ${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    expect((await problem(nested))[1]).toContain("nested too deeply");
    const whole = `{"links": ["${"a".repeat(6 * 1024 * 1024)}"]}`;
    expect((await problem(whole))[1]).toContain("too long to be read at once");
    const large = new Uint8Array(50 * 1024 * 1024 + 1).fill(0x20);
    expect((await problem(large))[0]).toBe(413);
    expect(await problem(gzipSync(large))).toEqual([
      413,
      "A list can have at most 50 MiB, also unpacked. Split it into several.",
    ]);
    expect((await me.get(IMPORTS)).body.data.items).toEqual([]);
  });

  test("that arrives slowly holds up no other account", async () => {
    const [slow, other] = [await server().account(), await server().account()];
    const ends: (() => void)[] = [];
    const body = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("https://example.org/a\n"));
          ends.push(() => controller.close());
        },
      });
    const headers = { authorization: `Bearer ${slow.key}` };
    const uploads = Array.from({ length: 6 }, () =>
      fetch(server().url + IMPORTS, { method: "POST", headers, body: body() }),
    );

    expect((await upload(other, "https://example.org/b")).status).toBe(201);
    for (const end of ends) end();
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual(Array(6).fill(201));
  });

  test("that is forgotten while it is read is not previewed", async () => {
    const { deps } = server();
    const me = await server().account();
    const caller = await operatorOf(deps, me.accountId);
    const options = { group: null, frequency: null, overrides: false, usesGroups: true };
    const { row } = await beginImport(deps, caller, {
      name: null,
      format: "text",
      options: { ...options, updates: false, withState: false },
    });
    for (let n = 0; n < 20; n++) await upload(me, `https://example.org/${n}`);

    const ended = await endReading(deps, row, caller).catch(({ details }) => details.reason);
    expect(ended).toBe("too_many_imports");
    await run();
    expect((await me.get(IMPORTS)).body.data.pagination.total).toBe(20);
  });

  test("that is uploaded again with its key is the same, and a key is for one list", async () => {
    const me = await server().account();
    const key = { "idempotency-key": "once" };

    const first = await upload(me, "https://example.org/a", "", key);
    const again = await upload(me, "https://example.org/a", "", key);
    const other = await upload(me, "https://example.org/b", "", key);

    expect(again.body).toEqual(first.body);
    expect([again.headers.get("idempotent-replayed"), other.status]).toEqual(["true", 409]);
    expect((await me.get(IMPORTS)).body.data.items).toHaveLength(1);
  });

  test("reads what is in no Unicode encoding, and says so", async () => {
    const me = await server().account();
    const headers = { authorization: `Bearer ${me.key}` };
    const body = Buffer.from("https://example.org/\xe4\n", "latin1");

    const reply = await fetch(server().url + IMPORTS, { method: "POST", headers, body });
    const { data } = (await reply.json()) as Parsed;

    expect(data.notes).toEqual(["The file is not in UTF-8. It was read as Windows-1252."]);
    expect(await itemsOf(me, data.id)).toEqual(["1 https://example.org/ä new"]);
  });

  testOnBoth("is kept for a day, and its result for 30", async () => {
    const business = await server().account();
    const { id } = await given(business, "https://example.org/a");
    const { id: done } = await given(business, "https://example.org/b");
    await business.post(`${IMPORTS}/${done}/start`);
    await run();

    server().clock.moveBy(25 * 3_600_000);
    await housekeeping(server().deps);
    expect((await business.get(`${IMPORTS}/${id}`)).status).toBe(404);
    expect((await business.get(`${IMPORTS}/${done}`)).status).toBe(200);
    server().clock.moveBy(30 * 86_400_000);
    await housekeeping(server().deps);
    expect((await business.get(`${IMPORTS}/${done}`)).status).toBe(404);
  });
});

import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { eachRow } from "../../tests/each-row.ts";
import { onServer, START } from "../../tests/harness.ts";
import { addGroup, anyUrl } from "../../tests/rows.ts";
import { numbers } from "../ground/db/tables.ts";

const path = "/api/v1/links";
const FREQUENCIES = "must be one of: hourly, daily, weekly, monthly";

onServer("POST /links", (server) => {
  test("a new link is unknown, due at once, and returned with its location", async () => {
    const me = await server().account();

    const { status, headers, body } = await me.post(path, { url: " https://example.org/a " });

    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`${path}/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        url: "https://example.org/a",
        site: "example.org",
        service: "generic",
        status: "unknown",
        group_id: null,
        check_frequency: "daily",
        reason: null,
        status_changed_at: START,
        next_check_at: START,
        last_check: null,
        created_at: START,
        updated_at: START,
        title: null,
        tags: [],
        external_id: null,
        assignee: null,
        handling: "open",
        handled_at: null,
        handled_by: null,
        muted_until: null,
        muted_from: null,
        overridden_until: null,
        check_schedule: null,
        pinned: true,
        sources: 0,
        places: 0,
        accepted_url: null,
        accepted_by: null,
        accepted_at: null,
        suggestion: null,
        retired_at: null,
        evidence: null,
        last_change: null,
        note: null,
        metadata: {},
        override: null,
        expect: null,
        fragments: [],
        next_turns: [],
        previous_urls: [],
        identity: null,
        domain: {
          name: "example.org",
          state: "unasked",
          registered_at: null,
          expires_at: null,
          checked_at: null,
        },
        certificate: null,
      },
    });
    expect((await me.get(`${path}/${body.data.id}`)).body).toEqual(body);
  });

  test("takes a group and a frequency, the group's id in either case", async () => {
    const me = await server().account();
    const group = await addGroup(me);

    const link = { url: anyUrl(), group_id: group.toUpperCase(), check_frequency: "hourly" };
    const { body } = await me.post(path, link);

    expect(body.data).toMatchObject({ group_id: group, check_frequency: "hourly" });
  });

  eachRow([
    ["https://EXAMPLE.org", "https://example.org/"],
    ["http://example.org:80/a/../b", "http://example.org/b"],
    ["https://bücher.example/ü?q=ä", "https://xn--bcher-kva.example/%C3%BC?q=%C3%A4"],
    ["https://example.org/a#part", "https://example.org/a#part"],
  ])("keeps %p as %p", async (url, expected) => {
    const me = await server().account();

    expect((await me.post(path, { url })).body.data.url).toBe(expected);
  });

  eachRow([
    ["https://example.org/a", "https://example.org/a#part", 409],
    ["https://example.org/a", "HTTPS://Example.org:443/a", 409],
    ["https://example.org/a", "https://example.org/a/", 201],
    ["https://example.org/a", "https://www.example.org/a", 201],
    ["https://example.org/a?x=1&y=2", "https://example.org/a?y=2&x=1", 201],
    ["https://example.org/a", "http://example.org/a", 201],
    ["https://mega.nz/#!one", "https://mega.nz/#!two", 201],
  ])("after %p, %p gives %i", async (first, second, expected) => {
    const me = await server().account();
    await me.post(path, { url: first });

    expect((await me.post(path, { url: second })).status).toBe(expected);
  });

  test("the same URL twice is a conflict that names the first", async () => {
    const me = await server().account();
    const first = await me.post(path, { url: "https://example.org/a" });

    const { status, body } = await me.post(path, { url: "https://example.org/a#part" });

    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      code: "CONFLICT",
      details: { reason: "duplicate_url", existingId: first.body.data.id },
    });
  });

  test("two accounts may watch one URL, and a deleted one is free again", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const link = { url: "https://example.org/shared" };
    const first = await me.post(path, link);

    expect((await stranger.post(path, link)).status).toBe(201);
    await me.delete(`${path}/${first.body.data.id}`);
    expect((await me.post(path, link)).status).toBe(201);
  });

  test("the same URL from all sides at once makes one link", async () => {
    const me = await server().account();
    const ask = () => me.post(path, { url: "https://example.org/once" });

    const replies = await Promise.all(Array.from({ length: 20 }, ask));

    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  test("a request that is refused takes no number, and a batch as many as it makes links", async () => {
    const me = await server().account();
    const url = anyUrl();
    await me.post(path, { url });
    const next = async () => (await server().deps.store.select().from(numbers))[0]!.next;
    const before = await next();

    for (const refused of ["nonsense", url]) await me.post(path, { url: refused });
    await me.post(`${path}/batch`, { links: [{ url }, { url: "nonsense" }] });
    expect(await next()).toBe(before);
    const [one, two] = [anyUrl(), anyUrl()];
    await me.post(`${path}/batch`, {
      links: [one, url, "nonsense", two, one].map((url) => ({ url })),
    });

    expect(await next()).toBe(before + 2);
  });

  test("tells every problem of a request at once", async () => {
    const me = await server().account();

    const { status, body } = await me.post(path, { check_frequency: "yearly", group_id: NO_ID });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({
      url: ["is required"],
      check_frequency: [FREQUENCIES],
      group_id: ["no such group"],
    });
  });

  test("a stranger's group is rejected like one that does not exist", async () => {
    const me = await server().account();
    const foreign = await addGroup(await server().account());

    const { status, body } = await me.post(path, { url: anyUrl(), group_id: foreign });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ group_id: ["no such group"] });
  });

  test("a URL has at most 2048 characters, as given and as kept", async () => {
    const me = await server().account();
    const urlOf = (length: number, letter = "a") => {
      const start = "https://example.org/";
      return start + letter.repeat(length - start.length);
    };

    expect((await me.post(path, { url: urlOf(2048) })).status).toBe(201);
    for (const url of [urlOf(2049), urlOf(1000, "ü"), urlOf(2048, "😀")]) {
      const { status, body } = await me.post(path, { url });
      expect(status).toBe(400);
      expect(body.error.details.fields.url[0]).toStartWith("must be at most 2048 characters");
    }
  });
});

onServer(
  "An account at its limit of links",
  (server) => {
    test("makes no more, also when all ask at once; deleted links leave room", async () => {
      const me = await server().account();
      const ask = () => me.post(path, { url: anyUrl() });

      const replies = await Promise.all(Array.from({ length: 20 }, ask));

      const made = replies.filter(({ status }) => status === 201);
      expect(made).toHaveLength(5);
      expect(replies.find(({ status }) => status === 409)?.body.error.details).toEqual({
        reason: "limit_reached",
        limit: 5,
        used: 5,
      });
      await me.delete(`${path}/${made[0]!.body.data.id}`);
      expect((await ask()).status).toBe(201);
    });

    test("makes of a batch as many as fit, in order", async () => {
      const me = await server().account();
      await me.post(path, { url: anyUrl() });

      const links = Array.from({ length: 6 }, () => ({ url: anyUrl() }));
      const { status, body } = await me.post(`${path}/batch`, { links });

      expect(status).toBe(201);
      const statuses = body.data.results.map((result: { status: string }) => result.status);
      expect(statuses).toEqual([...Array(4).fill("created"), "failed", "failed"]);
      expect(body.data.results[5].error.details).toEqual({
        reason: "limit_reached",
        limit: 5,
        used: 5,
      });
    });
  },
  { STILLUP_TIER_LIMITS: '{"business":{"links":5}}' },
);

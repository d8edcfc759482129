import { expect } from "bun:test";
import { onServer, type Parsed } from "../../../tests/harness.ts";
import { ALIVE, check, LINKS, read, sound, URL_A } from "../../../tests/triage/playing.ts";

onServer("POST /links/upsert", (server, { test, testOnBoth }) => {
  test("creates what is new, changes what is known, and nothing the second time", async () => {
    const me = await server().account();
    const upsert = async (links: object[]) =>
      (await me.post(`${LINKS}/upsert`, { links })).body.data;
    const item = (i: number, more = {}) => ({
      external_id: `p-${i}`,
      url: `https://example.org/${i}`,
      title: `Page ${i}`,
      tags: ["cms"],
      ...more,
    });
    const first = await upsert([item(1), item(2), item(3)]);
    expect(first.summary).toEqual({ total: 3, created: 3, updated: 0, unchanged: 0, failed: 0 });

    const again = await upsert([item(1), item(2), item(3)]);
    expect(again.summary).toMatchObject({ unchanged: 3, updated: 0 });
    expect(again.results.map(({ id }: Parsed) => id)).toEqual(
      first.results.map(({ id }: Parsed) => id),
    );

    const path = `${LINKS}/${first.results[0].id}`;
    await check(server(), me, path, ALIVE);
    const changed = await upsert([
      item(1, { url: "https://example.org/moved" }),
      { external_id: "p-2", metadata: { a: "1" } },
      item(4),
      item(4),
      { external_id: "p-5" },
      { url: URL_A },
      item(3, { url: "https://example.org/2" }),
      item(6, { assignee_id: "me" }),
    ]);
    expect(changed.summary).toEqual({ total: 8, created: 1, updated: 2, unchanged: 0, failed: 5 });
    const errors = changed.results.flatMap(({ error }: Parsed) => (error ? [error] : []));
    expect(
      errors.map(({ details }: Parsed) => details.reason ?? Object.keys(details.fields)),
    ).toEqual([
      "duplicate_external_id",
      ["url"],
      ["external_id"],
      "duplicate_url",
      ["assignee_id"],
    ]);
    expect(await read(me, path)).toMatchObject({
      url: "https://example.org/moved",
      status: "unknown",
      title: "Page 1",
      previous_urls: [{ url: "https://example.org/1" }],
    });
    expect(await read(me, `${LINKS}/${first.results[1].id}`)).toMatchObject({
      title: "Page 2",
      tags: ["cms"],
      metadata: { a: "1" },
    });
    const { items } = (await me.get("/api/v1/audit")).body.data;
    expect(items.map(({ action, count }: Parsed) => `${action} ${count}`)).toEqual([
      "link.changed 2",
      "link.created 1",
      "link.created 3",
      "key.created 1",
    ]);
    await sound(server());
  });

  test("acknowledges and mutes new links as well, so that nothing changes the second time", async () => {
    const me = await server().account();
    const until = new Date(server().clock.now() + 86_400_000).toISOString();
    const links = [
      { external_id: "p-1", url: URL_A, handling: "muted", muted_until: until },
      { external_id: "p-2", url: "https://example.org/b", handling: "open" },
    ];
    const upsert = async () => (await me.post(`${LINKS}/upsert`, { links })).body.data;

    const { summary, results } = await upsert();

    expect(summary.created).toBe(2);
    expect(await read(me, `${LINKS}/${results[0].id}`)).toMatchObject({
      handling: "muted",
      muted_until: until,
    });
    expect((await upsert()).summary).toMatchObject({ unchanged: 2, updated: 0 });
    await sound(server());
  });

  test("takes a thousand items, of which each is created or changed", async () => {
    const me = await server().account();
    const itemsOf = (suffix: string) => ({
      links: Array.from({ length: 1000 }, (_, i) => ({
        external_id: `p-${i}`,
        url: `https://example.org/${i}${i % 2 === 0 ? suffix : ""}`,
      })),
    });
    const first = await me.post(`${LINKS}/upsert`, itemsOf(""));
    expect(first.body.data.summary).toMatchObject({ created: 1000 });
    const second = await me.post(`${LINKS}/upsert`, itemsOf("-moved"));
    expect(second.body.data.summary).toMatchObject({ updated: 500, unchanged: 500 });
    await sound(server());
  });

  testOnBoth(
    "gives a link the URL that another of its items gives up, also where they swap",
    async () => {
      const me = await server().account();
      const upsert = async (urls: string[]) => {
        const links = urls.map((url, i) => ({ external_id: `p-${i}`, url, title: `Page ${i}` }));
        return (await me.post(`${LINKS}/upsert`, { links })).body.data.results;
      };
      const url = (i: number) => `https://example.org/${i}`;
      const ids = (await upsert([1, 2, 3].map(url))).map(({ id }: { id: string }) => id);

      const moved = await upsert([2, 3, 4].map(url));
      server().clock.moveBy(1000);
      const swapped = await upsert([3, 2, 4].map(url));

      const statuses = (results: Parsed[]) => results.map(({ status }) => status);
      expect(statuses(moved)).toEqual(["updated", "updated", "updated"]);
      expect(statuses(swapped)).toEqual(["updated", "updated", "unchanged"]);
      for (const [i, now, before] of [
        [0, 3, 2],
        [1, 2, 3],
        [2, 4, 3],
      ] as const) {
        const { body } = await me.get(`${LINKS}/${ids[i]}`);
        expect(body.data).toMatchObject({ url: url(now), title: `Page ${i}` });
        expect(body.data.previous_urls[0]).toMatchObject({ url: url(before) });
      }
      await sound(server());
    },
  );

  test("gives a new link the URL that another of its items gives up", async () => {
    const me = await server().account();
    await me.post(LINKS, { url: URL_A, external_id: "p-1" });
    const links = [
      { external_id: "p-2", url: URL_A },
      { external_id: "p-1", url: `${URL_A}1` },
    ];

    const { body } = await me.post(`${LINKS}/upsert`, { links });

    expect(body.data.results.map(({ status }: Parsed) => status)).toEqual(["created", "updated"]);
  });

  testOnBoth("moves a thousand URLs on by one", async () => {
    const me = await server().account();
    const upsert = async (by: number) => {
      const links = Array.from({ length: 1000 }, (_, i) => ({
        external_id: `p-${i}`,
        url: `https://example.org/${i + by}`,
      }));
      return (await me.post(`${LINKS}/upsert`, { links })).body.data.summary;
    };
    expect(await upsert(0)).toMatchObject({ created: 1000 });
    expect(await upsert(1)).toMatchObject({ updated: 1000 });
  });

  test("leaves what wants the URL of a link that keeps its own", async () => {
    const me = await server().account();
    const upsert = async (urls: string[]) => {
      const links = urls.map((url, i) => ({ external_id: `p-${i}`, url: `${URL_A}${url}` }));
      return (await me.post(`${LINKS}/upsert`, { links })).body.data.results;
    };
    const ids = (await upsert(["0", "1", "2", "3"])).map(({ id }: Parsed) => id);
    const other = await me.post(LINKS, { url: `${URL_A}kept` });

    const results = await upsert(["1", "2", "kept", "4"]);

    expect(results.map(({ status, error }: Parsed) => [status, error?.details.existingId])).toEqual(
      [
        ["failed", ids[1]],
        ["failed", ids[2]],
        ["failed", other.body.data.id],
        ["updated", undefined],
      ],
    );
    await sound(server());
  });

  testOnBoth("makes one link of one id, however many ask at once", async () => {
    const me = await server().account();
    const links = [{ external_id: "p-17", url: URL_A }];
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => me.post(`${LINKS}/upsert`, { links })),
    );
    const statuses = replies.map(({ body }) => body.data.results[0].status);
    expect(statuses.filter((status) => status === "created")).toHaveLength(1);
    expect(statuses.filter((status) => status === "unchanged")).toHaveLength(49);
  });

  test("an id belongs to one link", async () => {
    const me = await server().account();
    const { body } = await me.post(LINKS, { url: URL_A, external_id: "p-17" });
    const other = await me.post(LINKS, { url: `${URL_A}2`, external_id: "p-17" });
    expect(other.status).toBe(409);
    expect(other.body.error.details).toEqual({
      reason: "duplicate_external_id",
      existingId: body.data.id,
    });
    const third = await me.post(LINKS, { url: `${URL_A}3` });
    const taken = await me.patch(`${LINKS}/${third.body.data.id}`, { external_id: "p-17" });
    expect(taken.status).toBe(409);
  });
});

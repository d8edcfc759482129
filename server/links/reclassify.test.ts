import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onServer } from "../../tests/harness.ts";
import { classification, links } from "../ground/db/tables.ts";
import { fingerprintOf } from "../judge/services/catalogue.ts";
import { catalogueWith } from "../judge/services/records/built-in.ts";
import { bucketOfUrl } from "../work/nodes.ts";
import { reclassify } from "./reclassify.ts";

const WIKI = catalogueWith([{ id: "wiki", name: "Our wiki", hosts: ["wiki.test"] }]);
const BEFORE = catalogueWith([]);

/** As many as two steps and a bit. */
const MANY = 1100;

const filed = async (me: Asker, service: string) =>
  (await me.get(`/api/v1/links?service=${service}`)).body.data.pagination.total;

/** Is asked before each step. */
const afterOneStep = () => {
  let asked = 0;
  return {
    get aborted() {
      return ++asked > 1;
    },
  } as AbortSignal;
};

onServer("when the catalogue grows", (server, { test, testOnBoth }) => {
  test("links are reclassified, each once, and the rest stays as it is", async () => {
    const me = await server().account("enterprise");
    const { store } = server().deps;
    await reclassify({ store, catalogue: BEFORE });
    for (let i = 0; i < MANY; i += 550) {
      const links = Array.from({ length: 550 }, (_, k) => ({
        url: (i + k) % 2 === 0 ? `https://wiki.test/${i + k}` : `https://other.test/${i + k}`,
      }));
      await me.post("/api/v1/links/batch", { links });
    }
    const before = (await me.get("/api/v1/links?per_page=1")).body.data.items[0];

    const changed = await reclassify({ store, catalogue: WIKI });

    expect(changed).toBe(MANY / 2);
    expect(await filed(me, "wiki")).toBe(MANY / 2);
    expect(await filed(me, "generic")).toBe(MANY / 2);
    const after = (await me.get("/api/v1/links?per_page=1")).body.data.items[0];
    expect(after).toEqual({ ...before, service: after.service });
    expect(await reclassify({ store, catalogue: WIKI })).toBe(0);
    expect(await reclassify({ store, catalogue: BEFORE })).toBe(MANY / 2);
  });

  testOnBoth(
    "links are filed under the bucket of their site, once, where processes share them",
    async () => {
      const me = await server().account("enterprise");
      const { store } = server().deps;
      const { isShared } = store.engine;
      const urls = ["https://a.example/1", "https://www.a.example/2", "https://b.example:8080/"];
      await me.post("/api/v1/links/batch", { links: urls.map((url) => ({ url })) });
      const isMine = eq(links.accountId, me.accountId);
      const buckets = async () =>
        (
          await store.select({ url: links.url, bucket: links.bucket }).from(links).where(isMine)
        ).map(({ url, bucket }) => [url, bucket]);
      const right = urls.map((url) => [url, isShared ? bucketOfUrl(url) : 0]).sort();
      // As an earlier version left them.
      await store.update(links).set({ bucket: 0 }).where(isMine);
      await store.update(classification).set({ fingerprint: fingerprintOf(BEFORE) });

      expect(await reclassify({ store, catalogue: BEFORE })).toBe(0);

      expect((await buckets()).sort()).toEqual(right);
      expect(bucketOfUrl(urls[0]!)).toBe(bucketOfUrl(urls[1]!));
      await store.update(links).set({ bucket: 0 }).where(isMine);
      await reclassify({ store, catalogue: BEFORE });
      expect((await buckets()).every(([, bucket]) => bucket === 0)).toBe(true);
    },
  );

  test("a stop in the middle loses nothing, and the rest is done by the next start", async () => {
    const me = await server().account("enterprise");
    const { store } = server().deps;
    const links = Array.from({ length: 1000 }, (_, i) => ({ url: `https://wiki.test/again/${i}` }));
    await me.post("/api/v1/links/batch", { links });

    const first = await reclassify({ store, catalogue: WIKI }, afterOneStep());
    const rest = await reclassify({ store, catalogue: WIKI });

    expect(first).toBeGreaterThan(0);
    expect(rest).toBeGreaterThan(0);
    expect(await filed(me, "wiki")).toBe(1000);
    await reclassify({ store, catalogue: BEFORE });
  });
});

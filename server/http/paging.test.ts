import { expect } from "bun:test";
import { onServer } from "../../tests/harness.ts";

const path = "/api/v1/links";
const linksOf = (header: string | null) =>
  Object.fromEntries(
    [...(header ?? "").matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => [rel, url]),
  );

onServer("A list", (server, { test, testOnBoth }) => {
  const withLinks = async (count: number) => {
    const me = await server().account();
    const links = Array.from({ length: count }, (_, i) => ({ url: `https://example.org/${i}` }));
    await me.post(`${path}/batch`, { links });
    return me;
  };

  test("tells where its first, previous, next and last page are", async () => {
    const me = await withLinks(5);

    const { headers, body } = await me.get(`${path}?per_page=2&page=2`);

    expect(linksOf(headers.get("link"))).toEqual({
      first: `${path}?per_page=2&page=1`,
      prev: `${path}?per_page=2&page=1`,
      next: `${path}?per_page=2&page=3`,
      last: `${path}?per_page=2&page=3`,
    });
    expect(body.data.pagination).toEqual({ page: 2, per_page: 2, total: 5, total_pages: 3 });
  });

  test("of one page has no next and no previous one", async () => {
    const me = await withLinks(1);

    const { headers } = await me.get(path);

    expect(linksOf(headers.get("link"))).toEqual({
      first: `${path}?page=1`,
      last: `${path}?page=1`,
    });
  });

  test("past its end is empty, and leads back", async () => {
    const me = await withLinks(3);

    const { status, headers, body } = await me.get(`${path}?per_page=2&page=9`);

    expect([status, body.data.items]).toEqual([200, []]);
    expect(body.data.pagination).toEqual({ page: 9, per_page: 2, total: 3, total_pages: 2 });
    const { prev, next } = linksOf(headers.get("link"));
    expect([prev, next]).toEqual([`${path}?per_page=2&page=2`, undefined]);
  });

  test("keeps every filter, whatever is in it, and can be walked to its end", async () => {
    const me = await server().account();
    for (const end of ["1", "2", "3"])
      await me.post(path, { url: `https://example.org/?a=%3C>&b=${end}` });

    const seen: string[] = [];
    let next: string | undefined =
      `${path}?search=${encodeURIComponent("?a=%3C%3E&b=")}&per_page=2`;
    while (next) {
      const { headers, body } = await me.get(next);
      seen.push(...body.data.items.map(({ id }: { id: string }) => id));
      next = linksOf(headers.get("link")).next;
    }

    expect(new Set(seen).size).toBe(3);
  });

  testOnBoth("shows no link twice while others are added", async () => {
    const me = await withLinks(100);
    const ids = (await me.get(`${path}?per_page=100`)).body.data.items.map(
      ({ id }: { id: string }) => id,
    );
    server().clock.moveBy(1000);

    const seen: string[] = [];
    for (let page = 15; page >= 1; page--) {
      const { body } = await me.get(`${path}?per_page=7&page=${page}`);
      seen.push(...body.data.items.map(({ id }: { id: string }) => id));
    }
    const before = seen.filter((id) => ids.includes(id));

    expect(before).toHaveLength(100);
    expect(new Set(before).size).toBe(100);
  });
});

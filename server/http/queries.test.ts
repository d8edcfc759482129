import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";

const LISTS = ["keys", "links", "groups", "history", "webhooks"];

onServer("A request's query", (server) => {
  eachRow(LISTS)("of %s takes a page and its size as plain numbers only", async (list) => {
    const me = await server().account();

    for (const number of [
      "0",
      "-1",
      "1e3",
      "1.0",
      "0x1",
      "01",
      "+1",
      "1 ",
      "",
      "ten",
      "10000000",
    ]) {
      const value = encodeURIComponent(number);
      const { status, body } = await me.get(`/api/v1/${list}?page=${value}&per_page=${value}`);
      expect([number, status]).toEqual([number, 400]);
      expect(body.error.details.fields).toEqual({
        page: ["must be a whole number above 0"],
        per_page: ["must be a whole number above 0"],
      });
    }
  });

  eachRow(LISTS)("of %s has pages of at most 100, and any number of them", async (list) => {
    const me = await server().account();

    expect((await me.get(`/api/v1/${list}?page=9999999&per_page=100`)).status).toBe(200);
    const { status, body } = await me.get(`/api/v1/${list}?per_page=101`);
    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ per_page: ["must be at most 100"] });
  });

  eachRow([
    "links?page=1&page=2",
    "links?page=1&page=1",
    "links?per_page=1&per_page=2",
    "links?status=active&status=dead",
    "links?service=a&service=b",
    "links?search=a&search=b",
    "links?group_id=a&group_id=b",
    "history?link_id=a&link_id=b",
    "history?start_date=2029-01-01&start_date=2029-01-01",
    "history/stats?end_date=2029-01-01&end_date=2029-01-01",
  ])("that says something twice is refused: %s", async (query) => {
    const me = await server().account();

    const { status, body } = await me.get(`/api/v1/${query}`);

    expect(status).toBe(400);
    expect(Object.values(body.error.details.fields)).toEqual([["must be given once"]]);
  });

  test("tells every problem at once", async () => {
    const me = await server().account();

    const { body } = await me.get(
      "/api/v1/links?page=0&per_page=x&status=gone&group_id=1&group_id=2",
    );

    expect(Object.keys(body.error.details.fields).sort()).toEqual([
      "group_id",
      "page",
      "per_page",
      "status",
    ]);
  });

  eachRow([
    "x=1&x=2",
    "Page=0",
    "&&=&",
    "page[]=0",
    "__proto__=1",
    "%E0%A4%A=1",
    "a=%",
    "?",
    "%00=1",
  ])("may hold unknown parameters: %s", async (query) => {
    const me = await server().account();

    expect((await me.get(`/api/v1/links?${query}`)).status).toBe(200);
  });

  eachRow(["%E0%A4%A", "%", "%ED%A0%80", "%FF", '{"a":1}', "[1,2]", "a,b"])(
    "with %p for a text is read or refused, never broken",
    async (search) => {
      const me = await server().account();

      const { status, body } = await me.get(`/api/v1/links?search=${search}`);

      expect([status, body.data.items]).toEqual([200, []]);
    },
  );
});

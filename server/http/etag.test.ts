import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { addGroup, addLink } from "../../tests/rows.ts";

onServer("An entity tag", (server) => {
  const group = async () => {
    const me = await server().account();
    const path = `/api/v1/groups/${await addGroup(me)}`;
    const { headers } = await me.get(path);
    return { me, path, tag: headers.get("etag") ?? "" };
  };

  test("is weak, the same for the same record and another for a changed one", async () => {
    const { me, path, tag } = await group();

    expect(tag).toMatch(/^W\/"[^"]+"$/);
    expect((await me.get(path)).headers.get("etag")).toBe(tag);
    await me.patch(path, { name: "Other" });
    expect((await me.get(path)).headers.get("etag")).not.toBe(tag);
  });

  test("spares the body when the client has the record, and still counts", async () => {
    const { me, path, tag } = await group();
    const before = await me.get(path);

    const { status, headers, body } = await me.get(path, { "if-none-match": tag });

    expect([status, body]).toEqual([304, ""]);
    expect(headers.get("etag")).toBe(tag);
    expect(headers.get("cache-control")).toBe("private, no-cache");
    const left = (reply: { headers: Headers }) =>
      Number(reply.headers.get("x-ratelimit-remaining"));
    expect(left({ headers })).toBe(left(before) - 1);
  });

  eachRow([
    ["*", 304],
    [`W/"a", TAG`, 304],
    ["STRONG", 304],
    [`W/"other"`, 200],
    ["", 200],
    ["TA", 200],
  ])("asked for as %p gives %i", async (given, expected) => {
    const { me, path, tag } = await group();

    const header = given.replace("TAG", tag).replace("STRONG", tag.slice(2));
    const { status } = await me.get(path, { "if-none-match": header });

    expect(status).toBe(expected);
  });

  test("is on no refusal and no reply to a change", async () => {
    const { me, path } = await group();

    expect((await me.get("/api/v1/groups/x", { "if-none-match": "*" })).status).toBe(404);
    expect((await me.get("/api/v1/groups/x")).headers.get("etag")).toBeNull();
    expect((await me.patch(path, {})).headers.get("etag")).toBeNull();
  });

  test("lets a change through that was meant for the present state", async () => {
    const { me, path, tag } = await group();

    expect((await me.patch(path, { name: "b" }, { "if-match": tag })).status).toBe(200);
    expect((await me.patch(path, { name: "c" }, { "if-match": "*" })).status).toBe(200);
    const now = (await me.get(path)).headers.get("etag")!;
    expect((await me.delete(path, undefined, { "if-match": now })).status).toBe(204);
  });

  test("refuses a change that was meant for another state, and changes nothing", async () => {
    const { me, path, tag } = await group();
    await me.patch(path, { name: "changed" });

    const changed = await me.patch(path, { name: "lost" }, { "if-match": tag });
    const deleted = await me.delete(path, undefined, { "if-match": tag });

    expect(changed.status).toBe(412);
    expect(changed.body.error.code).toBe("PRECONDITION_FAILED");
    expect(deleted.status).toBe(412);
    expect((await me.get(path)).body.data.name).toBe("changed");
  });

  test("of two changes at once for one state lets one through", async () => {
    const { me, path, tag } = await group();

    const replies = await Promise.all(
      ["one", "two", "three"].map((name) => me.patch(path, { name }, { "if-match": tag })),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  });

  test("needs a record: nothing is not found, and a wrong method stays wrong", async () => {
    const me = await server().account();
    const any = { "if-match": "*" };

    expect((await me.patch("/api/v1/groups/x", {}, any)).status).toBe(404);
    expect((await me.patch("/api/v1/groups", {}, any)).status).toBe(405);
    const ids = { link_ids: [await addLink(me)] };
    expect((await me.delete("/api/v1/links/batch", ids, any)).status).toBe(200);
  });
});

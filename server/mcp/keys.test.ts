import { expect } from "bun:test";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { addKey, READ_ONLY, WRITE_ONLY } from "../../tests/keys/asking.ts";
import { logLines } from "../../tests/log.ts";
import { asked, connect } from "../../tests/mcp/client.ts";
import { createKey } from "../accounts/keys.ts";
import { permissionsOfRole } from "../accounts/sessions.ts";
import { OPERATOR } from "../http/caller.ts";
import { makeChange } from "../work/unit.ts";

const LINKS = "/api/v1/links";
const DAY_MS = 86_400_000;

const newLink = async (me: Asker, path = "a"): Promise<string> =>
  (await me.post(LINKS, { url: `http://127.0.0.1:8/${path}` })).body.data.id;

/** As `stillup key create` makes it for a viewer. */
async function viewersKey({ deps }: TestServer, { accountId, accountNo }: Asker): Promise<string> {
  const permissions = permissionsOfRole("viewer");
  const viewer = { accountId, accountNo, tier: "business", permissions, by: OPERATOR } as const;
  const made = await makeChange(deps, viewer, (unit) => createKey(unit, viewer, { name: "x" }));
  return made.value;
}

onServer("With a key", (server, { test, testOnBoth }) => {
  test("for everything, every tool does its work", async () => {
    const me = await server().account();
    const id = await newLink(me);
    const { call } = await connect(server().url, me.key);

    for (const [tool, given] of asked(id)) expect(await call(tool, given)).toBeObject();
    expect((await me.get(`${LINKS}/${id}`)).status).toBe(404);
  });

  test("that only reads, or of a viewer, writing tools are listed and refused", async () => {
    const me = await server().account();
    const id = await newLink(me);
    const readOnly = await addKey(server(), me, READ_ONLY);

    for (const key of [readOnly.key, await viewersKey(server(), me)]) {
      const { client, call, refusal } = await connect(server().url, key);
      const { tools } = await client.listTools();
      for (const [name, given, writes] of asked(id)) {
        const { description, annotations } = tools.find((tool) => tool.name === name)!;
        expect(description!.includes("needs write permission")).toBe(writes);
        if (!writes) expect(annotations).toMatchObject({ readOnlyHint: true });
        if (writes)
          expect(await refusal(name, given)).toEqual({
            code: "INSUFFICIENT_PERMISSIONS",
            message: "This needs the write permission.",
            status: 403,
          });
        else await call(name, given);
      }
    }
    expect((await me.get(`${LINKS}/${id}`)).body.data).toMatchObject({ handling: "open" });
  });

  test("of another account, tools reach none of the links", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const id = await newLink(me);
    const before = (await me.get(`${LINKS}/${id}`)).body;
    const { call, refusal } = await connect(server().url, other.key);

    for (const tool of ["get_link", "set_url"]) {
      const given = { link_id: id, ...(tool === "set_url" && { url: "http://127.0.0.1:8/x" }) };
      expect(await refusal(tool, given)).toMatchObject({ code: "FORBIDDEN", status: 403 });
    }
    for (const tool of ["set_handling", "check_links", "delete_links"]) {
      const [, given] = asked(id).find(([name]) => name === tool)!;
      expect((await call(tool, given)).summary).toMatchObject({ total: 1, failed: 1 });
    }
    const override = { link_ids: [id], action: "override", note: "It works in a browser." };
    expect((await call("set_handling", override)).results[0].error.code).toBe("FORBIDDEN");
    expect((await call("overview")).overview.counts.total).toBe(0);
    expect((await call("find_links")).items).toEqual([]);
    expect((await call("judge_urls", { urls: ["http://127.0.0.1:8/a"] })).summary.not_known).toBe(
      1,
    );
    expect((await me.get(`${LINKS}/${id}`)).body).toEqual(before);
  });

  test("that has expired, is unknown, missing or cannot read, nothing is answered", async () => {
    const me = await server().account();
    const expiring = await addKey(server(), me, { expires_at: "2030-01-02" });
    const writing = await addKey(server(), me, WRITE_ONLY);
    server().clock.moveBy(2 * DAY_MS);
    const post = (key: string) =>
      fetch(`${server().url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(key && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });

    const replies = await Promise.all([expiring.key, "su_x", "", writing.key].map(post));

    const bodies = await Promise.all(replies.map((reply) => reply.json()));
    expect(bodies.map(({ error }) => error.code)).toEqual([
      "EXPIRED_API_KEY",
      "INVALID_API_KEY",
      "UNAUTHORIZED",
      "INSUFFICIENT_PERMISSIONS",
    ]);
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 403]);
    expect(replies[2]!.headers.get("www-authenticate")).toStartWith("Bearer");
    await expect(connect(server().url, expiring.key)).rejects.toThrow();
  });

  testOnBoth("an assistant deletes at most 100 links in a day", async () => {
    const me = await server().account();
    const urls = Array.from({ length: 101 }, (_, i) => ({ url: `http://127.0.0.1:8/${i}` }));
    const { call, refusal } = await connect(server().url, me.key);
    const { results } = await call("add_links", { links: urls });
    const ids: string[] = results.map(({ link }: { link: { id: string } }) => link.id);
    const some = (start: number, end = start + 20) => ({
      link_ids: ids.slice(start, end),
      confirm: true,
    });

    expect(await refusal("delete_links", some(0, 21))).toMatchObject({ code: "VALIDATION_ERROR" });
    for (const start of [0, 20, 40, 60, 80]) await call("delete_links", some(start));
    const tooMany = await refusal("delete_links", some(100));
    const second = await addKey(server(), me);
    server().clock.moveBy(DAY_MS + 1);

    expect(tooMany).toMatchObject({
      code: "RATE_LIMITED",
      status: 429,
      details: { limit: 100, remaining: 0 },
    });
    expect((await call("delete_links", some(100))).summary.deleted).toBe(1);
    const other = await connect(server().url, second.key);
    expect((await other.call("delete_links", some(100))).summary.failed).toBe(1);
  });

  test("no line of the log shows it, or what was asked", async () => {
    const lines = await logLines("debug", "json");
    const me = await server().account();
    const id = await newLink(me);
    const { call, refusal, client } = await connect(server().url, me.key);
    for (const [tool, given] of asked(id)) await call(tool, given);
    await refusal("get_link", { link_id: "Canary77" });
    await expect(client.callTool({ name: "Canary77", arguments: {} })).rejects.toThrow();

    const all = lines.join("\n");
    expect(all).toContain('"path":"/mcp"');
    expect(all).toContain('"path":"/api/v1/links/batch"');
    expect(all).not.toContain(me.key);
    expect(all).not.toContain("Canary77");
  });

  test("each call counts once against its limit", async () => {
    const me = await server().account();
    const remaining = async () =>
      Number((await me.get("/api/v1/account")).headers.get("x-ratelimit-remaining"));
    const { call } = await connect(server().url, me.key);
    const before = await remaining();

    await call("overview");

    expect(await remaining()).toBe(before - 2);
  });
});

import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { addKey, WRITE_ONLY } from "../../tests/keys/asking.ts";
import { addGroup, addLink } from "../../tests/rows.ts";

const PATHS: [string, string][] = [
  ["/account", "GET, HEAD"],
  ["/usage", "GET, HEAD"],
  ["/keys", "GET, HEAD, POST"],
  [`/keys/${NO_ID}`, "DELETE, GET, HEAD, PATCH"],
  [`/keys/${NO_ID}/rotate`, "POST"],
  ["/links", "GET, HEAD, POST"],
  ["/links/batch", "DELETE, POST"],
  ["/links/batch-delete", "POST"],
  ["/links/preview", "POST"],
  ["/links/batch-change", "POST"],
  [`/links/${NO_ID}`, "DELETE, GET, HEAD, PATCH"],
  [`/links/${NO_ID}/check`, "POST"],
  [`/links/${NO_ID}/history`, "GET, HEAD"],
  ["/groups", "GET, HEAD, POST"],
  [`/groups/${NO_ID}`, "DELETE, GET, HEAD, PATCH"],
  [`/groups/${NO_ID}/links`, "GET, HEAD, POST"],
  ["/history", "GET, HEAD"],
  ["/history/stats", "GET, HEAD"],
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"];

const sorted = (allow: string | null) => allow?.split(", ").sort().join(", ");

onServer("The methods of a path", (server) => {
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(server().url + path, { method, headers });
  const as = ({ key }: Asker) => ({ authorization: `Bearer ${key}` });

  eachRow(PATHS)("%s takes %s and no other", async (path, allow) => {
    const me = await server().account();

    for (const method of METHODS.filter((name) => !allow.split(", ").includes(name))) {
      const reply = await ask(method, `/api/v1${path}`, as(me));
      expect([method, reply.status, sorted(reply.headers.get("allow"))]).toEqual([
        method,
        405,
        allow,
      ]);
    }
  });

  eachRow(PATHS)("OPTIONS of %s tells %s, to anybody", async (path, allow) => {
    const reply = await ask("OPTIONS", `/api/v1${path}`);

    expect([reply.status, await reply.text()]).toEqual([204, ""]);
    expect(sorted(reply.headers.get("allow"))).toBe(sorted(`${allow}, OPTIONS`));
    expect(reply.headers.get("x-ratelimit-limit")).toBe("120");
  });

  test("OPTIONS of nothing is not found, and never refused for asking much", async () => {
    expect((await ask("OPTIONS", "/api/v1/nothing")).status).toBe(404);
    for (let i = 0; i < 130; i++) expect((await ask("OPTIONS", "/api/v1/links")).status).toBe(204);
    server().clock.moveBy(60_000);
  });

  test("a refused method is reported in the envelope", async () => {
    const me = await server().account();

    const { status, body } = await me.patch("/api/v1/links", {});

    expect(status).toBe(405);
    expect(body.error).toEqual({
      code: "METHOD_NOT_ALLOWED",
      message: "Method PATCH is not allowed here.",
      status: 405,
      details: { allowed: ["GET", "HEAD", "POST"] },
    });
  });

  test("HEAD answers as GET does, without the body", async () => {
    const me = await server().account();
    const [link, group] = [await addLink(me), await addGroup(me)];
    const kept = (headers: Headers) =>
      [...headers].filter(([name]) => !/^(x-ratelimit|ratelimit|x-request-id|date)/.test(name));

    for (const path of [
      "account",
      "keys",
      "links",
      `links/${link}`,
      `groups/${group}`,
      "links/x",
    ]) {
      const get = await ask("GET", `/api/v1/${path}`, as(me));
      const head = await ask("HEAD", `/api/v1/${path}`, as(me));
      expect([head.status, await head.text()]).toEqual([get.status, ""]);
      expect(kept(head.headers)).toEqual(kept(get.headers));
    }
  });

  test("HEAD needs the read permission", async () => {
    const writer = await addKey(server(), await server().account(), WRITE_ONLY);

    expect((await ask("HEAD", "/api/v1/links", as(writer))).status).toBe(403);
  });

  test("a path is what it is: no slash at its end, no capitals, no doubles", async () => {
    const me = await server().account();

    for (const path of ["links/", "Links", "links//", "/links", "links/%2e", "links;x=1", "link"])
      expect([path, (await me.get(`/api/v1/${path}`)).status]).toEqual([path, 404]);
    expect((await me.get("/API/v1/links")).status).toBe(404);
  });
});

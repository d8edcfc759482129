import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { sendRaw } from "../../tests/http/raw.ts";

onServer("A request that no browser would send", (server) => {
  /** `line` is the request line, each header a line of its own. */
  const send = (line: string, ...headers: string[]) =>
    sendRaw(server().url, `${[line, ...headers, "Connection: close"].join("\r\n")}\r\n\r\n`);
  const authorized = async () => `Authorization: Bearer ${(await server().account()).key}`;

  test("in HTTP/1.0 without a Host is answered like any other", async () => {
    const health = await send("GET /health HTTP/1.0");
    const links = await send("GET /api/v1/links?page=1 HTTP/1.0", await authorized());

    expect([health.status, links.status]).toEqual([200, 200]);
    expect(links.head).toContain("/api/v1/links?page=1");
  });

  eachRow([
    "a",
    "a.b",
    "[::",
    "a b",
    "a/b",
    "a?b",
    "a#b",
    "u:p@h",
    "x:99999",
    "é",
    "",
    "x".repeat(300),
  ])("with the Host %p is judged by its path alone", async (host) => {
    const me = await authorized();

    const found = await send("GET /api/v1/links HTTP/1.1", `Host: ${host}`, me);
    const stranger = await send("GET /api/v1/links HTTP/1.1", `Host: ${host}`);

    expect([found.status, stranger.status]).toEqual([200, 401]);
    expect(found.head).toContain("X-Request-Id");
  });

  eachRow(["a", "ab", "abc", "abcd", "abcdefghi"])(
    "cannot slip past the doors with the short Host %p",
    async (host) => {
      for (const before of ["", "/x", "/xy", "/xyz", "/wxyz", "//x"]) {
        const { status } = await send(`GET ${before}/api/v1/links HTTP/1.1`, `Host: ${host}`);
        expect([before, status]).toEqual([before, before === "" ? 401 : 404]);
      }
    },
  );

  test("cannot slip past the doors with dots and slashes", async () => {
    for (const path of [
      "/dashboard/../api/v1/links",
      "/x/../api/v1/links",
      "/api/v1/x/%2e%2e/links",
      "http://elsewhere.example/api/v1/links",
    ])
      expect([path, (await send(`GET ${path} HTTP/1.1`, "Host: a.example")).status]).toEqual([
        path,
        401,
      ]);
    for (const path of ["//api/v1/links", "/api//v1/links", "/api%2Fv1/links", "/api/v1\\links"])
      expect([path, (await send(`GET ${path} HTTP/1.1`, "Host: a.example")).status]).toEqual([
        path,
        path.startsWith("/api/v1") ? 401 : 404,
      ]);
  });

  test("with a strange Host does not open the dashboard", async () => {
    for (const host of ["a", "a.b", "evil.example"]) {
      const { status } = await send("GET /dashboard/api/links HTTP/1.1", `Host: ${host}`);
      expect([host, status]).toEqual([host, 403]);
    }
  });

  test("with two Hosts is refused", async () => {
    const { status, body } = await send(
      "GET /api/v1/links HTTP/1.1",
      "Host: a.example",
      "Host: b.example",
      await authorized(),
    );

    expect(status).toBe(400);
    expect(body).toContain("two Host headers");
  });

  test("with a length that is none is refused", async () => {
    const me = await authorized();

    for (const length of ["-1", "x", "1, 2", "99999999999999999999"]) {
      const { status } = await send(
        "POST /api/v1/groups HTTP/1.1",
        "Host: a.example",
        me,
        "Content-Type: application/json",
        `Content-Length: ${length}`,
      );
      expect([length, status >= 400 && status < 500]).toEqual([length, true]);
    }
  });

  test("that announces more than it may send is refused before it sends", async () => {
    const { status, body } = await send(
      "POST /api/v1/groups HTTP/1.1",
      "Host: a.example",
      await authorized(),
      "Content-Type: application/json",
      "Content-Length: 70000",
    );

    expect(status).toBe(413);
    expect(JSON.parse(body).error.code).toBe("PAYLOAD_TOO_LARGE");
  });

  test("with a method that is not allowed gets the list of allowed ones", async () => {
    const { status, head } = await send(
      "TRACE /api/v1/links HTTP/1.1",
      "Host: a",
      await authorized(),
    );

    expect(status).toBe(405);
    expect(head).toMatch(/^allow: GET, HEAD, POST\r$/im);
  });
});

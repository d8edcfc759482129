import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { sendRaw } from "../../tests/http/raw.ts";
import type { Config } from "../ground/config/config.ts";
import { securityHeaders } from "./headers.ts";

onServer("Every reply", (server) => {
  const replies = async () => {
    const me = await server().account();
    return [
      await me.get("/api/v1/links"),
      await me.post("/api/v1/groups", { name: "a" }),
      await me.post("/api/v1/groups", "{"),
      await me.get("/api/v1/nothing"),
      await me.patch("/api/v1/links"),
      await me.post("/api/v1/groups", "x".repeat(70_000)),
      await server().asker("").get("/api/v1/links"),
      await server().asker("").get("/dashboard/api/links"),
    ];
  };

  test("has a request id of its own", async () => {
    const ids = (await replies()).map(({ headers }) => headers.get("x-request-id"));

    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  eachRow([
    ["abc-DEF_1.2", true],
    ["x".repeat(64), true],
    ["x".repeat(65), false],
    ["a b", false],
    ["a,b", false],
    ["<script>", false],
  ])("takes over the request id %p: %p", async (given, taken) => {
    const me = await server().account();

    for (const path of ["/api/v1/links", "/api/v1/nothing", "/health"]) {
      const { headers } = await me.get(path, { "x-request-id": given });
      expect(headers.get("x-request-id") === given).toBe(taken);
    }
  });

  test("guards against being taken for something else", async () => {
    for (const { headers } of await replies()) {
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; frame-ancestors 'none'",
      );
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("strict-transport-security")).toBeNull();
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("server")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
    }
  });

  test("is kept by no cache, but may be asked for again where it has a tag", async () => {
    for (const { headers } of await replies()) {
      const expected = headers.has("etag") ? "private, no-cache" : "no-store";
      expect(headers.get("cache-control")).toBe(expected);
    }
  });

  test("with a body is JSON in UTF-8", async () => {
    for (const { headers } of await replies())
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test("has each header once", async () => {
    const me = await server().account();

    const { head } = await sendRaw(
      server().url,
      `GET /api/v1/links HTTP/1.1\r\nHost: me.example\r\nAuthorization: Bearer ${me.key}\r\nConnection: close\r\n\r\n`,
    );

    const names = head
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(":")[0]!.toLowerCase());
    expect(names.length).toBe(new Set(names).size);
    expect(names).toContain("x-request-id");
  });
});

onServer(
  "Behind HTTPS",
  (server) => {
    test("every reply asks for HTTPS from then on", async () => {
      const me = await server().account();

      for (const path of ["/api/v1/links", "/api/v1/nothing", "/health"]) {
        const { headers } = await me.get(path);
        expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
      }
    });
  },
  { STILLUP_PUBLIC_URL: "https://links.example.org" },
);

test("Pages of the dashboard run no script and show no frame of others", () => {
  const policy = securityHeaders({ publicUrl: null } as Config)("/links").get(
    "content-security-policy",
  );

  expect(policy?.split("; ")).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
  );
});

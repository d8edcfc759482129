import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";

const ORIGIN = "https://app.example.org";
const PREFLIGHT = { "access-control-request-method": "POST" };

onServer("Scripts of other origins", (server) => {
  test("may read nothing as long as the operator allows none", async () => {
    const me = await server().account();

    const { status, headers } = await me.get("/api/v1/links", { origin: ORIGIN });

    expect(status).toBe(200);
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

onServer(
  "Scripts of an allowed origin",
  (server) => {
    const preflight = (path: string, origin: string) =>
      fetch(server().url + path, { method: "OPTIONS", headers: { origin, ...PREFLIGHT } });

    test("may read replies and the rate limit headers, without credentials", async () => {
      const me = await server().account();

      for (const path of ["/api/v1/links", "/api/v1/nothing"]) {
        const { headers } = await me.get(path, { origin: ORIGIN });
        expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
        expect(headers.get("access-control-expose-headers")).toContain("X-RateLimit-Remaining");
        expect(headers.get("access-control-allow-credentials")).toBeNull();
        expect(headers.get("vary")).toBe("Origin");
      }
    });

    test("learn before they ask what they may send", async () => {
      const { status, headers } = await preflight("/api/v1/links", ORIGIN);

      expect(status).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, OPTIONS");
      expect(headers.get("access-control-allow-headers")).toContain("Authorization");
      expect(headers.get("access-control-max-age")).toBe("600");
    });

    eachRow([
      "https://evil.example.org",
      "http://app.example.org",
      "https://app.example.org:8443",
      "https://app.example.org.evil.example",
      "null",
      "*",
    ])("are not those of %s", async (origin) => {
      const me = await server().account();

      const reply = await me.get("/api/v1/links", { origin });
      const asked = await preflight("/api/v1/links", origin);

      for (const { headers } of [reply, asked]) {
        expect(headers.get("access-control-allow-origin")).toBeNull();
        expect(headers.get("access-control-allow-methods")).toBeNull();
        expect(headers.get("vary")).toBe("Origin");
      }
    });

    test("may read nothing of the dashboard", async () => {
      const { headers } = await fetch(`${server().url}/dashboard/api/links`, {
        headers: { origin: ORIGIN },
      });

      expect(headers.get("access-control-allow-origin")).toBeNull();
    });
  },
  { STILLUP_CORS_ALLOWED_ORIGINS: `https://other.example.org,${ORIGIN}` },
);

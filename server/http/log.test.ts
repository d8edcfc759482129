import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import { onServer, type Parsed } from "../../tests/harness.ts";
import { sendRaw } from "../../tests/http/raw.ts";
import { logLines } from "../../tests/log.ts";
import { BEHIND_PROXY } from "../../tests/session/browser.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { createFront } from "./front.ts";
import { routeTable } from "./routing.ts";

onServer(
  "The log",
  (server) => {
    test("has a line for a request that changed something, with who asked and from where", async () => {
      const me = await server().account();
      const lines = await logLines("info", "json");

      const { headers } = await me.post(
        "/api/v1/links?secret=query",
        { url: "https://example.org/" },
        { "x-forwarded-for": "203.0.113.7" },
      );

      expect(lines.map((line) => JSON.parse(line))).toEqual([
        {
          time: expect.any(String),
          level: "info",
          message: "request",
          request: headers.get("x-request-id"),
          method: "POST",
          path: "/api/v1/links",
          status: 201,
          ms: expect.any(Number),
          account: me.accountId,
          key: me.key.slice(0, 9),
          address: "203.0.113.7",
        },
      ]);
    });

    test("has one for each request that was refused", async () => {
      const lines = await logLines("info", "json");

      await server().asker("nonsense").get("/api/v1/links");

      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ status: 401 }]);
    });

    test("has one for each read only when more is wanted of it", async () => {
      const me = await server().account();
      const usual = await logLines("info", "json");
      await me.get("/api/v1/links");
      await me.get("/health");
      expect(usual).toEqual([]);

      const all = await logLines("debug", "json");
      await me.get("/api/v1/links");
      await me.get("/health");

      expect(all.map((line) => JSON.parse(line).path)).toEqual(["/api/v1/links", "/health"]);
    });

    test("reports a read that took long", async () => {
      const me = await server().account();
      const lines = await logLines("info", "json");
      const { deps, clock } = server();
      const slow = async () => {
        clock.moveBy(1500);
        return new Response("late");
      };
      const enter = async () => {};
      const front = createFront(
        { ...deps, byKey: enter, bySession: enter, onChange: () => {} },
        { fetch: slow, table: routeTable([]) },
      );

      await front(
        new Request("http://localhost/slow", { headers: { authorization: `Bearer ${me.key}` } }),
      );

      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ path: "/slow", ms: 1500 }]);
    });

    test("reports an error with its request", async () => {
      const me = await server().account();
      const { store } = server().deps;
      await store.run(sql`alter table groups rename to groups_away`);
      const lines = await logLines("info", "json");

      const { status, headers } = await me.post("/api/v1/groups", { name: "Mine" });

      await store.run(sql`alter table groups_away rename to groups`);
      const entries = lines.map((line) => JSON.parse(line));
      const request = headers.get("x-request-id");
      expect(status).toBe(500);
      expect(entries).toMatchObject([
        { level: "error", message: "unexpected error", request },
        { level: "info", message: "request", status: 500, request },
      ]);
    });

    eachRow(FORGERIES)("is not forged by %j", async (forgery) => {
      const me = await server().account();
      for (const format of ["text", "json"] as const) {
        const lines = await logLines("debug", format);

        log.error("a check failed", { link: forgery, ...describeError(new Error(forgery)) });
        log.info(forgery);
        await me.post("/api/v1/links", { url: `https://example.org/${forgery}`, [forgery]: 1 });
        await me.get(`/api/v1/links/${encodeURIComponent(forgery)}`, {
          "user-agent": encodeURIComponent(forgery),
        });
        await sendRaw(server().url, `GET /x${forgery.replace(/\s/g, "")} HTTP/1.0\r\n\r\n`);

        expect(lines.filter((line) => UNSAFE.test(line))).toEqual([]);
        expect(lines.filter((line) => !(format === "text" ? TEXT : isRecord)(line))).toEqual([]);
        expect(lines.filter((line) => isForged(line))).toEqual([]);
      }
    });
  },
  BEHIND_PROXY,
);

const FORGERIES = [
  '\n{"level":"error","message":"forged"}',
  "\r\n2030-01-01T00:00:00.000Z error forged",
  "\r2030-01-01T00:00:00.000Z error forged",
  '","level":"error","message":"forged","x":"',
  '" level="error" message="forged',
  "\u001b[2K\u001b[1Gforged",
  "\u2028forged\u2029",
  "\u0085forged\u009b31m",
  "\u202eforged\u2066",
  "\0forged\u0007\b\u007f",
];

/** What a terminal or a reader of lines would obey. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const LINE = /^\d{4}-\d\d-\d\dT[\d:.]+Z (debug|info|warning|error) /;
const TEXT = (line: string) => LINE.test(line);

function isRecord(line: string): boolean {
  const { time, level, message }: Parsed = JSON.parse(line);
  return [time, level, message].every((value) => typeof value === "string");
}

/** A record of ours whose own words are those of the forgery. */
const isForged = (line: string) => line.startsWith("{") && JSON.parse(line).message === "forged";

import { expect, test } from "bun:test";
import { createService } from "../../server/app/app.ts";
import type { Query } from "../../server/ground/db/store.ts";
import { failingDeps, failingInside } from "../events/failing-store.ts";
import { onBothEngines, type TestServer } from "../harness.ts";
import { logLines } from "../log.ts";

/** What is asked, each with all that the database does for it. */
const REQUESTS: [method: string, path: string, body?: object][] = [
  ["GET", "/account"],
  ["GET", "/links"],
  ["GET", "/links?search=x&status=dead"],
  ["POST", "/links", { url: "https://a.test/" }],
  ["POST", "/links/batch", { links: ["https://b.test/", "https://c.test/"] }],
  ["POST", "/links/preview", { links: ["https://b.test/"] }],
  ["POST", "/links/check", { all: true }],
  ["GET", "/groups"],
  ["POST", "/groups", { name: "Mine" }],
  ["GET", "/webhooks"],
  ["POST", "/webhooks", { url: "https://d.test/", events: ["link.dead"] }],
  ["GET", "/keys"],
  ["POST", "/keys", { name: "more" }],
  ["GET", "/history"],
  ["GET", "/overview"],
];
const MOST_POINTS = 12;

/** The same service, whose database throws at the given query of those that come from now on. */
async function breakable(server: TestServer) {
  let left = Number.POSITIVE_INFINITY;
  const problemOf = (_: Query[]) => (--left < 0 ? new Error("broken on purpose") : null);
  const outside = failingDeps(server.deps, problemOf);
  const { front } = await createService(failingInside(outside, (query) => problemOf([query])));
  const breakAt = (nth: number) => {
    left = nth;
  };
  return { front, breakAt };
}

onBothEngines("A failure inside of a request", (server) => {
  test("is answered 500 at every point, and found in the log by the request's id", async () => {
    const lines = await logLines("error");
    const { key } = await server().account();
    const { front, breakAt } = await breakable(server());
    let points = 0;
    for (const [method, path, body] of REQUESTS) {
      for (let nth = 0; nth < MOST_POINTS; nth++) {
        const id = `${method}.${path.replace(/\W/g, ".")}.${nth}`;
        const headers = { authorization: `Bearer ${key}`, "x-request-id": id };
        const type = { "content-type": "application/json" };
        breakAt(nth);
        const reply = await front(
          new Request(`http://localhost/api/v1${path}`, {
            method,
            headers: body ? { ...headers, ...type } : headers,
            ...(body && { body: JSON.stringify(body) }),
          }),
        );
        if (reply.status !== 500) break;
        points++;
        expect(reply.headers.get("x-request-id")).toBe(id);
        expect(((await reply.json()) as { error: object }).error).toMatchObject({
          code: "INTERNAL_ERROR",
          status: 500,
        });
        expect(lines.filter((line) => line.includes(`request="${id}"`))).toHaveLength(1);
      }
    }
    expect(points).toBeGreaterThan(40);
  });
});

import { expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { askByTurns, bodies, onTwoServers } from "../../tests/nodes/second.ts";
import { enter } from "../../tests/people/people.ts";
import { newColleague, newOwner, openBrowser } from "../../tests/session/browser.ts";
import { apiKeys, audit, batches, links, users, webhooks } from "../ground/db/tables.ts";

const LIMITS = { business: { links: 20, apiKeys: 6, webhooks: 5 } };
const MOST_RUNNING = 10;
const MOST_PEOPLE = 100;
const SETTINGS = {
  STILLUP_TIER_LIMITS: JSON.stringify(LIMITS),
  STILLUP_RATE_LIMIT_PER_MINUTE: "0",
  STILLUP_RATE_LIMIT_PER_HOUR: "0",
};

onTwoServers(
  "Two servers that are asked at once",
  (servers) => {
    test("make no more keys than the account may have", async () => {
      const me = await servers().account();

      const statuses = await askByTurns(
        ...[servers(), me, ["POST", "/api/v1/keys"] as const],
        bodies(16, (n) => ({ name: `key ${n}` })),
      );

      expect(statuses).toEqual({ 201: 5, 409: 11 });
      const ofMe = eq(apiKeys.accountId, me.accountId);
      expect(await servers().deps.store.$count(apiKeys, ofMe)).toBe(6);
    });

    test("make no more webhooks than the account may have", async () => {
      const me = await servers().account();

      const statuses = await askByTurns(
        ...[servers(), me, ["POST", "/api/v1/webhooks"] as const],
        bodies(16, (n) => ({ url: `https://example.org/${n}`, events: ["link.dead"] })),
      );

      expect(statuses).toEqual({ 201: 5, 409: 11 });
      const ofMe = eq(webhooks.accountId, me.accountId);
      expect(await servers().deps.store.$count(webhooks, ofMe)).toBe(5);
    });

    test("make no more links than the account may have, one by one", async () => {
      const me = await servers().account();

      const statuses = await askByTurns(
        ...[servers(), me, ["POST", "/api/v1/links"] as const],
        bodies(36, (n) => ({ url: `https://example.org/${n}` })),
      );

      expect(statuses).toEqual({ 201: 20, 409: 16 });
    });

    test("make no more links than the account may have, many at once", async () => {
      const me = await servers().account();
      const some = (n: number) => bodies(7, (i) => ({ url: `https://example.org/${n}/${i}` }));

      await askByTurns(
        ...[servers(), me, ["POST", "/api/v1/links/batch"] as const],
        bodies(8, (n) => ({ links: some(n) })),
      );

      const ofMe = eq(links.accountId, me.accountId);
      expect(await servers().deps.store.$count(links, ofMe)).toBe(20);
    });

    test("monitor a URL once", async () => {
      const me = await servers().account();

      const statuses = await askByTurns(
        ...[servers(), me, ["POST", "/api/v1/links"] as const],
        bodies(12, () => ({ url: "https://example.org/same" })),
      );

      expect(statuses).toEqual({ 201: 1, 409: 11 });
    });

    test("let no more batches run than an account may have", async () => {
      const me = await servers().account();
      await me.post("/api/v1/links", { url: "https://example.org/" });

      await askByTurns(
        ...[servers(), me, ["POST", "/api/v1/links/check"] as const],
        bodies(24, () => ({ status: "unknown" })),
      );

      const byFilter = and(
        eq(batches.accountId, me.accountId),
        eq(batches.filterStatus, "unknown"),
      );
      expect(await servers().deps.store.$count(batches, byFilter)).toBe(MOST_RUNNING);
    });

    test("invite no more people than an account may have", async () => {
      const made = await newOwner(servers());
      for (let n = 0; n < MOST_PEOPLE - 4; n++) await newColleague(servers(), made, "viewer");
      const first = await enter(servers(), made.owner.id);
      const second = openBrowser({ ...servers(), url: servers().secondUrl }, first.cookie());

      const replies = await Promise.all(
        bodies(10, (n) => {
          const person = { email: `invited${n}@example.org`, role: "viewer" };
          return (n % 2 === 0 ? first : second).post("/people", person);
        }),
      );

      expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
      const ofAccount = eq(users.accountId, made.account.id);
      expect(await servers().deps.store.$count(users, ofAccount)).toBe(MOST_PEOPLE);
    });

    test("make one of the changes that were meant for the same state of a record", async () => {
      const me = await servers().account();
      const { body } = await me.post("/api/v1/groups", { name: "first" });
      const path = `/api/v1/groups/${body.data.id}`;
      const etag = (await me.get(path)).headers.get("etag")!;

      const statuses = await askByTurns(
        ...[servers(), me, ["PATCH", path] as const],
        bodies(8, (n) => ({ name: `by ${n}` })),
        { "if-match": etag },
      );

      expect(statuses).toEqual({ 200: 1, 412: 7 });
    });

    test("delete a webhook with all that waits for it once", async () => {
      const me = await servers().account();
      const hook = { url: "https://example.org/", events: ["link.created"] };
      const { body } = await me.post("/api/v1/webhooks", hook);
      await me.post("/api/v1/links/batch", {
        links: bodies(20, (n) => ({ url: `https://example.org/${n}` })),
      });

      const statuses = await askByTurns(
        ...[servers(), me, ["DELETE", `/api/v1/webhooks/${body.data.id}`] as const],
        bodies(4, () => ({})),
      );

      expect(Object.keys(statuses).every((status) => ["204", "404"].includes(status))).toBe(true);
      const isDeletion = and(
        eq(audit.accountId, me.accountId),
        eq(audit.action, "webhook.deleted"),
      );
      expect(await servers().deps.store.$count(audit, isDeletion)).toBe(1);
      expect(await servers().deps.store.$count(webhooks, eq(webhooks.id, body.data.id))).toBe(0);
    });
  },
  SETTINGS,
);

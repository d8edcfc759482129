import { expect } from "bun:test";
import { and, eq } from "drizzle-orm";
import { onServer } from "../../tests/harness.ts";
import { BEHIND_PROXY, newOwner, openBrowser, PASSWORD } from "../../tests/session/browser.ts";
import { housekeeping } from "../app/housekeeping.ts";
import { audit, failedSignIns } from "../ground/db/tables.ts";

const DAY = 24 * 3_600_000;

onServer(
  "failed sign-ins",
  (server, { test, testOnBoth }) => {
    const failFrom = (address: string, email: string) =>
      openBrowser(server(), undefined, address).signIn(email, "wrong");
    const entriesOf = (accountId: string) =>
      server()
        .deps.store.select()
        .from(audit)
        .where(and(eq(audit.accountId, accountId), eq(audit.action, "person.sign_in_failed")))
        .orderBy(audit.id);
    const rowsOf = (userId: string) =>
      server().deps.store.select().from(failedSignIns).where(eq(failedSignIns.userId, userId));

    test("are shown at the next sign-in, until they are dismissed", async () => {
      const { owner } = await newOwner(server());
      const since = new Date(server().clock.now()).toISOString();
      await failFrom("198.51.100.1", owner.email);
      server().clock.moveBy(DAY);
      for (const end of [1, 2]) await failFrom(`2001:db8:1:2::${end}`, owner.email);
      const browser = openBrowser(server());

      const { body } = await browser.signIn(owner.email);

      const failed = {
        count: 3,
        since,
        networks: ["2001:db8:1:2::/64", "198.51.100.1"],
        has_more: false,
      };
      expect(body.data.failed_sign_ins).toEqual(failed);
      expect((await browser.get("/session")).body.data.failed_sign_ins).toEqual(failed);
      expect((await browser.delete("/session/failed-sign-ins")).status).toBe(204);
      expect((await browser.get("/session")).body.data.failed_sign_ins).toBeNull();
      expect(
        (await openBrowser(server()).signIn(owner.email)).body.data.failed_sign_ins,
      ).toBeNull();
    });

    test("become one entry of the audit log with their number, their source and the account they tried", async () => {
      const { owner, account } = await newOwner(server());
      for (let i = 0; i < 3; i++) await failFrom("198.51.100.1", owner.email);

      await openBrowser(server()).signIn(owner.email);
      await openBrowser(server()).signIn(owner.email);

      expect(await entriesOf(account.id)).toMatchObject([
        {
          actorKind: "stranger",
          actorName: "sign-in",
          address: "198.51.100.1",
          targetId: owner.id,
          targetName: owner.email,
          count: 3,
        },
      ]);
    });

    testOnBoth(
      "are recorded once a day while the person stays away, by however many nodes, and then the rest",
      async () => {
        const { owner, account } = await newOwner(server());
        const { deps } = server();
        for (let i = 0; i < 3; i++) await failFrom(`198.51.100.${i}`, owner.email);

        await housekeeping(deps);
        const early = await entriesOf(account.id);
        server().clock.moveBy(DAY);
        await Promise.all([housekeeping(deps), housekeeping(deps)]);
        await failFrom("198.51.100.9", owner.email);
        await housekeeping(deps);
        const daily = await entriesOf(account.id);
        const { body } = await openBrowser(server()).signIn(owner.email);

        expect(early).toEqual([]);
        expect(daily.map(({ count, address }) => [count, address])).toEqual([[3, null]]);
        expect((await entriesOf(account.id)).map(({ count }) => count)).toEqual([3, 1]);
        expect(body.data.failed_sign_ins).toMatchObject({ count: 4, has_more: true });
      },
    );

    test("from any number of networks fill neither the table nor the audit log", async () => {
      const { owner, account } = await newOwner(server());
      for (let i = 0; i < 50; i++) await failFrom(`198.51.100.${i}`, owner.email);

      const rows = await rowsOf(owner.id);
      const { body } = await openBrowser(server()).signIn(owner.email);

      expect(rows.length).toBeLessThanOrEqual(21);
      expect(body.data.failed_sign_ins).toMatchObject({ count: 50, has_more: true });
      expect(body.data.failed_sign_ins.networks).toHaveLength(3);
      expect((await entriesOf(account.id)).map(({ count }) => count)).toEqual([50]);
    });

    test("are none where the e-mail is unknown, where nothing was tried, and where it worked", async () => {
      const { owner, account } = await newOwner(server());
      const { store } = server().deps;
      const before = await store.$count(failedSignIns);
      await failFrom("198.51.100.1", "unknown@example.org");
      for (let i = 0; i < 3; i++) await openBrowser(server()).signIn(owner.email, PASSWORD);
      const refused = openBrowser(server(), undefined, "198.51.100.2");
      for (let i = 0; i < 6; i++) await refused.signIn(owner.email, "wrong");

      // After three wrong ones the others were refused before the password was looked at.
      expect((await rowsOf(owner.id)).map(({ failures }) => failures)).toEqual([3]);
      expect(await store.$count(failedSignIns)).toBe(before + 1);
      expect(await entriesOf(account.id)).toEqual([]);
    });

    testOnBoth("of many at once are all counted", async () => {
      const { owner } = await newOwner(server());

      await Promise.all(
        Array.from({ length: 12 }, (_, i) => failFrom(`198.51.100.${i % 6}`, owner.email)),
      );

      const rows = await rowsOf(owner.id);
      expect(rows.reduce((all, { failures }) => all + failures, 0)).toBe(12);
    });
  },
  BEHIND_PROXY,
);

import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onBothEngines, START } from "../../tests/harness.ts";
import { soon, whileKept } from "../../tests/history/cut-short.ts";
import { addCheck, addChecks, addGroup, addLink } from "../../tests/rows.ts";
import { checks, historyDays, historyHours, pendingDeletions } from "../ground/db/tables.ts";
import { forgetOldChecks } from "./forget-old.ts";
import { deletePendingHistory } from "./pending-deletions.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEPT_DAYS = 30;
const NOW = Date.parse(START);
/** More than go in one step. */
const HOURS = 600;
const OLD = NOW - KEPT_DAYS * DAY;

const dataOf = async (me: Asker, path: string) => (await me.get(`/api/v1/${path}`)).body.data;
const listed = async (me: Asker) => (await dataOf(me, "history")).pagination.total;
const counted = async (me: Asker) => (await dataOf(me, "history/stats")).totalChecks;

onBothEngines(
  "Checks after their days",
  (server) => {
    const rowsOf = ({ accountNo }: Asker) =>
      server().deps.store.$count(checks, eq(checks.accountNo, accountNo));

    test("are gone, and what they came to stays", async () => {
      const me = await server().account();
      const group = await addGroup(me);
      const link = await addLink(me, { group_id: group });
      for (const checkedAt of [OLD - 2 * HOUR, OLD - 1, OLD])
        await addCheck(server(), me, link, { checkedAt });

      await forgetOldChecks(server().deps);

      expect([await rowsOf(me), await listed(me), await counted(me)]).toEqual([1, 1, 3]);
      for (const of of [`link_id=${link}`, `group_id=${group}`])
        expect((await dataOf(me, `history/stats?${of}`)).totalChecks).toBe(3);
    });

    test("go in whole hours, so that no hour is incomplete", async () => {
      const me = await server().account();
      const link = await addLink(me);
      await addCheck(server(), me, link, { checkedAt: OLD + 1 });
      server().clock.moveBy(59 * 60_000);

      await forgetOldChecks(server().deps);

      expect(await listed(me)).toBe(1);
      server().clock.moveBy(-59 * 60_000);
    });

    test("are still listed under their link hour by hour, each with its time to answer", async () => {
      const me = await server().account();
      const link = await addLink(me);
      const dead = { status: "dead", statusChanged: true, responseTimeMs: null } as const;
      await addCheck(server(), me, link, { ...dead, checkedAt: OLD - 2 * HOUR });
      await addCheck(server(), me, link, { responseTimeMs: 90, checkedAt: OLD - HOUR });
      await addCheck(server(), me, link, { responseTimeMs: 110, checkedAt: OLD - 1 });
      const range = `start_date=${iso(OLD - 2 * HOUR)}&end_date=${iso(OLD)}`;
      const before = await dataOf(me, `history/series?bucket=hour&link_id=${link}&${range}`);

      await forgetOldChecks(server().deps);

      const after = await dataOf(me, `history/series?bucket=hour&link_id=${link}&${range}`);
      expect(after).toEqual(before);
      expect(after.points).toMatchObject([
        { deadCount: 1, statusChanges: 1, avgResponseTimeMs: 0 },
        { aliveCount: 2, avgResponseTimeMs: 100 },
        { totalChecks: 0 },
      ]);
    });

    test("leave the hours of their link for as long again, and its days for good", async () => {
      const me = await server().account();
      const link = await addLink(me);
      for (const checkedAt of [OLD - KEPT_DAYS * DAY - HOUR, OLD - HOUR])
        await addCheck(server(), me, link, { checkedAt });

      await forgetOldChecks(server().deps);

      const perBucket = async (bucket: string, checkedAt: number) => {
        const range = `start_date=${iso(checkedAt)}&end_date=${iso(checkedAt)}`;
        const { points } = await dataOf(
          me,
          `history/series?bucket=${bucket}&link_id=${link}&${range}`,
        );
        return points[0].totalChecks;
      };
      const moments = [OLD - KEPT_DAYS * DAY - HOUR, OLD - HOUR];
      expect(await Promise.all(moments.map((at) => perBucket("hour", at)))).toEqual([0, 1]);
      expect(await Promise.all(moments.map((at) => perBucket("day", at)))).toEqual([1, 1]);
    });

    test("stay while other sites tell that this machine's clock is wrong", async () => {
      const { deps } = server();
      const me = await server().account();
      await addCheck(server(), me, await addLink(me), { checkedAt: OLD + DAY });
      const date = new Date(NOW).toUTCString();
      const sitesAnswer = () => {
        for (const site of ["a.test", "b.test", "c.test"])
          deps.online.noteAnswer({ finalUrl: `https://${site}/`, headers: new Headers({ date }) });
      };
      server().clock.moveBy(366 * DAY);
      sitesAnswer();

      await forgetOldChecks(deps);

      expect(await rowsOf(me)).toBe(1);
      expect(await listed(me)).toBe(1);
      server().clock.moveBy(-366 * DAY);
      sitesAnswer();
    });

    test("are shown again once a clock that was far ahead is right, from the next hour on", async () => {
      const { deps, clock } = server();
      const me = await server().account();
      const link = await addLink(me);
      clock.moveBy(400 * DAY);
      await forgetOldChecks(deps);
      clock.moveBy(-400 * DAY);

      await forgetOldChecks(deps);
      clock.moveBy(HOUR);
      const check = await addCheck(server(), me, link);

      const { items } = await dataOf(me, "history");
      expect(items).toMatchObject([{ id: check }]);
      expect([await listed(me), await counted(me)]).toEqual([1, 1]);
      clock.moveBy(-HOUR);
    });

    test("are not shown from the first moment on, however long it takes until all of them are gone", async () => {
      const me = await server().account();
      const link = await addLink(me);
      for (const checkedAt of [OLD - HOUR, OLD + HOUR])
        await addCheck(server(), me, link, { checkedAt });

      await forgetOldChecks(server().deps, AbortSignal.abort());

      expect([await rowsOf(me), await listed(me), await counted(me)]).toEqual([2, 1, 2]);
    });

    test("count in the hour that they were in, which belongs to the time that it begins in", async () => {
      const me = await server().account();
      const group = await addGroup(me);
      const link = await addLink(me, { group_id: group });
      await addCheck(server(), me, link, { checkedAt: OLD - 1 });
      const half = iso(OLD - HOUR / 2);
      const totals = async (range: string) =>
        Promise.all(
          ["", `&link_id=${link}`, `&group_id=${group}`].map(
            async (of) => (await dataOf(me, `history/stats?${range}${of}`)).totalChecks,
          ),
        );

      for (const signal of [AbortSignal.abort(), undefined]) {
        await forgetOldChecks(server().deps, signal);
        expect(await totals(`end_date=${half}`)).toEqual([1, 1, 1]);
        // Of groups, hours count whole at both ends.
        expect(await totals(`start_date=${half}`)).toEqual([0, 0, 1]);
      }
    });

    test("stay as they are, in every count, when they cannot be deleted", async () => {
      await forgetOldChecks(server().deps);
      const me = await server().account();
      const link = await addLink(me);
      await addCheck(server(), me, link, { checkedAt: OLD - HOUR });
      const range = `start_date=${iso(OLD - HOUR)}&end_date=${iso(OLD)}`;
      const before = await dataOf(me, `history/series?bucket=hour&link_id=${link}&${range}`);

      const failing = whileKept(server(), () => forgetOldChecks(server().deps));

      expect(await failing.catch(() => "failed")).toBe("failed");
      const after = await dataOf(me, `history/series?bucket=hour&link_id=${link}&${range}`);
      expect([await rowsOf(me), after]).toEqual([1, before]);
    });
  },
  { STILLUP_HISTORY_DAYS: String(KEPT_DAYS) },
);

const iso = (at: number) => new Date(at).toISOString();

onBothEngines("The history of what was deleted", (server) => {
  /** Asked over the network, so that what goes on in the background goes on. */
  const isPending = async () => {
    await fetch(`${server().url}/health`);
    return (await server().deps.store.$count(pendingDeletions)) > 0;
  };

  /** So many checks, one a minute until a day ago. */
  const addMany = (linkId: string, count: number) =>
    addChecks(
      server(),
      Array.from({ length: count }, (_, i) => ({ linkId, checkedAt: NOW - DAY - i * 60_000 })),
    );

  test("goes in the background when it is long, and without a request", async () => {
    const me = await server().account();
    const [link, other] = [await addLink(me), await addLink(me)];
    await addMany(link, 3000);
    await addCheck(server(), me, other);

    await me.delete(`/api/v1/links/${link}`);

    expect((await me.get(`/api/v1/links/${link}/history`)).status).toBe(404);
    for (let asked = 0; asked < 10_000 && (await isPending()); asked++);
    expect([await listed(me), await counted(me), await isPending()]).toEqual([1, 1, false]);
  });

  test("is listed with the URL of its link while it is still there", async () => {
    const me = await server().account();
    const link = await addLink(me, { url: "https://example.org/gone" });
    const id = await addCheck(server(), me, link, { finalUrl: "https://example.org/gone" });

    const reply = await whileKept(server(), () => me.delete(`/api/v1/links/${link}`));

    const { items, pagination } = await dataOf(me, "history");
    expect(reply.status).toBe(204);
    expect(items).toMatchObject([
      { id, link_id: link, url: "https://example.org/gone", final_url: "https://example.org/gone" },
    ]);
    expect([pagination.total, await counted(me)]).toEqual([1, 1]);
    expect((await dataOf(me, `history?link_id=${link}`)).items).toEqual([]);

    await deletePendingHistory(server().deps);
    expect([await listed(me), await counted(me), await isPending()]).toEqual([0, 0, false]);
  });

  test("is taken from the group that the link was in when it was checked, and from no other", async () => {
    const me = await server().account();
    const [before, after] = [await addGroup(me), await addGroup(me)];
    const [link, other] = [
      await addLink(me, { group_id: before }),
      await addLink(me, { group_id: before }),
    ];
    await addCheck(server(), me, link);
    await addCheck(server(), me, other);
    await me.patch(`/api/v1/links/${link}`, { group_id: after });

    await me.delete(`/api/v1/links/${link}`);

    const ofGroup = async (id: string) =>
      (await dataOf(me, `history/stats?group_id=${id}`)).totalChecks;
    expect([await ofGroup(before), await ofGroup(after)]).toEqual([1, 0]);
  });

  test("of a group is what its links came to, and goes without theirs, also when it is cut short", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const link = await addLink(me, { group_id: group });
    const hours = Array.from({ length: HOURS }, (_, i) => NOW - i * HOUR);
    await addChecks(
      server(),
      hours.map((checkedAt) => ({ linkId: link, checkedAt })),
    );
    const { store } = server().deps;

    await me.delete(`/api/v1/groups/${group}`);
    const [gone] = await store.select().from(pendingDeletions);
    await deletePendingHistory(server().deps, soon());
    await deletePendingHistory(server().deps);

    expect(await store.$count(historyHours, eq(historyHours.subject, gone!.no))).toBe(0);
    expect(await store.$count(historyDays, eq(historyDays.subject, gone!.no))).toBe(0);
    expect([await listed(me), await counted(me), await isPending()]).toEqual([HOURS, HOURS, false]);
  });

  test("goes with many links at once", async () => {
    const me = await server().account();
    const ids = [await addLink(me), await addLink(me), await addLink(me)];
    for (const id of ids) await addMany(id, 20);
    const kept = await addLink(me);
    await addMany(kept, 20);

    await me.post("/api/v1/links/batch-delete", { link_ids: ids });

    expect([await listed(me), await counted(me)]).toEqual([20, 20]);
  });
});

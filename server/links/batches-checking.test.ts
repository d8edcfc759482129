import { expect } from "bun:test";
import {
  ALIVE,
  batchOf,
  CHECK,
  checkAll,
  checkedLinks,
  eventsOf,
  GONE,
  otherProcess,
  subscribe,
  waitedFor,
} from "../../tests/batches/playing.ts";
import { saw } from "../../tests/checker/ended.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { claimDueLinks } from "../monitor/claim.ts";
import { recordResults } from "../monitor/record.ts";
import { fillBatches } from "./fill-batches.ts";

const MINUTE = 60_000;

const start = async (me: Asker, asked: object): Promise<string> =>
  (await me.post(CHECK, asked)).body.data.batch_id;

/** A check that is under way, by the id of its link. */
async function claim({ deps }: Pick<TestServer, "deps">, id: string) {
  const claimed = await claimDueLinks(deps, 10_000);
  return claimed.find((link) => link.id === id)!;
}

onServer("A batch of checks", (server, { test, testOnBoth }) => {
  test("is reported complete once, after the last of its checks, with their results", async () => {
    const me = await server().account();
    const urls = ["1", "2", "3"].map((path) => `https://whole.test/${path}`);
    const link_ids = await checkedLinks(server(), me, urls);
    await subscribe(me, "check.complete", "batch.complete");
    const startedAt = new Date(server().clock.now()).toISOString();
    const batchId = await start(me, { link_ids });
    server().clock.moveBy(MINUTE);

    const ends = [ALIVE, GONE, saw("http_403", { statusCode: 403 })];
    await checkAll(server(), (url) => ends[urls.indexOf(url)] ?? ALIVE);
    await checkAll(server());

    const [last, ...checks] = (await eventsOf(server(), me)).reverse();
    expect(checks.map(({ type, data }) => `${type} ${data.trigger}`)).toEqual(
      Array(3).fill("check.complete batch"),
    );
    expect(last).toEqual({
      type: "batch.complete",
      data: {
        batchId,
        total: 3,
        checked: 3,
        active: 1,
        dead: 1,
        unknown: 1,
        skipped: 0,
        startedAt,
        completedAt: new Date(server().clock.now()).toISOString(),
      },
    });
  });

  test("shares a check with every other batch that waits for the same link", async () => {
    const me = await server().account();
    const link_ids = await checkedLinks(server(), me, ["https://b.test/1", "https://b.test/2"]);
    await subscribe(me, "check.complete", "batch.complete");
    const [first, second] = [await start(me, { link_ids }), await start(me, { link_ids })];
    const third = await start(me, { link_ids: link_ids.slice(0, 1) });

    await checkAll(server(), (url) => (url.endsWith("2") ? GONE : ALIVE));

    const types = (await eventsOf(server(), me)).map(({ type }) => type);
    expect(types.filter((type) => type === "check.complete")).toHaveLength(2);
    expect(types.filter((type) => type === "batch.complete")).toHaveLength(3);
    for (const id of [first, second])
      expect(await batchOf(me, id)).toMatchObject({ checked: 2, active: 1, dead: 1 });
    expect(await batchOf(me, third)).toMatchObject({ checked: 1, active: 1, dead: 0 });
    expect(await waitedFor(server(), first, second, third)).toBe(0);
  });

  test("takes the check that is under way, which is not made twice", async () => {
    const me = await server().account();
    const [id] = await checkedLinks(server(), me, ["https://c.test/"]);
    await me.post(`/api/v1/links/${id}/check`);
    const link = await claim(server(), id!);
    const batchId = await start(me, { link_ids: [id] });

    const meanwhile = await checkAll(server());
    await recordResults(server().deps, [{ link, conclusion: GONE, at: server().clock.now() }]);
    const afterwards = await checkAll(server());

    expect([...meanwhile, ...afterwards]).not.toContain("https://c.test/");
    expect(await batchOf(me, batchId)).toMatchObject({ status: "complete", dead: 1 });
  });

  test("skips a link that is deleted before its check, also while it is being checked", async () => {
    const me = await server().account();
    const urls = ["1", "2", "3"].map((path) => `https://d.test/${path}`);
    const link_ids = await checkedLinks(server(), me, urls);
    await subscribe(me, "batch.complete");
    const [first, second] = [await start(me, { link_ids }), await start(me, { link_ids })];
    const link = await claim(server(), link_ids[0]!);
    await me.delete(`/api/v1/links/${link_ids[0]}`);
    await me.post("/api/v1/links/batch-delete", { link_ids: [link_ids[1]] });

    await recordResults(server().deps, [{ link, conclusion: ALIVE, at: server().clock.now() }]);
    server().clock.moveBy(3 * MINUTE);
    await checkAll(server());

    const numbers = { total: 3, checked: 1, active: 1, dead: 0, unknown: 0, skipped: 2 };
    for (const id of [first, second])
      expect(await batchOf(me, id)).toMatchObject({ status: "complete", ...numbers });
    expect((await eventsOf(server(), me)).map(({ data }) => data)).toMatchObject([
      numbers,
      numbers,
    ]);
  });

  test("does not count a fault of ours, and waits for the check that comes after it", async () => {
    const me = await server().account();
    const link_ids = await checkedLinks(server(), me, ["https://e.test/"]);
    const batchId = await start(me, { link_ids });

    await checkAll(server(), () => saw("internal_error"));
    const between = await batchOf(me, batchId);
    server().clock.moveBy(15 * MINUTE);
    await checkAll(server(), () => GONE);

    expect(between).toMatchObject({ status: "running", checked: 0 });
    expect(await batchOf(me, batchId)).toMatchObject({ status: "complete", dead: 1 });
  });

  test("does not count what a checker found that had lost its link", async () => {
    const me = await server().account();
    const [id] = await checkedLinks(server(), me, ["https://f.test/"]);
    const batchId = await start(me, { link_ids: [id] });
    const late = await claim(server(), id!);
    server().clock.moveBy(3 * MINUTE);
    const link = await claim(server(), id!);
    const at = server().clock.now();

    await recordResults(server().deps, [{ link: late, conclusion: GONE, at }]);
    expect(await batchOf(me, batchId)).toMatchObject({ status: "running", checked: 0 });
    await recordResults(server().deps, [{ link, conclusion: ALIVE, at }]);
    await recordResults(server().deps, [{ link, conclusion: ALIVE, at: at + 1 }]);

    expect(await batchOf(me, batchId)).toMatchObject({ checked: 1, active: 1, dead: 0 });
  });

  testOnBoth("counts exactly when two processes check, and links go at the same time", async () => {
    const me = await server().account();
    const urls = Array.from({ length: 300 }, (_, i) => `https://g.test/${i}`);
    const link_ids = await checkedLinks(server(), me, urls);
    await subscribe(me, "batch.complete");
    const ids = [await start(me, { link_ids }), await start(me, { status: "active" })];
    await fillBatches(server().deps);
    const other = otherProcess(server());

    const doomed = link_ids.filter((_, i) => i % 10 === 0);
    await Promise.all([
      inParts(server()),
      inParts({ deps: other }),
      ...doomed.map((id) => me.delete(`/api/v1/links/${id}`)),
    ]);
    await Promise.all([checkAll(server()), checkAll({ deps: other })]);

    for (const id of ids) {
      const { total, checked, skipped, status } = await batchOf(me, id);
      expect([total, checked + skipped, status]).toEqual([300, 300, "complete"]);
    }
    expect(await eventsOf(server(), me)).toHaveLength(2);
    await other.store.engine.close();
  });
});

/** Checks what is due, a few links at a time. */
async function inParts({ deps }: Pick<TestServer, "deps">): Promise<void> {
  for (;;) {
    const claimed = await claimDueLinks(deps, 20);
    if (claimed.length === 0) return;
    const at = deps.clock.now();
    await recordResults(
      deps,
      claimed.map((link) => ({ link, conclusion: ALIVE, at })),
    );
  }
}

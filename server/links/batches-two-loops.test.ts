import { expect, onTestFinished, test } from "bun:test";
import {
  ALIVE,
  batchOf,
  CHECK,
  checkAll,
  checkedLinks,
  eventsOf,
  otherProcess,
  subscribe,
  waitedFor,
} from "../../tests/batches/playing.ts";
import { startServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { checks } from "../ground/db/tables.ts";
import type { Deps } from "../work/deps.ts";

const LINKS = 400;
const BATCHES = 3;

/** Rounds of checks until nothing is left to do; which URLs were checked. */
async function checkOn(deps: Deps, seen: string[]) {
  const config = { ...deps.config, checkConcurrency: 60 };
  const check = async ({ url }: { url: string }) => {
    seen.push(url);
    return ALIVE;
  };
  while ((await checkDueLinks({ ...deps, config, check })) > 0);
}

test("Batches that two processes fill and check at once are reported complete once, with every link in them once", async () => {
  const server = await startServer("postgres");
  onTestFinished(server.stop);
  const me = await server.account();
  const urls = Array.from({ length: LINKS }, (_, n) => `https://site-${n % 40}.test/${n}`);
  await checkedLinks(server, me, urls);
  await subscribe(me, "batch.complete");
  const before = await server.deps.store.$count(checks);
  const ids: string[] = [];
  for (let n = 0; n < BATCHES; n++) {
    ids.push((await me.post(CHECK, { status: "active" })).body.data.batch_id);
  }
  const [one, other] = [otherProcess(server), otherProcess(server)];

  const seen: string[] = [];
  await Promise.all([checkOn(one, seen), checkOn(other, seen)]);
  await checkAll(server);

  const stories = (await eventsOf(server, me)).filter(({ type }) => type === "batch.complete");
  expect(stories.map(({ data }) => data.batchId).sort()).toEqual(ids.sort());
  for (const { data } of stories) {
    expect(data).toMatchObject({ total: LINKS, checked: LINKS, active: LINKS, skipped: 0 });
  }
  expect(await waitedFor(server, ...ids)).toBe(0);
  expect((await batchOf(me, ids[0]!)).total).toBe(LINKS);
  expect((await server.deps.store.$count(checks)) - before).toBe(seen.length);
  expect(new Set(seen).size).toBe(LINKS);
  await Promise.all([one, other].map(({ store }) => store.engine.close()));
});

import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onBothEngines, START, type TestServer } from "../../tests/harness.ts";
import { soon } from "../../tests/history/cut-short.ts";
import {
  DAY,
  HOUR,
  plainHistory,
  type Question,
  type Remembered,
} from "../../tests/history/plain-history.ts";
import { sized } from "../../tests/long.ts";
import { type Random, randomFrom } from "../../tests/random.ts";
import { addChecks, addGroup, addLink } from "../../tests/rows.ts";
import { links } from "../ground/db/tables.ts";
import { forgetOldChecks } from "./forget-old.ts";
import { deletePendingHistory, markForDeletion } from "./pending-deletions.ts";

const KEPT_DAYS = 30;
/** So small that an hour has many parts. */
const CHECKS_OF_PART = 20;
const CHECKS_OF_GROUP = sized(24, 60);
const QUESTIONS = sized(6, 12);
const NOW = Date.parse(START);
const SEED = 20300101;

const oneOf = <T>(random: Random, items: readonly T[]): T => items[random(items.length)]!;

/** An account with a history of months in two groups, between which its links move about. */
async function livedAccount(server: TestServer, random: Random) {
  const me = await server.account();
  const groups = [await addGroup(me), await addGroup(me)];
  const ids = [await addLink(me), await addLink(me), await addLink(me), await addLink(me)];
  const places = new Map<string, string | null>(ids.map((id) => [id, null]));
  const all: Remembered[] = [];
  const taken = new Set<string>();
  for (let month = 4; month > 0; month--) {
    for (const id of ids) {
      const group_id = oneOf(random, [null, ...groups]);
      places.set(id, group_id);
      await me.patch(`/api/v1/links/${id}`, { group_id });
    }
    for (const moments of momentsOf(random, NOW - month * 29 * DAY)) {
      const some = moments.map((checkedAt) => {
        const order = random(ids.length);
        const linkId = ids[order]!;
        return { linkId, checkedAt, order, groupId: places.get(linkId)!, ...outcome(random) };
      });
      const free = some.filter(({ linkId, checkedAt }) => {
        const key = `${linkId} ${checkedAt}`;
        return !taken.has(key) && taken.add(key);
      });
      await addChecks(server, free, CHECKS_OF_PART);
      all.push(...free);
    }
  }
  return { me, groups, ids, all };
}

/** Groups of moments, each written at once: some all over the month, some in a few busy hours. */
function momentsOf(random: Random, from: number): number[][] {
  const anywhere = () => from + random(29 * DAY);
  const busy = Array.from({ length: 2 }, () => anywhere());
  return Array.from({ length: 12 }, (_, i) =>
    Array.from({ length: CHECKS_OF_GROUP }, () =>
      i % 3 === 0 ? anywhere() : oneOf(random, busy) + random(oneOf(random, [20, HOUR])),
    ).sort((a, b) => a - b),
  );
}

const outcome = (random: Random) => ({
  status: oneOf(random, ["active", "active", "active", "dead", "unknown"] as const),
  statusChanged: random(5) === 0,
  responseTimeMs: random(4) === 0 ? null : random(2000),
});

type Lived = Awaited<ReturnType<typeof livedAccount>>;

/** Asks random questions, and compares each answer with that of the plain history. */
async function compare({ me, groups, ids }: Lived, all: Remembered[], random: Random, since = 0) {
  const plain = plainHistory(all, since);
  for (let i = 0; i < QUESTIONS; i++) {
    const range = randomRange(random, all, since);
    const of = oneOf(random, [
      {},
      { link_id: oneOf(random, ids) },
      { link_id: oneOf(random, ids) },
    ]);
    const status = oneOf(random, ["active", "dead", "unknown", undefined, undefined] as const);
    const changed = random(3) === 0 && (!status || "link_id" in of);
    const asked = { ...of, ...range, ...(status && { status }), ...(changed && { changed }) };
    await compareList(me, asked, plain.ids(asked), random);

    const whose = oneOf(random, [{}, of, { group_id: oneOf(random, groups) }]);
    const { data } = await ask(me, "history/stats", { ...whose, ...range });
    expect([whose, range, data]).toEqual([whose, range, plain.stats({ ...whose, ...range })]);
    await compareSeries(me, plain, whose, { random, since });
  }
}

async function compareList(me: Asker, asked: Question, expected: string[], random: Random) {
  const per_page = 1 + random(100);
  const page = 1 + random(Math.ceil(expected.length / per_page) + 1);
  const { data } = await ask(me, "history", { ...asked, page, per_page });
  const ids = data.items.map(({ id }: { id: string }) => id);
  const shown = expected.slice((page - 1) * per_page, page * per_page);
  expect([asked, page, per_page, ids]).toEqual([asked, page, per_page, shown]);
  expect(data.pagination.total).toBe(expected.length);
}

async function compareSeries(
  me: Asker,
  plain: ReturnType<typeof plainHistory>,
  whose: Question,
  { random, since }: { random: Random; since: number },
) {
  const bucket = oneOf(random, ["hour", "day"] as const);
  // The hours of a link are kept for twice its days.
  const isShort = bucket === "hour" && "link_id" in whose;
  const start_date = NOW - random(isShort ? 2 * KEPT_DAYS - 2 : 120) * DAY - random(DAY);
  const end_date = start_date + random(30) * DAY + random(DAY);
  const asked = { ...whose, start_date, end_date };
  const { data } = await ask(me, "history/series", { bucket, ...asked });
  // Response times are retained for as long as hours.
  const isLost = ({ start }: { start: string }) =>
    since > 0 && Date.parse(start) < NOW - (2 * KEPT_DAYS - 1) * DAY;
  const known = <Point extends { start: string }>(points: Point[]) =>
    points.map((point) => (isLost(point) ? { ...point, fastestMs: null, slowestMs: null } : point));
  const expected = plain.series(asked, bucket === "hour" ? HOUR : DAY);
  expect({ bucket: data.bucket, points: known(data.points) }).toEqual({
    bucket,
    points: known(expected),
  });
}

/** Ends at checks, next to them and anywhere. Where checks are gone only whole hours are sure, and later days. */
function randomRange(random: Random, all: Remembered[], since: number) {
  const moment = () =>
    oneOf(random, [oneOf(random, all).checkedAt + random(3) - 1, NOW - random(130 * DAY)]);
  const [a, b] = [moment(), moment()].sort((x, y) => x - y) as [number, number];
  const sure = (at: number) => {
    if (at >= since) return 1;
    return at < NOW - (2 * KEPT_DAYS - 1) * DAY ? DAY : HOUR;
  };
  const start_date = a - (a % sure(a));
  const end_date = b - (b % sure(b)) + sure(b) - 1;
  return oneOf(random, [{}, { start_date }, { end_date }, { start_date, end_date }]);
}

async function ask(me: Asker, path: string, question: Record<string, unknown>) {
  const given = Object.entries(question).map(([name, value]): [string, string] => [
    name,
    name.endsWith("_date") ? new Date(value as number).toISOString() : String(value),
  ]);
  const { status, body } = await me.get(`/api/v1/${path}?${new URLSearchParams(given)}`);
  expect([given, status]).toEqual([given, 200]);
  return body;
}

/** Takes the link away, and leaves its history to the background. */
async function deleteLinkOnly({ deps: { store } }: TestServer, id: string) {
  await store.transaction(async (tx) => {
    await markForDeletion(tx, eq(links.id, id));
    await tx.delete(links).where(eq(links.id, id));
  });
}

onBothEngines(
  "A history of months",
  (server) => {
    test("is returned as if every check had been counted, whatever is asked", async () => {
      const random = randomFrom(SEED);
      const lived = await livedAccount(server(), random);

      await compare(lived, lived.all, random);
    });

    test("still is when a link goes, before, while and after its history does", async () => {
      const random = randomFrom(SEED + 1);
      const lived = await livedAccount(server(), random);
      const [gone, ...rest] = lived.ids as [string, ...string[]];
      const others = { ...lived, ids: rest };
      const left = lived.all.filter(({ linkId }) => linkId !== gone);

      await deleteLinkOnly(server(), gone);
      await compare(others, lived.all, random);

      await deletePendingHistory(server().deps, soon());
      const { data: stats } = await ask(lived.me, "history/stats", {});
      const { data: list } = await ask(lived.me, "history", {});
      expect(list.pagination.total).toBe(stats.totalChecks);

      await deletePendingHistory(server().deps);
      await compare(others, left, random);
    });

    test("still is when its checks go after their time, and what they came to stays", async () => {
      const random = randomFrom(SEED + 2);
      const lived = await livedAccount(server(), random);
      const since = NOW - KEPT_DAYS * DAY;

      await forgetOldChecks(server().deps, soon());
      await compare(lived, lived.all, random, since);

      await forgetOldChecks(server().deps);
      await compare(lived, lived.all, random, since);
    });
  },
  {
    STILLUP_HISTORY_DAYS: String(KEPT_DAYS),
    STILLUP_RATE_LIMIT_PER_MINUTE: "100000",
    STILLUP_RATE_LIMIT_PER_HOUR: "100000",
  },
);

import { expect, onTestFinished, test } from "bun:test";
import { watch } from "node:fs";
import { seed } from "../../bench/seed.ts";
import { seedWebhooks } from "../../bench/seed-webhooks.ts";
import {
  type Home,
  type Kept,
  killOnce,
  newHome,
  openKept,
  passLeases,
  runUntil,
} from "../../tests/events/killed-program.ts";
import { startHooks } from "../../tests/hooks.ts";
import { IS_LONG, sized } from "../../tests/long.ts";
import { randomFrom } from "../../tests/random.ts";
import { checkIdOf } from "../ground/lib/ids.ts";
import { messageIdOf } from "./send.ts";

const DELIVERIES = sized(300, 3000);
const random = randomFrom(20_300_101);
const ROUNDS = sized(1, 4);
/** Requests after which the program is killed, each time: together fewer than there are. */
const KILLED_AFTER = Array.from({ length: ROUNDS }, () => 1 + random(DELIVERIES / ROUNDS - 200));
const LINKS = sized(60, 300);
const KILLS = sized(1, 2);
const CHANGES = IS_LONG
  ? ([
      ["dead", 404],
      ["active", 200],
    ] as const)
  : ([["dead", 404]] as const);

/** The attempts that a program had under way, each as its event and its number. */
const underWay = ({ rows }: Kept) =>
  rows("select event_id, attempts from deliveries where lease is not null");

const interrupted = ({ rows }: Kept) =>
  rows("select event_id, number from delivery_attempts where error = 'interrupted'");

const isAllDelivered = ({ one }: Kept) =>
  one("select count(*) from deliveries where status <> 'succeeded'") === 0;

/** The ids of the messages that these attempts were to send. */
function messagesOf({ rows }: Kept, attempts: unknown[][]): Set<string> {
  const wanted = new Set(attempts.map(([eventId]) => eventId));
  const all = rows(
    "select id, events.created_at, webhook_id from events join deliveries on event_id = id",
  );
  const sent = all.filter(([id]) => wanted.has(id)) as [string, number, string][];
  return new Set(sent.map(([id, createdAt, webhook]) => messageIdOf({ id, createdAt }, webhook)));
}

test("a program that is killed in the middle of its deliveries makes them all, and repeats only what was cut", async () => {
  const [home, hooks] = [newHome(), startHooks()];
  const { accountId } = await seed(home, { links: 0 });
  await seedWebhooks(home, accountId, { urls: [hooks.url], pending: DELIVERIES });
  const kept = openKept(home);
  const cut: ReturnType<typeof underWay> = [];

  for (const count of KILLED_AFTER) {
    await killOnce(home, hooks.requests(count));
    expect(kept.one("pragma integrity_check")).toBe("ok");
    cut.push(...underWay(kept));
    passLeases(kept);
  }
  await runUntil(
    home,
    kept.when(() => isAllDelivered(kept)),
  );

  const rest = kept.rows("select distinct lease, due_at, next_attempt_at, resting from deliveries");
  expect(rest).toEqual([[null, null, null, null]]);
  expect(interrupted(kept).sort()).toEqual(cut.sort());
  expect(hooks.bodies.size).toBe(DELIVERIES);
  expect(new Set(hooks.bodies.values()).size).toBe(DELIVERIES);
  expect(hooks.seen.altered).toBe(0);
  expect(hooks.seen.repeated.size).toBeGreaterThan(0);
  expect(hooks.seen.repeated.isSubsetOf(messagesOf(kept, cut))).toBe(true);
});

/** A site at each address of this machine, with one page. */
function startSites() {
  const says = { status: 404 };
  const page = "<title>A page</title><p>All is well here.</p>";
  const headers = { "content-type": "text/html" };
  const server = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    fetch: ({ url }) =>
      new Response(page, { headers, status: url.endsWith("/page") ? says.status : 404 }),
  });
  onTestFinished(() => server.stop(true));
  const urlOf = (n: number) => `http://127.2.${n >> 8}.${n & 255}:${server.port}/page`;
  return { says, urlOf };
}

const countOf = ({ one }: Kept, status: string) =>
  one(`select count(*) from links where status = '${status}'`);

/** Resolves as soon as more links are seen to be so, before anything that is written after it. */
function moreAre(status: string, kept: Kept): Promise<void> {
  const before = countOf(kept, status);
  return kept.when(() => countOf(kept, status) !== before || before === LINKS);
}

/** What history says has changed, each change as the message that is to report it. */
function changesIn({ rows }: Kept): string[] {
  const changed = rows(`select l.id, c.checked_at, k.status from checks c
    join check_kinds k on k.no = c.kind_no and k.status_changed = 1 join links l on l.no = c.link_no`);
  return (changed as [string, number, string][])
    .map(([id, at, is]) => [is === "dead" ? "link.dead" : "link.alive", id, checkIdOf(id, at)])
    .map((change) => change.join(" "))
    .sort();
}

/** The messages that are sent or wait to be. */
const messagesIn = ({ rows }: Kept): string[] =>
  rows("select e.type, data from deliveries join events e on e.id = event_id")
    .map(([event, data]) => asChange({ event, data: JSON.parse(String(data)) }))
    .sort();

const asChange = ({ event, data: { linkId, checkId } }: ReturnType<typeof JSON.parse>) =>
  `${event} ${linkId} ${checkId}`;

test("a program that is killed while links change reports each change once, and nothing else", async () => {
  const [home, hooks, sites] = [newHome(), startHooks(), startSites()];
  const links = { links: LINKS, urlOf: sites.urlOf, frequency: "hourly" as const };
  const { accountId } = await seed(home, links);
  await seedWebhooks(home, accountId, { urls: [hooks.url], events: ["link.dead", "link.alive"] });
  const kept = openKept(home);
  kept.change("update links set status = 'active'");

  for (const [status, code] of CHANGES) {
    sites.says.status = code;
    kept.change("update links set next_check_at = ?", Date.now());
    for (let i = 0; i < KILLS; i++) {
      await killOnce(home, moreAre(status, kept));
      expect(messagesIn(kept)).toEqual(changesIn(kept));
      passLeases(kept);
    }
    await runUntil(
      home,
      kept.when(() => countOf(kept, status) === LINKS && isAllDelivered(kept)),
    );
  }

  const sent = [...hooks.bodies.values()].map((body) => asChange(JSON.parse(body)));
  expect(sent.sort()).toEqual(changesIn(kept));
  expect(sent.filter((change) => change.startsWith("link.dead"))).toHaveLength(LINKS);
  expect(sent).toHaveLength(CHANGES.length * LINKS);
  expect(hooks.seen.altered).toBe(0);
  expect(kept.one("pragma integrity_check")).toBe("ok");
});

/** Does the work until the database's log has been written to `count` times after this is so. */
async function untilWritten(
  { STILLUP_DATA_DIR: folder }: Home,
  { count, after }: { count: number; after: () => boolean },
  work: () => Promise<unknown>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  const watcher = watch(folder, (_, file) => {
    if (file === "stillup.db-wal" && after() && --left <= 0) resolve();
  });
  await Promise.race([work(), promise]).finally(() => watcher.close());
}

/** Gives each webhook what only some have: a filter, and attempts before the latest. */
function giveRest({ change }: Kept) {
  change("insert into webhook_filters select id, 'service', 'generic' from webhooks");
  change("update webhooks set filters = 2");
  change(`insert into delivery_attempts
    select webhook_id, event_id, 1, 'scheduled', created_at, 5, 500, null, null, null, 0
    from deliveries`);
}

/** How many rows of each table refer to each webhook. */
function rowsOfWebhooks({ rows }: Kept): Record<string, [webhook: string, count: number][]> {
  const tables = rows(`select m.name from sqlite_schema m, pragma_table_info(m.name) c
    where m.type = 'table' and c.name = 'webhook_id' order by m.name`);
  return Object.fromEntries(
    tables.map(([table]) => [
      table,
      rows(`select webhook_id, count(*) from ${table} group by 1 order by 1`) as [string, number][],
    ]),
  );
}

const DELETED = sized(1, 12);
const OF_EACH = sized(3000, 1000);
/** Writes to the database's log between the first commit, or the request, and the kill. */
const MOST_WRITES = 20;

test("a program that is killed while it deletes a webhook has it whole, or gone from every answer", async () => {
  const home = newHome();
  const { accountId, key } = await seed(home, { links: 0 });
  const hooks = startHooks();
  const urls = Array.from({ length: DELETED }, (_, n) => `${hooks.url}${n}`);
  await seedWebhooks(home, accountId, { urls, pending: OF_EACH });
  const kept = openKept(home);
  // They wait for their second attempts: first ones never wait.
  kept.change(
    "update deliveries set status = 'failed', attempts = 1, due_at = ?",
    Date.now() + 3_600_000,
  );
  giveRest(kept);
  const before = rowsOfWebhooks(kept);
  expect(Object.values(before).map((counts) => counts.length)).toEqual(Array(4).fill(DELETED));
  const ids = kept.rows("select id from webhooks").map(([id]) => String(id));
  const ask = (url: string, method: string, path: string) =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(method === "PATCH" && { body: JSON.stringify({ is_active: true }) }),
    });
  const isAudited = (id: string) =>
    kept.one(
      `select count(*) from audit where action = 'webhook.deleted' and target_id = '${id}'`,
    ) === 1;
  const gone = new Set<string>();
  const shownIn = async (url: string, path: string) => {
    const text = await (await ask(url, "GET", path)).text();
    return ids.filter((id) => text.includes(id));
  };
  const askAll = async (url: string, some: string[]) => {
    for (const id of some) {
      const path = `/webhooks/${id}`;
      const expected = gone.has(id) ? 404 : 200;
      for (const [method, asked] of [
        ["GET", path],
        ["PATCH", path],
        ["GET", `${path}/deliveries?limit=1`],
      ] as const)
        expect((await ask(url, method, asked)).status).toBe(expected);
    }
    const others = ids.filter((id) => !gone.has(id));
    for (const list of ["/webhooks?limit=100", "/webhooks/deliveries/days"])
      expect(await shownIn(url, list)).toEqual(others);
    for (const list of ["/webhooks/deliveries?limit=100", "/overview"])
      expect(others).toEqual(expect.arrayContaining(await shownIn(url, list)));
    const { data } = await (await ask(url, "GET", "/overview")).json();
    expect(data.webhooks.pending).toBe(others.length * OF_EACH);
  };

  for (const [i, id] of ids.entries()) {
    // Every second one is killed before it is deleted, or soon after.
    const after = i % 2 === 0 ? () => isAudited(id) : () => true;
    await killOnce(home, async (url) => {
      await askAll(url, ids.slice(Math.max(0, i - 1), i));
      const moment = { count: 1 + random(MOST_WRITES), after };
      await untilWritten(home, moment, () => ask(url, "DELETE", `/webhooks/${id}`));
    });
    const [row] = kept.rows(`select deleted_at, disabled_at from webhooks where id = '${id}'`);
    if (!isAudited(id)) expect(row).toEqual([null, null]);
    else {
      gone.add(id);
      if (row) expect(row).not.toContain(null);
    }
  }
  expect(gone.size).toBeGreaterThanOrEqual(DELETED / 2);
  await runUntil(home, async (url) => {
    await askAll(url, ids);
    await kept.when(() => kept.one("select count(*) from webhooks") === DELETED - gone.size);
  });

  const kinds = Object.entries(before);
  const left = kinds.map(([table, all]) => [table, all.filter(([id]) => !gone.has(id))]);
  expect(rowsOfWebhooks(kept)).toEqual(Object.fromEntries(left));
  expect(kept.one("select count(*) from audit where action = 'webhook.deleted'")).toBe(gone.size);
  expect(kept.one("pragma integrity_check")).toBe("ok");
});

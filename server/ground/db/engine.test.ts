import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { and, eq, gt, is, sql } from "drizzle-orm";
import { getTableConfig, SQLiteCustomColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { emptyPostgres, freshPostgres } from "../../../tests/postgres.ts";
import { assetFolder, readTexts } from "../lib/runtime.ts";
import { migrate } from "./migrate.ts";
import { migrateToHead, openEngine } from "./open.ts";
import { lockAccounts } from "./queries.ts";
import {
  contains,
  createStore,
  isDuplicate,
  isGone,
  isUnavailable,
  rowsOf,
  type Store,
} from "./store.ts";
import * as tables from "./tables.ts";
import { accounts, groups, linkCounts, links } from "./tables.ts";

const AT = Date.parse("2030-01-01T00:00:00Z");
const account = {
  id: "a1",
  email: "a@example.org",
  tier: "business",
  createdAt: AT,
  no: 1,
  historySince: 0,
} as const;
const group = { id: "g1", accountId: "a1", name: "g", color: "#000000", no: 2 };
const link = (id: string, more: Partial<typeof links.$inferInsert> = {}) => ({
  no: Number(id.slice(1)),
  id,
  accountId: "a1",
  accountNo: 1,
  url: `https://example.org/${id}`,
  urlKey: id,
  service: "generic",
  status: "unknown" as const,
  statusChangedAt: AT,
  inconclusiveChecks: 0,
  checkFrequency: "daily" as const,
  nextCheckAt: AT,
  nextTrigger: "initial" as const,
  bucket: 0,
  handling: "open" as const,
  site: "example.org",
  createdAt: AT,
  updatedAt: AT,
  ...more,
});

const newFile = () => `sqlite:${join(mkdtempSync(join(tmpdir(), "stillup-")), "test.db")}`;

async function freshStore(name: string) {
  const engine = openEngine(name === "postgres" ? await freshPostgres() : newFile());
  await migrateToHead(engine, AT);
  const store = createStore(engine);
  await store.insert(accounts).values(account);
  return store;
}

describe.each(["sqlite", "postgres"])("the store on %s", (name) => {
  test("gives back what was put in, moments as numbers and nothing as null", async () => {
    const store = await freshStore(name);

    await store.insert(links).values(link("l1"));

    const [row] = await store.select().from(links);
    expect(row).toMatchObject({ id: "l1", createdAt: AT, groupId: null, evidence: null });
    await store.engine.close();
  });

  test("stores moments as whole milliseconds, rounded up", async () => {
    const store = await freshStore(name);
    await store.insert(links).values(link("l1", { nextCheckAt: AT + 0.25, lastActiveAt: -1.5 }));
    await store.update(links).set({ statusChangedAt: AT + 8.4e-7 * AT });
    const columns = { link: "bigint", at: "bigint", word: "text" } as const;
    const rows = rowsOf(store, columns, [[1, AT + 29_999.0625, "1.5"]]);
    await store.run(sql`update links set created_at = given.at, reason = given.word
      from ${rows} as given where no = given.link`);

    const [row] = await store.select().from(links);
    expect(row).toMatchObject({
      nextCheckAt: AT + 1,
      lastActiveAt: -1,
      statusChangedAt: Math.ceil(AT + 8.4e-7 * AT),
      createdAt: AT + 30_000,
      reason: "1.5",
    });
    await store.engine.close();
  });

  test("has only moments in columns that are named as such", () => {
    for (const table of Object.values(tables).filter((each) => is(each, SQLiteTable))) {
      for (const column of getTableConfig(table).columns) {
        const isNamed = /(^|_)(at|until|since|before)$|^failed_(from|to)$/.test(column.name);
        expect([column.name, is(column, SQLiteCustomColumn)]).toEqual([column.name, isNamed]);
      }
    }
  });

  test("writes all of a batch or none of it", async () => {
    const store = await freshStore(name);

    const writing = store.write([
      store.insert(links).values(link("l1")),
      store.insert(links).values(link("l2", { urlKey: "l1" })),
    ]);

    expect(await writing.catch(isDuplicate)).toBe(true);
    expect(await store.select({ id: links.id }).from(links)).toEqual([]);
    await store.engine.close();
  });

  test("keeps what a transaction wrote, and gives back its result", async () => {
    const store = await freshStore(name);

    const found = await store.transaction(async (tx) => {
      await tx.insert(links).values(link("l1"));
      await tx.transaction((inner) => inner.insert(links).values(link("l2")));
      return tx.select({ id: links.id }).from(links).orderBy(links.id);
    });

    expect(found).toEqual([{ id: "l1" }, { id: "l2" }]);
    expect(await store.select({ id: links.id }).from(links).orderBy(links.id)).toEqual(found);
    await store.engine.close();
  });

  test("undoes all of a transaction that throws, or of which a statement fails", async () => {
    const store = await freshStore(name);

    const refused = store.transaction(async (tx) => {
      await tx.insert(links).values(link("l1"));
      throw new Error("limit reached");
    });
    expect(await refused.catch(({ message }) => message)).toBe("limit reached");
    const taken = store.transaction(async (tx) => {
      await tx.insert(links).values(link("l1"));
      await tx.insert(links).values(link("l2", { urlKey: "l1" }));
    });
    expect(await taken.catch(isDuplicate)).toBe(true);

    expect(await store.select({ id: links.id }).from(links)).toEqual([]);
    await store.insert(links).values(link("l3"));
    await store.engine.close();
  });

  test("rolls back a transaction that caught the error of one of its statements", async () => {
    const store = await freshStore(name);

    const caught = store.transaction(async (tx) => {
      await tx.insert(links).values(link("l1"));
      await tx
        .insert(links)
        .values(link("l2", { urlKey: "l1" }))
        .catch(() => {});
    });

    expect(await caught.catch(isDuplicate)).toBe(true);
    expect(await store.select({ id: links.id }).from(links)).toEqual([]);
    await store.engine.close();
  });

  test("hides from others what a transaction has not committed yet", async () => {
    const store = await freshStore(name);
    const idsNow = () => store.select({ id: links.id }).from(links);
    const idsByHand = () =>
      store.all(sql`
        select id from ${links}
      `);

    const [own, others, byHand] = await store.transaction(async (tx) => {
      await tx.insert(links).values(link("l1"));
      // A read waits for no write, even one whose statement starts on a new line.
      return [await tx.select({ id: links.id }).from(links), await idsNow(), await idsByHand()];
    });

    expect(own).toHaveLength(1);
    expect(others).toEqual([]);
    expect(byHand).toEqual([]);
    expect(await idsNow()).toHaveLength(1);
    await store.engine.close();
  });

  test("never goes past a limit that is counted under the account's lock", async () => {
    const store = await freshStore(name);
    const create = (n: number) =>
      store.transaction(async (tx) => {
        await lockAccounts(tx, [account.no]);
        const made = await tx.select({ id: links.id }).from(links);
        if (made.length >= 10) throw new Error("limit reached");
        await tx.insert(links).values(link(`l${n}`));
      });

    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => create(n + 1)));

    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(await store.select({ id: links.id }).from(links)).toHaveLength(10);
    await store.engine.close();
  });

  test("makes a transaction wait for the one that holds the account's lock", async () => {
    const store = await freshStore(name);
    const readLinks = () =>
      store.transaction(async (tx) => {
        await lockAccounts(tx, [account.no]);
        return tx.select({ id: links.id }).from(links);
      });

    const { waiting } = await store.transaction(async (tx) => {
      await lockAccounts(tx, [account.no]);
      const waiting = readLinks();
      await tx.insert(links).values(link("l1"));
      return { waiting };
    });

    expect(await waiting).toEqual([{ id: "l1" }]);
    await store.engine.close();
  });

  test("tells a row that refers to nothing from any other failure", async () => {
    const store = await freshStore(name);

    const orphan = store.insert(links).values(link("l1", { groupId: "gone" }));
    const other = store.run(sql`insert into links (id) values ('l2')`);

    expect(await orphan.catch(isGone)).toBe(true);
    expect(await other.catch(isGone)).toBe(false);
    await store.engine.close();
  });

  test("says how many rows a conditional change took", async () => {
    const store = await freshStore(name);
    await store.insert(links).values([link("l1"), link("l2", { status: "dead" })]);

    const changed = await store
      .update(links)
      .set({ status: "active" })
      .where(and(eq(links.status, "dead"), eq(links.accountId, "a1")))
      .returning({ id: links.id });

    expect(changed).toEqual([{ id: "l2" }]);
    await store.engine.close();
  });

  test("counts links by place and status as they come, move, change and go", async () => {
    const store = await freshStore(name);
    await store.insert(groups).values({ ...group, createdAt: AT, updatedAt: AT });
    const counts = async () => {
      const all = sql<number>`${linkCounts.active} + ${linkCounts.dead} + ${linkCounts.unknown}`;
      const { subject, dead, unknown } = linkCounts;
      const rows = await store
        .select({ subject, dead, unknown })
        .from(linkCounts)
        .where(gt(all, 0))
        .orderBy(subject);
      return rows.map(Object.values);
    };

    await store.insert(links).values([link("l3"), link("l4"), link("l1999", { groupId: "g1" })]);
    await store.update(links).set({ status: "dead" }).where(eq(links.id, "l3"));
    await store.update(links).set({ groupId: "g1" }).where(eq(links.id, "l3"));
    await store.delete(links).where(eq(links.id, "l4"));
    expect(await counts()).toEqual([
      [1, 1, 1],
      [2, 1, 1],
    ]);

    await store.delete(groups).where(eq(groups.id, "g1"));
    expect((await counts())[0]).toEqual([1, 1, 1]);
    await store.engine.close();
  });

  test("searches text with letters of either case, and takes % and _ as they are", async () => {
    const store = await freshStore(name);
    await store
      .insert(links)
      .values([
        link("l1", { url: "https://x.org/100%_A" }),
        link("l2", { url: "https://x.org/100ab" }),
      ]);

    const found = await store
      .select({ id: links.id })
      .from(links)
      .where(contains(links.url, "%_a"));

    expect(found).toEqual([{ id: "l1" }]);
    await store.engine.close();
  });

  test("refuses a database that a newer version wrote", async () => {
    const store = await freshStore(name);
    await store.engine.run({
      sql: "insert into migrations (name, applied_at) values (?, ?)",
      params: ["9999_future.sql", AT],
    });

    await expect(migrateToHead(store.engine, AT)).rejects.toThrow(
      "newer version (9999_future.sql)",
    );
    await store.engine.close();
  });

  test("stops at a migration that meets what is in its way, and does not take it for done", async () => {
    const { engine } = await freshStore(name);
    const files = readTexts(assetFolder("drizzle"));
    const known = files.map(({ name, text }) => ({ name, statements: text }));
    const clashing = { name: "9999_clash.sql", statements: "create table links (id text)" };

    await expect(migrate(engine, [...known, clashing], AT)).rejects.toThrow("already exists");
    await engine.close();
  });

  test("has nothing left to migrate when it is up to date", async () => {
    const store = await freshStore(name);

    expect(await migrateToHead(store.engine, AT)).toEqual([]);
    await store.engine.close();
  });

  test("is migrated once by several that start at the same moment", async () => {
    const url = name === "postgres" ? await emptyPostgres() : newFile();
    const engines = [1, 2, 3, 4, 5, 6].map(() => openEngine(url));

    const applied = await Promise.all(engines.map((engine) => migrateToHead(engine, AT)));

    const rows = await engines[0]!.run({ sql: "select name from migrations", params: [] });
    expect(applied.flat().sort()).toEqual(rows.flat().map(String).sort());
    expect(rows.length).toBeGreaterThan(1);
    for (const engine of engines) await engine.close();
  });
});

test.each([
  "create table thing (id int)",
  "create type thing as (id int)",
  "insert into pg_namespace select * from pg_namespace limit 1",
])("what is already there is a duplicate: %s", async (sql) => {
  const engine = openEngine(await emptyPostgres());
  await engine.run({ sql: "create table thing (id int)", params: [] });

  const again = engine.run({ sql, params: [] });

  expect(await again.catch(isDuplicate)).toBe(true);
  await engine.close();
});

test("a database without room for more is out of order, and reads on", async () => {
  const store = await freshStore("sqlite");
  await store.engine.run({ sql: "pragma max_page_count = 1", params: [] });

  const long = "x".repeat(100_000);
  const writing = store.insert(links).values(link("l1", { url: long }));

  expect(await writing.catch(isUnavailable)).toBe(true);
  expect(await store.select({ id: accounts.id }).from(accounts)).toEqual([{ id: "a1" }]);
  await store.engine.close();
});

test.each([true, false])(
  "a PostgreSQL user whose right to extensions is %p can migrate",
  async (mayCreate) => {
    const url = await emptyPostgres();
    const admin = openEngine(url);
    const user = `plain_${mayCreate}`;
    const name = new URL(url).pathname.slice(1);
    for (const text of [
      `create role ${user} login password '${user}'`,
      `grant create on schema public to ${user}`,
      ...(mayCreate ? [`grant create on database ${name} to ${user}`] : []),
    ])
      await admin.run({ sql: text, params: [] });
    const engine = openEngine(url.replace("postgres:postgres@", `${user}:${user}@`));

    await migrateToHead(engine, AT);

    const found = "select indexname from pg_indexes where indexname = 'links_by_text'";
    expect(await engine.run({ sql: found, params: [] })).toHaveLength(mayCreate ? 1 : 0);
    await Promise.all([engine.close(), admin.close()]);
  },
);

test("a long turn of the event loop sees what another process has written meanwhile", async () => {
  const url = newFile();
  const engine = openEngine(url);
  await migrateToHead(engine, AT);
  const store = createStore(engine);
  expect(await store.$count(accounts)).toBe(0);
  let turns = 0;
  setImmediate(() => turns++);

  const other = new Database(url.replace("sqlite:", ""));
  other.run(
    "insert into accounts (id, email, tier, created_at, no) values ('a1', 'a', 'pro', 1, 1)",
  );
  other.close();
  Bun.sleepSync(5);

  expect(await store.$count(accounts)).toBe(1);
  expect(turns).toBe(0);
  await engine.close();
});

test("a database that cannot be reached is out of order", async () => {
  const engine = openEngine("postgres://unknown:none@127.0.0.1:1/none");

  const asking = engine.run({ sql: "select 1", params: [] });

  expect(await asking.catch(isUnavailable)).toBe(true);
});

describe("a transaction on sqlite", () => {
  const meddling: [what: string, (store: Store) => Promise<unknown>][] = [
    ["a timer", () => new Promise((resolve) => setTimeout(resolve, 1))],
    ["a write outside of it", (store) => store.insert(links).values(link("l9"))],
    ["the reading thread", (store) => store.readPool.select({ id: links.id }).from(links)],
  ];

  test.each(meddling)("that awaits %s is undone, and holds nothing up", async (_, meddle) => {
    const store = await freshStore("sqlite");

    const failed = store.transaction(async (tx) => {
      await tx.insert(links).values(link("l1"));
      await meddle(store);
      await tx.insert(links).values(link("l2"));
    });

    expect(await failed.catch(({ message }) => message)).toContain("was rolled back");
    await store.insert(links).values(link("l3"));
    const ids = (await store.select({ id: links.id }).from(links)).map(({ id }) => id);
    expect(ids).not.toContain("l1");
    expect(ids).not.toContain("l2");
    expect(ids).toContain("l3");
    await store.engine.close();
  });

  /** Takes far longer than writes may hold up other work. */
  const LONG = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000) select max(i) from n`;
  const COUNT = 5;

  /** Ends the turns of the event loop: a request would be answered in one. Returns how many statements had run in each. */
  function countInTurns(statements: { run: number }) {
    const counts: number[] = [];
    let next = setImmediate(function note() {
      counts.push(statements.run);
      next = setImmediate(note);
    });
    return () => {
      clearImmediate(next);
      return counts;
    };
  }

  const groups: [
    string,
    (store: Store, runLong: (store: Store) => Promise<void>) => Promise<unknown>,
  ][] = [
    [
      "in a transaction",
      (store, runLong) =>
        store.transaction(async (tx) => {
          for (let n = 0; n < COUNT; n++) await runLong(tx);
        }),
    ],
    [
      "one by one",
      (store, runLong) => Promise.all(Array.from({ length: COUNT }, () => runLong(store))),
    ],
  ];

  test.each(groups)("lets other work run between many long statements %s", async (_, run) => {
    const store = await freshStore("sqlite");
    const statements = { run: 0 };
    const end = countInTurns(statements);

    await run(store, async (within) => {
      await within.run(LONG);
      statements.run++;
    });

    const counts = new Set(end());
    for (let n = 1; n < COUNT; n++) expect(counts).toContain(n);
    await store.engine.close();
  });

  test("refuses statements once it has ended", async () => {
    const store = await freshStore("sqlite");
    const tx = await store.transaction(async (inner) => inner);

    expect(
      await tx
        .insert(links)
        .values(link("l1"))
        .catch(({ cause }) => cause.message),
    ).toContain("has ended");
    await store.engine.close();
  });
});

test("a transaction on postgres is run again after a deadlock", async () => {
  const store = await freshStore("postgres");
  await store.insert(accounts).values({ ...account, id: "a2", email: "b@example.org", no: 5 });
  const [both, winner] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  const lockBoth = async (nos: number[]) => {
    const result = await store.transaction(async (tx) => {
      // A second run that begins before the other transaction goes on may lock its row first: another deadlock.
      if (begun === 2) await winner.promise;
      await lockAccounts(tx, [nos[0]!]);
      if (++begun === 2) both.resolve();
      await both.promise;
      await lockAccounts(tx, [nos[1]!]);
      return "done";
    });
    winner.resolve();
    return result;
  };

  expect(await Promise.all([lockBoth([1, 5]), lockBoth([5, 1])])).toEqual(["done", "done"]);
  expect(begun).toBe(3);
  await store.engine.close();
});

test("a write that begins while the database closes is committed first", async () => {
  const url = newFile();
  const engine = openEngine(url);
  await migrateToHead(engine, AT);
  const store = createStore(engine);

  const closing = engine.close();
  await store.transaction(async (tx) => {
    await tx.insert(accounts).values(account);
    for (let i = 0; i < 20; i++) await tx.$count(accounts);
  });
  await closing;

  const again = openEngine(url);
  expect(await createStore(again).$count(accounts)).toBe(1);
  await again.close();
});

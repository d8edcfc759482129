import { heapStats } from "bun:jsc";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { createLinkMemory } from "./link-search.ts";
import { migrateToHead, openEngine } from "./open.ts";
import { createStore, isUnavailable } from "./store.ts";
import { accounts, links } from "./tables.ts";
import { createReadPool } from "./threads.ts";

const AT = 1;
const ACCOUNTS = [1, 2, 3];
const newFile = () => join(mkdtempSync(join(tmpdir(), "stillup-")), "test.db");
const searchFor = (accountNo: number, text: string) => ({
  accountNo,
  text,
  now: AT,
  limit: 100,
  offset: 0,
});

const ANY = { accountNo: 1, now: AT, limit: 100, offset: 0 };
/** More words than there are codes for in what is kept of a link. */
const MADE_UP = 65_536;

function stringsKept(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts.string ?? 0;
}

/** Accounts with a link in every third hundred of 3,000 numbers. */
async function openFilled(path: string) {
  const engine = openEngine(`sqlite:${path}`);
  await migrateToHead(engine, AT);
  const store = createStore(engine);
  for (const no of ACCOUNTS)
    await store.insert(accounts).values({
      id: `a${no}`,
      email: `${no}@example.org`,
      tier: "business",
      createdAt: AT,
      no,
      historySince: 0,
    });
  await store.insert(links).values(
    Array.from({ length: 30 }, (_, i) => ({
      no: 10 + i * 100,
      id: `l${i}`,
      accountId: `a${1 + (i % 3)}`,
      accountNo: 1 + (i % 3),
      url: `https://example.org/${i}`,
      urlKey: `${i}`,
      service: "generic",
      status: "unknown" as const,
      statusChangedAt: AT,
      inconclusiveChecks: 0,
      handling: "open" as const,
      checkFrequency: "daily" as const,
      nextCheckAt: AT,
      nextTrigger: "initial" as const,
      createdAt: AT,
      updatedAt: AT,
      bucket: 0,
      site: "example.org",
    })),
  );
  return engine;
}

test.each([0, 1, 50, 250, 1_000_000])(
  "links are found whether %d characters of them may be kept or all",
  async (mostKept) => {
    const path = newFile();
    const engine = await openFilled(path);
    const database = new Database(path, { readonly: true });
    const memory = createLinkMemory(database, mostKept);

    for (const no of [1, 2, 2, 3, 1, 3]) {
      expect(memory.find(searchFor(no, "example")).total).toBe(10);
      expect(memory.find(searchFor(no, `/${no - 1}`)).nos.at(-1)).toBe(no * 100 - 90);
    }

    memory.close();
    database.close(true);
    await engine.close();
  },
);

test.each([
  { service: "generic" },
  { status: "unknown" },
  { service: "generic", status: "unknown" },
])("the first search of all finds the links with %j", async (wanted) => {
  const path = newFile();
  const engine = await openFilled(path);
  const database = new Database(path, { readonly: true });
  const memory = createLinkMemory(database);

  expect(memory.find({ ...ANY, ...wanted }).total).toBe(10);

  memory.close();
  database.close(true);
  await engine.close();
});

test("unknown services leave no trace, however many are searched for", async () => {
  const path = newFile();
  const engine = await openFilled(path);
  const database = new Database(path, { readonly: true });
  const memory = createLinkMemory(database);

  for (let i = 0; i < MADE_UP; i++) memory.find({ ...ANY, service: `made-up-${i}` });
  await createStore(engine).update(links).set({ service: "vimeo" }).where(eq(links.no, 10));

  expect(memory.find({ ...ANY, service: "vimeo" }).nos).toEqual([10]);
  expect(memory.find({ ...ANY, service: "generic" }).total).toBe(9);
  expect(memory.find({ ...ANY, service: "made-up-0" }).total).toBe(0);
  memory.close();
  database.close(true);
  await engine.close();
});

test.each(["service", "groupId"])(
  "an unknown %s is forgotten once it was searched for",
  async (of) => {
    const path = newFile();
    const engine = await openFilled(path);
    const database = new Database(path, { readonly: true });
    const memory = createLinkMemory(database);
    memory.find(ANY);
    const before = stringsKept();

    for (let i = 0; i < MADE_UP; i++) memory.find({ ...ANY, [of]: `made-up-${i}` });

    expect(stringsKept() - before).toBeLessThan(MADE_UP / 2);
    memory.close();
    database.close(true);
    await engine.close();
  },
);

test("a search that fails is logged, and the next one starts from scratch", async () => {
  const path = newFile();
  const reader = createReadPool(path);
  const early = [reader.find(searchFor(1, "a")), reader.find(searchFor(1, "b"))];
  const outcomes = await Promise.allSettled(early);
  for (const outcome of outcomes)
    expect(outcome.status === "rejected" && isUnavailable(outcome.reason)).toBe(true);

  const engine = await openFilled(path);

  expect(await reader.find(searchFor(2, "example.org/1"))).toEqual({
    total: 5,
    nos: [1910, 1610, 1310, 1010, 110],
  });
  await reader.close();
  await engine.close();
});

test("a search after a pause finds the same as before", async () => {
  const path = newFile();
  const engine = await openFilled(path);
  const reader = createReadPool(path, 0);

  for (let i = 0; i < 20; i++) expect((await reader.find(searchFor(1, "example"))).total).toBe(10);

  await reader.close();
  await engine.close();
  expect(readdirSync(join(path, ".."))).toEqual(["test.db"]);
});

test("a database that was searched is closed as one file", async () => {
  const path = newFile();
  const engine = await openFilled(path);
  await engine.findLinks?.(searchFor(1, "example"));

  await engine.close();

  expect(readdirSync(join(path, ".."))).toEqual(["test.db"]);
});

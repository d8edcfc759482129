import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop } from "../../tests/checker/played-loop.ts";
import { movableClock } from "../../tests/clock.ts";
import { STARTS_WITHIN_MS, startServer, type TestServer } from "../../tests/harness.ts";
import { openEngine } from "../ground/db/open.ts";
import { createStore, type Engine, type Query } from "../ground/db/store.ts";
import { links } from "../ground/db/tables.ts";
import { createDeliverer } from "../notify/deliverer.ts";
import type { TopicListener } from "../work/topics.ts";

/** A server on which each test has the links alone. */
function withServer(engine: "sqlite" | "postgres"): () => TestServer {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engine);
  }, STARTS_WITHIN_MS);
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.deps.store.delete(links);
  });
  return () => server;
}

const DUE_IN_S = 600;
/** How often deliveries are looked for. */
const POLL_MS = 1000;

/** The same server, and the statements that it runs. */
function observed(server: TestServer) {
  const { engine } = server.deps.store;
  const statements: string[] = [];
  const noting =
    (run: Engine["run"]): Engine["run"] =>
    (query: Query) => {
      statements.push(query.sql);
      return run(query);
    };
  const store = createStore({
    ...engine,
    run: noting(engine.run),
    runInReadPool: noting(engine.runInReadPool),
    transaction: (work) => engine.transaction((run) => work(noting(run))),
  });
  return { server: { ...server, deps: { ...server.deps, store } }, statements };
}

/** A loop whose links are all due in ten minutes. */
async function startIdle(server: TestServer) {
  const me = await server.account();
  const clock = movableClock(server.clock.now());
  const dueAt = clock.now() + DUE_IN_S * 1000;
  await addMany(server, me, { count: 3, url: "https://a.test/", dueAt });
  const { server: watched, statements } = observed(server);
  const loop = playLoop(watched, { clock, check: async () => saw("ok") });
  await loop.begins();
  await loop.seconds(3);
  statements.length = 0;
  return { clock, loop, statements };
}

const makeDue = ({ store }: Pick<TestServer["deps"], "store">) =>
  store.update(links).set({ nextCheckAt: 0 }).where(eq(links.url, "https://a.test/2"));

describe("While nothing is due or written, an SQLite server", () => {
  const server = withServer("sqlite");

  test("reads no links and no batches", async () => {
    const { loop, statements } = await startIdle(server());

    await loop.seconds(60);

    expect(statements).toEqual([]);
    await loop.stop();
  });

  test("checks links once they become due", async () => {
    const { loop } = await startIdle(server());

    await loop.seconds(DUE_IN_S - 4);
    expect(loop.begun).toEqual([]);
    await loop.seconds(2);

    expect(loop.begun).toHaveLength(3);
    await loop.stop();
  });

  test("notices what another process writes", async () => {
    const { loop } = await startIdle(server());
    const other = openEngine(server().config.databaseUrl);

    await makeDue({ store: createStore(other) });
    await loop.seconds(1);

    expect(loop.begun).toHaveLength(1);
    await loop.stop();
    await other.close();
  });

  test("reads no deliveries", async () => {
    const clock = movableClock(server().clock.now());
    const { server: watched, statements } = observed(server());
    const deliverer = createDeliverer({ ...watched.deps, clock });
    const seconds = async (count: number) => {
      for (let i = 0; i < count; i++) {
        const looked = clock.nextSleep(POLL_MS);
        clock.moveBy(POLL_MS);
        await looked;
      }
    };
    await clock.sleeping(POLL_MS);
    await seconds(2);
    statements.length = 0;

    await seconds(60);

    expect(statements).toEqual([]);
    await deliverer.stop();
  });
});

describe("While nothing is due or written, a node on PostgreSQL", () => {
  const server = withServer("postgres");

  /** As with messages of other nodes, which `hear` plays. */
  function connected(): { server: TestServer; hear(): void } {
    const listeners: TopicListener[] = [];
    const subscribe = (listener: TopicListener) => void listeners.push(listener);
    const topics = { ...server().deps.topics, isConnected: () => true, subscribe };
    const hear = () => {
      for (const { counted } of listeners) counted(null);
    };
    return { server: { ...server(), deps: { ...server().deps, topics } }, hear };
  }

  test("looks every five seconds", async () => {
    const { loop, statements } = await startIdle(connected().server);

    await loop.seconds(60);

    const looks = statements.filter((sql) => sql.includes("min(first.next_check_at)"));
    expect(looks.length).toBeWithin(11, 14);
    expect(statements.length).toBeLessThan(150);
    await loop.stop();
  });

  test("looks at once after a message of another node", async () => {
    const { server: node, hear } = connected();
    const { loop } = await startIdle(node);

    await makeDue(server().deps);
    hear();
    await loop.seconds(1);

    expect(loop.begun).toHaveLength(1);
    await loop.stop();
  });

  test("finds within five seconds what no message announces", async () => {
    const { loop } = await startIdle(connected().server);

    await makeDue(server().deps);
    await loop.seconds(5);

    expect(loop.begun).toHaveLength(1);
    await loop.stop();
  });
});

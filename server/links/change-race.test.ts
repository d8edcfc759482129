import { expect, onTestFinished, test } from "bun:test";
import { SQL } from "bun";
import { batchOf, checkAll, checkedLinks } from "../../tests/batches/playing.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { lockIsAwaited } from "../../tests/postgres.ts";
import { operatorOf } from "../accounts/users.ts";
import { createStore } from "../ground/db/store.ts";
import { startBatch } from "./start-batch.ts";

// SQLite has one writer, so only PostgreSQL can be caught between the two.
test("a new frequency sees the batch that is being written while it waits for the link", async () => {
  const server = await startServer("postgres");
  onTestFinished(server.stop);
  const me = await server.account();
  const link_ids = await checkedLinks(server, me, ["https://a.test/"]);
  const caller = await operatorOf(server.deps, me.accountId);
  const slow = slowToCommit(server);

  const starting = startBatch({ ...server.deps, store: slow.store }, caller, { link_ids });
  await slow.written;
  const changing = me.patch(`/api/v1/links/${link_ids[0]}`, { check_frequency: "weekly" });
  await lockIsAwaited(server.config.databaseUrl);
  slow.commit();
  await changing;
  const { batchId } = await starting;
  await checkAll(server);

  expect(await batchOf(me, batchId!)).toMatchObject({ status: "complete", active: 1 });
});

/** The same database, where a transaction is committed only when the test says so. */
function slowToCommit({ deps, config }: TestServer) {
  const written = Promise.withResolvers<void>();
  const committed = Promise.withResolvers<void>();
  const store = createStore({
    ...deps.store.engine,
    transaction: async (work) => {
      const other = new SQL(config.databaseUrl, { max: 1 });
      const result = await other.begin(async (connection) => {
        const done = await work(({ sql, params }) => ask(connection, sql, params));
        written.resolve();
        await committed.promise;
        return done;
      });
      await other.close();
      return result;
    },
  });
  return { store, written: written.promise, commit: committed.resolve };
}

function ask(connection: SQL, text: string, params: unknown[]): Promise<unknown[][]> {
  let n = 0;
  return connection
    .unsafe(
      text.replaceAll("?", () => `$${++n}`),
      params,
    )
    .values();
}

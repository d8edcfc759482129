import { expect, onTestFinished, test } from "bun:test";
import { SQL } from "bun";
import { startServer } from "../harness.ts";
import { makeNews, subscribe } from "../receiver.ts";
import { until } from "../until.ts";

// SQLite has one writer, so only PostgreSQL can be caught between the two.
test("news that comes while its webhook is being deleted is no error", async () => {
  const server = await startServer("postgres");
  onTestFinished(server.stop);
  const me = await server.account();
  const { id } = await subscribe(me, "https://example.com/");
  const other = new SQL(server.config.databaseUrl, { max: 1 });
  const deleted = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const deletion = other.begin(async (connection) => {
    await connection`delete from webhooks where id = ${id}`;
    begun.resolve();
    await deleted.promise;
  });
  await begun.promise;

  const making = makeNews(me);
  const watcher = new SQL(server.config.databaseUrl, { max: 1 });
  const isWaiting = async () =>
    (
      await watcher`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    ).length > 0;
  await until(isWaiting);
  deleted.resolve();
  await deletion;

  expect((await making).status).toBe(201);
  await Promise.all([other.close(), watcher.close()]);
});

import { expect, onTestFinished, test } from "bun:test";
import { join } from "node:path";
import { createKey } from "../../server/accounts/keys.ts";
import { operatorOf } from "../../server/accounts/users.ts";
import { migrate } from "../../server/ground/db/migrate.ts";
import { openEngine, ownMigrations } from "../../server/ground/db/open.ts";
import { makeChange } from "../../server/work/unit.ts";
import { ENGINES, type Parsed, startServer } from "../harness.ts";
import { emptyPostgres } from "../postgres.ts";
import { newScratchFolder } from "../scratch.ts";
import { SOURCES, startReading } from "../sources/reading.ts";
import { ALIVE, check, LINKS, read, sound } from "../triage/playing.ts";
import { until } from "../until.ts";

const [ACCOUNT, GROUP] = [crypto.randomUUID(), crypto.randomUUID()];
const LINK = {
  account_id: ACCOUNT,
  account_no: 1,
  group_id: GROUP,
  service: "generic",
  status: "dead",
  reason: "http_404",
  status_changed_at: 5,
  decided_status: "dead",
  decided_reason: "http_404",
  inconclusive_checks: 0,
  check_frequency: "daily",
  next_check_at: 9e12,
  created_at: 1,
  next_trigger: "scheduled",
  last_checked_at: 5,
  updated_at: 5,
  site: "example.org",
  last_status: "dead",
  last_reason: "http_404",
  last_status_code: 404,
};

/** A database of the version before, as people have used it, and its own way of adding to it. */
async function usedBefore(name: (typeof ENGINES)[number]) {
  const file = () => `sqlite:${join(newScratchFolder("stillup-before-"), "stillup.db")}`;
  const url = name === "postgres" ? await emptyPostgres() : file();
  const engine = openEngine(url);
  await migrate(
    engine,
    ownMigrations().filter((each) => each.name < "0006"),
    1,
  );
  const run = (sql: string, ...params: unknown[]) => engine.run({ sql, params });
  await run("insert into accounts values (?, 'me@example.org', 'business', 1, 1, 0)", ACCOUNT);
  await run("insert into groups values (?, ?, 'Docs', null, '#2563EB', 1, 1, 2)", GROUP, ACCOUNT);
  await run("update numbers set next = 100");
  const add = (no: number, more: object = {}) => {
    const id = `0197a1b2-3c4d-7e5f-8a6b-${String(no).padStart(12, "0")}`;
    const at = `https://example.org/${no}`;
    const row = { ...LINK, no, id, url: at, url_key: at, ...more };
    const names = Object.keys(row);
    const places = names.map(() => "?").join(", ");
    return run(`insert into links (${names.join(", ")}) values (${places})`, ...Object.values(row));
  };
  for (const no of [10, 11]) await add(no);
  await add(12, { status: "active", reason: "ok", group_id: null });
  return { url, run, add, close: () => engine.close() };
}

test.each(ENGINES)(
  "links of the version before are open, and it goes on next to the new one on %s",
  async (name) => {
    const old = await usedBefore(name);
    const server = await startServer(name, { STILLUP_DATABASE_URL: old.url });
    onTestFinished(server.stop);
    const caller = await operatorOf(server.deps, ACCOUNT);
    const me = server.asker(
      (await makeChange(server.deps, caller, (unit) => createKey(unit, caller, { name: "test" })))
        .value,
      caller,
    );
    const total = async (query: string) =>
      (await read(me, `${LINKS}?${query}`)).pagination.total as number;

    expect([await total("attention=true"), await total("handling=open")]).toEqual([2, 3]);
    const { items } = await read(me, LINKS);
    for (const item of items)
      expect(item).toMatchObject({ handling: "open", tags: [], title: null, external_id: null });
    const [, path] = items.map(({ id }: Parsed) => `${LINKS}/${id}`);
    await me.patch(path, { handling: "acknowledged", tags: ["docs"] });
    // What the older one writes, which knows nothing of decisions and tags.
    await old.add(13);
    await old.run("update links set status = 'active', reason = 'ok' where no = 11");
    await old.run("delete from links where no = 10");
    await old.close();
    expect([await total("attention=true"), await total("tag=docs&status=active")]).toEqual([1, 1]);
    await check(server, me, path, ALIVE);
    expect(await read(me, path)).toMatchObject({ handling: "open", status: "active" });
    await sound(server);
  },
);

test.each(ENGINES)(
  "a source finds links of the version before, which stay when it goes, on %s",
  async (name) => {
    const old = await usedBefore(name);
    const server = await startServer(name, { STILLUP_DATABASE_URL: old.url });
    onTestFinished(server.stop);
    const reading = startReading(server);
    onTestFinished(reading.stop);
    const caller = await operatorOf(server.deps, ACCOUNT);
    const me = server.asker(
      (await makeChange(server.deps, caller, (unit) => createKey(unit, caller, { name: "test" })))
        .value,
      caller,
    );
    const { id } = (await me.post(SOURCES, { kind: "push", name: "Blog" })).body.data;
    const urls = async (query = "") =>
      (await read(me, `${LINKS}?sort=url${query}`)).items.map(({ url }: Parsed) => url);
    const [ten, eleven, twelve, thirteen, twenty] = [10, 11, 12, 13, 20].map(
      (no) => `https://example.org/${no}`,
    );

    await old.add(13);
    const links = [ten, thirteen, twenty].map((url, i) => ({ url, text: "a", line: i + 1 }));
    const page = { page_url: "https://blog.test/p/1", links };
    await me.post(`${SOURCES}/${id}/items`, { items: [page] });
    // The older one knows nothing of places.
    await old.run("delete from links where no = 10");
    await old.close();

    expect(await urls(`&source_id=${id}`)).toEqual([thirteen, twenty]);
    const [{ id: pageId }] = (await read(me, `${SOURCES}/${id}/pages`)).items;
    expect(await read(me, `${SOURCES}/${id}/pages/${pageId}`)).toMatchObject({
      places: [{}, {}, {}],
    });
    await me.delete(`${SOURCES}/${id}?links=retire`);
    reading.wake();
    const isGone = async () => (await urls()).length === 3;
    await until(isGone, { everyMs: 20 });
    expect(await urls()).toEqual([eleven, twelve, thirteen]);
  },
);

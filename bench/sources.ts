import { openEngine } from "../server/ground/db/open.ts";
import type { Engine } from "../server/ground/db/store.ts";
import { gonePath, listPath, pagePath } from "./crawled.ts";
import { hostOf } from "./pages.ts";
import { type Home, newFolder, newHome, peakOfReader, serve } from "./program.ts";
import { seed } from "./seed.ts";
import { type Note, p99Of } from "./table.ts";
import { startWeb, type Web } from "./web.ts";

/** For a look at a larger site: `BENCH_PAGES=100000 npm run bench -- sources`. */
const PAGES = Number(process.env.BENCH_PAGES ?? 10_000);
const PLACES = Number(process.env.BENCH_PLACES ?? 1_000_000);
const LINKS = Math.ceil(PLACES * 0.3);
const AT_ONCE = 20;
const LOOK_MS = 100;
const READ_EVERY_MS = 50;
const ASKS = 100;

/**
 * Sources: a crawl of a site without manners, compared with a bare `fetch` of the same pages, and once more when
 * nothing has changed; and a list of a million places, which is read, read again, and read without a third of its
 * links.
 */
export async function sources(note: Note): Promise<void> {
  const web = await startWeb({ BENCH_PAGES: String(PAGES) });
  const bare = await bareFetch(web);
  note("bare fetch of the site: pages a second", bare);
  const home = await newHome();
  const { key } = await seed(home, { links: 0 });
  const site = new URL(web.urlOf(0));
  const server = await serve(home, {
    ...web.settings,
    STILLUP_OWN_SITES: `${site.hostname}=10000`,
    STILLUP_TIER_LIMITS: '{"enterprise":{"links":2000000,"pages":1000000}}',
  });
  const client = createClient(server.url, key);
  await crawl(note, { bare, client, home, site, pid: server.pid });
  await lists(note, { client, home, site, pid: server.pid });
  await server.stop();
  await web.stop();
}

async function bareFetch(web: Web): Promise<number> {
  const list = `${newFolder()}/urls.json`;
  const site = new URL(web.urlOf(0));
  const urls = Array.from({ length: PAGES }, (_, n) => site.origin + pagePath(n));
  await Bun.write(list, JSON.stringify(urls));
  const run = Bun.spawn(
    [process.execPath, "bench/bare-fetch.ts", list, String(AT_ONCE), "keep-alive"],
    { env: { ...process.env, ...web.settings } },
  );
  return JSON.parse(await new Response(run.stdout).text()).perSecond;
}

type Client = ReturnType<typeof createClient>;
type Run = { status: string; pages: { read: number; unchanged: number } };
type Source = {
  id: string;
  run: Run & { ended_at: string | null };
  counts: Record<string, number>;
};

function createClient(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  async function ask(method: string, path: string, body?: object) {
    const startedAt = performance.now();
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${reply.status} for ${path}: ${await reply.text()}`);
    const { data } = (reply.status === 204 ? {} : await reply.json()) as { data: never };
    return { ms: performance.now() - startedAt, data };
  }
  /** Lists links until something is there. */
  async function meanwhile<T>(startedAt: number, look: () => Promise<T | null>) {
    let isOver = false;
    const times: number[] = [];
    const others = (async () => {
      const asked: Promise<void>[] = [];
      for (let dueAt = performance.now(); !isOver; dueAt += READ_EVERY_MS) {
        await Bun.sleep(Math.max(0, dueAt - performance.now()));
        // From when it was due, so that a stalled server does not hide those that it delays.
        const note = () => void times.push(performance.now() - dueAt);
        asked.push(ask("GET", "/links?per_page=50").then(note));
      }
      await Promise.all(asked);
    })();
    for (;;) {
      const found = await look();
      if (found !== null) {
        const seconds = (performance.now() - startedAt) / 1000;
        isOver = true;
        await others;
        return { found, seconds, p99: p99Of(times) };
      }
      await Bun.sleep(LOOK_MS);
    }
  }
  async function ended(id: string, startedAt: number) {
    const { found: source, ...rest } = await meanwhile(startedAt, async () => {
      const { data } = await ask("GET", `/sources/${id}`);
      return (data as Source).run?.ended_at ? (data as Source) : null;
    });
    return { source, ...rest };
  }
  return {
    ask,
    /** @param isGone whether nothing of it is left */
    async remove(id: string, isGone: () => Promise<boolean>) {
      const startedAt = performance.now();
      await ask("DELETE", `/sources/${id}?links=retire`);
      return meanwhile(startedAt, async () => (await isGone()) || null);
    },
    async add(source: object) {
      const startedAt = performance.now();
      const { id } = (await ask("POST", "/sources", source)).data as Source;
      return ended(id, startedAt);
    },
    async again(id: string, body: object = {}) {
      const startedAt = performance.now();
      await ask("POST", `/sources/${id}/run`, body);
      return ended(id, startedAt);
    },
    /** How long any page of a list takes, p99 in milliseconds. */
    async anyPage(path: string, pages: number) {
      const times: number[] = [];
      for (let i = 0; i < ASKS; i++) {
        const page = 1 + Math.floor(Math.random() * pages);
        times.push((await ask("GET", `${path}per_page=100&page=${page}`)).ms);
      }
      return p99Of(times.slice(10));
    },
  };
}

type Crawl = { bare: number; client: Client; home: Home; site: URL; pid: number };

async function crawl(note: Note, { bare, client, home, site, pid }: Crawl): Promise<void> {
  const memory = peakOfReader(pid);
  const first = await client.add({
    name: "Site",
    kind: "site",
    url: `${site.origin}/crawl/`,
    settings: { max_pages: 1_000_000, sitemaps: false },
  });
  expectRun(first.source, "complete");
  note("crawl: pages a second", first.source.run.pages.read / first.seconds);
  note("crawl / bare fetch", first.source.run.pages.read / first.seconds / bare, {
    least: 0.5,
    digits: 2,
  });
  note("crawl: the process that reads, MB", memory.stop(), { most: 120 });
  note("crawl: a page of links meanwhile, p99 ms", first.p99, { most: 25, digits: 1 });
  const { id } = first.source;
  const again = await client.again(id);
  expectRun(again.source, "complete");
  note("crawl again, unchanged: pages a second", again.source.run.pages.unchanged / again.seconds);
  note("crawl again: a page of links meanwhile, p99 ms", again.p99, { most: 25, digits: 1 });
  note(
    "pages of the site, any page of the list, p99 ms",
    await client.anyPage(`/sources/${id}/pages?`, PAGES / 100),
    { most: 25, digits: 1 },
  );
  note("bytes a place", await bytesOfPlaces(home, first.source), { most: 150 });
}

/** What the table of places and its indexes take. */
async function bytesOfPlaces(home: Home, { counts }: Source): Promise<number> {
  const sql = home.STILLUP_DATABASE_URL.startsWith("sqlite:")
    ? "select sum(pgsize) from dbstat where name in (select name from sqlite_master where tbl_name = 'occurrences')"
    : "select pg_total_relation_size('occurrences')";
  const engine = openEngine(home.STILLUP_DATABASE_URL);
  const bytes = await numberIn(engine, sql);
  await engine.close();
  return bytes / counts.places!;
}

async function numberIn(engine: Engine, sql: string): Promise<number> {
  const [[number]] = (await engine.run({ sql, params: [] })) as [[number]];
  return Number(number);
}

async function lists(note: Note, { client, home, site, pid }: Omit<Crawl, "bare">): Promise<void> {
  const url = site.origin + listPath(PLACES, LINKS);
  const memory = peakOfReader(pid);
  const first = await client.add({ name: "List", kind: "list", url });
  expectRun(first.source, "complete");
  const { id } = first.source;
  note(`a list of ${PLACES} places, first run, s`, first.seconds, { most: 180 });
  note("list: a page of links meanwhile, p99 ms", first.p99, { most: 25, digits: 1 });
  const again = await client.again(id);
  expectRun(again.source, "complete");
  note("the same list, unchanged, s", again.seconds, { most: 60, digits: 1 });
  note("unchanged: a page of links meanwhile, p99 ms", again.p99, { most: 25, digits: 1 });
  note("list: the process that reads, MB", memory.stop(), { most: 120 });
  await fetch(`http://127.0.0.1:${site.port}${gonePath(0.34)}`);
  const without = await client.again(id, { accept_shrink: true });
  expectRun(without.source, "complete");
  note("the same list without a third, s", without.seconds, { most: 120, digits: 1 });
  note("meanwhile: a page of links, p99 ms", without.p99, { most: 25, digits: 1 });
  note("pages of the list, p99 ms", await client.anyPage(`/sources/${id}/pages?`, 1), {
    most: 25,
    digits: 1,
  });
  const { items } = (await client.ask("GET", `/links?search=${hostOf(7)}`)).data as {
    items: { id: string }[];
  };
  note("places of a link, p99 ms", await client.anyPage(`/links/${items[0]!.id}/occurrences?`, 1), {
    most: 25,
    digits: 1,
  });
  note(
    "links of the source, any page, p99 ms",
    await client.anyPage(`/links?source_id=${id}&`, LINKS / 100),
    { most: 25, digits: 1 },
  );
  // Opening and closing the database each time would disturb what is measured.
  const engine = openEngine(home.STILLUP_DATABASE_URL);
  const isGone = async () =>
    (await numberIn(engine, "select count(*) from sources where deleted_at is not null")) === 0;
  const removed = await client.remove(id, isGone);
  await engine.close();
  note(`deletion of ${PLACES} places, s`, removed.seconds);
  note("deletion: a page of links meanwhile, p99 ms", removed.p99, { most: 25, digits: 1 });
}

function expectRun({ run }: Source, status: string) {
  if (run.status !== status) throw new Error(`The run is ${JSON.stringify(run)}.`);
}

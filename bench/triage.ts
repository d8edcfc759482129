import { sql } from "drizzle-orm";
import { openDeps } from "../server/app/build.ts";
import { readConfig } from "../server/ground/config/config.ts";
import { systemClock } from "../server/ground/lib/clock.ts";
import { newHome, serve } from "./program.ts";
import { seed } from "./seed.ts";
import { type Note, p99Of } from "./table.ts";

const LINKS = 1_000_000;
const TAGGED_AT_ONCE = 100_000;
const WARM_UPS = 50;
const SETTLE_MS = 5000;
const ASKS = 150;
const HANDLED = 10_000;
const UPSERTED = 1000;

/** What people decide about a million links: finding them, handling many, and upserts. */
export async function triage(note: Note): Promise<void> {
  const home = await newHome();
  const { key } = await seed(home, { links: LINKS });
  await addTags(home);
  const ours = await serve(home);
  const ask = asker(ours.url, key);
  // The program looks through all links once when it starts.
  for (let i = 0; i < WARM_UPS; i++) await ask("GET", `/links?attention=true&page=${i + 1}`);
  await Bun.sleep(SETTLE_MS);
  const lists: List[] = [
    ["that need attention", "attention=true", 500],
    ["with a tag", "tag=half", 5000],
    ["with a tag, dead", "tag=half&status=dead", 250],
    ["with two tags", "tag=half,third", 2000],
    ["with a tag, searched for", "tag=half&search=page/98", 50],
    ["that are open", "handling=open", 5000],
  ];
  for (const list of lists) await measurePages(note, ask, list);
  await handle(note, ask);
  await measurePages(note, ask, ["that are acknowledged", "handling=acknowledged", 100]);
  await upsert(note, ask);
  await ours.stop();
}

type List = [what: string, query: string, pages: number];

async function measurePages(note: Note, ask: Ask, [what, query, pages]: List): Promise<void> {
  for (const [which, most, among] of [
    ["first 100 pages", 25, Math.min(pages, 100)],
    ["any page", 200, pages],
  ] as const) {
    const times: number[] = [];
    for (let i = 0; i < ASKS / 2; i++) {
      const page = 1 + Math.floor(Math.random() * among);
      times.push((await ask("GET", `/links?${query}&per_page=100&page=${page}`)).ms);
    }
    note(`links ${what}, ${which}, p99 ms`, p99Of(times.slice(10)), { most, digits: 1 });
  }
}

/** Half of the links have one tag, a third another, and each has a title. */
async function addTags(home: Awaited<ReturnType<typeof newHome>>): Promise<void> {
  const { deps } = await openDeps(readConfig(home), systemClock);
  const { store } = deps;
  await store.run(sql`insert into tags select 900000001, id, 'half' from accounts limit 1`);
  await store.run(sql`insert into tags select 900000002, id, 'third' from accounts limit 1`);
  for (const [no, part] of [
    [900_000_001, 2],
    [900_000_002, 3],
  ]) {
    for (let from = 0; from <= LINKS; from += TAGGED_AT_ONCE)
      await store.run(sql`
        insert into link_tags select ${no}, no from links
        where no % ${part} = 0 and no >= ${from} and no < ${from + TAGGED_AT_ONCE}`);
  }
  await store.run(
    sql`insert into link_details (link_no, account_no, title)
      select no, account_no, 'A title of link number ' || no from links`,
  );
  // Autovacuum does this within minutes. It leaves empty tables alone, and so must this: a table that is known to be
  // empty is scanned for each link until it is analyzed again.
  if (store.engine.name === "postgres") {
    const filled = "links, link_counts, link_tags, link_details, tags";
    await store.engine.run({ sql: `vacuum analyze ${filled}`, params: [] });
    await store.engine.run({ sql: "checkpoint", params: [] });
  }
  await store.engine.close();
}

type Reply = { ms: number; next: string | null };
type Ask = (method: string, path: string, body?: object) => Promise<Reply>;

/** Returns how long the reply took, in milliseconds, and where a change of many links goes on. */
const asker =
  (url: string, key: string): Ask =>
  async (method, path, body) => {
    const startedAt = performance.now();
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${reply.status} for ${path}: ${await reply.text()}`);
    const { data } = (await reply.json()) as { data: { next?: string } };
    return { ms: performance.now() - startedAt, next: data.next ?? null };
  };

/** In steps of a thousand, while others list links. */
async function handle(note: Note, ask: Ask): Promise<void> {
  let isOver = false;
  const others = (async () => {
    const times: number[] = [];
    while (!isOver) times.push((await ask("GET", "/links?per_page=20")).ms);
    return p99Of(times);
  })();
  let ms = 0;
  let before: string | null = null;
  for (let done = 0; done < HANDLED; done += 1000) {
    const filter = { attention: true };
    const change = { handling: "acknowledged" };
    const body: object = { filter, change, ...(before && { before }) };
    const step = await ask("POST", "/links/batch-change", body);
    before = step.next;
    ms += step.ms;
  }
  isOver = true;
  note("acknowledging 10,000 by filter, ms", ms, { most: 3000 });
  note("a page of links meanwhile, p99 ms", await others, { most: 100, digits: 1 });
}

async function upsert(note: Note, ask: Ask): Promise<void> {
  const items = (more: (i: number) => object = () => ({})) => ({
    links: Array.from({ length: UPSERTED }, (_, i) => ({
      external_id: `bench-${i}`,
      url: `https://upsert.test/${i}`,
      title: `Page ${i}`,
      ...more(i),
    })),
  });
  const moved = (i: number) => (i % 2 === 0 ? { url: `https://upsert.test/moved/${i}` } : {});
  const times = { new: 300, unchanged: 100, "half with new URLs": 400 };
  for (const [what, most] of Object.entries(times)) {
    const body = items(what.startsWith("half") ? moved : undefined);
    const { ms } = await ask("POST", "/links/upsert", body);
    note(`upserting 1,000 links, ${what}, ms`, ms, { most });
  }
}

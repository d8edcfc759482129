import { newHome, serve } from "./program.ts";
import { seed } from "./seed.ts";
import { type Note, p99Of } from "./table.ts";

const LINKS = 1_000_000;
const PER_PAGE = 20;
const ASKS = 150;

/** Pages of every list, near and deep, searches and statistics, over ten and a hundred million checks. */
export async function lists(note: Note): Promise<void> {
  const home = await newHome();
  const { key, linkId } = await seed(home, { links: LINKS, checks: 10_000_000 });
  const ours = await serve(home);
  const ask = asker(ours.url, key);
  for (const { what, path, items } of pagesOf(linkId)) {
    const pages = Math.max(1, Math.floor(items / PER_PAGE));
    const isOfLinks = path.startsWith("/links?");
    const reach = isOfLinks
      ? ([
          ["first 100 pages", 25, Math.min(pages, 100)],
          ["any page", 200, pages],
        ] as const)
      : ([["any page", 25, pages]] as const);
    for (const [which, most, among] of reach) {
      const times = await repeated(() =>
        ask(`${path}page=${1 + Math.floor(Math.random() * among)}`),
      );
      note(`${what}, ${which}, p99 ms`, p99Of(times), { most, digits: 1 });
    }
  }
  for (const [what, term] of SEARCHES) await search(note, { what, term, url: ours.url, key });
  const tenMillion = await stats(note, { many: "10,000,000", hours: 10, ask });
  await ours.stop();
  const again = await serve(home);
  await again.stop();
  note("startup with 1,000,000 links and 10,000,000 checks: listening, ms", again.startMs, {
    most: 200,
  });
  const hundredMillion = await statsOfHundredMillion(note);
  note("statistics of 100,000,000 / of 10,000,000", hundredMillion / tenMillion, {
    digits: 2,
    most: 2,
  });
}

const pagesOf = (linkId: string) => [
  { what: "links", path: "/links?", items: LINKS },
  { what: "links that are active", path: "/links?status=active&", items: 0.94 * LINKS },
  { what: "links that are dead", path: "/links?status=dead&", items: 0.05 * LINKS },
  { what: "links, dead ones first", path: "/links?sort=dead_first&", items: LINKS },
  { what: "links of one site", path: "/links?site=bench.test&", items: LINKS },
  { what: "dead links of one reason", path: "/links?reason=http_404&", items: 0.05 * LINKS },
  { what: "dead links by cause", path: "/attention?", items: PER_PAGE },
  { what: "sites", path: "/sites?", items: PER_PAGE },
  { what: "links of one service", path: "/links?service=generic&", items: LINKS },
  { what: "history of 10,000,000 checks", path: "/history?", items: 10_000_000 },
  { what: "dead ones of 10,000,000 checks", path: "/history?status=dead&", items: 500_000 },
  { what: "unknown ones of 10,000,000 checks", path: "/history?status=unknown&", items: 100 },
  { what: "history of a link", path: `/links/${linkId}/history?`, items: 10 },
];

/** Rare and common, long and short. */
const SEARCHES = [
  ["a rare term", "page/987654"],
  ["a common term", "bench"],
  ["a term of two characters", "99"],
  ["a term of one character", "e"],
  ["a term that is nowhere", "no-such-thing"],
] as const;

type Ask = (path: string) => Promise<void>;

const asker =
  (url: string, key: string): Ask =>
  async (path) => {
    const headers = { authorization: `Bearer ${key}` };
    const reply = await fetch(`${url}/api/v1${path}`, { headers });
    if (!reply.ok) throw new Error(`${reply.status} for ${path}`);
    await reply.arrayBuffer();
  };

/** How long each took, the first few aside. */
async function repeated(ask: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < ASKS; i++) {
    const startedAt = performance.now();
    await ask();
    times.push(performance.now() - startedAt);
  }
  return times.slice(10);
}

/** While others ask for something else, which is not to wait for it. Any page, so that nothing is remembered. */
async function search(
  note: Note,
  { what, term, url, key }: { what: string; term: string; url: string; key: string },
) {
  const ask = asker(url, key);
  let isOver = false;
  const others = (async () => {
    const times: number[] = [];
    while (!isOver) {
      const startedAt = performance.now();
      await ask("/account");
      times.push(performance.now() - startedAt);
      await Bun.sleep(5);
    }
    return times;
  })();
  const times = await repeated(() => ask(`/links?search=${encodeURIComponent(term)}`));
  isOver = true;
  note(`search of 1,000,000 links for ${what}, p99 ms`, p99Of(times), { most: 100, digits: 1 });
  note("  another request meanwhile, p99 ms", p99Of(await others), { most: 20, digits: 1 });
}

/** Whole and partial days, hours and minutes. */
async function stats(
  note: Note,
  { many, hours, ask }: { many: string; hours: number; ask: Ask },
): Promise<number> {
  const moment = () => new Date(Date.now() - Math.random() * hours * 3_600_000).toISOString();
  const times = await repeated(() => {
    const [from, until] = [moment(), moment()].sort();
    return ask(`/history/stats?start_date=${from}&end_date=${until}`);
  });
  note(`statistics of ${many} checks, any range, p99 ms`, p99Of(times), { most: 10, digits: 1 });
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

async function statsOfHundredMillion(note: Note): Promise<number> {
  const home = await newHome();
  const { key } = await seed(home, { links: LINKS, checks: 100_000_000 });
  const ours = await serve(home);
  const ms = await stats(note, { many: "100,000,000", hours: 100, ask: asker(ours.url, key) });
  await ours.stop();
  return ms;
}

import { desc, eq } from "drizzle-orm";
import { links, sourcePages } from "../../server/ground/db/tables.ts";
import { systemClock } from "../../server/ground/lib/clock.ts";
import type { Caller } from "../../server/http/caller.ts";
import type { ReadSource, Target } from "../../server/read/crawl/job.ts";
import { batchOf, readingWithout } from "../../server/read/crawl/parts.ts";
import type { Place } from "../../server/read/crawl/places.ts";
import { startSourceLoop } from "../../server/sources/loop.ts";
import { NewSource } from "../../server/sources/model.ts";
import { isUnderWay, latestRun, type Run } from "../../server/sources/runs.ts";
import {
  changeSource,
  createSource,
  findSource,
  requestRun,
} from "../../server/sources/sources.ts";
import { makeChange } from "../../server/work/unit.ts";
import type { TestServer } from "../harness.ts";

const DOCS = "https://docs.northwind.example/";
const PARTNERS = "https://www.northwind.example/partners.txt";
const BLOG = "https://blog.northwind.example/feed.xml";
const HANDBOOK = "https://github.com/northwind/handbook";
const SHOP = "https://shop.northwind.example/";

/** A site of pages in a row, each with some of the account's links. */
const TITLES = ["Northwind Docs", "Set-up", "Limits", "Partners and press", "Talks", "Archive"];

/** Sources in each of their states, with the links that the account has. Returns one, and a page of it. */
export async function fillSources(
  { deps: given, clock }: Pick<TestServer, "deps" | "clock">,
  caller: Caller,
) {
  let step = Promise.withResolvers<void>();
  const counted = (accountIds: ReadonlySet<string>) => {
    given.topics.counted(accountIds);
    step.resolve();
    step = Promise.withResolvers();
  };
  const deps = {
    ...given,
    // The pauses of the loop are real: it would run on without end if they passed at once.
    clock: { ...clock, sleep: systemClock.sleep },
    topics: { ...given.topics, counted },
  };
  const { store } = deps;
  const rows = await store
    .select({ url: links.url, status: links.status })
    .from(links)
    .where(eq(links.accountId, caller.accountId))
    .orderBy(desc(links.status), links.no);
  let isSmall = false;
  const read: ReadSource = async ({ url, targets }, emit, signal) => {
    if (url === BLOG) {
      return { kind: "failed", reason: "unreachable", message: "The server cannot be reached." };
    }
    const count = url === PARTNERS && isSmall ? 3 : 20;
    // A repository is read without being asked for a page.
    const asked = targets.length > 0 ? targets : [{ url, key: url, depth: 0 }];
    for (const target of asked) {
      const page = url === DOCS || url === SHOP ? pageOf(target, url) : null;
      const some = page?.links ?? rows.slice(0, count).map((row) => row.url);
      const own = page?.next ? [{ ...placeOf(page.next, 0), page: foundPage(page.next) }] : [];
      const places = [...own, ...some.map((to, n) => placeOf(to, n + 1))];
      const about = { title: page?.title ?? null, statusCode: 200, places, hash: `${count}` };
      await emit(
        batchOf([readingWithout(target, "read", about)], {
          notes:
            page?.next === null
              ? [
                  `Pages such as ${url}calendar?week=52 lead to nothing new. No more of them were read.`,
                ]
              : [],
        }),
      );
      if (url === SHOP && target.depth === 2) await aborted(signal);
    }
    return signal.aborted ? { kind: "aborted" } : { kind: "done", mark: null };
  };

  /** The pages in a row, of which the last leads nowhere. */
  function pageOf({ depth }: Pick<Target, "depth">, url: string) {
    const next = depth + 1 < TITLES.length ? `${url}${depth + 1}` : null;
    const own = rows.slice(depth * 4, depth * 4 + 4).map((row) => row.url);
    return { title: TITLES[depth]!, next, links: own };
  }
  const foundPage = (url: string) => ({
    url,
    key: url,
    depth: Number(new URL(url).pathname.slice(1)),
    skipped: null,
  });

  const loop = startSourceLoop({ ...deps, readSource: read });
  const add = async (input: object) => {
    const { id } = await makeChange(deps, caller, (unit) =>
      createSource(unit, caller, NewSource.parse(input)),
    );
    return id;
  };
  /** Lets the latest run of the source go on until it is so; looks at it after each step that is written. */
  const reach = async (id: string, isSo: (run: Run) => boolean) => {
    loop.wake();
    for (;;) {
      const { promise: next } = step;
      const run = await latestRun(store, await findSource(deps, caller, id));
      if (run && isSo(run)) return;
      await next;
    }
  };
  const ended = (id: string) => reach(id, (run) => !isUnderWay(run));
  const docs = await add({ kind: "site", url: DOCS, name: "Docs", schedule: "0 4 * * *" });
  await ended(docs);
  const partners = await add({ kind: "list", url: PARTNERS, name: "Partner list" });
  await ended(partners);
  isSmall = true;
  await makeChange(deps, caller, (unit) => requestRun(unit, caller, partners));
  await ended(partners);
  await ended(await add({ kind: "feed", url: BLOG, name: "Blog" }));
  const handbook = await add({ kind: "git", url: HANDBOOK, name: "Handbook" });
  await ended(handbook);
  await makeChange(deps, caller, (unit) => changeSource(unit, caller, handbook, { paused: true }));
  await add({ kind: "push", name: "Newsletter" });
  const shop = await add({ kind: "site", url: SHOP, name: "Shop" });
  await reach(shop, ({ counts }) => counts.pages.read === 3);
  await loop.stop();
  const { no } = await findSource(deps, caller, docs);
  const [page] = await store
    .select({ no: sourcePages.no })
    .from(sourcePages)
    .where(eq(sourcePages.sourceNo, no))
    .limit(1);
  return { source: docs, smallSource: partners, page: String(page!.no) };
}

const WORDS = ["the manual", "report", "see there", "", "press kit"];

const placeOf = (url: string, n: number): Place => ({
  url,
  fragment: null,
  line: 12 + n * 17,
  column: 7,
  ...(WORDS[n % WORDS.length]
    ? { element: "link", text: WORDS[n % WORDS.length]! }
    : { element: "image", text: "" }),
});

const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", resolve, { once: true });
  });

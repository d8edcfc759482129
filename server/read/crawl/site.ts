import { LRUCache } from "lru-cache";
import { crawlKeyOf, whyNotFollowed } from "./addresses.ts";
import { createBatches } from "./batches.ts";
import { type CrawlRobots, readCrawlRobots } from "./crawl-robots.ts";
import { createFamilies, type Families, familyOf, type SavedFamilies } from "./families.ts";
import { type Fetching, fetchContent, SourceFailed, SourceHeld } from "./fetching.ts";
import { packAnchors } from "./fragments.ts";
import {
  type Batch,
  type FoundPage,
  type JobOf,
  NOFOLLOW,
  type PageReading,
  type ReadEnd,
  type Target,
} from "./job.ts";
import { type PageAnswer, readPage } from "./page.ts";
import { readingWithout } from "./parts.ts";
import { compileUrlPatterns } from "./patterns.ts";
import { type Place, placesOf } from "./places.ts";
import { createTreatment, foldsInto, scopeOf, type Treatment } from "./scope.ts";
import { readSitemap } from "./sitemap.ts";

/** What a run of a crawl knows. Most of it is learned again after a stop; the rest is in the cursor. */
type Run = {
  /** Where the URL of the site leads. */
  end: string;
  treat: (url: URL) => Treatment;
  isLeftOut: (url: URL) => boolean;
  isIncluded: (url: URL) => boolean;
  robots: Map<string, Promise<CrawlRobots | null>>;
  families: Families;
  /** Targets that the run has met, by their URLs and their keys: most stand on many pages. */
  known: LRUCache<string, KnownTarget>;
  /** When the next request to an origin may start. */
  nextAt: Map<string, number>;
  /** Answers on the way to the start page, which were read to find out what belongs to the site. */
  first: Map<string, PageAnswer>;
  /** How often a page has asked for a pause. */
  pauses: Map<string, number>;
};

/** What the rules of a crawl say about a target. */
type KnownTarget = {
  key: string;
  treatment: Treatment;
  notFollowed: string | null;
  family: string | null;
};

/** What must not be lost when the process stops. */
type SiteCursor = { end: string; families: SavedFamilies };

type Context = {
  fetching: Fetching;
  job: JobOf<"site">;
  run: Run;
  signal: AbortSignal;
  /** Pages that stand nowhere. */
  found: FoundPage[];
  notes: string[];
};

const RUNS_KEPT = 20;
const MOST_KNOWN = 50_000;
const MOST_REDIRECTS = 10;
/** For each page. */
const MOST_PAUSES = 3;
/** Requests of a run that may be in line at once; more of them to a host that belongs to the operator. */
const AT_ONCE = 2;
const OWN_AT_ONCE = 20;
/** Indexes of sitemaps refer to sitemaps, which may be indexes once more. */
const DEEPEST_INDEX = 2;
const MOST_FOUND = 500;
/** Before the keys of sitemaps, which are read like pages. */
const SITEMAP = "sitemap:";
/** Links to these are followed. */
const FOLLOWED = new Set(["link", "area", "frame"]);

/** Returns a reader of sites, which keeps what it knows of the latest runs. */
export function createSiteReader() {
  const runs = new LRUCache<string, Run>({ max: RUNS_KEPT });

  /** Reads some pages of a site. */
  return async function readSite(
    fetching: Fetching,
    job: JobOf<"site">,
    emit: (batch: Batch) => Promise<void>,
    signal: AbortSignal,
  ): Promise<ReadEnd> {
    const cursor = job.cursor as SiteCursor | null;
    let run = runs.get(job.runId);
    if (!run) {
      run = await startRun(fetching, job, cursor, signal);
      runs.set(job.runId, run);
    }
    const context: Context = { fetching, job, run, signal, found: [], notes: [] };
    if (!cursor) await findSeeds(context);
    const batches = createBatches(emit);
    let heldMs: number | null = null;
    const waiting = [...job.targets];
    const work = async () => {
      for (let target = waiting.shift(); target; target = waiting.shift()) {
        if (signal.aborted || heldMs !== null) return;
        if (target.key.startsWith(SITEMAP)) {
          await batches.add(await readSitemapOf(context, target, emit));
          continue;
        }
        const answer = await readTarget(context, target);
        if (answer.kind === "held" && mayPause(run, target)) heldMs = answer.forMs;
        else await take(context, target, answer, batches);
      }
    };
    const isOwn = fetching.isOwn(new URL(run.end));
    await Promise.all(Array.from({ length: isOwn ? OWN_AT_ONCE : AT_ONCE }, work));
    if (signal.aborted) return { kind: "aborted" };
    const { found, notes } = context;
    const next: SiteCursor = { end: run.end, families: run.families.save() };
    while (found.length > MOST_FOUND) {
      await batches.flush({ found: found.splice(0, MOST_FOUND) });
    }
    await batches.flush({ found, notes, cursor: next });
    return heldMs === null ? { kind: "done" } : { kind: "held", forMs: heldMs };
  };
}

/** One page must not keep a run from its end. */
function mayPause({ pauses }: Run, { key }: Target): boolean {
  const times = (pauses.get(key) ?? 0) + 1;
  pauses.set(key, times);
  return times <= MOST_PAUSES;
}

type Batches = ReturnType<typeof createBatches>;

/** @throws SourceFailed `moved_away`, `robots_refused` and others that end a run before it has begun */
async function startRun(
  fetching: Fetching,
  { url, settings, targets }: JobOf<"site">,
  cursor: SiteCursor | null,
  signal: AbortSignal,
): Promise<Run> {
  const start = new URL(url);
  const run: Run = {
    end: cursor?.end ?? start.href,
    treat: () => "read",
    isLeftOut: () => false,
    isIncluded: compileUrlPatterns(settings.include),
    robots: new Map(),
    families: createFamilies(cursor?.families),
    known: new LRUCache({ max: MOST_KNOWN }),
    nextAt: new Map(),
    first: new Map(),
    pauses: new Map(),
  };
  if (!cursor) run.end = (await endOf(fetching, run, { start, targets, signal })).href;
  const end = new URL(run.end);
  if (scopeOf(settings.scope, start, end) === "moved_away") {
    throw new SourceFailed("moved_away", `${url} redirects to ${end.host}.`);
  }
  const treatAll = createTreatment({ ...settings, watch: "external" }, start, end);
  return {
    ...run,
    treat: createTreatment(settings, start, end),
    isLeftOut: (to) => treatAll(to) === "ignore",
  };
}

/** Follows the redirects of the start page, which decide what belongs to the site. */
async function endOf(
  fetching: Fetching,
  run: Run,
  { start, targets, signal }: { start: URL; targets: Target[]; signal: AbortSignal },
): Promise<URL> {
  let url = start;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const robots = await robotsOf(fetching, run, url);
    if (!robots) throw new SourceFailed("robots_unreachable", "The robots.txt cannot be read.");
    if (!robots.isAllowed(url)) {
      throw new SourceFailed(
        "robots_refused",
        `The robots.txt of ${url.host} forbids ${url.href}.`,
      );
    }
    await waitForGap(fetching, run, { url, gapMs: robots.gapMs, signal });
    const { href } = url;
    const known = targets.find((target) => target.url === href);
    const answer = await readPage(fetching, known ?? { url: href, etag: null, lastModified: null });
    run.first.set(href, answer);
    if (answer.kind === "held") throw new SourceHeld(answer.forMs);
    if (answer.kind !== "redirect") return refuseBadStart(answer, url);
    if (!answer.to) {
      const isForbidden = answer.reason === "redirect_forbidden_target";
      throw new SourceFailed(
        isForbidden ? "forbidden_target" : "unreachable",
        "The start page redirects to what cannot be requested.",
      );
    }
    url = answer.to;
    if (scopeOf("domain", start, url) === "moved_away") return url;
  }
  throw new SourceFailed("unreachable", "The start page redirects without end.");
}

function refuseBadStart(answer: PageAnswer, url: URL): URL {
  if (answer.kind === "gone")
    throw new SourceFailed("not_found", `${url.href} returned ${answer.status}.`);
  if (answer.kind === "no_page")
    throw new SourceFailed("unreadable", `${url.href} is not an HTML page.`);
  if (answer.kind !== "failed") return url;
  const { status, reason } = answer;
  if (reason === "target_forbidden")
    throw new SourceFailed("forbidden_target", `${url.host} is not allowed.`);
  const isRefused = status === 401 || status === 403 || status === 407;
  throw new SourceFailed(
    isRefused ? "unauthorized" : "unreachable",
    `${url.href} cannot be read: ${reason}.`,
  );
}

/**
 * Reads the rules of an origin once in a run; null if its server fails to send them, which closes the origin. The pause
 * that they ask for begins with their own request.
 */
function robotsOf(
  fetching: Fetching,
  { robots, nextAt }: Pick<Run, "robots" | "nextAt">,
  { origin }: URL,
) {
  const known = robots.get(origin);
  if (known) return known;
  const reading = readCrawlRobots(fetching, new URL(origin)).catch((error: unknown) => {
    if (error instanceof SourceFailed && error.reason === "robots_unreachable") return null;
    robots.delete(origin);
    throw error;
  });
  const isOwn = fetching.isOwn(new URL(origin));
  const binding = reading.then((rules) => {
    if (isOwn) return withoutRules(rules);
    if (rules) nextAt.set(origin, fetching.now() + rules.gapMs);
    return rules;
  });
  robots.set(origin, binding);
  return binding;
}

/** What the operator has said of their own site counts, and not its robots.txt. */
const withoutRules = (robots: CrawlRobots | null): CrawlRobots => ({
  isAllowed: () => true,
  gapMs: 0,
  notes: [],
  sitemaps: robots?.sitemaps ?? [],
});

/** Sitemaps are read after the start page, like pages. */
async function findSeeds({ fetching, job, run, found, notes }: Context): Promise<void> {
  const end = new URL(run.end);
  const robots = await robotsOf(fetching, run, end);
  notes.push(...(robots?.notes ?? []));
  if (job.settings.sitemaps === false) return;
  const urls = new Set([...(robots?.sitemaps ?? []), new URL("/sitemap.xml", end).href]);
  for (const url of urls) found.push({ url, key: SITEMAP + url, depth: 0, skipped: null });
}

/** Reads one sitemap, whose pages are at the beginning of the crawl. */
async function readSitemapOf(
  { fetching, run, job, signal }: Context,
  target: Target,
  emit: (batch: Batch) => Promise<void>,
): Promise<PageReading> {
  const url = new URL(target.url);
  try {
    const robots = await run.robots.get(url.origin);
    await waitForGap(fetching, run, { url, gapMs: robots?.gapMs ?? 0, signal });
    const fetched = await fetchContent(fetching, url, () => ({}));
    for await (const entries of readSitemap(fetched)) {
      fetching.onStep?.();
      const found = entries.flatMap(({ kind, href }): FoundPage[] => {
        const url = URL.parse(href, fetched.url);
        if (!url) return [];
        if (kind === "page") return run.treat(url) === "read" ? [pageAt(job, run, url, 0)] : [];
        const depth = target.depth + 1;
        return depth > DEEPEST_INDEX
          ? []
          : [{ url: url.href, key: SITEMAP + url.href, depth, skipped: null }];
      });
      while (found.length > 0) {
        await emit({ pages: [], found: found.splice(0, MOST_FOUND), cursor: null, notes: [] });
      }
    }
    return readingWithout(target, "skipped", { reason: "sitemap" });
  } catch (error) {
    if (!(error instanceof SourceFailed)) throw error;
    // Most sites have none.
    const outcome =
      error.reason === "cut_off" || error.reason === "unreachable" ? "failed" : "skipped";
    return readingWithout(target, outcome, { reason: error.reason });
  }
}

/** Returns what is known of a target. @param href without fragment */
function lookUp(run: Run, href: string): { target: KnownTarget; isNew: boolean } {
  const known = run.known.get(href);
  if (known) return { target: known, isNew: false };
  const target = examine(run, href);
  const isNew = target.key === href || !run.known.has(target.key);
  run.known.set(href, target);
  if (target.key !== href) run.known.set(target.key, target);
  return { target, isNew };
}

function examine(run: Run, href: string): KnownTarget {
  const url = URL.parse(href);
  const treatment = url ? run.treat(url) : "watch";
  if (!url || treatment !== "read")
    return { key: href, treatment, notFollowed: null, family: null };
  const key = crawlKeyOf(url);
  const family = familyOf(key === href ? url : new URL(key));
  return { key, treatment, notFollowed: whyNotFollowed(url), family };
}

/** A page of the site, and why it is not read. */
function pageAt({ settings }: JobOf<"site">, run: Run, url: URL, depth: number): FoundPage {
  const href = url.hash === "" ? url.href : url.href.slice(0, -url.hash.length);
  return foundPage(settings, href, examine(run, href), { depth });
}

function foundPage(
  { depth: deepest, sitemaps }: JobOf<"site">["settings"],
  url: string,
  { key, notFollowed }: KnownTarget,
  { depth, isNofollow = false }: { depth: number; isNofollow?: boolean },
): FoundPage {
  const ofTheWay = (): string | null => {
    if (isNofollow) return NOFOLLOW;
    if (depth > deepest) return "depth";
    return sitemaps === "only" && depth > 0 ? "not_in_sitemap" : null;
  };
  return { url, key, depth, skipped: notFollowed ?? ofTheWay() };
}

type TargetAnswer = PageAnswer | { kind: "skipped"; reason: string };

async function readTarget(
  { fetching, run, signal }: Context,
  target: Target,
): Promise<TargetAnswer> {
  const url = new URL(target.url);
  const robots = await robotsOf(fetching, run, url);
  if (!robots) return { kind: "skipped", reason: "robots_unreachable" };
  if (!robots.isAllowed(url)) return { kind: "skipped", reason: "robots" };
  const first = run.first.get(target.url);
  run.first.delete(target.url);
  if (first) return first;
  const isWanted = target.depth === 0 || run.isIncluded(url);
  if (!isWanted && run.families.isDry(familyOf(new URL(target.key)))) {
    return { kind: "skipped", reason: "trap" };
  }
  await waitForGap(fetching, run, { url, gapMs: robots.gapMs, signal });
  return readPage(fetching, target);
}

/** Waits until the site wants its next request. */
async function waitForGap(
  { now, sleep }: Fetching,
  { nextAt }: Run,
  { url, gapMs, signal }: { url: URL; gapMs: number; signal: AbortSignal },
): Promise<void> {
  if (gapMs === 0) return;
  const startAt = Math.max(now(), nextAt.get(url.origin) ?? 0);
  nextAt.set(url.origin, startAt + gapMs);
  await sleep(startAt - now(), signal);
}

async function take(
  context: Context,
  target: Target,
  answer: TargetAnswer,
  batches: Batches,
): Promise<void> {
  const { run, job, found } = context;
  const without = (outcome: PageReading["outcome"], about: Partial<PageReading>) =>
    batches.add(readingWithout(target, outcome, about));
  switch (answer.kind) {
    case "page":
      return takePage(context, target, answer, batches);
    case "unchanged":
      return without("unchanged", { statusCode: 304 });
    case "redirect": {
      const { to, status, reason } = answer;
      if (!to) return without("failed", { statusCode: status, reason });
      const treatment = to.href === run.end ? "read" : run.treat(to);
      if (treatment !== "read") {
        // What leads out of the site is checked as a link, but not what leads to something that is left out.
        const reason = run.isLeftOut(to) ? "left_out" : "outside";
        return without("moved", { statusCode: status, reason });
      }
      found.push(pageAt(job, run, to, target.depth));
      return without("moved", { statusCode: status, reason: "redirect" });
    }
    case "no_page":
      return batches.addPage(target, { ...NO_ABOUT, statusCode: answer.status }, []);
    case "gone":
      return without("gone", { statusCode: answer.status });
    case "failed":
      return without("failed", { statusCode: answer.status, reason: answer.reason });
    case "held":
      return without("failed", { reason: "http_429" });
    case "skipped":
      return without("skipped", { reason: answer.reason });
  }
}

const NO_ABOUT = { title: null, etag: null, lastModified: null };

async function takePage(
  { job, run, found, notes }: Context,
  target: Target,
  { status, read, etag, lastModified, isNofollow, isCut }: PageAnswer & { kind: "page" },
  batches: Batches,
): Promise<void> {
  const canonical = read.canonical === null ? null : URL.parse(read.canonical, target.url);
  if (
    canonical &&
    run.treat(canonical) === "read" &&
    crawlKeyOf(canonical) !== target.key &&
    foldsInto(new URL(target.url), canonical)
  ) {
    found.push(pageAt(job, run, canonical, target.depth));
    return batches.add(
      readingWithout(target, "moved", { statusCode: status, reason: "canonical" }),
    );
  }
  const base = URL.parse(read.base ?? "", target.url)?.href ?? target.url;
  const { places, ignored } = placesOf(read.links, base, job.settings.elements);
  if (isCut || ignored > 0)
    notes.push(`Only the beginning of ${target.url} was read: it is too long.`);
  const family = familyOf(new URL(target.key));
  let isNews = false;
  let leftOut = 0;
  const shown = places.flatMap(({ isNofollow: isOwn, ...place }): FoundPlace[] => {
    const isUnfollowed = isNofollow || isOwn;
    const { target: met, isNew } = lookUp(run, place.url);
    if (met.treatment === "ignore" || (isUnfollowed && !job.settings.watch_nofollow)) {
      leftOut++;
      return [];
    }
    const isInside = met.treatment === "read";
    const way = { depth: target.depth + 1, isNofollow: isUnfollowed };
    const isPage = isInside && FOLLOWED.has(place.element);
    const page = isPage ? foundPage(job.settings, place.url, met, way) : null;
    const isMet = page === null || page.skipped === null || page.skipped === NOFOLLOW;
    isNews ||= isNew && isMet && (!isInside || met.family !== family);
    return [page ? { ...place, page } : place];
  });
  if (run.families.note(family, isNews ? "new" : "nothing")) {
    notes.push(`Pages such as ${target.url} lead to nothing new. No more of them were read.`);
  }
  const anchors = job.settings.fragments ? packAnchors(read.anchors) : null;
  const about = { title: read.title, statusCode: status, etag, lastModified, anchors, leftOut };
  await batches.addPage(target, about, shown);
}

type FoundPlace = Place & { page?: FoundPage };

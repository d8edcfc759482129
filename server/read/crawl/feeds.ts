import { readHtml } from "../documents/html.ts";
import { createBatches, newPage, titled } from "./batches.ts";
import { headersWith } from "./credentials.ts";
import { type Feed, type FeedItem, MOST_FEED_BYTES, readFeed } from "./feed.ts";
import { discard, type Fetched, type Fetching, fetchContent, textOf } from "./fetching.ts";
import type { Emit, FoundPage, JobOf, ReadEnd, Target } from "./job.ts";
import { batchOf, createParts, readEach, readingWithout } from "./parts.ts";
import { type Place, placeAt, placesOf, USUAL_GROUPS } from "./places.ts";

const MOST_FOUND = 500;

/** Reads feeds: that of the source, or those that its OPML list names. */
export const readFeeds = (
  fetching: Fetching,
  job: JobOf<"feed">,
  emit: Emit,
  signal: AbortSignal,
): Promise<ReadEnd> =>
  readEach(job, emit, signal, (target) => readOne(fetching, job, target, emit));

async function readOne(fetching: Fetching, job: JobOf<"feed">, target: Target, emit: Emit) {
  const { settings, credential, url } = job;
  // Links that leave some time after they were last in the feed must be seen in it, and so must feeds of a list.
  const asksForNews = settings.keep_days === 0 && !settings.follow;
  const headersFor = headersWith(credential, new URL(url), {
    ...(asksForNews && target.etag !== null && { "If-None-Match": target.etag }),
    ...(asksForNews &&
      target.lastModified !== null && { "If-Modified-Since": target.lastModified }),
  });
  const isUnchanged = ({ status }: Fetched) => status === 304;
  const found = await fetchContent(fetching, new URL(target.url), headersFor, isUnchanged);
  if (isUnchanged(found)) {
    await discard(found.body);
    return emit(batchOf([readingWithout(target, "unchanged", { statusCode: 304 })]));
  }
  const text = await textOf(found, MOST_FEED_BYTES);
  fetching.onStep?.();
  const feed = await readFeed(text, found.url.href);
  const { status: statusCode, headers } = found;
  const about = {
    title: feed.title,
    statusCode,
    etag: headers.get("etag"),
    lastModified: headers.get("last-modified"),
  };
  if (feed.kind === "feed") await emitItems(fetching, { feed, target, job, about }, emit);
  else await emitOutlines({ feed, target, job, about }, emit);
}

type About = {
  title: string | null;
  statusCode: number;
  etag: string | null;
  lastModified: string | null;
};
type Read = { feed: Feed; target: Target; job: JobOf<"feed">; about: About };

/** An item is a page of its own; what has no page stands in the feed. */
async function emitItems(fetching: Fetching, { feed, target, job, about }: Read, emit: Emit) {
  const batches = createBatches(emit);
  const pages = new Map<string, { title: string | null; places: Place[] }>();
  for (const item of feed.items) {
    fetching.onStep?.();
    const own = item.link === null ? null : (placeAt(item.link, target.url)[0] ?? null);
    const url = own?.url ?? target.url;
    const page = pages.get(url) ?? { title: own ? item.title : about.title, places: [] };
    page.places.push(...placesIn(item, job));
    pages.set(url, page);
  }
  const inFeed = pages.get(target.url)?.places ?? [];
  pages.delete(target.url);
  for (const [url, { title, places }] of pages) {
    await batches.addPage(newPage(url), titled(title), places);
  }
  await batches.addPage(target, about, inFeed);
  await batches.flush();
}

function placesIn(
  { link, title, line, related, contents }: FeedItem,
  { url, settings }: JobOf<"feed">,
): Place[] {
  const own = link === null ? [] : placeAt(link, url, { text: title, line });
  const others = related.flatMap((href) => placeAt(href, url, { text: title, line }));
  if (!settings.content) return [...own, ...others];
  const inside = contents.flatMap(
    ({ markup, base }) =>
      placesOf(readHtml(markup, { name: base }).links, base, USUAL_GROUPS).places,
  );
  // Their lines are those of the markup, not of the feed.
  const places = inside.map(({ isNofollow, ...place }) => ({ ...place, line: null, column: null }));
  return [...own, ...others, ...places];
}

/** The links of an OPML list stand in the list. Its feeds may be read as well. */
async function emitOutlines({ feed, target, job, about }: Read, emit: Emit): Promise<void> {
  const parts = createParts(target, (pages) => emit(batchOf(pages)));
  for (const { link, title, line, related } of feed.items) {
    for (const href of [link, ...related]) {
      for (const place of href === null ? [] : placeAt(href, target.url, { text: title, line })) {
        await parts.add(place);
      }
    }
  }
  if (job.settings.follow && target.depth === 0) {
    const urls = feed.items.flatMap((item) =>
      item.feed === null ? [] : placeAt(item.feed, target.url),
    );
    const found = [...new Set(urls.map(({ url }) => url))].map(
      (url): FoundPage => ({ url, key: url, depth: 1, skipped: null }),
    );
    while (found.length > 0) await emit(batchOf([], { found: found.splice(0, MOST_FOUND) }));
  }
  await parts.end(about);
}

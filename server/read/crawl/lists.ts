import { encodeQuery } from "../../judge/page/query-encoding.ts";
import { FORMATS, recognise } from "../lists/formats.ts";
import { HEAD, newReading, type Reading, Unreadable } from "../lists/reading.ts";
import { headersWith } from "./credentials.ts";
import {
  discard,
  type Fetched,
  type Fetching,
  fetchContent,
  received,
  SourceFailed,
  textsOf,
  tooLarge,
  unpacked,
} from "./fetching.ts";
import type { Emit, FoundPage, JobOf, ReadEnd, Target } from "./job.ts";
import { batchOf, createParts, readEach, readingWithout } from "./parts.ts";
import { choose, compileUrlPatterns } from "./patterns.ts";
import type { Place } from "./places.ts";
import { readSitemap } from "./sitemap.ts";

/** Of a list, which may be a text. */
const MOST_LIST_BYTES = 64 * 1024 * 1024;
/** Indexes of sitemaps refer to sitemaps, which may be indexes once more. */
const DEEPEST_INDEX = 2;
const MOST_FOUND = 500;

/** Reads the documents of a list or of sitemaps, whose places are all that they consist of. */
export const readLists = (
  fetching: Fetching,
  job: JobOf<"list" | "sitemap">,
  emit: Emit,
  signal: AbortSignal,
): Promise<ReadEnd> =>
  readEach(job, emit, signal, (target) => readDocument(fetching, job, target, emit));

async function readDocument(
  fetching: Fetching,
  job: JobOf<"list" | "sitemap">,
  target: Target,
  emit: Emit,
): Promise<void> {
  const headersFor = headersWith(job.credential, new URL(job.url), {
    ...(target.etag !== null && { "If-None-Match": target.etag }),
    ...(target.lastModified !== null && { "If-Modified-Since": target.lastModified }),
  });
  const isUnchanged = ({ status }: Fetched) => status === 304;
  const answer = await fetchContent(fetching, new URL(target.url), headersFor, isUnchanged);
  if (isUnchanged(answer)) {
    await discard(answer.body);
    return emit(batchOf([readingWithout(target, "unchanged", { statusCode: 304 })]));
  }
  const found = await received(fetching, answer, MOST_LIST_BYTES);
  const parts = createParts(target, (pages) => emit(batchOf(pages)));
  const { notes, leftOut } =
    job.kind === "sitemap"
      ? await readEntries(found, job, target, { add: parts.add, emit })
      : await readList(found, job, parts.add);
  if (notes.length > 0) await emit(batchOf([], { notes }));
  const { status: statusCode, headers } = found;
  const validators = { etag: headers.get("etag"), lastModified: headers.get("last-modified") };
  await parts.end({ title: null, statusCode, ...validators, leftOut });
}

/** What there is to know of a document, besides its places. */
type About = { notes: string[]; leftOut: number };

type Add = (place: Place) => Promise<void> | void;

/** Sitemaps of an index are read as pages of their own. */
async function readEntries(
  fetched: Fetched,
  { settings }: JobOf<"sitemap">,
  { depth }: Target,
  { add, emit }: { add: Add; emit: Emit },
): Promise<About> {
  const isWanted = choose(settings, compileUrlPatterns);
  const notes: string[] = [];
  let leftOut = 0;
  for await (const entries of readSitemap(fetched)) {
    const found: FoundPage[] = [];
    for (const { kind, href, line } of entries) {
      const url = URL.parse(href, fetched.url);
      if (kind === "sitemap") {
        if (depth >= DEEPEST_INDEX) notes[0] = "Indexes of sitemaps are nested too deep.";
        else if (url) {
          found.push({ url: url.href, key: url.href, depth: depth + 1, skipped: null });
        }
      } else if (url && !isWanted(url)) leftOut++;
      else await add(placeOf(url?.href ?? href, line));
      if (found.length >= MOST_FOUND) await emit(batchOf([], { found: found.splice(0) }));
    }
    if (found.length > 0) await emit(batchOf([], { found }));
  }
  return { notes, leftOut };
}

/** Reads any list that can be imported. */
async function readList(fetched: Fetched, { settings }: JobOf<"list">, add: Add): Promise<About> {
  /** The first and the last character other than white space. */
  const ends = { first: "", last: "" };
  try {
    const reading = newReading(fetched.url.href);
    const type = fetched.headers.get("content-type");
    const texts = headFirst(
      textsOf(limited(fetched), type, (encoding) => {
        reading.addressOf = (href) => encodeQuery(href, encoding);
      }),
    );
    const { value: head = "" } = await texts.next();
    if (head.trim() === "") throw new SourceFailed("cut_off", "The list is empty.");
    const format = settings.format ?? recognise(head);
    const reader = await FORMATS[format].open(reading, head);
    ends.first = head.trimStart().charAt(0);
    ends.last = head.trimEnd().slice(-1);
    reader.write(head);
    await passOn(reading, add);
    for await (const text of texts) {
      ends.last = text.trimEnd().slice(-1) || ends.last;
      reader.write(text);
      await passOn(reading, add);
    }
    await reader.end();
    await passOn(reading, add);
    refuseCut(reading);
    if (reading.sitemaps.length > 0) {
      throw new SourceFailed("unreadable", "This is an index of sitemaps: add it as a sitemap.");
    }
    return { notes: reading.notes, leftOut: 0 };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const isCut = CLOSERS[ends.first] !== undefined && CLOSERS[ends.first] !== ends.last;
    throw new SourceFailed(isCut ? "cut_off" : "unreadable", error.message);
  }
}

/** Of JSON. */
const CLOSERS: Record<string, string> = { "[": "]", "{": "}" };

/** Readers of lists only remark on it. */
function refuseCut({ notes }: Reading) {
  const cut = notes.find((note) => note.includes("cut off"));
  if (cut !== undefined) throw new SourceFailed("cut_off", cut);
}

async function passOn({ items }: Reading, add: Add): Promise<void> {
  for (const { url, line, noted } of items.splice(0)) {
    await add(placeOf(url, line, noted?.title));
  }
}

/** As a URL parser writes it, so that equal links are equal. */
function placeOf(href: string, line: number, text = ""): Place {
  const [bare, fragment] = splitFragment(URL.parse(href)?.href ?? href);
  return { url: bare, fragment, line, column: null, element: "link", text: text.slice(0, 200) };
}

function splitFragment(href: string): [bare: string, fragment: string | null] {
  const at = href.indexOf("#");
  return at < 0 ? [href, null] : [href.slice(0, at), href.slice(at + 1)];
}

async function* limited({ body, url }: Fetched): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of unpacked(body)) {
    length += piece.length;
    if (length > MOST_LIST_BYTES) throw tooLarge(url, MOST_LIST_BYTES);
    yield piece;
  }
}

/** Yields a first piece that is long enough to recognize the format. */
async function* headFirst(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let head: string | null = "";
  for await (const text of texts) {
    if (head === null) yield text;
    else {
      head += text;
      if (head.length < HEAD) continue;
      yield head;
      head = null;
    }
  }
  if (head !== null) yield head;
}

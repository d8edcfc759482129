import { totalLinks } from "../ground/db/queries.ts";
import { AppError, invalid } from "../ground/lib/errors.ts";
import type { SourceKind } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import { refusalBeyond } from "../http/rate-limit.ts";
import { urlKeyOf } from "../judge/services/catalogue.ts";
import { findVerdicts } from "../links/verdicts.ts";
import { crawlKeyOf } from "../read/crawl/addresses.ts";
import {
  type Batch,
  jobOf,
  NOFOLLOW,
  type ReadEnd,
  type ReadJob,
  type ReadKind,
  type Target,
} from "../read/crawl/job.ts";
import type { Place } from "../read/crawl/places.ts";
import { recognizeRepository } from "../read/crawl/repository.ts";
import type { Deps } from "../work/deps.ts";
import type { SourcePreviewBody } from "./model.ts";
import { readSettings, readUrl, refuseCredential } from "./sources.ts";

/** What a source would bring. */
export type Preview = {
  kind: SourceKind;
  url: string;
  name: string;
  pages: number;
  links: number;
  new_links: number;
  /** How many links the settings leave out. */
  left_out: number;
  /** How many more links the account may have. */
  room: number;
  samples: { url: string; page_url: string; text: string | null; line: number | null }[];
  /** Why the site's robots.txt keeps it from being read. */
  robots: string | null;
  notes: string[];
  errors: string[];
};

const MOST_PAGES = 20;
const MOST_PLACES = 200;
const MOST_SAMPLES = 20;
const LIMIT_MS = 20_000;
const MOST_OF_ACCOUNT = 2;
/** A person who tries settings asks for a few, and each reads up to 20 pages of a stranger's site. */
const QUOTA = { perMinute: 0, perHour: 200 };
const refuseTooMany = refusalBeyond(QUOTA, "source previews");

const running = new Map<string, number>();

/**
 * Reads the beginning of a source, and writes nothing.
 * @throws VALIDATION_ERROR; RATE_LIMITED while two others of the account run, and beyond 200 an hour
 */
export async function previewSource(
  deps: Deps,
  caller: Caller,
  input: SourcePreviewBody,
  signal: AbortSignal,
): Promise<Preview> {
  if (input.kind === "push") throw invalid({ kind: ["is not read, so there is no preview"] });
  const url = readUrl(deps, input.kind ?? "site", input.url ?? null)!;
  // A site takes no credential.
  const likely = kindsOf(url).filter((kind) => !input.credential || kind !== "site");
  const kinds = input.kind ? [input.kind] : likely;
  const { accountId } = caller;
  const others = running.get(accountId) ?? 0;
  if (others >= MOST_OF_ACCOUNT) throw tooMany();
  running.set(accountId, others + 1);
  try {
    await refuseTooMany(deps, accountId);
    return await readFitting(deps, caller, { ...input, url, kinds }, signal);
  } finally {
    const left = running.get(accountId)! - 1;
    if (left > 0) running.set(accountId, left);
    else running.delete(accountId);
  }
}

const tooMany = () =>
  new AppError(
    "RATE_LIMITED",
    `Your account has ${MOST_OF_ACCOUNT} previews running already. Try again when one has finished.`,
    { retryAfter: LIMIT_MS / 1000, limit: MOST_OF_ACCOUNT, remaining: 0 },
    { "retry-after": String(LIMIT_MS / 1000) },
  );

/** By their addresses. */
const APIS: [kind: ReadKind, path: RegExp][] = [
  ["wordpress", /\/wp-json(\/|$)/],
  ["linkding", /\/api\/bookmarks\/?$/],
  ["karakeep", /\/api\/v1\/bookmarks\/?$/],
  ["linkace", /\/api\/v\d\/links\/?$/],
];

/** The kinds that an address may be of, the likeliest first. What it returns decides. */
function kindsOf(url: URL): ReadKind[] {
  if (recognizeRepository(url)) return ["git"];
  const api = APIS.find(([, path]) => path.test(url.pathname));
  if (api) return [api[0]];
  if (/\.(xml|rss|atom|opml|rdf)(\.gz)?$|\/(feed|rss|atom)\/?$/i.test(url.pathname)) {
    return ["sitemap", "feed", "site", "list"];
  }
  return /\.(txt|csv|json|md|markdown)$/i.test(url.pathname)
    ? ["list", "feed", "site"]
    : ["site", "sitemap", "feed", "list"];
}

/** Ends of a reading after which another kind may fit. */
const OTHER_KIND = ["not_a_sitemap", "unreadable"];

type Wanted = Omit<SourcePreviewBody, "url"> & { url: URL; kinds: ReadKind[] };
type Found = {
  kind: ReadKind;
  pages: number;
  places: Located[];
  leftOut: number;
  notes: string[];
  end: ReadEnd;
};
type Located = Place & { pageUrl: string };

async function readFitting(
  deps: Deps,
  caller: Caller,
  { url, kinds, settings, credential }: Wanted,
  signal: AbortSignal,
): Promise<Preview> {
  let first: Found | null = null;
  let fitting: Found | null = null;
  let refusal: unknown = null;
  for (const kind of kinds) {
    refuseCredential(deps, kind, url, credential);
    const wanted = kinds.length > 1 ? settingsIfFitting(kind, settings) : null;
    const job = jobOf(kind, wanted?.settings ?? readSettings(kind, settings), {
      url: url.href,
      runId: crypto.randomUUID(),
      credential: credential ?? null,
      targets: [],
      cursor: null,
      mark: null,
    });
    const found = await readBeginning(deps, job, signal);
    first ??= found;
    if (found.end.kind === "failed" && OTHER_KIND.includes(found.end.reason)) continue;
    fitting = found;
    refusal = wanted?.refusal ?? null;
    break;
  }
  if (refusal) throw refusal;
  return toPreview(deps, caller, url, fitting ?? first!);
}

/** An address may turn out to be of another kind, so a setting that this one lacks is refused only if it is of this one. */
function settingsIfFitting(kind: ReadKind, given: Record<string, unknown>) {
  try {
    return { settings: readSettings(kind, given), refusal: null };
  } catch (refusal) {
    return { settings: readSettings(kind, {}), refusal };
  }
}

async function readBeginning(deps: Deps, job: ReadJob, signal: AbortSignal): Promise<Found> {
  const stop = new AbortController();
  const found: Found = {
    kind: job.kind,
    pages: 0,
    places: [],
    leftOut: 0,
    notes: [],
    end: { kind: "aborted" },
  };
  const key = job.kind === "site" ? crawlKeyOf(new URL(job.url)) : job.url;
  const waiting = [targetOf({ url: job.url, key, depth: 0 })];
  const known = new Set([key]);
  const isEnough = () => found.pages >= MOST_PAGES || found.places.length >= MOST_PLACES;
  let { cursor } = job;
  const emit = async (batch: Batch) => {
    for (const { url: pageUrl, outcome, places, leftOut = 0 } of batch.pages) {
      if (outcome === "read") found.pages++;
      found.leftOut += leftOut;
      for (const place of places ?? []) {
        const isLink = !place.page || place.page.skipped === NOFOLLOW;
        if (isLink) found.places.push({ ...place, pageUrl });
      }
    }
    const linked = batch.pages
      .flatMap(({ places }) => places ?? [])
      .flatMap(({ page }) => page ?? []);
    for (const page of [...batch.found, ...linked]) {
      if (page.skipped !== null || known.has(page.key)) continue;
      known.add(page.key);
      waiting.push(targetOf(page));
    }
    found.notes.push(...batch.notes);
    cursor = batch.cursor ?? cursor;
    if (!isEnough()) return;
    stop.abort();
    throw new Error("There is enough to show.");
  };
  const until = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(LIMIT_MS)]);
  do {
    const targets = waiting.splice(0, MOST_PAGES - found.pages);
    found.end = await deps.readSource({ ...job, targets, cursor }, emit, until);
    if (found.end.kind === "more") cursor = found.end.cursor;
    else if (found.end.kind !== "done" || waiting.length === 0) break;
  } while (!isEnough() && !until.aborted);
  return found;
}

const targetOf = ({ url, key, depth }: Pick<Target, "url" | "key" | "depth">): Target => ({
  url,
  key,
  depth,
  isSecond: false,
  etag: null,
  lastModified: null,
  hashes: {},
});

async function toPreview(
  deps: Deps,
  caller: Caller,
  url: URL,
  { kind, pages, places, leftOut, notes, end }: Found,
): Promise<Preview> {
  const byKey = new Map<string, Located>();
  for (const place of places) {
    const parsed = URL.parse(place.url);
    const key = parsed && urlKeyOf(deps.catalogue, parsed);
    if (key && !byKey.has(key)) byKey.set(key, place);
  }
  const some = [...byKey.values()];
  const known = await findVerdicts(
    deps,
    caller,
    some.map((place) => place.url),
    0,
  );
  const { total } = await totalLinks(deps, caller.accountNo);
  const isRobots = end.kind === "failed" && end.reason.startsWith("robots_");
  const message = end.kind === "failed" ? end.message : null;
  return {
    kind,
    url: url.href,
    name: nameOf(kind, url),
    pages,
    links: some.length,
    new_links: known.filter((verdict) => verdict === null).length,
    left_out: leftOut,
    room: Math.max(0, deps.config.tierLimits[caller.tier].links - total),
    samples: some.slice(0, MOST_SAMPLES).map(({ pageUrl, text, line, ...place }) => ({
      url: place.url,
      page_url: pageUrl,
      text: text || null,
      line,
    })),
    robots: isRobots ? message : null,
    notes: [...new Set(notes)],
    errors: isRobots || message === null ? [] : [message],
  };
}

function nameOf(kind: SourceKind, url: URL): string {
  const repository = kind === "git" ? recognizeRepository(url) : null;
  return repository ? repository.path.join("/") : url.hostname.replace(/^www\./, "");
}

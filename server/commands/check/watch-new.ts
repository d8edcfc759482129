import { relative } from "node:path";
import { UsageError } from "../../ground/lib/errors.ts";
import { chunksOf } from "../../ground/lib/steps.ts";
import type { ServerOptions } from "./ask-server.ts";
import type { CheckedDocument } from "./documents.ts";
import type { Place } from "./findings.ts";
import { slashed } from "./within.ts";

type Env = Record<string, string | undefined>;

export type WatchOptions = {
  /** The name or the id of a source that is pushed to. */
  source: string;
  /** With `{path}` for the path of a document below its root. */
  pageUrl: string;
  /** Whether pages of other documents below the same address are removed. */
  prune: boolean;
};

/** As many as the API takes. */
const PAGES_AT_ONCE = 100;
const LINKS_OF_PAGE = 5000;
/** A request takes 4 MiB and 50,000 values, of which a link has five. */
const REQUEST_BYTES = 3 * 1024 * 1024;
const REQUEST_LINKS = 8000;
const TIMEOUT_MS = 60_000;

/**
 * Returns what the pages of documents are at, by what CI systems say of the repository.
 * @throws UsageError where they say nothing
 */
export function pageUrlFrom(given: string | undefined, env: Env): string {
  const url = given ?? ofGitHub(env) ?? ofGitLab(env);
  if (url === null) {
    throw new UsageError("--watch-new needs --page-url, as in 'https://…/blob/main/{path}'.");
  }
  const isUrl = /^https?:/.test(URL.parse(url)?.protocol ?? "");
  if (!isUrl || !url.includes("{path}")) {
    throw new UsageError("--page-url must be an http or https URL with {path} in it.");
  }
  return url;
}

const ofGitHub = ({
  GITHUB_SERVER_URL: url,
  GITHUB_REPOSITORY: name,
  GITHUB_REF_NAME: ref,
}: Env) => (url && name && ref ? `${url}/${name}/blob/${ref}/{path}` : null);

const ofGitLab = ({ CI_PROJECT_URL: url, CI_COMMIT_REF_NAME: ref }: Env) =>
  url && ref ? `${url}/-/blob/${ref}/{path}` : null;

/**
 * Pushes what stands in documents to a source of the server, whole, so that it watches those links.
 * @param remote the places of each URL
 * @returns a sentence for people
 * @throws UsageError for a source that is not there; Error if the server does not take it
 */
export async function watchNew(
  server: ServerOptions,
  { source, pageUrl, prune }: WatchOptions,
  documents: CheckedDocument[],
  remote: Map<string, Place[]>,
): Promise<string> {
  const path = `/sources/${await findSource(server, source)}`;
  const byFile = new Map<string, object[]>(documents.map(({ file }) => [file, []]));
  for (const [url, places] of remote) {
    for (const { file, text, line, column } of places) {
      byFile.get(file)?.push({ url, text, line, column });
    }
  }
  const urlOf = ({ path: at, root }: CheckedDocument) =>
    pageUrl.replaceAll("{path}", encodePath(slashed(relative(root, at))));
  const items = documents.map((document) => ({
    page_url: urlOf(document),
    title: document.read.title,
    links: byFile.get(document.file)!.slice(0, LINKS_OF_PAGE),
  }));
  const counts = { stored: 0, unchanged: 0, failed: 0 };
  for (const some of requestsOf(items)) {
    const { results } = await call<{ results: { status: keyof typeof counts }[] }>(
      server,
      "POST",
      `${path}/items`,
      { items: some },
    );
    for (const { status } of results) counts[status]++;
  }
  const own = new Set(items.map((item) => URL.parse(item.page_url)?.href));
  const removed = prune ? await removeOthers(server, path, pageUrl, own) : 0;
  const { stored, unchanged, failed } = counts;
  const more = [failed > 0 && `${failed} failed`, prune && `${removed} removed`].filter(Boolean);
  return `Pages in ${source}: ${[`${stored} stored`, `${unchanged} unchanged`, ...more].join(", ")}.`;
}

/** As many pages for each request as it may have, as its length and its values allow. */
function requestsOf<Page extends { links: object[] }>(pages: Page[]): Page[][] {
  const requests: Page[][] = [];
  let room = 0;
  for (const page of pages) {
    const bytes = Buffer.byteLength(JSON.stringify(page));
    const share = Math.max(bytes / REQUEST_BYTES, page.links.length / REQUEST_LINKS);
    if (share > room || requests.at(-1)?.length === PAGES_AT_ONCE) {
      requests.push([]);
      room = 1;
    }
    requests.at(-1)!.push(page);
    room -= share;
  }
  return requests;
}

const encodePath = (path: string) => path.split("/").map(encodeURIComponent).join("/");

async function findSource(server: ServerOptions, wanted: string): Promise<string> {
  const pushed = itemsOf<{ id: string; name: string }>(server, "/sources?kind=push");
  for await (const { id, name } of pushed) if (id === wanted || name === wanted) return id;
  throw new UsageError(`The server has no source "${wanted}" of the kind push; add one first.`);
}

/** Removes pages below the same address whose documents do not exist any more. */
async function removeOthers(
  server: ServerOptions,
  path: string,
  pageUrl: string,
  own: Set<string | undefined>,
): Promise<number> {
  const start = pageUrl.slice(0, pageUrl.indexOf("{path}"));
  const others: string[] = [];
  for await (const { url } of itemsOf<{ url: string }>(server, `${path}/pages`)) {
    if (url.startsWith(start) && !own.has(url)) others.push(url);
  }
  for (const some of chunksOf(PAGES_AT_ONCE, others)) {
    await call<object>(server, "POST", `${path}/items/delete`, { page_urls: some });
  }
  return others.length;
}

/** The items of all pages of a list. */
async function* itemsOf<Item>(server: ServerOptions, path: string): AsyncGenerator<Item> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const joint = path.includes("?") ? "&" : "?";
    const list = await call<List<Item>>(server, "GET", `${path}${joint}per_page=100&page=${page}`);
    pages = list.pagination.total_pages;
    yield* list.items;
  }
}

type List<Item> = { items: Item[]; pagination: { total_pages: number } };
type Said<Data> = { data?: Data; error?: { message?: string } };

async function call<Data>(
  { url, key }: ServerOptions,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
    // The key is for this server alone.
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null);
  if (!response) throw new Error(`The server ${url} does not answer, so nothing new is watched.`);
  const said = (await response.json().catch(() => ({}))) as Said<Data>;
  if (response.ok && said.data) return said.data;
  const why = said.error?.message ?? "with something else";
  throw new Error(`The server ${url} answered ${response.status}: ${why}`);
}

import { decodeHTML } from "entities/decode";
import { type Credential, headersWith } from "./credentials.ts";
import {
  discard,
  type Fetched,
  type Fetching,
  fetchContent,
  parseJson,
  SourceFailed,
  textOf,
} from "./fetching.ts";

/** Programs that keep links, and are read by their APIs. */
export const API_KINDS = ["linkding", "karakeep", "linkace", "wordpress"] as const;
export type ApiKind = (typeof API_KINDS)[number];

export type ApiSettings = {
  /** Bookmarks in the archive as well. */
  archived?: boolean | undefined;
  query?: string | null | undefined;
  tag?: string | null | undefined;
  /** Of WordPress: `posts`, `pages` and others. */
  types?: readonly string[] | undefined;
};

/** What a program keeps: a bookmark, or a post with its markup. */
export type ApiEntry = {
  id: string;
  /** Where people see it. */
  page: string;
  title: string | null;
  /** The address of a bookmark; null for posts. */
  href: string | null;
  /** The content of a post; null for bookmarks. */
  markup: string | null;
};

/**
 * Where the reading of an API is, as JSON has it. Lists are sorted oldest first, and read from their last page to the
 * first: what is deleted meanwhile moves others to pages that are still to be read. Then the last page is read again, for
 * what was added.
 */
export type ApiCursor = {
  /** Which of the lists is being read. */
  list: number;
  /** The page to read next; null to find out how many there are. */
  page: number | null;
  last: number;
  isDown: boolean;
  /** Ids of the last page, and of the page that was read last, which may be met again. */
  end: string[];
  recent: string[];
  /** Entries of the list that were read. */
  read: number;
  /** Given by Karakeep, whose pages do not move. */
  token: string | null;
  /** Where WordPress has its API; null until that is known. */
  api: string | null;
  /** The number of a tag of LinkAce, which searches by numbers; null until that is known. */
  tagId: string | null;
  /** Whether a list had another length than the program says. */
  isMismatch: boolean;
};

export const FIRST: ApiCursor = {
  list: 0,
  page: null,
  last: 1,
  isDown: true,
  end: [],
  recent: [],
  read: 0,
  token: null,
  api: null,
  tagId: null,
  isMismatch: false,
};

export const MOST_API_BYTES = 16 * 1024 * 1024;
const PAGE = 100;

type Answer = {
  entries: ApiEntry[];
  /** How many entries the list has; null where that is not said. */
  total: number | null;
  /** The number of pages of the size that was answered, which may be another than requested. */
  pages: number;
  token: string | null;
};

export type ApiSource = {
  kind: ApiKind;
  /** Of the program, or of any page of WordPress. */
  url: URL;
  settings: ApiSettings;
  credential: Credential | null;
};

/**
 * Reads the next page of a list.
 * @throws SourceFailed, SourceHeld
 */
export async function readApi(
  fetching: Fetching,
  { kind, url, settings, credential }: ApiSource,
  cursor: ApiCursor = FIRST,
): Promise<ApiStep> {
  const headersFor = headersWith(credential, url, { Accept: "application/json" });
  const api =
    cursor.api ?? (kind === "wordpress" ? await findApi(fetching, url, headersFor) : url.href);
  const base = new URL(api);
  const tagId = cursor.tagId ?? (await findTag(fetching, { kind, url, settings }, headersFor));
  const known = { ...cursor, api, tagId };
  const request = apiRequest(kind, base, settings, known);
  // WordPress refuses a page that has gone because posts were deleted.
  const isMissing = ({ status }: Fetched) => kind === "wordpress" && status === 400;
  const found = await fetchContent(fetching, request, headersFor, isMissing);
  const text = await textOf(found, MOST_API_BYTES);
  return readApiAnswer({ kind, base, settings, cursor: known }, { text, headers: found.headers });
}

async function findApi(
  fetching: Fetching,
  page: URL,
  headersFor: (url: URL) => Record<string, string>,
): Promise<string> {
  if (/\/wp-json(\/|$)/.test(page.pathname) || page.searchParams.has("rest_route"))
    return page.href;
  const { headers, body } = await fetchContent(fetching, page, headersFor);
  await discard(body);
  return apiAddressIn(headers, page).href;
}

/** Returns the number of the tag; null where none is needed. @throws SourceFailed `not_found` when the tag does not exist */
async function findTag(
  fetching: Fetching,
  { kind, url, settings: { tag } }: Pick<ApiSource, "kind" | "url" | "settings">,
  headersFor: (url: URL) => Record<string, string>,
): Promise<string | null> {
  if (kind !== "linkace" || !tag) return null;
  const search = inProgram(url, "api/v2/search/tags");
  search.searchParams.set("query", tag);
  const found = await fetchContent(fetching, search, headersFor);
  const answer = parseJson(await textOf(found, MOST_API_BYTES));
  // Without a match the answer is an empty list instead of an object.
  const names = Array.isArray(answer) ? [] : Object.entries(objectIn(answer));
  const isTag = (name: unknown) => String(name).toLowerCase() === tag.toLowerCase();
  const id = names.find(([, name]) => isTag(name))?.[0];
  if (id === undefined) throw new SourceFailed("not_found", `The tag "${tag}" does not exist.`);
  return id;
}

/** The next request. @param base the program's own URL, or the address of the API of WordPress */
export function apiRequest(
  kind: ApiKind,
  base: URL,
  settings: ApiSettings,
  cursor: ApiCursor,
): URL {
  const page = String(cursor.page ?? 1);
  const list = listsOf(kind, settings)[cursor.list]!;
  if (kind === "wordpress") {
    const fields = "id,link,title,content,modified_gmt";
    return wordpressUrl(base, `wp/v2/${list}`, {
      per_page: String(PAGE),
      page,
      orderby: "id",
      order: "asc",
      _fields: fields,
    });
  }
  const url = inProgram(base, list);
  const { archived, query, tag } = settings;
  const asked = {
    linkding: {
      limit: String(PAGE),
      sort: "added_asc",
      offset: String((Number(page) - 1) * PAGE),
      q: [query, tag && `#${tag}`].filter(Boolean).join(" "),
    },
    karakeep: {
      limit: String(PAGE),
      sortOrder: "asc",
      includeContent: "false",
      q: query ?? "",
      archived: archived || query ? "" : "false",
      cursor: cursor.token ?? "",
    },
    linkace: {
      per_page: String(PAGE),
      page,
      ...(query || tag
        ? {
            query: query ?? "",
            search_title: "1",
            search_description: "1",
            only_tags: cursor.tagId ?? "",
            order_by: "created_at:asc",
          }
        : { order_by: "id", order_dir: "asc" }),
    },
  }[kind];
  for (const [name, value] of Object.entries(asked)) {
    if (value !== "") url.searchParams.set(name, value);
  }
  return url;
}

/** People also give the address of the list itself. */
const LIST_OF_API = /\/api(\/v\d+)?\/(bookmarks|links)\/*$/;

const inProgram = ({ pathname, origin }: URL, path: string) =>
  new URL(`${pathname.replace(LIST_OF_API, "").replace(/\/*$/, "")}/${path}`, origin);

function listsOf(kind: ApiKind, { archived, query, tag, types }: ApiSettings): readonly string[] {
  if (kind === "wordpress") return (types ?? ["posts", "pages"]).map(encodeURIComponent);
  if (kind === "karakeep") return [query ? "api/v1/bookmarks/search" : "api/v1/bookmarks"];
  if (kind === "linkace") return [query || tag ? "api/v2/search/links" : "api/v2/links"];
  return archived ? ["api/bookmarks/", "api/bookmarks/archived/"] : ["api/bookmarks/"];
}

/** Without pretty addresses the route is a parameter. */
function wordpressUrl(api: URL, route: string, asked: Record<string, string>): URL {
  const url = new URL(api);
  const given = url.searchParams.get("rest_route");
  if (given !== null) url.searchParams.set("rest_route", `${given.replace(/\/*$/, "")}/${route}`);
  else url.pathname = `${url.pathname.replace(/\/*$/, "")}/${route}`;
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return url;
}

/** Finds the API of WordPress in the headers of any of its pages (RFC 8288). */
export function apiAddressIn(headers: Headers, page: URL): URL {
  const links = headers.get("link") ?? "";
  const [, found] = /<([^>]*)>\s*;[^<]*\brel\s*=\s*"?https:\/\/api\.w\.org\/"?/i.exec(links) ?? [];
  const given = found === undefined ? null : URL.parse(found, page);
  // Credentials are for the origin of the page.
  return given?.origin === page.origin ? given : new URL("wp-json/", new URL(".", page));
}

/** What an answer brought, and where to go on; `next` is null at the end. */
export type ApiStep = {
  /** Without those that were read before. */
  entries: ApiEntry[];
  next: ApiCursor | null;
  /** Whether the program has another number of entries than were read, known at the end. */
  isMismatch: boolean;
};

/**
 * Reads the answer to `apiRequest`.
 * @throws SourceFailed `cut_off`, `unreadable`
 */
export function readApiAnswer(
  {
    kind,
    base,
    settings,
    cursor,
  }: { kind: ApiKind; base: URL; settings: ApiSettings; cursor: ApiCursor },
  { text, headers }: { text: string; headers: Headers },
): ApiStep {
  const answer = READERS[kind](parseJson(text), base, headers);
  const { pages, token, total } = answer;
  const ids = answer.entries.map(({ id }) => id);
  const entries = answer.entries.filter((entry) => isAskedFor(kind, settings, entry));
  if (kind === "karakeep") {
    const isOver = token === null || token === cursor.token;
    return { entries, next: isOver ? null : { ...cursor, token }, isMismatch: false };
  }
  // Finding out how many pages there are; those that were read already would be read too early.
  if (cursor.page === null && pages > 1) {
    return { entries: [], next: { ...cursor, page: pages, last: pages }, isMismatch: false };
  }
  const known = new Set(cursor.isDown ? cursor.recent : [...cursor.end, ...cursor.recent]);
  const news = entries.filter(({ id }) => !known.has(id));
  const read = cursor.read + ids.filter((id) => !known.has(id)).length;
  const after = { ...cursor, read, recent: ids };
  const next = nextPage(cursor, after, pages);
  if (next) return { entries: news, next, isMismatch: false };
  const isMismatch = cursor.isMismatch || (total !== null && total !== read);
  const isLast = cursor.list + 1 >= listsOf(kind, settings).length;
  const { api, tagId } = cursor;
  const follows = isLast ? null : { ...FIRST, list: cursor.list + 1, api, tagId, isMismatch };
  return { entries: news, next: follows, isMismatch };
}

function nextPage(cursor: ApiCursor, after: ApiCursor, pages: number): ApiCursor | null {
  // One page is the whole list.
  if (cursor.page === null) return null;
  if (!cursor.isDown) {
    return cursor.page < pages ? { ...after, page: cursor.page + 1 } : null;
  }
  const down = { ...after, end: cursor.page === cursor.last ? after.recent : cursor.end };
  if (cursor.page > 1) return { ...down, page: cursor.page - 1 };
  return { ...down, page: Math.min(cursor.last, pages), isDown: false };
}

const isAskedFor = (kind: ApiKind, { tag }: ApiSettings, entry: ApiEntry & { tags?: string[] }) =>
  kind !== "karakeep" || !tag || (entry.tags?.includes(tag) ?? false);

type Json = Record<string, unknown>;
type Reader = (answer: unknown, base: URL, headers: Headers) => Answer;

const READERS: Record<ApiKind, Reader> = {
  linkding(answer, base) {
    const { results, count } = objectIn(answer);
    const entries = listIn(results).flatMap((each) =>
      bookmark(
        each,
        each.url,
        each.title || each.website_title,
        pageIn(base, `bookmarks?details=`),
      ),
    );
    const total = numberIn(count);
    return { entries, total, pages: pagesOf(total, PAGE), token: null };
  },
  karakeep(answer, base) {
    const { bookmarks, nextCursor } = objectIn(answer);
    const entries = listIn(bookmarks).flatMap((each) => {
      const content = (each.content ?? {}) as Json;
      if (content.type !== "link") return [];
      const tags = Array.isArray(each.tags) ? (each.tags as Json[]).map(({ name }) => name) : [];
      return bookmark(
        each,
        content.url,
        each.title || content.title,
        pageIn(base, "dashboard/preview/"),
      ).map((entry) => ({ ...entry, tags }));
    });
    const token = typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : null;
    return { entries, total: null, pages: 1, token };
  },
  linkace(answer, base) {
    const { data, total, per_page: size, last_page: last } = objectIn(answer);
    const entries = listIn(data).flatMap((each) =>
      bookmark(each, each.url, each.title, pageIn(base, "links/")),
    );
    const count = numberIn(total);
    const pages = numberIn(last) ?? pagesOf(count, numberIn(size) ?? PAGE);
    return { entries, total: count, pages, token: null };
  },
  wordpress(answer, _, headers) {
    // A page that is gone because posts were deleted.
    if (isObject(answer) && answer.code === "rest_post_invalid_page_number") {
      return { entries: [], total: null, pages: 1, token: null };
    }
    const entries = listIn(answer).flatMap((post): ApiEntry[] => {
      if (typeof post.link !== "string") return [];
      const markup = renderedIn(post.content);
      const title = textIn(decodeHTML(renderedIn(post.title)?.replace(/<[^>]*>/g, "") ?? ""));
      return [{ id: String(post.id), page: post.link, title, href: null, markup }];
    });
    const total = numberIn(headers.get("x-wp-total"));
    const pages = numberIn(headers.get("x-wp-totalpages")) ?? pagesOf(total, PAGE);
    return { entries, total, pages, token: null };
  },
};

function bookmark(
  each: Json,
  url: unknown,
  title: unknown,
  page: (id: string) => string,
): ApiEntry[] {
  if (typeof url !== "string" || (typeof each.id !== "number" && typeof each.id !== "string")) {
    return [];
  }
  const id = String(each.id);
  return [{ id, page: page(id), title: textIn(title), href: url, markup: null }];
}

const pageIn = (base: URL, path: string) => (id: string) =>
  inProgram(base, path + encodeURIComponent(id)).href;

const pagesOf = (total: number | null, size: number) => Math.max(1, Math.ceil((total ?? 0) / size));

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const UNREADABLE = "The answer is not what this program's API returns.";

function objectIn(answer: unknown): Json {
  if (isObject(answer)) return answer;
  throw new SourceFailed("unreadable", UNREADABLE);
}

function listIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.filter(isObject);
  throw new SourceFailed("unreadable", UNREADABLE);
}

function numberIn(value: unknown): number | null {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null;
}

const textIn = (value: unknown): string | null =>
  typeof value === "string" ? value.replace(/\s+/g, " ").trim() || null : null;

const renderedIn = (value: unknown): string | null =>
  isObject(value) && typeof value.rendered === "string" ? value.rendered : null;

import { afterEach, describe, expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { labFetching, reasonOf } from "../../../tests/reading/lab.ts";
import { type Site, startSite } from "../../../tests/site.ts";
import {
  type ApiCursor,
  type ApiEntry,
  type ApiKind,
  type ApiSettings,
  apiAddressIn,
  apiRequest,
  FIRST,
  readApi,
} from "./api-lists.ts";
import type { Credential } from "./credentials.ts";

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

const fetching = labFetching();
const CREDENTIAL: Credential = { type: "bearer", name: null, user: null, value: "s3cret" };

type Kept = { id: number; url: string; title: string; isArchived?: boolean; tags?: string[] };

/** A program with these entries, oldest first, as its API shows them. */
type Program = { entries: Kept[]; answered: number; beforeAnswer(no: number): void };

const TAGS = ["", "news", "News of old", "new"];

const pageOf = (all: Kept[], from: number, size: number) => all.slice(from, from + size);

const APIS: Record<ApiKind, (program: Program, url: URL) => Response> = {
  linkding({ entries }, { pathname, searchParams: asked }) {
    if (asked.get("sort") !== "added_asc") return new Response(null, { status: 400 });
    const isArchived = pathname === "/api/bookmarks/archived/";
    if (!isArchived && pathname !== "/api/bookmarks/") return new Response(null, { status: 404 });
    const all = entries.filter((entry) => (entry.isArchived ?? false) === isArchived);
    const results = pageOf(all, Number(asked.get("offset")), Number(asked.get("limit"))).map(
      ({ id, url, title }) => ({ id, url, title: "", website_title: title }),
    );
    return Response.json({ count: all.length, next: null, previous: null, results });
  },
  karakeep({ entries }, { pathname, searchParams: asked }) {
    if (pathname !== "/api/v1/bookmarks") return new Response(null, { status: 404 });
    const after = Number(asked.get("cursor") ?? 0);
    const all = entries.filter(({ id }) => id > after);
    const bookmarks = pageOf(all, 0, Number(asked.get("limit"))).map(
      ({ id, url, title, tags = [] }) => ({
        id: String(id),
        title: null,
        tags: tags.map((name) => ({ id: name, name })),
        content: id % 10 === 0 ? { type: "text", text: url } : { type: "link", url, title },
      }),
    );
    return Response.json({
      bookmarks,
      nextCursor: all.length > bookmarks.length ? bookmarks.at(-1)!.id : null,
    });
  },
  linkace({ entries: all }, { pathname, searchParams: asked }) {
    if (pathname === "/api/v2/search/tags") {
      const names = TAGS.flatMap((name, id) =>
        name.toLowerCase().includes(asked.get("query")!.toLowerCase()) ? [id] : [],
      );
      return Response.json(
        names.length > 0 ? Object.fromEntries(names.map((id) => [id, TAGS[id]])) : [],
      );
    }
    const isSearch = pathname === "/api/v2/search/links";
    if (!isSearch && pathname !== "/api/v2/links") return new Response(null, { status: 404 });
    const order = isSearch ? "created_at:asc" : "id";
    if (asked.get("order_by") !== order) return new Response(null, { status: 400 });
    const tag = TAGS[Number(asked.get("only_tags") || Number.NaN)];
    const entries = all.filter(
      ({ title, tags }) =>
        title.includes(asked.get("query") ?? "") && (!tag || (tags?.includes(tag) ?? false)),
    );
    // The size is a setting of the person.
    const [page, size] = [Number(asked.get("page")), 24];
    return Response.json({
      current_page: page,
      per_page: size,
      total: entries.length,
      last_page: Math.max(1, Math.ceil(entries.length / size)),
      data: pageOf(entries, (page - 1) * size, size).map(({ id, url, title }) => ({
        id,
        url,
        title,
      })),
    });
  },
  wordpress({ entries }, { pathname, searchParams: asked, href }) {
    const route = asked.get("rest_route") ?? pathname.replace("/wp-json", "");
    if (route !== "/wp/v2/posts" && route !== "/wp/v2/pages") {
      const link = `<${new URL("/?rest_route=/", href)}>; rel="https://api.w.org/"`;
      return new Response("A page.", { headers: { Link: `</x>; rel=x, ${link}` } });
    }
    const all = entries.filter(
      ({ isArchived }) => (route === "/wp/v2/pages") === (isArchived ?? false),
    );
    const [page, size] = [Number(asked.get("page")), Number(asked.get("per_page"))];
    const pages = Math.ceil(all.length / size);
    if (page > Math.max(1, pages)) {
      return Response.json({ code: "rest_post_invalid_page_number" }, { status: 400 });
    }
    return Response.json(
      pageOf(all, (page - 1) * size, size).map(({ id, url, title }) => ({
        id,
        link: `https://blog.test/${id}`,
        title: { rendered: `<i>${title}</i>` },
        content: { rendered: `<a href="${url}">x</a>` },
      })),
      { headers: { "X-WP-Total": String(all.length), "X-WP-TotalPages": String(pages) } },
    );
  },
};

function startProgram(
  kind: ApiKind,
  entries: Kept[],
  beforeAnswer: Program["beforeAnswer"] = () => {},
) {
  const program: Program = { entries, answered: 0, beforeAnswer };
  const site = startSite(
    {},
    {
      otherwise(request) {
        if (!request.headers.has("Authorization")) return new Response(null, { status: 401 });
        program.beforeAnswer(++program.answered);
        return APIS[kind](program, new URL(request.url));
      },
    },
  );
  running.push(site);
  return { site, program };
}

const make = (from: number, to: number): Kept[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({
    id: from + i,
    url: `https://a.test/${from + i}`,
    title: `No ${from + i} &amp; more`,
  }));

async function readAll(kind: ApiKind, site: Site, settings: ApiSettings = {}) {
  const entries: ApiEntry[] = [];
  const source = { kind, url: new URL(site.url), settings, credential: CREDENTIAL };
  for (let cursor: ApiCursor = FIRST; ; ) {
    const step = await readApi(fetching, source, JSON.parse(JSON.stringify(cursor)));
    entries.push(...step.entries);
    if (!step.next) return { entries, isMismatch: step.isMismatch };
    cursor = step.next;
  }
}

const hrefOf = ({ href, markup }: ApiEntry) => href ?? /href="([^"]*)"/.exec(markup!)![1]!;
const numbers = (entries: ApiEntry[]) =>
  entries.map((entry) => Number(hrefOf(entry).split("/").at(-1))).sort((a, b) => a - b);
/** Karakeep has notes as well, which are not links. */
const linksIn = (kind: ApiKind, kept: Kept[]) =>
  kept.map(({ id }) => id).filter((id) => kind !== "karakeep" || id % 10 !== 0);

const KINDS: ApiKind[] = ["linkding", "karakeep", "linkace", "wordpress"];
const PAGED = KINDS.filter((kind) => kind !== "karakeep");

describe.each(KINDS)("%s", (kind) => {
  eachRow([0, 1, 23, 24, 25, 99, 100, 101, 200, 1000])(
    "is read whole, each entry once, whatever their number",
    async (count) => {
      const { site } = startProgram(kind, make(1, count));

      const { entries, isMismatch } = await readAll(kind, site);

      expect(numbers(entries)).toEqual(linksIn(kind, make(1, count)));
      expect(isMismatch).toBe(false);
    },
  );

  test("loses nothing when entries are added and deleted between answers, wherever that is", async () => {
    for (const [at, gone] of [
      [2, 1],
      [2, 100],
      [3, 5],
      [3, 150],
      [4, 220],
      [4, 24],
      [5, 249],
    ] as const) {
      const { site, program } = startProgram(kind, make(1, 250), (no) => {
        if (no !== at) return;
        program.entries = [...program.entries.filter(({ id }) => id !== gone), ...make(251, 251)];
      });

      const { entries } = await readAll(kind, site);
      const found = numbers(entries);

      expect(new Set(found).size).toBe(found.length);
      expect(linksIn(kind, program.entries).filter((id) => !found.includes(id))).toEqual([]);
    }
  });

  test("sends its credential, and is refused without one", async () => {
    const { site } = startProgram(kind, make(1, 1));
    const source = { kind, url: new URL(site.url), settings: {}, credential: null };

    expect(await reasonOf(readApi(fetching, source))).toBe("unauthorized");
    await readAll(kind, site);
    expect(site.requests.at(-1)!.headers.get("Authorization")).toBe("Bearer s3cret");
  });

  eachRow<[what: string, change: (text: string) => string, reason: string]>([
    ["ends early", (text) => text.slice(0, -20), "cut_off"],
    ["is nothing", () => "", "cut_off"],
    ["is a login", () => "<!doctype html><title>Log in</title>", "unreadable"],
    ["is something else", () => '{"message":"hello"}', "unreadable"],
    ["is null", () => "null", "unreadable"],
    ["is too large", (text) => text.padEnd(16 * 1024 * 1024 + 1), "too_large"],
  ])("fails as such when its answer is not what it was", async (_, change, reason) => {
    const program: Program = { entries: make(1, 30), answered: 0, beforeAnswer() {} };
    const site = startSite(
      {},
      {
        async otherwise(request) {
          const answer = APIS[kind](program, new URL(request.url));
          if (answer.headers.has("Link")) return answer;
          return new Response(change(await answer.text()), { headers: answer.headers });
        },
      },
    );
    running.push(site);

    expect(await reasonOf(readAll(kind, site))).toBe(reason);
  });
});

describe.each(PAGED)("%s, whose total disagrees", (kind) => {
  test("is not read whole", async () => {
    const { site, program } = startProgram(kind, make(1, 250), (no) => {
      if (no === 4) program.entries = program.entries.slice(0, 120);
    });

    expect((await readAll(kind, site)).isMismatch).toBe(true);
  });
});

describe("What is shown of an entry", () => {
  const first = async (kind: ApiKind, settings?: ApiSettings) =>
    (await readAll(kind, startProgram(kind, make(1, 1)).site, settings)).entries[0]!;
  const pathOf = (url: string) => url.replace(/^http:\/\/[^/]+/, "");

  test("is its page in the program, and its title", async () => {
    const [linkding, karakeep, linkace, wordpress] = await Promise.all(
      KINDS.map((kind) => first(kind)),
    );

    expect([linkding, karakeep, linkace].map((entry) => pathOf(entry!.page))).toEqual([
      "/bookmarks?details=1",
      "/dashboard/preview/1",
      "/links/1",
    ]);
    expect(linkding!.title).toBe("No 1 &amp; more");
    expect(wordpress).toMatchObject({
      page: "https://blog.test/1",
      title: "No 1 & more",
      href: null,
      markup: '<a href="https://a.test/1">x</a>',
    });
  });
});

describe("LinkAce", () => {
  const tagged = make(1, 60).map((entry) => ({
    ...entry,
    tags: entry.id % 2 === 0 ? ["new", "news"] : ["news"],
  }));
  const numbersOf = async (settings: ApiSettings) => {
    const { site } = startProgram("linkace", tagged);
    const { entries, isMismatch } = await readAll("linkace", site, settings);
    expect(isMismatch).toBe(false);
    return numbers(entries);
  };
  const even = tagged.map(({ id }) => id).filter((id) => id % 2 === 0);

  test("is searched for words, and for a tag by its number", async () => {
    expect(await numbersOf({ query: "No 6" })).toEqual([6, 60]);
    expect(await numbersOf({ tag: "New" })).toEqual(even);
    expect(await numbersOf({ query: "No 6", tag: "news" })).toEqual([6, 60]);
    const { site } = startProgram("linkace", tagged);
    expect(await reasonOf(readAll("linkace", site, { tag: "ne" }))).toBe("not_found");
    expect(await reasonOf(readAll("linkace", site, { tag: "other" }))).toBe("not_found");
  });
});

describe("Settings", () => {
  const asked = (kind: ApiKind, settings: ApiSettings, base = "https://a.test/sub/") =>
    apiRequest(kind, new URL(base), settings, FIRST);

  test("choose entries", () => {
    expect(asked("linkding", { query: "x y", tag: "z" }).searchParams.get("q")).toBe("x y #z");
    expect(asked("linkding", {}).searchParams.has("q")).toBe(false);
    expect(asked("karakeep", {}).searchParams.get("archived")).toBe("false");
    expect(asked("karakeep", { archived: true }).searchParams.has("archived")).toBe(false);
    expect(asked("karakeep", { query: "x" }).pathname).toBe("/sub/api/v1/bookmarks/search");
    expect(asked("wordpress", { types: ["a/b"] }, "https://a.test/wp-json/").pathname).toBe(
      "/wp-json/wp/v2/a%2Fb",
    );
    expect(asked("linkding", {}).pathname).toBe("/sub/api/bookmarks/");
  });

  test("include the archive", async () => {
    const { site } = startProgram("linkding", [
      ...make(1, 120),
      ...make(121, 300).map((each) => ({ ...each, isArchived: true })),
    ]);

    expect((await readAll("linkding", site)).entries).toHaveLength(120);
    expect(await readAll("linkding", site, { archived: true })).toMatchObject({
      entries: { length: 300 },
      isMismatch: false,
    });
  });

  test("choose entries of Karakeep by their tag", async () => {
    const { site } = startProgram("karakeep", [
      ...make(1, 3),
      { ...make(4, 4)[0]!, tags: ["a", "b"] },
    ]);

    expect(numbers((await readAll("karakeep", site, { tag: "b" })).entries)).toEqual([4]);
  });

  test("choose types of WordPress", async () => {
    const { site } = startProgram("wordpress", [
      ...make(1, 2),
      { ...make(3, 3)[0]!, isArchived: true },
    ]);

    expect(numbers((await readAll("wordpress", site)).entries)).toEqual([1, 2, 3]);
    expect(numbers((await readAll("wordpress", site, { types: ["pages"] })).entries)).toEqual([3]);
  });
});

describe("The API of WordPress", () => {
  const at = (link: string | null, page = "https://a.test/blog/") =>
    apiAddressIn(new Headers(link === null ? {} : { Link: link }), new URL(page)).href;

  eachRow<[link: string | null, api: string]>([
    ['<https://a.test/wp-json/>; rel="https://api.w.org/"', "https://a.test/wp-json/"],
    [
      '</x>; rel="y", <https://a.test/?rest_route=/>; title="t"; rel="https://api.w.org/", </z>; rel=z',
      "https://a.test/?rest_route=/",
    ],
    ["<https://a.test/api/>; rel=https://api.w.org/", "https://a.test/api/"],
    ['<https://evil.test/wp-json/>; rel="https://api.w.org/"', "https://a.test/blog/wp-json/"],
    ['<https://a.test/other/>; rel="other"', "https://a.test/blog/wp-json/"],
    [null, "https://a.test/blog/wp-json/"],
  ])("is where the header says", (link, api) => {
    expect(at(link)).toBe(api);
  });
});

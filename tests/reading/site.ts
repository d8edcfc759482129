/**
 * A made-up site for crawls: thousands of pages, everything that misleads a crawl, and a list of what must be found. The
 * same size makes the same site.
 */
import { gzipSync } from "node:zlib";

/** One place where a link stands. */
export type Place = {
  /** Absolute, with its fragment. */
  target: string;
  line: number;
  text: string;
  element: "link" | "area" | "image" | "media" | "frame";
  isNofollow: boolean;
};

type Link = Omit<Place, "line">;

/** A page as the site serves it. */
export type PlayedPage = {
  /** Path and query. */
  path: string;
  title: string;
  /** In the order of the page. */
  places: Place[];
  anchors: string[];
  html: string;
  charset: "utf-8" | "windows-1252" | "shift_jis";
  headers: Record<string, string>;
  status: number;
};

export type PlayedSite = {
  /** With a final slash. */
  url: string;
  /** Paths of the pages that a crawl of the host must read, in which each must be read once. */
  readable: Set<string>;
  /** Paths that a crawl asks for, and of which nothing can be read. Those that are missing are asked for twice. */
  unreadable: Map<string, "gone" | "failed" | "elsewhere" | "no_page">;
  /** Paths that redirect to pages. */
  redirects: Map<string, string>;
  isForbidden(path: string): boolean;
  isTrap(path: string): boolean;
  /** The page at a path, also in traps; null where there is none. */
  pageAt(path: string): PlayedPage | null;
  /** How often each path was requested, and how often the answer was 304. */
  requests: Map<string, number>;
  unchanged: number;
  /** The most requests at once. */
  most: number;
  /** Replaces what the site says at a path; null undoes it. */
  say(path: string, says: ((request: Request) => Response | Promise<Response>) | null): void;
  /** Replaces what all paths but robots.txt and sitemaps say. */
  sayEverywhere(says: (() => Response) | null): void;
  stop(): Promise<void>;
};

/** Letters only, since digits would make families. */
export function slugOf(no: number): string {
  let rest = no;
  let slug = "";
  do {
    slug = String.fromCharCode(97 + (rest % 26)) + slug;
    rest = Math.floor(rest / 26);
  } while (rest > 0);
  return slug.padStart(4, "a");
}

const BRANCHES = 8;
const EXTERNAL = "https://external.example";
const FACETS = ["brand", "color", "size", "sort"];
const VALUES = 10;

type Draft = {
  title: string;
  head?: string;
  /** Lines of the body, and the links that stand in each, in order. */
  lines: [html: string, ...links: Link[]][];
  anchors?: string[];
  charset?: PlayedPage["charset"];
  headers?: Record<string, string>;
  status?: number;
};

/** @param size the number of pages outside of traps, at least 500 */
export function startPlayedSite(size = 10_000): PlayedSite {
  const requests = new Map<string, number>();
  const said = new Map<string, (request: Request) => Response | Promise<Response>>();
  let everywhere: (() => Response) | null = null;
  let open = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const path = pathname + search;
      requests.set(path, (requests.get(path) ?? 0) + 1);
      site.most = Math.max(site.most, ++open);
      try {
        const own = said.get(path);
        if (own) return await own(request);
        if (path === "/robots.txt") return new Response(robots(site.url));
        if (path === "/sitemap.xml") return xml(sitemap(site.url));
        if (everywhere) return everywhere();
        return await answer(request, path);
      } finally {
        open--;
      }
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const model = createModel(url, size);

  async function answer(request: Request, path: string): Promise<Response> {
    const special = SPECIAL[path];
    if (special) return special(url);
    const target = model.redirects.get(path);
    if (target !== undefined) return redirect(new URL(target, url).href, 301);
    const page = model.pageAt(path);
    if (!page)
      return new Response("Not found", { status: 404, headers: { "Content-Type": "text/html" } });
    const etag = `"${Bun.hash.xxHash32(page.html).toString(36)}"`;
    if (request.headers.get("If-None-Match") === etag) {
      site.unchanged++;
      return new Response(null, { status: 304, headers: { ETag: etag } });
    }
    const isDeclared = page.charset !== "shift_jis";
    const bytes = encode(page.html, page.charset);
    const isPacked = Bun.hash.xxHash32(path) % 3 === 0;
    const body = isPacked ? gzipSync(bytes) : bytes;
    return new Response(path === "/drips" ? drips(body) : body, {
      status: page.status,
      headers: {
        "Content-Type": isDeclared ? `text/html; charset=${page.charset}` : "text/html",
        ETag: etag,
        ...(isPacked && { "Content-Encoding": "gzip" }),
        ...page.headers,
      },
    });
  }

  const site: PlayedSite = {
    url,
    ...model,
    requests,
    unchanged: 0,
    most: 0,
    say: (path, says) => void (says ? said.set(path, says) : said.delete(path)),
    sayEverywhere(says) {
      everywhere = says;
    },
    stop: () => server.stop(true),
  };
  return site;
}

const redirect = (to: string, status: number) =>
  new Response(null, { status, headers: { Location: to } });

const xml = (text: string) =>
  new Response(text, { headers: { "Content-Type": "application/xml" } });

const robots = (url: string) => `User-agent: *
Disallow: /closed-to-all/

User-agent: Stillup
Disallow: /private/
Allow: /private/open/
Disallow: /*.secret$
Sitemap: ${url}sitemap.xml
`;

/** Names a page that no other links to, and one far away in the calendar. */
const sitemap = (url: string) =>
  `<urlset>${["orphan", "calendar/2099/12/", "docs/aaab/"].map((path) => `<url><loc>${url}${path}</loc></url>`).join("")}</urlset>`;

const encode = (text: string, charset: PlayedPage["charset"]): Uint8Array<ArrayBuffer> => {
  if (charset === "windows-1252") return Uint8Array.from(Buffer.from(text, "latin1"));
  // The words of the Japanese page, which are all that is not ASCII.
  const bytes = Buffer.from(text.replaceAll("日本", "\u0093\u00fa\u0096\u007b"), "latin1");
  return charset === "shift_jis" ? Uint8Array.from(bytes) : Uint8Array.from(Buffer.from(text));
};

/** A page byte by byte, each in its own turn of the event loop. */
const drips = (bytes: Uint8Array): ReadableStream => {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise(setImmediate);
      if (at === bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, ++at));
    },
  });
};

const BROKEN = (status: number) => () =>
  new Response("<a href='/from-an-error-page'>x</a>", {
    status,
    headers: { "Content-Type": "text/html" },
  });

/** Paths that are not pages. */
const SPECIAL: Record<string, (url: string) => Response | Promise<Response>> = {
  "/broken/500": BROKEN(500),
  "/broken/404": BROKEN(404),
  "/broken/410": BROKEN(410),
  "/broken/401": BROKEN(401),
  "/broken/loop": (url) => redirect(`${url}broken/loop`, 302),
  "/broken/cut": () => {
    const packed = gzipSync(`<a href='/from-a-cut-page'>x</a>${BROKEN}${Math.PI}`.repeat(500));
    return new Response(packed.subarray(0, -200), {
      headers: { "Content-Type": "text/html", "Content-Encoding": "gzip" },
    });
  },
  "/redirect/out": () => redirect(`${EXTERNAL}/moved`, 302),
  "/redirect/private": (url) => redirect(`${url}private/behind-a-redirect`, 302),
  "/file.pdf": () =>
    new Response("%PDF <a href='/from-a-file'>x</a>", {
      headers: { "Content-Type": "application/pdf" },
    }),
};

const UNREADABLE: [path: string, how: "gone" | "failed" | "elsewhere" | "no_page"][] = [
  ["/broken/500", "failed"],
  ["/broken/404", "gone"],
  ["/broken/410", "gone"],
  ["/broken/401", "failed"],
  ["/broken/loop", "failed"],
  ["/broken/cut", "failed"],
  ["/redirect/out", "elsewhere"],
  ["/redirect/private", "elsewhere"],
  ["/file.pdf", "no_page"],
];

function createModel(url: string, size: number) {
  const items = Math.floor(size / 5);
  const at = (path: string) => new URL(path, url).href;
  const link = (target: string, text: string, more: Partial<Link> = {}): Link => ({
    target: at(target),
    text,
    element: "link",
    isNofollow: false,
    ...more,
  });
  const redirects = new Map([["/redirect/in", "/docs/aaab/"]]);
  const fixed = fixedPages(link);
  const docs = size - items - fixed.size;

  const docPath = (no: number) => `/docs/${slugOf(no)}/`;
  const isDoc = (no: number) => no >= 1 && no <= docs;

  /** A link to a page, written in one of many ways that a crawl must see as one. */
  function toDoc(no: number, from: string, hasBase: boolean): [html: string, Link] {
    const path = docPath(no);
    const name = slugOf(no);
    const ways = [
      path,
      hasBase ? `${name}/` : `../${name}/`,
      url + path.slice(1),
      `${path};jsessionid=${from.toUpperCase()}.node`,
      `${path}?utm_source=${from}&utm_medium=web`,
      `${path}?sid=${from}`,
      `/old/${name}`,
      `${path}#s-${name}`,
      hasBase ? `../docs/./${name}/` : `.././${name}/?gclid=x`,
    ];
    const href = ways[no % ways.length]!;
    const base = at(hasBase ? "/docs/" : `/docs/${from}/`);
    const found = link(new URL(href, base).href, `To ${name}`);
    return [`<p><a href="${href.replaceAll("&", "&amp;")}">To ${name}</a></p>`, found];
  }

  function docPage(no: number): Draft {
    const name = slugOf(no);
    const parent = Math.floor((no - 1) / BRANCHES);
    const hasBase = no % 7 === 3;
    const children = Array.from({ length: BRANCHES }, (_, i) => no * BRANCHES + i + 1).filter(
      isDoc,
    );
    const up = parent === 0 ? "/" : docPath(parent);
    const canonical = no % 11 === 5 ? '<link rel="canonical" href="/">' : "";
    return {
      title: `Page ${name}`,
      head: `${hasBase ? '<base href="/docs/"><base href="/wrong/">' : ""}${canonical}`,
      anchors: [`s-${name}`],
      lines: [
        [
          `<nav><a href="/">Home</a> <a href="${up}">Up</a></nav>`,
          link("/", "Home"),
          link(up, "Up"),
        ],
        [`<h1 id="s-${name}">Page ${name}</h1>`],
        ...children.map((child): Draft["lines"][number] => toDoc(child, name, hasBase)),
        [
          `<p><a href="${EXTERNAL}/${name}">Outside ${name}</a>, <a href='${EXTERNAL}/shared'>and <b>shared</b></a></p>`,
          link(`${EXTERNAL}/${name}`, `Outside ${name}`),
          link(`${EXTERNAL}/shared`, "and shared"),
        ],
        ...(no % 10 === 0
          ? [
              [
                `<img alt="Picture ${name}" src="/img/${name}.png">`,
                link(`/img/${name}.png`, `Picture ${name}`, { element: "image" }),
              ] as Draft["lines"][number],
            ]
          : []),
        ...(no % 50 === 0
          ? [
              [
                `<a href="${docPath(1)}#no-such-anchor">Lost</a> <a href="${docPath(1)}#s-${slugOf(1)}">Found</a>`,
                link(`${docPath(1)}#no-such-anchor`, "Lost"),
                link(`${docPath(1)}#s-${slugOf(1)}`, "Found"),
              ] as Draft["lines"][number],
            ]
          : []),
      ],
    };
  }

  /** Numbered, and no trap: each brings something. */
  const itemPage = (no: number): Draft => ({
    title: `Item ${no}`,
    lines: [
      [`<a href="${EXTERNAL}/item/${no}">Maker</a>`, link(`${EXTERNAL}/item/${no}`, "Maker")],
      ...(no < items
        ? [
            [
              `<a href="${no + 1}">Next</a>`,
              link(`/item/${no + 1}`, "Next"),
            ] as Draft["lines"][number],
          ]
        : []),
      ...Array.from({ length: 9 }, (_, i) => no * 9 + i + 1)
        .filter((other) => other <= items)
        .map((other): Draft["lines"][number] => [
          `<a href="/item/${other}">${other}</a>`,
          link(`/item/${other}`, `${other}`),
        ]),
    ],
  });

  const home = fixed.get("/")!;
  home.lines.push(
    ...Array.from({ length: BRANCHES }, (_, i) => i + 1).map((no): Draft["lines"][number] => {
      const name = slugOf(no);
      return [`<a href="docs/${name}/">Start ${name}</a>`, link(docPath(no), `Start ${name}`)];
    }),
  );

  function draftAt(path: string): Draft | null {
    const clean = path.replace(/;jsessionid=[^/?]*/i, "");
    const known = fixed.get(clean.replace("?ref=home", ""));
    if (known) return known;
    const { pathname, searchParams } = new URL(clean, url);
    const [, slug] = /^\/docs\/([a-z]{4,})\/$/.exec(pathname) ?? [];
    if (slug !== undefined) {
      const no = [...slug].reduce((sum, char) => sum * 26 + char.charCodeAt(0) - 97, 0);
      return isDoc(no) && slugOf(no) === slug ? docPage(no) : null;
    }
    const [, item] = /^\/item\/([1-9]\d*)$/.exec(pathname) ?? [];
    if (item !== undefined) return Number(item) <= items ? itemPage(Number(item)) : null;
    return trapAt(pathname, searchParams, link);
  }

  for (let no = 1; no <= docs; no++) redirects.set(`/old/${slugOf(no)}`, docPath(no));

  return {
    readable: new Set([
      ...fixed.keys(),
      ...Array.from({ length: docs }, (_, i) => docPath(i + 1)),
      ...Array.from({ length: items }, (_, i) => `/item/${i + 1}`),
    ]),
    unreadable: new Map(UNREADABLE),
    redirects,
    isForbidden: (path: string) =>
      (path.startsWith("/private/") && !path.startsWith("/private/open/")) ||
      path.endsWith(".secret"),
    isTrap: (path: string) => /^\/(calendar|shop|grow)([/?]|$)/.test(path),
    pageAt(path: string): PlayedPage | null {
      const draft = draftAt(path);
      return draft && render(path, draft);
    },
  };
}

type MakeLink = (target: string, text: string, more?: Partial<Link>) => Link;

/** Pages of which there is one each. */
function fixedPages(link: MakeLink): Map<string, Draft> {
  const to = (path: string, text = path): [string, Link] => [
    `<a href="${path.replaceAll("&", "&amp;")}">${text}</a>`,
    link(path, text),
  ];
  const outside = (name: string) => to(`${EXTERNAL}/${name}`, `Outside ${name}`);
  const leaf = (name: string, more: Partial<Draft> = {}): Draft => ({
    title: name,
    lines: [outside(name)],
    ...more,
  });
  const home: Draft = {
    title: "Home",
    anchors: ["top-of-home"],
    lines: [
      ['<h1 id="top-of-home">Home</h1>'],
      to("/item/1", "Items"),
      to("/calendar/2031/05/", "Calendar"),
      to("/shop", "Shop"),
      to("/grow/", "Grow"),
      to("/private/secret-page", "Private"),
      to("/private/open/page", "Open"),
      to("/report.secret", "Report"),
      to("/closed-to-all/page", "Closed to others"),
      [
        '<a rel="nofollow ugc" href="/unfollowed/page">Unfollowed</a>',
        link("/unfollowed/page", "Unfollowed", { isNofollow: true }),
      ],
      to("/meta-nofollow"),
      to("/header-nofollow"),
      to("/noindex"),
      to("/charset/latin"),
      to("/charset/japan"),
      to("/charset/utf"),
      ...UNREADABLE.map(([path]) => to(path)),
      to("/redirect/in"),
      to("/canonical/twin"),
      to("/canonical/twin?ref=home"),
      to("/logout"),
      to("/post?replytocom=7"),
      to("/post?add-to-cart=7"),
      to("/post?action=edit"),
      to("/elements"),
      to("/drips"),
      to("/empty"),
      [
        '<a href="mailto:a@b.example">m</a> <a href="tel:+1">t</a> <a href="javascript:void(0)">j</a> <a href="data:text/plain,x">d</a>',
      ],
      [
        '<!-- <a href="/in-a-comment">x</a> --><template><a href="/in-a-template">x</a></template><script>"<a href=\'/in-a-script\'>"</script>',
      ],
      [`<noscript>${to("/in-noscript")[0]}</noscript>`, link("/in-noscript", "/in-noscript")],
      [
        `${to("/empty", "Twice")[0]} ${to("/empty", "Twice")[0]}`,
        link("/empty", "Twice"),
        link("/empty", "Twice"),
      ],
      ['<a href="#top-of-home">Top</a> <a href="">Nothing</a>', link("/#top-of-home", "Top")],
    ],
  };
  return new Map<string, Draft>([
    ["/", home],
    ["/orphan", leaf("orphan")],
    ["/private/open/page", leaf("open")],
    ["/closed-to-all/page", leaf("closed")],
    [
      "/meta-nofollow",
      leaf("meta", {
        head: '<meta name="robots" content="index,NOFOLLOW">',
        lines: [outside("meta"), to("/unfollowed/by-meta")],
      }),
    ],
    [
      "/header-nofollow",
      leaf("header", {
        headers: { "X-Robots-Tag": "nofollow" },
        lines: [outside("header"), to("/unfollowed/by-header")],
      }),
    ],
    [
      "/noindex",
      leaf("noindex", {
        head: '<meta name="robots" content="noindex">',
        lines: [to("/only-from-noindex")],
      }),
    ],
    ["/only-from-noindex", leaf("only-from-noindex")],
    [
      "/charset/latin",
      leaf("latin", { charset: "windows-1252", lines: [to(`${EXTERNAL}/latin`, "Größe")] }),
    ],
    [
      "/charset/japan",
      leaf("japan", {
        charset: "shift_jis",
        head: '<meta charset="shift_jis">',
        lines: [to(`${EXTERNAL}/japan`, "日本")],
      }),
    ],
    ["/charset/utf", leaf("utf", { lines: [to(`${EXTERNAL}/utf/ü`, "Grüße, 日本 🙂")] })],
    ["/canonical/twin", leaf("twin", { head: '<link rel="canonical" href="/canonical/twin">' })],
    [
      "/elements",
      leaf("elements", {
        lines: [
          [
            '<img srcset="/a.png 1x, /b.png 2x" alt="Both">',
            link("/a.png", "Both", { element: "image" }),
            link("/b.png", "Both", { element: "image" }),
          ],
          ['<video src="/v.mp4"></video>', link("/v.mp4", "", { element: "media" })],
          ['<iframe src="/framed"></iframe>', link("/framed", "", { element: "frame" })],
          ['<map><area href="/area" alt="Area"></map>', link("/area", "Area", { element: "area" })],
        ],
      }),
    ],
    ["/area", leaf("area")],
    ["/drips", leaf("drips")],
    ["/empty", { title: "Empty", lines: [["<p>Nothing.</p>"]] }],
    ["/in-noscript", leaf("noscript")],
  ]);
}

/** Pages without end that bring nothing. */
function trapAt(pathname: string, asked: URLSearchParams, link: MakeLink): Draft | null {
  const [, year, month, day] = /^\/calendar\/(\d{4})\/(\d\d)\/(?:(\d\d)\/)?$/.exec(pathname) ?? [];
  if (year !== undefined) return calendarPage(Number(year), Number(month), day === undefined, link);
  if (pathname === "/shop") return shopPage(asked, link);
  if (/^\/grow\/(more\/pages\/)*$/.test(pathname)) {
    return {
      title: "Grow",
      lines: [['<a href="more/pages/">More</a>', link(`${pathname}more/pages/`, "More")]],
    };
  }
  return null;
}

const two = (no: number) => String(no).padStart(2, "0");

function calendarPage(year: number, month: number, isMonth: boolean, link: MakeLink): Draft {
  const months = year * 12 + month - 1;
  const pathOf = (all: number) => `/calendar/${Math.floor(all / 12)}/${two((all % 12) + 1)}/`;
  const own = pathOf(months);
  const days = isMonth ? Array.from({ length: 28 }, (_, i) => `${own}${two(i + 1)}/`) : [];
  const targets = [pathOf(months - 1), pathOf(months + 1), ...days, "/"];
  return {
    title: `${year}-${two(month)}`,
    lines: targets.map((target) => [`<a href="${target}">${target}</a>`, link(target, target)]),
  };
}

function shopPage(asked: URLSearchParams, link: MakeLink): Draft {
  const chosen = FACETS.flatMap((name) => (asked.has(name) ? [[name, asked.get(name)!]] : []));
  const targets = FACETS.flatMap((name) =>
    Array.from({ length: VALUES }, (_, value) => {
      const query = new URLSearchParams(chosen);
      query.set(name, `v${value}`);
      query.sort();
      return `/shop?${query}`;
    }),
  );
  return {
    title: "Shop",
    lines: [...targets, `${EXTERNAL}/product`].map((target) => [
      `<a href="${target.replaceAll("&", "&amp;")}">Choose</a>`,
      link(target, "Choose"),
    ]),
  };
}

function render(path: string, draft: Draft): PlayedPage {
  const {
    title,
    head = "",
    lines,
    anchors = [],
    charset = "utf-8",
    headers = {},
    status = 200,
  } = draft;
  const begin = ["<!doctype html>", `<html><head>${head}<title>${title}</title></head>`, "<body>"];
  const html = [...begin, ...lines.map(([text]) => text), "</body></html>"].join("\n");
  const places = lines.flatMap(([, ...links], i) =>
    links.map((each) => ({ ...each, line: begin.length + i + 1 })),
  );
  return { path, title, places, anchors, html, charset, headers, status };
}

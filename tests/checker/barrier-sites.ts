import type { Says } from "../site.ts";
import { paragraph, story } from "./signals/missing-pages.ts";

/** What a page of the played shop is made of. */
type Parts = {
  /** Words of filler text. */
  words?: number;
  /** Places of the site in the menu. */
  links?: number;
  head?: string;
  banner?: string;
  footer?: string;
  lang?: string;
};

const places = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `<li><a href="/section-${at}/">${story(at + 90, 2)}</a>`,
  );

const STYLE = `<style>${".card{margin:0 auto;padding:1rem;display:grid;gap:.5rem}".repeat(60)}</style>`;

/** A page in a site's own layout: 4 to 50 kB with styles, a menu, a footer and scripts. */
export const site = (title: string, main: string, parts: Parts = {}) =>
  `<!doctype html><html lang="${parts.lang ?? "en"}"><head><meta charset="utf-8"><title>${title}</title>
  <meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/theme.css">${STYLE}${parts.head ?? ""}
  <script src="/theme.js" defer></script></head><body>${parts.banner ?? ""}<header><a class="logo" href="/">Harbour</a><nav><ul>${places(parts.links ?? 9).join("")}</ul></nav></header>
  <main>${main}${paragraph(5, parts.words ?? 0)}</main>
  <footer>${parts.footer ?? ""}<a href="/privacy">Privacy</a> <a href="/terms">Terms</a> © Harbour Trading</footer></body></html>`;

/** A page without the site's layout, as a proxy or a plug-in sends it. */
export const bare = (title: string, body: string, words = 0) =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${STYLE}<script>window.gate={};</script></head><body>${body}${paragraph(6, words)}</body></html>`;

export const HOME = site(
  "Harbour – ropes, sails and charts",
  `<h1>Ropes, sails and charts</h1>${paragraph(1, 220)}`,
  { links: 14 },
);
export const ARTICLE = site(
  "How to splice a rope – Harbour",
  `<article><h1>How to splice a rope</h1>${paragraph(2, 500)}</article>`,
);

/** The home page at its address, and below it what `deep` says, also in the sections. */
export const below =
  (deep: Says, home: Says = HOME): Says =>
  (request) =>
    say(new URL(request.url).pathname === "/" ? home : deep, request);

/** The same, but the sections are there. */
export const belowSections = (deep: Says): Says => {
  const shown = below(deep);
  return (request) => say(isSection(new URL(request.url)) ? SECTION : shown, request);
};

/** One page below the site, and a true 404 elsewhere. */
export const only =
  (path: string, says: Says): Says =>
  (request) => {
    const { pathname } = new URL(request.url);
    return pathname === path ? say(says, request) : say(pathname === "/" ? HOME : 404, request);
  };

const isSection = ({ pathname }: URL) => /^\/section-\d+\/$/.test(pathname);

/** A section of the site, which its menu leads to. */
const SECTION = site("Charts – Harbour", `<h1>Charts</h1>${paragraph(3, 150)}`);

/** Sends each address but the home page and the sections to one that begins with `at`, where `page` is. */
export const sends =
  (at: string, rest: (asked: URL) => string, page: Says): Says =>
  (request) => {
    const asked = new URL(request.url);
    if (asked.pathname === "/") return say(at === "/" ? page : HOME, request);
    if (isSection(asked)) return say(SECTION, request);
    if (at !== "/" && asked.pathname.startsWith(at)) return say(page, request);
    const { href } = new URL(at + rest(asked), asked);
    return new Response(null, { status: 302, headers: { Location: href } });
  };

/** Sends the one link to where its page is now; nothing else is below the home page. */
export const moved =
  (to: (asked: URL) => string, page: Says): Says =>
  (request) => {
    const asked = new URL(request.url);
    if (asked.pathname === "/") return say(HOME, request);
    const target = to(new URL("/articles/some-story", asked));
    if (asked.pathname === new URL(target, asked).pathname) return say(page, request);
    if (asked.pathname !== "/articles/some-story") return say(404, request);
    return new Response(null, { status: 301, headers: { Location: target } });
  };

/** No site has a robots.txt, whatever else it shows. */
export const say = (says: Says, request: Request): Response | Promise<Response> => {
  if (new URL(request.url).pathname === "/robots.txt") return new Response("", { status: 404 });
  if (typeof says === "function") return says(request);
  if (typeof says === "number") return new Response("Gone.", { status: says });
  return new Response(says, { headers: { "Content-Type": "text/html; charset=utf-8" } });
};

/** A sign-in's form. */
export const LOGIN = `<form action="/do" method="post"><input name="user" autocomplete="username"><input type="password" name="pass"><button>Go</button></form>`;

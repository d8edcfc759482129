import { decodeHTML } from "entities";
import { parseRefresh, type Refresh } from "./refresh.ts";

/** What there is to know of an HTML page. Texts have their entities decoded and their spaces folded. */
export type Page = {
  title: string;
  /** The first `h1` that has text. */
  heading: string;
  /** The first `h2` or `h3` that has text. */
  subheading: string;
  /** What a person sees without scripts: at most the first 16,384 characters. */
  text: string;
  /** The page as it was sent: at most the first 65,536 characters. */
  markup: string;
  /** `<link rel="canonical">`, as written. */
  canonical: string | null;
  /** `og:url` and `og:type`, as written. */
  ogUrl: string | null;
  ogType: string | null;
  /** A robots `meta`, for all or for one search engine, says `noindex` or `none`. */
  isNoindex: boolean;
  /** `<meta http-equiv="refresh">` that names an address. */
  refresh: Refresh | null;
  hasArticle: boolean;
  /** JSON-LD describes the one thing that the page is about: an article, a product, a video. */
  hasMainEntity: boolean;
  forms: number;
  passwordFields: number;
};

/** So much of a page's markup is kept. */
export const MARKUP_CHARS = 65_536;
const TITLE_CHARS = 300;
const JSON_LD_CHARS = 65_536;

/** What was met of a page so far. */
export type Found = Omit<Page, "text" | "heading" | "subheading" | "hasMainEntity"> & {
  titles: number;
  headings: string[];
  subheadings: string[];
  jsonLd: string;
};

/** Where a page begins to be read into. */
export function nothingYet(): Found {
  return {
    title: "",
    titles: 0,
    headings: [],
    subheadings: [],
    markup: "",
    canonical: null,
    ogUrl: null,
    ogType: null,
    isNoindex: false,
    refresh: null,
    hasArticle: false,
    jsonLd: "",
    forms: 0,
    passwordFields: 0,
  };
}

/**
 * Notes what a page says of itself and leaves out what nobody sees. Takes one page after another, each
 * into what `found` gives then.
 */
export function rewriterInto(found: () => Found): HTMLRewriter {
  return new HTMLRewriter()
    .on("script,style,svg,template,noscript,iframe", {
      element(element) {
        element.remove();
      },
    })
    .on("title", {
      element(element) {
        element.remove();
        found().titles += 1;
      },
      text({ text }) {
        if (found().titles === 1) found().title += text;
      },
    })
    .on("h1", {
      element() {
        found().headings.push("");
      },
      text({ text }) {
        found().headings[found().headings.length - 1] += text;
      },
    })
    .on("h2,h3", {
      element() {
        found().subheadings.push("");
      },
      text({ text }) {
        found().subheadings[found().subheadings.length - 1] += text;
      },
    })
    .on("meta", { element: (element) => noteMeta(found(), element) })
    .on('link[rel="canonical" i]', {
      element(element) {
        found().canonical ??= element.getAttribute("href");
      },
    })
    .on("article", {
      element() {
        found().hasArticle = true;
      },
    })
    .on("form", {
      element() {
        found().forms += 1;
      },
    })
    .on('input[type="password" i]', {
      element() {
        found().passwordFields += 1;
      },
    })
    .on('script[type="application/ld+json" i]', {
      text({ text }) {
        if (found().jsonLd.length < JSON_LD_CHARS) found().jsonLd += text;
      },
    });
}

function noteMeta(found: Found, element: HTMLRewriterTypes.Element): void {
  const name = element.getAttribute("name") ?? element.getAttribute("property");
  const content = element.getAttribute("content") ?? "";
  if (name === null) {
    if (/^refresh$/i.test(element.getAttribute("http-equiv") ?? "")) {
      found.refresh ??= parseRefresh(decodeHTML(content));
    }
  } else if (/^(robots|googlebot|bingbot)$/i.test(name)) {
    found.isNoindex ||= isNoindex(content);
  } else if (/^og:url$/i.test(name)) {
    found.ogUrl ??= content;
  } else if (/^og:type$/i.test(name)) {
    found.ogType ??= content;
  }
}

/** Whether a robots `meta` or an `X-Robots-Tag` header asks to be left out of search engines. */
export const isNoindex = (directives: string) => /\b(noindex|none)\b/i.test(directives);

const MAIN_ENTITY =
  /"mainEntity(OfPage)?"|"@type"\s*:\s*(?:\[\s*)?"(\w*Article|BlogPosting|Product|VideoObject|Recipe|Event|Book|Movie|TVSeries|MusicRecording|Dataset|SoftwareApplication|JobPosting|Course|QAPage|HowTo)"/;

/** The page of which so much was met, with its visible text. */
export function pageOf(found: Found, text: string): Page {
  const { titles, headings, subheadings, jsonLd, ...rest } = found;
  return {
    ...rest,
    title: folded(found.title).slice(0, TITLE_CHARS),
    heading: firstOf(headings),
    subheading: firstOf(subheadings),
    text,
    markup: found.markup.slice(0, MARKUP_CHARS),
    hasMainEntity: MAIN_ENTITY.test(jsonLd),
  };
}

const firstOf = (headings: string[]) =>
  headings
    .map(folded)
    .find((heading) => heading !== "")
    ?.slice(0, TITLE_CHARS) ?? "";

const folded = (text: string) => decodeHTML(text).replace(/\s+/g, " ").trim();

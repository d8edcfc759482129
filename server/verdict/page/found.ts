import { decodeHTML } from "entities";
import type { Refresh } from "./refresh.ts";

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

/** What is known of a page so far. */
export type Found = Omit<Page, "text" | "hasMainEntity"> & { jsonLd: string };

/** What is known of a page of which nothing was read yet. */
export function nothingYet(): Found {
  return {
    title: "",
    heading: "",
    subheading: "",
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

/** Whether a robots `meta` or an `X-Robots-Tag` header asks to be left out of search engines. */
export const isNoindex = (directives: string) => /\b(noindex|none)\b/i.test(directives);

const MAIN_ENTITY =
  /"mainEntity(OfPage)?"|"@type"\s*:\s*(?:\[\s*)?"(\w*Article|BlogPosting|Product|VideoObject|Recipe|Event|Book|Movie|TVSeries|MusicRecording|Dataset|SoftwareApplication|JobPosting|Course|QAPage|HowTo)"/;

/** The page of which this is known, with its visible text. */
export function pageOf({ jsonLd, ...found }: Found, text: string): Page {
  return {
    ...found,
    title: folded(found.title).slice(0, TITLE_CHARS),
    heading: folded(found.heading).slice(0, TITLE_CHARS),
    subheading: folded(found.subheading).slice(0, TITLE_CHARS),
    text,
    markup: found.markup.slice(0, MARKUP_CHARS),
    hasMainEntity: MAIN_ENTITY.test(jsonLd),
  };
}

/** Text as a person reads it. */
export const folded = (text: string) => decodeHTML(text).replace(/\s+/g, " ").trim();

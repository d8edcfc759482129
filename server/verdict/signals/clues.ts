import { decodeHTML } from "entities";
import { isNoindex, MARKUP_CHARS } from "../page/finder.ts";
import type { Page } from "../page/page.ts";
import type { Signal } from "../probe/finding.ts";
import type { Answer, Probe } from "../probe/probe.ts";
import { decoded, errorPageAt, isHome, isSiteAddress, speaksOfErrors } from "./addresses.ts";
import {
  type Context,
  folded,
  isExcuse,
  missingIn,
  missingInHeading,
  quoted,
  STRENGTHS,
  type Strength,
  startsMissing,
} from "./phrases.ts";

/** The words of an error page. */
export type Missing = {
  strength: Strength;
  /** The title and the first heading are such words as a whole, and one of them says what is missing. */
  isSaidByBoth: boolean;
  /** The title says so, and what comes first on the page agrees. */
  isSaidTwice: boolean;
  signals: Signal[];
};

/** Looks for the words of an error page where a page says what it is: its title and its heading. */
export function missingWordsOn(page: Page, answer: Answer, link: URL): Missing | null {
  const context = contextOf(page, answer, link);
  const title = missingIn(page.title, context);
  const first = page.heading || page.subheading;
  const heading = missingInHeading(first, context);
  if (!title && !heading) return null;
  const starts = title !== null && startsMissing(page.text);
  const both = [title, heading];
  return {
    strength: strongestOf(both),
    isSaidByBoth: both.every((each) => isPhrase(each)) && both.includes("clear"),
    isSaidTwice: title !== null && (heading !== null || starts),
    signals: [
      ...said("missing_title", title && `The title of the page is ${quoted(page.title)}.`),
      ...said("missing_heading", heading && `The heading of the page is ${quoted(first)}.`),
      ...said(
        "missing_first_text",
        starts && !heading && `The page begins with ${quoted(page.text.slice(0, 80))}.`,
      ),
    ],
  };
}

const strongestOf = (both: (Strength | null)[]): Strength =>
  STRENGTHS.find((strength) => both.includes(strength)) ?? "number";

/** Whether words say that something is missing, and not only what other pages say as well. */
export const isPhrase = (strength: Strength | null) => strength === "clear" || strength === "brief";

/**
 * Looks for the words of an error page in any line of a short page, for sites that use no headings. Pages
 * that scripts fill carry such lines for when they are needed, so that this proves nothing by itself.
 */
export function missingInLine(page: Page): Signal[] {
  if (!isShort(page)) return [];
  const { markup, text } = page;
  for (const { 0: line, index } of markup.matchAll(LINE)) {
    const words = foldedText(line);
    if (!text.includes(words) || !isExcuse(words)) continue;
    if (HIDDEN.test(markup.slice(Math.max(0, index - BEFORE_LINE), index))) continue;
    return [{ rule: "missing_line", text: `The page says ${quoted(words)}.` }];
  }
  return [];
}

const foldedText = (line: string) =>
  (line.includes("&") ? decodeHTML(line) : line).replace(/\s+/g, " ").trim();

/** Text between tags, up to the end of a sentence. */
const LINE = /(?<=[>.!。！])[^<>.!。！]{8,300}(?=[<.!。！])/g;
/** What hides an element, or makes it wait to be shown. */
const HIDDEN =
  /\bhid(?:e|den)\b|-hid(?:e|den)\b|\bnone\b|invisible|cloak|\s[vx]-|\*?\bng-|data-bind/i;
const BEFORE_LINE = 300;

/** Whether another address answers with the words of an error page. */
export function saysMissing(probe: Probe | null | undefined): boolean {
  if (probe?.kind !== "answered" || !probe.page) return false;
  const url = URL.parse(probe.finalUrl);
  return url !== null && isPhrase(missingWordsOn(probe.page, probe, url)?.strength ?? null);
}

/** Whether another address answers with the very words of this error page, whatever else is on it. */
export const hasSameMissingWords = (page: Page, probe: Probe | null | undefined): boolean =>
  probe?.kind === "answered" &&
  probe.page?.title === page.title &&
  probe.page.heading === page.heading &&
  saysMissing(probe);

const said = (rule: string, text: string | null | false): Signal[] =>
  text ? [{ rule, text }] : [];

function contextOf(page: Page, { finalUrl }: Answer, link: URL): Context {
  return {
    isSiteName: (words) => isNameOfSite(words, page, finalUrl),
    isNamed: (words) => {
      const own = ` ${wordsIn(decoded(link.pathname + link.search))} `;
      const said = wordsIn(words);
      return (
        own.includes(` ${said} `) || (said.length > 5 && own.includes(said.replaceAll(" ", "")))
      );
    },
  };
}

const wordsIn = (text: string) =>
  folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .join(" ");

/** A site is called like its host, or as it says itself. */
function isNameOfSite(words: string, page: Page, finalUrl: string): boolean {
  const name = wordsIn(words).replaceAll(" ", "");
  if (name === "") return false;
  const labels = (URL.parse(finalUrl)?.hostname ?? "").split(".").slice(0, -1);
  const isLabel = (label: string) =>
    label.includes(name) && name.length >= label.length * MOST_OF_LABEL;
  if (labels.map((label) => label.replaceAll("-", "")).some(isLabel)) return true;
  return wordsIn(ownNameOf(page)).replaceAll(" ", "") === name;
}

const MOST_OF_LABEL = 0.6;

/** The content of the `meta` that names the site. */
function ownNameOf({ markup }: Page): string {
  const at = markup.indexOf("og:site_name");
  if (at < 0) return "";
  const tag = markup.slice(markup.lastIndexOf("<", at), markup.indexOf(">", at));
  return /content\s*=\s*["']([^"'<>]{1,100})/i.exec(tag.slice(0, 400))?.[1] ?? "";
}

/** Longer pages, and pages about one thing, are more than an excuse. */
export const isShort = (page: Page) => page.text.length < SHORT_CHARS && !isAboutOneThing(page);

/** Whether a page says of itself that it is about one thing: an article, a product, a film. */
export const isAboutOneThing = ({ hasArticle, hasMainEntity, ogType }: Page) =>
  hasArticle || hasMainEntity || TYPE_OF_THING.test(ogType ?? "");

const SHORT_CHARS = 1500;
const TYPE_OF_THING =
  /^\s*(article|video|music|album|song|book|product|profile|event|recipe|game)\b/i;

/** A page that search engines must not list. Many living pages are. */
export function hiddenFromSearch(page: Page, { headers }: Answer): Signal[] {
  const isHidden = page.isNoindex || isNoindex(headers.get("x-robots-tag") ?? "");
  return said("noindex", isHidden && "The page asks search engines to leave it out.");
}

/** A page deep inside a site that names the home page, or an error page, as its own address. */
export function canonicalElsewhere(page: Page, { finalUrl }: Answer, link: URL): Signal[] {
  const own = URL.parse(finalUrl);
  if (!own || isSiteAddress(own) || isSiteAddress(link)) return [];
  const named = [page.canonical, page.ogUrl].flatMap((address) =>
    address ? (URL.parse(address.trim(), own) ?? []) : [],
  );
  if (named.some(isHome)) {
    return said("canonical_home", "The page names the home page as its own address.");
  }
  const isError = (url: URL) => errorPageAt(url) === "sure" && !speaksOfErrors(own);
  return said(
    "canonical_error_page",
    named.some(isError) && "The page names an error page as its own address.",
  );
}

/** A page with more text than this outside the site's layout has content of its own. */
const MOST_CHARS = 400;

/** What stands around the content of a page, and all links: an error page consists of little else. */
const FURNITURE =
  "head,script,style,svg,template,noscript,iframe,a,nav,header,footer,aside,form,button,select,dialog," +
  "[role=navigation],[role=banner],[role=contentinfo],[role=search],[role=dialog]," +
  ".nav,.navbar,.menu,.footer,#footer,.sidebar,#sidebar,.breadcrumb,.breadcrumbs,.newsletter";

/** What explains an error says what kind of thing it is. */
const EXPLAINS =
  /status ?codes?|response codes?|error (?:codes?|messages?)|\brfc ?\d{4}|client error|what (?:this|it) means|codes? d['’](?:état|erreur)|codic[ei] (?:di stato|d['’]errore)|códigos? de (?:estado|erro\w*)|код\w* (?:состояния|ошибки)|状态码|狀態碼|ステータスコード|상태 코드/i;

/** How much a page has to say: nothing but a few sentences, text in small pieces, or a paragraph of its own. */
type Content = "none" | "pieces" | "paragraph";

/**
 * How much content a page has apart from the furniture of its site and its heading.
 * @param others pages of the same site, whose sentences do not count
 */
export function contentOf(page: Page, ...others: (Probe | null | undefined)[]): Content {
  const known = new Set(
    others.flatMap((other) =>
      other?.kind === "answered" && other.page ? linesOf(other.page) : [],
    ),
  );
  const widths = linesOf(page).flatMap((line) => (known.has(line) ? [] : widthOf(line)));
  if (widths.some((width) => width > MOST_CHARS)) return "paragraph";
  // More may come after what was kept of the page.
  const isWhole = page.markup.length < MARKUP_CHARS;
  return isWhole && widths.reduce((sum, width) => sum + width, 0) <= MOST_CHARS ? "none" : "pieces";
}

/** Whether a page explains what an error is. */
export const isExplanation = (page: Page) => EXPLAINS.test(page.text);

/** A character of these scripts says as much as two letters. */
const widthOf = (line: string) =>
  line.length +
  (line.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu)?.length ?? 0);

/** Behind the last `>` no tag ends, and none is looked for. */
function linesOf({ markup, heading, subheading }: Page): string[] {
  const rest = withoutFurniture(markup);
  const closed = rest.lastIndexOf(">") + 1;
  return [...rest.slice(0, closed).split(/<[^>]*>/), rest.slice(closed)]
    .map((line) => decodeHTML(line).replace(/\s+/g, " ").trim())
    .filter((line) => line !== "" && line !== heading && line !== subheading);
}

/** What cannot be parsed counts as a whole. */
function withoutFurniture(markup: string): string {
  const remove = (part: { remove(): unknown }) => void part.remove();
  try {
    return new HTMLRewriter()
      .on(FURNITURE, { element: remove })
      .onDocument({ comments: remove })
      .transform(markup);
  } catch {
    return markup;
  }
}

/** A page of less text than this shows its content only by scripts, or has none. */
export const LITTLE_TEXT = 300;

/**
 * Whether a page is an empty frame that scripts fill in a browser. Such a frame is the same for every
 * address, and says nothing about any.
 */
export const isAppShell = (page: Page) =>
  isFrame(page) || (page.text.length < LITTLE_TEXT && SCRIPT.test(page.markup));

/** Whether a page has the element that a framework fills. */
export const isFrame = (page: Page) => SHELL.test(page.markup);

const SHELL =
  /\bid=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|q-app)["'\s>]|\bng-version=|\bng-app\b|<app-root\b|\bdata-reactroot\b|\bdata-sveltekit/i;
const SCRIPT = /<script\b[^>]{0,300}\bsrc\s*=/i;

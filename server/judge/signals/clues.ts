import { decodeHTML } from "entities";
import { lazily } from "../../ground/lib/concurrency.ts";
import { isNoindex, MARKUP_CHARS } from "../page/elements.ts";
import { MOST_HEADINGS } from "../page/finder.ts";
import type { Page } from "../page/page.ts";
import type { Signal } from "../probe/finding.ts";
import type { Answer, Probe } from "../probe/probe.ts";
import { decoded, errorPageAt, isHome, isSiteAddress, speaksOfErrors } from "./addresses.ts";
import { EXPLAINS, REFERENCE, TYPE_OF_THING, WAITS } from "./known/page-words.ts";
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

/** The words of an error page, or its own state (docs/verdicts.md). */
export type Missing = {
  strength: Strength;
  /** Title and first heading are phrases, and one of them says what is missing. */
  isSaidByBoth: boolean;
  /** The title is a phrase, and the heading or the start of the text agrees. */
  isSaidTwice: boolean;
  signals: Signal[];
};

/** Looks for the words of an error page in title and heading. The state of the page counts like its title. */
export function missingWordsOn(page: Page, answer: Answer, link: URL): Missing | null {
  const context = contextOf(page, answer, link);
  const state = missingRouteOf(page, link);
  const titled = missingIn(page.title, context);
  const title = state ? "clear" : titled;
  const isSaid = (words: string) =>
    missingInHeading(words, context) !== null && isShownAtFirst(words, page);
  const first = headingsOf(page).find(isSaid) ?? "";
  const heading = missingInHeading(first, context);
  if (!title && !heading) return null;
  const starts = title !== null && startsMissing(page.text);
  const both = [title, heading];
  return {
    strength: STRENGTHS.find((strength) => both.includes(strength)) ?? "number",
    isSaidByBoth: both.every((each) => isPhrase(each)) && both.includes("clear"),
    isSaidTwice: title !== null && (heading !== null || starts),
    signals: [
      ...said(
        "missing_state",
        state && `The data of ${state} in the page says that it is missing.`,
      ),
      ...said("missing_title", titled && `The title of the page is ${quoted(page.title)}.`),
      ...said("missing_heading", heading && `The heading of the page is ${quoted(first)}.`),
      ...said(
        "missing_first_text",
        starts && !heading && `The page begins with ${quoted(page.text.slice(0, 80))}.`,
      ),
    ],
  };
}

/** A link to an error page is there if it shows one. */
const missingRouteOf = ({ missingRoute }: Page, link: URL) =>
  speaksOfErrors(link) ? null : missingRoute;

/** The headings of which one may say it: more than a few are a list of things. */
const headingsOf = ({ heading, headings, subheading }: Page): string[] => {
  if (headings.length > MOST_HEADINGS) return [heading];
  return headings.length > 0 ? headings : [heading, subheading];
};

/** Elements that browsers hide until a script shows them, with the utility classes of Bootstrap and Tailwind. */
const SHOWN_LATER =
  'title,template,script,style,[hidden],[style*="display:none" i],[style*="display: none" i],dialog:not([open]),' +
  "[v-if],[v-else-if],[v-show],[x-if],[x-show],[ng-if],[ng-show],[data-ng-if],[data-ng-show],.ng-hide," +
  '.modal,.hidden:not([class*=":"]),.d-none:not([class*="-block"]):not([class*="-flex"])';
const HIDES =
  /\bhidden\b|display: ?none|<dialog\b|\s(?:v|x|(?:data-)?ng)-\w|ng-hide|\bd-none\b|\bmodal\b/i;

/** Whether words stand outside of what only scripts show, such as an error that each page of an app is ready for. */
export function isShownAtFirst(words: string, { markup }: Page): boolean {
  if (!HIDES.test(markup) || !textIn(markup).includes(words)) return true;
  return textIn(withoutElements(markup, SHOWN_LATER)).includes(words);
}

const textIn = (markup: string) => foldedText(markup.replace(/<[^<>]*>/g, ""));

export const isPhrase = (strength: Strength | null) => strength === "clear" || strength === "brief";

/**
 * Looks for the words of an error page in any line of a short page, for sites without headings. Not evidence
 * alone, because pages with scripts contain such lines for later use.
 */
export function missingInLine(page: Page): Signal[] {
  if (!isShort(page)) return [];
  const { markup, text } = page;
  for (const { 0: line, index } of markup.matchAll(LINE)) {
    const words = foldedText(line);
    if (!text.includes(words) || !isExcuse(words)) continue;
    const before = markup.slice(Math.max(0, index - BEFORE_LINE), index);
    // A form that has ended, such as a sign-in that is shown later, hides nothing.
    if (HIDDEN.test(before.slice(before.lastIndexOf("</form>") + 1))) continue;
    return [{ rule: "missing_line", text: `The page says ${quoted(words)}.` }];
  }
  return [];
}

const foldedText = (line: string) =>
  (line.includes("&") ? decodeHTML(line) : line).replace(/\s+/g, " ").trim();

/** A sentence between tags. */
const LINE = /(?<=[>.!。！])[^<>.!。！]{8,300}(?=[<.!。！])/g;
/** Marks of an element that is hidden or shown later. */
const HIDDEN =
  /\bhid(?:e|den)\b|-hid(?:e|den)\b|\bnone\b|invisible|cloak|\s[vx]-|\*?\bng-|data-bind|<dialog\b/i;
const BEFORE_LINE = 300;

export function saysMissing(probe: Probe | null | undefined): boolean {
  if (probe?.kind !== "answered" || !probe.page) return false;
  const url = URL.parse(probe.finalUrl);
  return url !== null && isPhrase(missingWordsOn(probe.page, probe, url)?.strength ?? null);
}

/** Whether another address shows the words of this error page, apart from the rest of the page. */
export const hasSameMissingWords = (page: Page, probe: Probe | null | undefined): boolean =>
  probe?.kind === "answered" &&
  probe.page?.title === page.title &&
  probe.page.heading === page.heading &&
  saysMissing(probe);

const said = (rule: string, text: string | null | false): Signal[] =>
  text ? [{ rule, text }] : [];

function contextOf(page: Page, { finalUrl }: Answer, link: URL): Context {
  const labels = lazily(() => labelsOf(finalUrl));
  const ownName = lazily(() => wordsIn(ownNameOf(page)).replaceAll(" ", ""));
  return {
    isSiteName: (words) => {
      const name = wordsIn(words).replaceAll(" ", "");
      if (name === "") return false;
      const isLabel = (label: string) =>
        label.includes(name) && name.length >= label.length * MOST_OF_LABEL;
      return labels().some(isLabel) || ownName() === name;
    },
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

/** The labels of the host without the last, and without hyphens. */
const labelsOf = (finalUrl: string): string[] =>
  (URL.parse(finalUrl)?.hostname ?? "")
    .split(".")
    .slice(0, -1)
    .map((label) => label.replaceAll("-", ""));

const MOST_OF_LABEL = 0.6;

function ownNameOf({ markup }: Page): string {
  const at = markup.indexOf("og:site_name");
  if (at < 0) return "";
  const tag = markup.slice(markup.lastIndexOf("<", at), markup.indexOf(">", at));
  return /content\s*=\s*["']([^"'<>]{1,100})/i.exec(tag.slice(0, 400))?.[1] ?? "";
}

/** Longer pages, and pages about one thing, are more than an error page. */
export const isShort = (page: Page) => page.text.length < SHORT_CHARS && !isAboutOneThing(page);

/** Whether a page's own metadata says that it is about one thing, such as an article or a product. */
export const isAboutOneThing = ({ hasArticle, hasMainEntity, ogType }: Page) =>
  hasArticle || hasMainEntity || TYPE_OF_THING.test(ogType ?? "");

const SHORT_CHARS = 1500;

export function hiddenFromSearch(page: Page, { headers }: Answer): Signal[] {
  const isHidden = page.isNoindex || isNoindex(headers.get("x-robots-tag") ?? "");
  return said("noindex", isHidden && "The page asks search engines to leave it out.");
}

/** Whether a deep page names the home page or an error page as its own address. */
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

/** With more text than this outside the layout, a page has its own content. */
const MOST_CHARS = 400;

/** The layout around the content of a page, and all links. */
const NO_CONTENT =
  "head,script,style,svg,template,noscript,iframe,a,nav,header,footer,form,button,select,dialog," +
  "[role=navigation],[role=banner],[role=contentinfo],[role=search],[role=dialog]," +
  ".nav,.navbar,.menu,.footer,#footer,.sidebar,#sidebar,.breadcrumb,.breadcrumbs,.newsletter";
const LAYOUT = `${NO_CONTENT},aside`;

/** `none` is at most a few sentences; `pieces` is more text, but no paragraph. */
type Content = "none" | "pieces" | "paragraph";

/**
 * Measures the content of a page apart from the layout and the headings.
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
  // The kept markup may lack the end of the page.
  const isWhole = page.markup.length < MARKUP_CHARS;
  return isWhole && widths.reduce((sum, width) => sum + width, 0) <= MOST_CHARS ? "none" : "pieces";
}

export const isExplanation = (page: Page) => EXPLAINS.test(page.text) || isReference(page);

export const isReference = ({ title }: Page) => REFERENCE.test(title);

/** A character of these scripts counts as two letters. */
export const widthOf = (line: string) =>
  line.length +
  (line.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu)?.length ?? 0);

/**
 * The lines of a page apart from its layout and its headings. Only looks for tags before the last `>`, so that hostile
 * markup takes linear time.
 */
export const linesOf = (page: Page): string[] =>
  linesIn(withoutElements(page.markup, LAYOUT), [page.heading, page.subheading]);

/** The same, with the second heading and what stands aside, which may be all that a page says of a thing. */
export const contentLinesOf = (page: Page): string[] =>
  linesIn(withoutElements(page.markup, NO_CONTENT), [page.heading]);

function linesIn(rest: string, headings: string[]): string[] {
  const closed = rest.lastIndexOf(">") + 1;
  return [...rest.slice(0, closed).split(/<[^>]*>/), rest.slice(closed)]
    .map((line) => decodeHTML(line).replace(/\s+/g, " ").trim())
    .filter((line) => line !== "" && !headings.includes(line));
}

/** The addresses of a page's pictures, apart from its layout and from drawings, which error pages have. */
export const picturesOf = ({ markup }: Page): string[] =>
  /<img\b/i.test(markup)
    ? [...withoutElements(markup, NO_CONTENT).matchAll(PICTURE)].flatMap(([tag, src = ""]) =>
        DRAWING.test(tag) ? [] : src,
      )
    : [];

const PICTURE = /<img\b[^>]{0,1000}?\ssrc\s*=\s*["']?([^"'\s>]{1,500})[^>]{0,1000}>/gi;
const DRAWING =
  /\.svg\b|\.gif\b|data:|404|not.?found|error|missing|lost|oo+ps|sorry|sad|broken|empty|illustration|logo|icon|banner|pixel|avatar|\b(?:width|height)=["']?1\b/i;

/** Removes comments, too. Returns all markup if it cannot be parsed. */
function withoutElements(markup: string, selectors: string): string {
  const remove = (part: { remove(): unknown }) => void part.remove();
  try {
    return new HTMLRewriter()
      .on(selectors, { element: remove })
      .onDocument({ comments: remove })
      .transform(markup);
  } catch {
    return markup;
  }
}

/**
 * Whether a page shows a sentence outside of its layout or as its heading, other than that it is loading or needs
 * scripts. A character of Chinese, Japanese or Korean counts as two letters.
 *
 * @param home the home page, whose sentences do not count
 */
export function hasSentence(page: Page, home?: Probe | null): boolean {
  const known =
    home?.kind === "answered" && home.page ? `${home.page.title}\n${home.page.text}` : "";
  const isSentence = (line: string) =>
    widthOf(line) >= SENTENCE_WIDTH && !WAITS.test(line) && !known.includes(line);
  if (linesOf(page).some(isSentence)) return true;
  return isSentence(page.heading) && isShownAtFirst(page.heading, page);
}

const SENTENCE_WIDTH = 20;

/** With less text than this, a page shows its content by scripts or has none. */
export const LITTLE_TEXT = 300;

/** Whether a page is an app shell, which is the same for every address. */
export const isAppShell = (page: Page) =>
  isFrame(page) || (page.text.length < LITTLE_TEXT && SCRIPT.test(page.markup));

/** Whether a page has the root element of a framework. Several rules ask, so each page is searched once. */
export function isFrame(page: Page): boolean {
  const known = frames.get(page) ?? SHELL.test(page.markup);
  frames.set(page, known);
  return known;
}

const frames = new WeakMap<Page, boolean>();

const SHELL =
  /\b(?:id=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|q-app)["'\s>]|ng-version=|ng-app\b|data-reactroot\b|data-sveltekit)|<app-root\b/i;
const SCRIPT = /<script\b[^>]{0,300}\bsrc\s*=/i;

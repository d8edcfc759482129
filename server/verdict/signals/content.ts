import { decodeHTML } from "entities";
import { MARKUP_CHARS } from "../page/found.ts";
import type { Page } from "../page/page.ts";
import type { Probe } from "../probe/probe.ts";

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
export type Content = "none" | "pieces" | "paragraph";

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

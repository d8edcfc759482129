import type { Page } from "../../page/page.ts";
import type { Retry, Seen } from "../../probe/finding.ts";
import type { UnknownReason } from "../../reasons/reasons.ts";

/** A known page or response that stands in place of the link's page. */
export type Signature = {
  /** The rule of docs/verdicts.md. */
  rule: string;
  reason: UnknownReason;
  /** One sentence for people about what was noticed. */
  text: string;
  /** Only for plain refusals, which may let a browser pass. */
  retries?: Retry[];
  when: Marks;
};

/** The marks that a response must all have. One alone is not evidence: most also occur on real pages. */
type Marks = {
  /** Any status unless listed. */
  status?: readonly number[];
  /** Tested on all headers, one line `name: value` each, with the names in lower case. */
  headers?: RegExp;
  /** The final URL, without its scheme. */
  at?: RegExp;
  /** The same, but only if a redirect led there and the link itself does not match. */
  redirectedTo?: RegExp;
  /** One of the requests went over plain http, which any network on the path may answer itself. */
  overHttp?: true;
  /** Fewer characters of visible text than this. */
  textUnder?: number;
  /** The page does not say that it is about one thing, such as an article or a product. */
  isPlain?: true;
  title?: RegExp;
  /** One of the page's headlines. */
  headline?: RegExp;
  /** The visible text; all of them. */
  text?: readonly RegExp[];
  /** The markup as sent; all of them. */
  markup?: readonly RegExp[];
  /** The page has a form for a password that is not on other pages of the site as well. */
  signsIn?: true;
  also?: (seen: Seen) => boolean;
};

/** Returns a function that makes signatures with the reason. */
export const signatureFor =
  (reason: UnknownReason) =>
  (rule: string, text: string, when: Marks, retries?: Retry[]): Signature => ({
    rule,
    reason,
    text,
    when,
    ...(retries && { retries }),
  });

/** A pattern for one of the phrases as a whole, apart from punctuation. */
export function wholly(phrases: string[]): RegExp {
  return new RegExp(`^[^\\p{L}\\p{N}]*(?:${phrases.join("|")})[^\\p{L}\\p{N}]*$`, "iu");
}

/** Most pages that are not content have less text than this. */
export const SMALL = 1500;

/** A response, prepared once for comparison with many signatures. */
type Prepared = {
  seen: Seen;
  headers: string;
  at: string;
  linkAt: string;
  headlines: string[];
  isPlain: boolean;
};

export function prepare(seen: Seen): Prepared {
  const { answer, url } = seen;
  return {
    seen,
    headers: linesOf(answer.headers),
    at: withoutScheme(answer.finalUrl),
    linkAt: withoutScheme(url.href),
    headlines: answer.page ? headlinesOf(answer.page) : [],
    isPlain: answer.page !== null && isPlain(answer.page),
  };
}

function linesOf(headers: Headers): string {
  const lines: string[] = [];
  headers.forEach((value, name) => void lines.push(`${name}: ${value}`));
  return lines.join("\n");
}

/** Tests cheap marks first, since few responses get as far as a search through their markup. */
export const matches = (response: Prepared, { when }: Signature): boolean =>
  matchesResponse(response, when) &&
  matchesPage(response, when) &&
  (when.also?.(response.seen) ?? true);

function matchesResponse({ seen, headers, at, linkAt }: Prepared, when: Marks): boolean {
  const { status, hops } = seen.answer;
  const { redirectedTo } = when;
  if (when.status && !when.status.includes(status)) return false;
  if (when.headers && !when.headers.test(headers)) return false;
  if (when.at && !when.at.test(at)) return false;
  if (redirectedTo && (hops.length === 0 || !redirectedTo.test(at) || redirectedTo.test(linkAt))) {
    return false;
  }
  return !when.overHttp || usesHttp(seen);
}

function matchesPage({ seen, headlines, isPlain }: Prepared, when: Marks): boolean {
  if (!concernsPage(when)) return true;
  const { page } = seen.answer;
  if (!page) return false;
  const { textUnder, title, headline, text = [], markup = [] } = when;
  if (textUnder !== undefined && page.text.length >= textUnder) return false;
  if (when.isPlain && !isPlain) return false;
  if (title && !title.test(page.title)) return false;
  if (headline && !headlines.some((words) => headline.test(words))) return false;
  return text.every((mark) => mark.test(page.text)) && markup.every((m) => m.test(page.markup));
}

/** Whether any mark is about what a page shows. */
export const concernsPage = ({ textUnder, isPlain, title, headline, text, markup }: Marks) =>
  textUnder !== undefined || !!(isPlain ?? title ?? headline ?? text ?? markup);

const withoutScheme = (url: string) => url.slice(url.indexOf("//") + 2);

/** The name of the site may stand before or after. */
const SEPARATOR = /\s+(?:[|\-–—·•»:]|::)\s+/;

/** The title, its parts, and the first heading. */
export const headlinesOf = (page: Page) => [...new Set([...titlesOf(page), page.heading])];

/** The title and its parts. */
export const titlesOf = ({ title }: Page) => [title, ...title.split(SEPARATOR)];

const usesHttp = ({ answer: { hops, finalUrl } }: Seen) =>
  (hops.length > 0 ? hops.map(({ url }) => url) : [finalUrl]).some((url) =>
    url.startsWith("http:"),
  );

/** Whether a page does not say that it is about one thing. */
export const isPlain = ({ hasArticle, hasMainEntity, ogType }: Page) =>
  !hasArticle && !hasMainEntity && !/^(article|video|product|book|music)/i.test(ogType ?? "");

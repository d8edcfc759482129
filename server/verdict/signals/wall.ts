import type { Page } from "../page/page.ts";
import type { Retry, Seen } from "../probe/finding.ts";
import type { UnknownReason } from "../reasons.ts";

/** Something that answers in a page's place. A response that matches all parts of its signature is one. */
export type Wall = {
  /** The rule of docs/verdicts.md. */
  rule: string;
  reason: UnknownReason;
  /** One sentence about what was noticed. */
  text: string;
  /** A plain refusal may let a browser pass; a challenge only comes again. */
  retries?: Retry[];
  when: Signature;
};

/** What a wall shows of itself. One mark alone proves nothing: most also sit on pages that are there. */
type Signature = {
  /** Any status unless listed. */
  status?: readonly number[];
  /** Tested on all headers, a line `name: value` each, the names in lower case. */
  headers?: RegExp;
  /** The address that answered, without its scheme. */
  at?: RegExp;
  /** The same, but only when a redirect led there and the link itself does not name such an address. */
  ledTo?: RegExp;
  /** Something that was asked for went over plain http, which any network on the way may answer itself. */
  overHttp?: true;
  /** Fewer characters of visible text than this. */
  textUnder?: number;
  /** Neither an article nor a product nor anything else that a page may be about. */
  isPlain?: true;
  title?: RegExp;
  /** What the title or the first heading says, whole, or between a title's separators. */
  says?: RegExp;
  /** What the visible text says; all of them. */
  reads?: readonly RegExp[];
  /** What the page has as it was sent; all of them. */
  markup?: readonly RegExp[];
  /** What no pattern can tell. */
  also?: (seen: Seen) => boolean;
};

/** The page of most walls says little. */
export const SMALL = 1500;

/** A response, prepared for being held against many signatures. */
type Sight = {
  seen: Seen;
  headers: string;
  at: string;
  own: string;
  sayings: string[];
  isPlain: boolean;
};

/** Prepares a response once for all signatures. */
export function sightOf(seen: Seen): Sight {
  const { answer, url } = seen;
  return {
    seen,
    headers: linesOf(answer.headers),
    at: withoutScheme(answer.finalUrl),
    own: withoutScheme(url.href),
    sayings: answer.page ? sayingsOf(answer.page) : [],
    isPlain: answer.page !== null && isPlain(answer.page),
  };
}

/** Cheap marks first: most pages are no walls, and few get as far as a search through their markup. */
export function meets(sight: Sight, { when }: Wall): boolean {
  return meetsResponse(sight, when) && meetsPage(sight, when) && (when.also?.(sight.seen) ?? true);
}

function meetsResponse({ seen, headers, at, own }: Sight, when: Signature): boolean {
  const { status, hops } = seen.answer;
  if (when.status && !when.status.includes(status)) return false;
  if (when.headers && !when.headers.test(headers)) return false;
  if (when.at && !when.at.test(at)) return false;
  if (when.ledTo && (hops.length === 0 || !when.ledTo.test(at) || when.ledTo.test(own))) {
    return false;
  }
  return !when.overHttp || asksPlainly(seen);
}

function meetsPage({ seen, sayings, isPlain }: Sight, when: Signature): boolean {
  if (!looksAtPage(when)) return true;
  const { page } = seen.answer;
  if (!page) return false;
  if (when.textUnder !== undefined && page.text.length >= when.textUnder) return false;
  if (when.isPlain && !isPlain) return false;
  if (when.title && !when.title.test(page.title)) return false;
  const { says, reads = NONE, markup = NONE } = when;
  if (says && !sayings.some((saying) => says.test(saying))) return false;
  return reads.every((mark) => mark.test(page.text)) && markup.every((m) => m.test(page.markup));
}

const NONE: readonly RegExp[] = [];

/** Whether a signature is about what a page shows. */
export const looksAtPage = ({ textUnder, isPlain, title, says, reads, markup }: Signature) =>
  textUnder !== undefined || !!(isPlain ?? title ?? says ?? reads ?? markup);

const linesOf = (headers: Headers) =>
  [...headers].map(([name, value]) => `${name}: ${value}`).join("\n");

const withoutScheme = (url: string) => url.slice(url.indexOf("//") + 2);

/** A title may give a site's name before or after what it says. */
const SEPARATOR = /\s+(?:[|\-–—·•»:]|::)\s+/;

/** What a page says of itself: its title, the title's parts, and its first heading. */
export const sayingsOf = (page: Page) => [...new Set([...titlesOf(page), page.heading])];

/** A page's title, and the parts of it. */
export const titlesOf = ({ title }: Page) => [title, ...title.split(SEPARATOR)];

const asksPlainly = ({ answer: { hops, finalUrl } }: Seen) =>
  (hops.length > 0 ? hops.map(({ url }) => url) : [finalUrl]).some((url) =>
    url.startsWith("http:"),
  );

/** Whether a page does not say that it is about one thing. */
export const isPlain = ({ hasArticle, hasMainEntity, ogType }: Page) =>
  !hasArticle && !hasMainEntity && !/^(article|video|product|book|music)/i.test(ogType ?? "");

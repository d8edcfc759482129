import { codeOf, isQuoted } from "../page/code.ts";
import type { Page } from "../page/page.ts";
import type { Signal } from "../probe/finding.ts";
import { MARKUP_HINT, MARKUP_MARKS, type Mark } from "./known/parking-services.ts";
import {
  EXPIRED,
  EXPIRED_EAST,
  FOR_SALE,
  FOR_SALE_EAST,
  HINT,
  MARKS,
  NAME,
  WITHOUT_SITE,
} from "./known/parking-words.ts";
import { quoted } from "./phrases.ts";

export type DomainNotice = Signal & {
  rule: "domain_for_sale" | "domain_expired" | "domain_without_site";
};

const SHORT = 1500;
const FIRST_CHARS = 300;

/**
 * Looks in the title, the first heading and the first sentences of a short page. Only whole statements count:
 * "This domain is for sale: how I sold mine" is an article.
 */
export function readDomainNotice({ title, heading, text, hasArticle }: Page): DomainNotice | null {
  if (hasArticle || text.length >= SHORT) return null;
  const beginning = text.slice(0, FIRST_CHARS);
  if (!HINT.test(`${title}\n${heading}\n${beginning}`)) return null;
  const titles = [title, heading].flatMap((words) => words.split(SEPARATOR));
  const sentences = beginning.split(SENTENCE_END);
  for (const { rule, asTitle, asSentence, says } of NOTICES) {
    const words =
      titles.find((part) => asTitle.test(part)) ?? sentences.find((part) => asSentence.test(part));
    if (words) return { rule, text: `The page says that ${says}: ${quoted(words)}.` };
  }
  return null;
}

const SEPARATOR = /\s+[|\-–—·•»]+\s+|\s*[|｜]\s*/;
const SENTENCE_END = /[.!](?=\s|$)|[。！|•·]|\s[–—-]\s/;

/** In a title, only the seller, the price or the name may follow. */
const asTitle = (phrases: string[], east: string[]) =>
  new RegExp(
    `${start(phrases, east)}${MARKS}(?:(?:by|at|on|via|through|with|from|bei|chez|en|su|op) .{1,60}|${NAME}.{0,60}|(?:go ?daddy|sedo).{0,40}|[$€£¥]? ?\\d.{0,20}|today|now|here|jetzt)?${MARKS}$`,
    "iu",
  );

/** In a sentence, anything may follow but a question or an explanation. */
const asSentence = (phrases: string[], east: string[]) =>
  new RegExp(`${start(phrases, east)}(?!\\s?[:,;(?](?!\\s?${NAME}))`, "iu");

const start = (phrases: string[], east: string[]) =>
  `^${MARKS}(?:${NAME}[\\s\\p{P}\\p{S}]{1,12})?(?:(?:${phrases.join("|")})(?![\\p{L}\\p{N}])${
    east.length > 0 ? `|(?:${east.join("|")})[\\p{L} ]{0,12}` : ""
  })`;

const notice = (
  rule: DomainNotice["rule"],
  says: string,
  phrases: string[],
  east: string[] = [],
) => ({ rule, says, asTitle: asTitle(phrases, east), asSentence: asSentence(phrases, east) });

const NOTICES = [
  notice("domain_expired", "its domain has expired", EXPIRED, EXPIRED_EAST),
  notice("domain_for_sale", "its domain is for sale", FOR_SALE, FOR_SALE_EAST),
  notice("domain_without_site", "its domain has no site", WITHOUT_SITE),
];

/**
 * Looks for the code of parking services. Only what a page loads or runs counts, because articles name the
 * same hosts and quote the same code.
 * @param domain the registrable domain of the page, which a sale link must name
 */
export function readParkingMarkup(page: Page, domain: string): Signal | null {
  if (!MARKUP_HINT.test(page.markup)) return null;
  const code = codeOf(page.markup);
  const mark = MARKUP_MARKS.find(
    (candidate) =>
      page.text.length < (candidate.textUnder ?? Number.POSITIVE_INFINITY) &&
      isOn(code, candidate, domain),
  );
  if (!mark) return null;
  return { rule: "parking_markup", text: `The page has the code of ${mark.by}'s parking pages.` };
}

/** Limits the search in hostile pages. */
const MOST_PLACES = 5;
/** Longer than the start of any relevant tag. */
const NEAR = 300;

function isOn({ tags, scripts }: ReturnType<typeof codeOf>, mark: Mark, domain: string): boolean {
  const code = mark.isScript ? scripts : tags;
  let at = code.indexOf(mark.needle);
  for (let places = 0; at >= 0 && places < MOST_PLACES; places += 1) {
    if (isMeant(code, at, mark, domain)) return true;
    at = code.indexOf(mark.needle, at + 1);
  }
  return false;
}

function isMeant(code: string, at: number, mark: Mark, domain: string): boolean {
  if (mark.after && !mark.after.test(code.slice(Math.max(0, at - NEAR), at))) return false;
  const following = code.slice(at, at + NEAR);
  if (mark.from && !mark.from.test(following)) return false;
  if (mark.isScript && isQuoted(code, at)) return false;
  return !mark.namesDomain || addressIn(following).includes(domain);
}

const addressIn = (following: string) => (/^[^"'\s<>]*/.exec(following)?.[0] ?? "").toLowerCase();

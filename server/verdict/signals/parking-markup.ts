import type { Page } from "../page/page.ts";
import type { Signal } from "../probe/finding.ts";

/**
 * What parking services' pages are made of. Only what a page loads or runs counts: whoever writes about
 * parking, or links to a service, names the same hosts.
 * @param domain the registrable domain at which the page was found: a sale link must name it
 */
export function readParkingMarkup(page: Page, domain: string): Signal | null {
  if (!HINT.test(page.markup)) return null;
  const mark = MARKS.find((candidate) => isOn(page, candidate, domain));
  if (!mark) return null;
  return { rule: "parking_markup", text: `The page is a parking page as ${mark.by} makes them.` };
}

/** Something that only parking services put into a page, and where it must stand to count. */
type Mark = {
  by: string;
  needle: string;
  /** What must end where the needle begins. */
  after?: RegExp;
  /** What must begin where the needle begins. */
  from?: RegExp;
  /** The address that begins with the needle names the page's own domain. */
  namesDomain?: true;
  /** It is code: where readers see it, it is quoted and does not run. */
  isCode?: true;
  /** The page shows less text than this. */
  textUnder?: number;
};

/** A page that repeats a needle without meaning it is not looked at for ever. */
const MOST_PLACES = 5;
/** Longer than the beginning of any tag that matters. */
const NEAR = 300;

function isOn({ markup, text }: Page, mark: Mark, domain: string): boolean {
  if (text.length >= (mark.textUnder ?? Number.POSITIVE_INFINITY)) return false;
  if (mark.isCode && text.includes(mark.needle)) return false;
  let at = markup.indexOf(mark.needle);
  for (let places = 0; at >= 0 && places < MOST_PLACES; places += 1) {
    if (isMeant(markup, at, mark, domain)) return true;
    at = markup.indexOf(mark.needle, at + 1);
  }
  return false;
}

function isMeant(markup: string, at: number, mark: Mark, domain: string): boolean {
  if (mark.after && !mark.after.test(markup.slice(Math.max(0, at - NEAR), at))) return false;
  const following = markup.slice(at, at + NEAR);
  if (mark.from && !mark.from.test(following)) return false;
  return !mark.namesDomain || addressIn(following).includes(domain);
}

const addressIn = (following: string) => (/^[^"'\s<>]*/.exec(following)?.[0] ?? "").toLowerCase();

const inTag = (tags: string) =>
  new RegExp(
    `<(?:${tags})\\b[^<>]*\\s(?:src|href|action)\\s*=\\s*["']?(?:https?:)?\\\\?/\\\\?/(?:[a-z0-9-]+\\.)*$`,
    "i",
  );

const RUN = inTag("script|iframe|frame|form");
const LINKED = inTag("a|form");
const LOADED = inTag("script|iframe|frame|form|img|link");

/** What any mark needs, in one go. A page without it has none. */
const HINT =
  /adblockkey|window\.park|\/lander"|LANDER_SYSTEM|parking(?:crew\.net|-lander|-page|\.reg\.ru)|sedo[pP]arking|DOMAIN_PARKING|bping\.php|parklogic|bodis\.com|d38psrni17bvxu|dan\.com\/buy-domain|domain_profile/;

const MARKS: Mark[] = [
  {
    by: "AdSense for Domains",
    needle: "data-adblockkey",
    // Themes of blogs carry the same attribute on a `div`, with a number.
    after: /<html\b[^<>]*$/i,
    from: /^data-adblockkey\s*=\s*["']?[^"'\s>]/,
  },
  { by: "Bodis", needle: "window.park", from: /^window\.park\s*=\s*["']ey/, isCode: true },
  { by: "Bodis", needle: "bodis.com", after: RUN },
  {
    by: "GoDaddy",
    needle: '"/lander"',
    after: /window\.location(?:\.href)?\s*=\s*$/,
    isCode: true,
    textUnder: 300,
  },
  { by: "GoDaddy", needle: "img1.wsimg.com/parking-lander", after: LOADED },
  { by: "GoDaddy", needle: "window.LANDER_SYSTEM", isCode: true },
  { by: "Sedo", needle: "sedoparking.com", after: LOADED },
  { by: "Sedo", needle: "dto.sedoParkingUrl", isCode: true },
  { by: "Sedo", needle: "FOOTER_DOMAIN_PARKING", isCode: true },
  { by: "Skenzo", needle: "cdn-fileserver.com/bping.php", after: LOADED },
  { by: "ParkLogic", needle: "parklogic.com", after: RUN },
  { by: "ParkingCrew", needle: "parkingcrew.net", after: RUN },
  { by: "ParkingCrew", needle: "d38psrni17bvxu.cloudfront.net", after: LOADED },
  { by: "REG.RU", needle: "parking.reg.ru/script", after: RUN },
  {
    by: "Squarespace",
    needle: "assets.squarespace.com/universal/scripts-compressed/parking-page",
    after: RUN,
  },
  { by: "Dan", needle: "dan.com/buy-domain", after: LINKED, namesDomain: true },
  { by: "HugeDomains", needle: "hugedomains.com/domain_profile", after: LINKED, namesDomain: true },
];

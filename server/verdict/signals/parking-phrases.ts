import { codeOf, isQuoted } from "../page/code.ts";
import type { Page } from "../page/page.ts";
import type { Signal } from "../probe/finding.ts";
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

const NAME = String.raw`[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?:\.[\p{L}\p{N}-]{2,63}){1,3}`;
const MARKS = String.raw`[\s\p{P}\p{S}]{0,12}`;

/** The word for a domain in one language, with or without its name, or the name alone. */
const subject = (words: string) => `(?:${words}(?: ${NAME})?|${NAME})`;

const DOMAIN = subject(
  "(?:(?:this|the|our) )?(?:premium |web ?site |internet )?(?:domain(?: ?name)?|web ?address)",
);
const DOMAIN_DE = subject("(?:(?:diese|die) )?(?:premium-?)?domain");
const DOMAIN_FR = subject("(?:ce |le )?(?:nom de )?domaine");
const DOMAIN_ES = subject("(?:este |el )?(?:nombre de )?dominio");
const DOMAIN_IT = subject("(?:questo |il )?(?:nome (?:di |a )?)?dominio");
const DOMAIN_NL = subject("(?:(?:dit |het )?domein|(?:deze |de )?domeinnaam)");
const DOMAIN_PT = subject("(?:este |o )?(?:nome de )?domínio");
const DOMAIN_PL = subject("(?:ta )?domena");
const DOMAIN_RU = subject("(?:(?:этот |данный )?домен|(?:это |данное )?доменное имя)");

const FOR_SALE = [
  `${DOMAIN} (?:is|may be|might be|could be) (?:now |currently |still )?(?:listed )?(?:for sale|up for (?:sale|auction)|available for (?:sale|purchase))`,
  `${DOMAIN} (?:available )?for sale`,
  "(?:buy|purchase|acquire|own|get) this (?:premium )?(?:domain(?: ?name)?|web ?address)",
  "(?:inquire|enquire|ask|contact us) about this domain(?: ?name)?",
  `make (?:us )?an offer (?:on|for) (?:this domain(?: ?name)?|${NAME})`,
  "interested in (?:buying |purchasing |acquiring )?this domain(?: ?name)?\\??",
  `${DOMAIN_DE} (?:steht (?:aktuell |derzeit )?zum verkauf|ist (?:zu verkaufen|käuflich|zu kaufen)|zu verkaufen|zum verkauf)`,
  "diese domain (?:jetzt )?(?:kaufen|erwerben)",
  `${DOMAIN_FR} (?:est )?(?:à vendre|en vente)`,
  "(?:acheter|achetez) ce (?:nom de )?domaine",
  `${DOMAIN_ES} (?:está )?(?:en|a la) venta`,
  "compr(?:ar|e|a) este (?:nombre de )?dominio",
  `${DOMAIN_IT} (?:è )?in vendita`,
  "(?:acquista|compra) questo dominio",
  `${DOMAIN_NL} (?:is )?te koop`,
  "koop (?:dit domein|deze domeinnaam)",
  `${DOMAIN_PT} (?:está )?à venda`,
  "compr(?:ar|e) este domínio",
  `${DOMAIN_PL} (?:jest )?na sprzedaż`,
  "kup (?:tę|tą|te) domenę",
  `${DOMAIN_RU} (?:выставлен[оа]? на продажу|прода[её]тся)`,
  "купить (?:этот |данный )?домен",
  `${subject("(?:цей )?домен")} продається`,
  `${subject("(?:den här |denna )?domän(?:en)?")} (?:är )?till salu`,
  "köp (?:den här|denna) domän(?:en)?",
  `${subject("(?:dette )?dom[æe]net?")} (?:er )?til salgs?`,
  `${subject("(?:tato )?doména")} (?:je )?na prodej`,
  "bu alan adı satılıktır",
];

/** Languages without spaces, where letters may follow directly. */
const FOR_SALE_EAST = [
  "(?:この|本)?ドメイン(?:名)?は?、?(?:現在)?(?:販売中|売り出し中|売却中|売ります|購入(?:できます|可能))",
  "(?:此|该|該|本|这个|這個)?(?:域名|網域)(?:名称|名稱)?(?:可能)?(?:正在|现已|現已|可)?(?:出售|待售|转让|轉讓)",
  "(?:购买|購買)(?:此|该|該|这个|這個)(?:域名|網域)",
  "이 도메인(?:은|을|이)? ?(?:판매|구매|구입)",
];

const EXPIRED = [
  `${subject("(?:(?:this|the|your) )?domain(?: ?name)?(?: registration)?")} (?:(?:has|is|was) )?(?:recently |just |now )?expired`,
  `${DOMAIN_DE} (?:ist )?abgelaufen`,
  `${DOMAIN_FR} (?:a|est) expiré`,
  `${DOMAIN_ES} ha (?:expirado|caducado)`,
  `${DOMAIN_IT} è scaduto`,
  `${DOMAIN_NL} is verlopen`,
  `${DOMAIN_PT} expirou`,
  `${DOMAIN_PL} wygasła`,
  `срок регистрации (?:этого |данного )?домена(?: ${NAME})? (?:ист[её]к|закончился)`,
];

const EXPIRED_EAST = [
  "(?:この)?ドメイン(?:名)?(?:の|は)?(?:有効)?期限(?:が|は)?(?:切れ|終了)",
  "(?:此|该|該|您的)?域名(?:已经|已)(?:过期|到期|過期)",
];

const REGISTRARS = String.raw`go ?daddy(?:\.com)?|namecheap|sedo|bodis|porkbun|dynadot|gandi|ionos|strato|ovh|enom|tucows|hover|netim|123-?reg`;
const THIS_PAGE = subject("(?:this|the) (?:web ?page|web ?site|site|page|domain(?: ?name)?)");

const WITHOUT_SITE = [
  `${THIS_PAGE} (?:is|has been) (?:currently )?(?:a )?parked(?:(?: for)? free)?(?: ?,? courtesy of)?(?= (?:by|at|with|on|domain|page|${REGISTRARS}|${NAME})|${MARKS}$)`,
  "parked (?:for )?free ?,? courtesy of",
  `(?:domain )?parked (?:by|at|with|on|via) (?:${REGISTRARS}|${NAME}|(?:its |the )?owner)`,
  "(?:parked domain|domain parked|domain parking page)",
  `(?:${subject("(?:this|the) domain(?: ?name)?")} )?(?:(?:is|has been|was) )?(?:already |recently |just )?registered (?:at|with|by|through|via) (?:${REGISTRARS}|${NAME})`,
  `${DOMAIN_DE} (?:ist|wurde) (?:geparkt|(?:soeben |bereits |im kundenauftrag )?registriert)`,
  "domain im kundenauftrag registriert",
];

/** A quick test: every statement contains one of these words. Sorted by first letters for speed. */
const HINT =
  /dom[a-zéíäæ]|a(?:lan adı|ddress|uction|bgelaufen)|s(?:al[eug]|przeda|cadut)|p(?:urchase|rodej|ark)|offer|k(?:[aä]uf|oop)|ve(?:n[dt]|rlopen)|expir|caduca|wygas|regist|домен|прода|ドメイン|域名|網域|도메인/iu;

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

type Mark = {
  by: string;
  needle: string;
  /** Matches the code before the needle. */
  after?: RegExp;
  /** Matches the code from the needle on. */
  from?: RegExp;
  /** The URL that begins with the needle must name the page's own domain. */
  namesDomain?: true;
  /** A statement of a script; others are tags. */
  isScript?: true;
  /** The page has less visible text than this. */
  textUnder?: number;
};

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

const inTag = (tags: string) =>
  new RegExp(
    `<(?:${tags})\\b[^<>]*\\s(?:src|href|action)\\s*=\\s*["']?(?:https?:)?\\\\?/\\\\?/(?:[a-z0-9-]+\\.)*$`,
    "i",
  );

const RUN = inTag("script|iframe|frame|form");
const LINKED = inTag("a|form");
const LOADED = inTag("script|iframe|frame|form|img|link");

/** A quick test: every mark contains one of these. */
const MARKUP_HINT =
  /adblockkey|window\.park|\/lander"|LANDER_SYSTEM|parking(?:crew\.net|-lander|-page|\.reg\.ru)|sedo[pP]arking|DOMAIN_PARKING|bping\.php|parklogic|bodis\.com|d38psrni17bvxu|dan\.com\/buy-domain|domain_profile/;

const MARKUP_MARKS: Mark[] = [
  {
    by: "AdSense for Domains",
    needle: "data-adblockkey",
    // Blog themes have the same attribute on a `div`, with a number.
    after: /<html\b[^<>]*$/i,
    from: /^data-adblockkey\s*=\s*["']?[^"'\s>]/,
  },
  { by: "Bodis", needle: "window.park", from: /^window\.park\s*=\s*["']ey/, isScript: true },
  { by: "Bodis", needle: "bodis.com", after: RUN },
  {
    by: "GoDaddy",
    needle: '"/lander"',
    after: /window\.location(?:\.href)?\s*=\s*$/,
    isScript: true,
    textUnder: 300,
  },
  { by: "GoDaddy", needle: "img1.wsimg.com/parking-lander", after: LOADED },
  { by: "GoDaddy", needle: "window.LANDER_SYSTEM", isScript: true },
  { by: "Sedo", needle: "sedoparking.com", after: LOADED },
  { by: "Sedo", needle: "dto.sedoParkingUrl", isScript: true },
  { by: "Sedo", needle: "FOOTER_DOMAIN_PARKING", isScript: true },
  { by: "Sedo", needle: "FOOTER_DOMAIN_PARKING" },
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

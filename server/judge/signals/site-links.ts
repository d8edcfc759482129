import type { Page } from "../page/page.ts";
import type { Answer } from "../probe/probe.ts";
import { bareHost, decoded, isFileAddress, isHome, isSamePlace, lastPartOf } from "./addresses.ts";
import { isLoginAddress } from "./logins.ts";

/** Pages that are the same for other reasons, or change something: sign-ins, baskets, legal notices. */
const ASIDE =
  /log-?(?:in|out|on|off)|sign-?(?:in|up|out|on)|register|registr|account|konto\b|compte\b|cuenta|profile?\b|basket|\bcart\b|checkout|warenkorb|panier|carrito|cesta|carrello|carrinho|winkelwagen|koszyk|wish-?list|privacy|cookie|terms|\bagb\b|legal|imprint|impressum|datenschutz|mentions|confidentialit|privacidad|privacidade|condizioni|voorwaarden|regulamin|gdpr|dsgvo|unsubscribe|корзин|kundenkonto|[?&](?:add|remove|delete|action|do)\b/i;

const LONGEST = 2048;

/**
 * Chooses, from the addresses that a site offers, those that must exist and say most about a link, best first: files of
 * the same kind and pages of the same folder.
 *
 * @param shown where the link led, which says nothing new
 */
export function controlsAmong(offered: URL[], link: URL, shown: URL): URL[] {
  const found = new Map<string, URL>();
  for (const url of offered) {
    url.hash = "";
    if (!found.has(url.href) && isControl(url, link, shown)) found.set(url.href, url);
  }
  return [...found.values()].toSorted((one, other) => rank(other, link) - rank(one, link));
}

function isControl(url: URL, link: URL, shown: URL): boolean {
  if (!/^https?:$/.test(url.protocol) || bareHost(url) !== bareHost(link)) return false;
  if (url.username !== "" || url.href.length > LONGEST) return false;
  if (isHome(url) || isSamePlace(url, link) || isSamePlace(url, shown)) return false;
  return !isLoginAddress(url) && !ASIDE.test(decoded(url.pathname + url.search));
}

/** What stands before a kind of file stands before all of that kind, and what closes a folder closes all of it. */
function rank(url: URL, link: URL): number {
  const isSameKind = isFileAddress(link) && endingOf(url) === endingOf(link);
  const isFile = isFileAddress(link) && isFileAddress(url);
  const depth = sharedFolders(url, link);
  return (
    (isSameKind ? 16 : 0) + (isFile ? 8 : 0) + Math.min(depth, 3) * 2 + (url.search === "" ? 1 : 0)
  );
}

const endingOf = ({ pathname }: URL) => /\.\w+$/.exec(lastPartOf(pathname))?.[0].toLowerCase();

/** How many folders from the root are the same. */
function sharedFolders(one: URL, other: URL): number {
  const [ours, theirs] = [one, other].map(({ pathname }) => pathname.split("/").slice(1, -1));
  const differing = ours!.findIndex((folder, at) => folder !== theirs![at]);
  return differing < 0 ? ours!.length : differing;
}

const LINK = /<a\b[^<>]{0,300}?\shref\s*=\s*["']?([^"'\s<>]{1,300})/gi;

/** Links that barriers have too. */
const FORMAL =
  /privacy|cookie|terms|legal|imprint|impressum|datenschutz|\bagb\b|log-?in|sign-?(?:in|up)|register|account|help|support|contact|kontakt|lang/i;

/** Whether a page has the layout of a site, unlike what a server or a host shows in its place. */
export const isInLayout = (page: Page, { finalUrl }: Answer) =>
  linksInto(page, new URL(finalUrl)) >= LEAST_LINKS;

const LEAST_LINKS = 3;

/** Counts the pages of the site that a page links to, without the formal ones. */
export function linksInto({ markup }: Page, found: URL): number {
  const links = new Set<string>();
  for (const [, address = ""] of markup.matchAll(LINK)) {
    const url = URL.parse(address, found);
    const isInside = url?.host === found.host && !isHome(url);
    if (isInside && url.href !== found.href && !FORMAL.test(address)) links.add(url.href);
  }
  return links.size;
}

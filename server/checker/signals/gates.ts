import type { Page } from "../page/page.ts";
import { isHome } from "./addresses.ts";
import { isShort } from "./clues.ts";

/**
 * Whether a page may stand before what was asked for: it wants something of its reader first. Such a page
 * is the same for every address, and says nothing about any.
 */
export const asksFirst = (page: Page) =>
  isShort(page) && (page.passwordFields > 0 || ASKS.test(page.text) || CLOSED.test(page.text));

/**
 * Whether a short page with scripts has hardly a way into the site. What a site shows in place of a missing
 * page invites to stay; a gate, a queue or a closed shop is shown in place of everything, keeps people out,
 * and has scripts to let them in.
 */
export const leadsNowhere = (page: Page, found: URL) =>
  isShort(page) && hasScripts(page) && waysInto(page, found) < FEWEST_WAYS;

/** Whether more may come of a page than what was sent. */
const hasScripts = ({ markup }: Page) => /<script\b/i.test(markup);

const FEWEST_WAYS = 2;

/** Proof of age or of being a person, and what a browser must be able to do. */
const ASKS =
  /\b(?:(?:are you|you are|i am|i['’]m|must be) (?:(?:over|above|at least|older than) )?(?:1[68]|19|2[01])\b|legal (?:drinking |smoking )?age\b|(?:verify|confirm) (?:your age|that you are|you are)|are you (?:a )?(?:human|robot)|not a (?:ro)?bot\b|captcha\b|(?:please )?enable (?:javascript|cookies)\b|browser is (?:not supported|out of date))|(?:bist du|sind sie) (?:über |mindestens |schon )?(?:16|18)|volljährig|(?:avoir|avez[- ]vous|j['’]ai) (?:plus de )?18 ans|(?:je suis|êtes[- ]vous) majeur|mayor(?:es)? de (?:18|edad)|maggiorenn|maior(?:es)? de (?:18|idade)|(?:мне|вам) (?:уже )?(?:есть )?18|pełnoletni|18 jaar of ouder/i;

/** A choice or a consent that comes first, a queue, and a site that is not open. */
const CLOSED =
  /\b(?:(?:select|choose) (?:your|a) (?:country|region|location|language|store)|(?:accept|agree to) (?:the|our|all)|terms of (?:use|service)|(?:now )?in (?:line|the queue|a queue)|waiting room|(?:being|currently) (?:upgraded|updated|rebuilt|redesigned|moved|migrated)|under construction|coming soon|launching soon|opening soon|back (?:soon|shortly|online))\b|wartung|baustelle|en construction|en construcción|in costruzione|em construção|w budowie|в разработке|на реконструкции|工事中|準備中|建设中|공사중/i;

const LINK = /<a\b[^<>]{0,300}?\shref\s*=\s*["']?([^"'\s<>]{1,300})/gi;

/** Links that the most forbidding page may have, too. */
const FORMAL =
  /privacy|cookie|terms|legal|imprint|impressum|datenschutz|\bagb\b|log-?in|sign-?(?:in|up)|register|account|help|support|contact|kontakt|lang/i;

/** Different places of the site that a page links to, those on itself among them. */
function waysInto({ markup }: Page, found: URL): number {
  const ways = new Set<string>();
  for (const [, address = ""] of markup.matchAll(LINK)) {
    const url = URL.parse(address, found);
    const isWay = url?.host === found.host && !isHome(url);
    if (isWay && url.href !== found.href && !FORMAL.test(address)) ways.add(url.href);
  }
  return ways.size;
}

import {
  dead,
  type Finding,
  type Need,
  needs,
  type Reader,
  type Seen,
  suspected,
} from "../probe/finding.ts";
import type { Answer } from "../probe/probe.ts";
import {
  bareHost,
  carriesWayBack,
  decoded,
  errorPageAt,
  isBelowRoot,
  isHome,
  isShortener,
  isSiteAddress,
  namesHost,
  speaksOfErrors,
} from "./addresses.ts";
import {
  barrierInWords,
  barrierOn,
  behindBarrier,
  mayBeBarrierPage,
  mayBePrivate,
} from "./barriers.ts";
import { isAppShell, isShort, LITTLE_TEXT, missingWordsOn, saysMissing } from "./clues.ts";
import { isLoginAddress } from "./logins.ts";
import { quoted } from "./phrases.ts";
import { compare, HOME_SAME } from "./same-page.ts";
import { isPlain } from "./signature.ts";

/** Judges by where the redirects led. What is to be seen there is for those who come after. */
export const readRedirects: Reader = (seen) => {
  const { answer, url } = seen;
  const target = answer.hops.length > 0 ? URL.parse(answer.finalUrl) : null;
  if (!target) return null;
  // An app of scripts shows at its home page what the fragment names.
  const showsView = isHome(target) && namesView(answer.fragment, url);
  const wayBack = carriesWayBack(showsView ? { ...answer, fragment: "" } : answer);
  if (leadsToErrorPage(answer, url, target)) {
    if (wayBack) return behindBarrier(seen, barrierOn(answer.page), [LEADS_TO_GATE]);
    return judgeErrorPage(seen, target);
  }
  const isHomeward = leadsHome(url, target) && !NAMES_VIEW.test(answer.fragment);
  if (wayBack && (isHomeward || (wayBack === "sure" && isGate(seen, target)))) {
    return behindBarrier(seen, barrierOn(answer.page), [LEADS_TO_GATE]);
  }
  return isHomeward ? judgeHome(seen, target) : null;
};

/** Whether a fragment is the link's path and nothing else. */
const namesView = (fragment: string, { pathname }: URL) =>
  decoded(fragment)
    .replace(/^#!?\/?/, "/")
    .toLowerCase() === decoded(pathname).toLowerCase();

const LEADS_TO_GATE = {
  rule: "leads_to_gate",
  text: "The link is redirected to a page that notes the link's address, to return to it later.",
};

/** Content that moved may note its old address as well: it keeps its name, or shows that it is content. */
const isGate = ({ answer: { page }, url }: Seen, target: URL) =>
  page !== null &&
  isPlain(page) &&
  !keepsName(url, target) &&
  !isShortener(url) &&
  !namesHost(url, target);

/** Whether the last part of a path is the same in both. */
const keepsName = (link: URL, target: URL) =>
  nameOf(link) !== "" && nameOf(link) === nameOf(target);

const nameOf = ({ pathname }: URL) =>
  decoded(pathname.split("/").findLast((part) => part !== "") ?? "").toLowerCase();

/** An app of scripts shows what is named there, and its home page when nothing is. */
const NAMES_VIEW = /^#!?\/?[\w-]/;

/** At an address that may be that of something real, the page must look like an error page as well. */
function leadsToErrorPage(answer: Answer, link: URL, target: URL): boolean {
  const found = speaksOfErrors(link) ? null : errorPageAt(target);
  if (found === null || found === "sure") return found !== null;
  const { page } = answer;
  if (!page || !isShort(page)) return false;
  if (found === "words") return true;
  // The number at the address and in the title is the same number twice.
  const missing = missingWordsOn(page, answer, link);
  return missing !== null && missing.strength !== "number";
}

/** A site that leads its home page there as well is not itself for the moment, and says nothing about the link. */
function judgeErrorPage(seen: Seen, target: URL): Finding | Need {
  const { answer, serving, facts } = seen;
  const text = `The link leads to an error page, ${quoted(target.pathname)}.`;
  const signals = [{ rule: "leads_to_error_page", text }];
  if (!serving?.target) {
    if (facts.home === undefined) return needs("home");
    if (compare(answer, facts.home) === "same") {
      return behindBarrier(seen, barrierOn(answer.page), [...signals, HOME_SAME]);
    }
  }
  return mayBePrivate(answer.page)
    ? behindBarrier(seen, barrierOn(answer.page), signals)
    : dead("soft404_redirect_error", "C2", signals);
}

/** Who asked for a home page got one, and a short address may stand for any. */
const leadsHome = (link: URL, target: URL) =>
  isHome(target) && !isSiteAddress(link) && !isShortener(link) && !namesHost(link, target);

/** Was the link sent there for a reason of its own, or is whatever does not exist? */
function judgeHome(seen: Seen, target: URL): Finding | Need | null {
  const {
    answer,
    serving,
    facts: { sibling },
  } = seen;
  const home = { rule: "leads_home", text: `The link leads to the home page of ${target.host}.` };
  // Services are not asked for random addresses.
  if (serving?.target) return suspected("soft404_suspected", [home]);
  if (sibling === undefined) return needs("sibling");
  const comparison = compare(answer, sibling);
  if (comparison === "missing" || saysMissing(sibling)) return null;
  if (comparison !== "same" || sibling?.hops.length === 0) {
    return suspected("soft404_suspected", [home]);
  }
  const text = "A random address next to the link leads there, too.";
  const signals = [home, { rule: "sibling_leads_home", text }];
  // A folder may be for members only, and a site that has left its host leads all of that host to its home page.
  const around = bareHost(target) === bareHost(seen.url) ? "root" : "home";
  const other = around === "root" && isBelowRoot(seen.url) ? sibling : seen.facts[around];
  if (other === undefined) return needs(around);
  const isOfWholeHost = compare(answer, other) === "same";
  if (around === "home" && isOfWholeHost) {
    return behindBarrier(seen, barrierOn(answer.page), [...signals, HOME_SAME]);
  }
  if (around === "root" && !isOfWholeHost) return suspected("soft404_suspected", signals);
  return barrierInWords(answer.page) || mayShowMore(answer) || isLoginAddress(target)
    ? behindBarrier(seen, barrierOn(answer.page), signals)
    : dead("soft404_redirect_home", "C2", signals);
}

/**
 * What stands behind `#` in an address is never sent, so an app of scripts may show each its own page; and
 * what a sign-in hides is for those who have signed in.
 */
const mayShowMore = ({ page }: Answer) =>
  page !== null && ((isAppShell(page) && page.text.length < LITTLE_TEXT) || mayBeBarrierPage(page));

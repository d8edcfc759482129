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
  decoded,
  errorPageAt,
  isBelowRoot,
  isHome,
  isShortener,
  isSiteAddress,
  lastPartOf,
  leadsToItsHome,
  namesHost,
  returnAddressIn,
  speaksOfErrors,
} from "./addresses.ts";
import {
  barrierInWords,
  barrierOn,
  behindBarrier,
  mayBeBarrierPage,
  mayBePrivate,
} from "./barriers.ts";
import {
  isAppShell,
  isPhrase,
  isShort,
  LITTLE_TEXT,
  missingWordsOn,
  saysMissing,
} from "./clues.ts";
import { unlessSameAtControl } from "./controlled.ts";
import { isPlain } from "./known/signature.ts";
import { isLoginAddress } from "./logins.ts";
import { quoted } from "./phrases.ts";
import { compare, HOME_SAME } from "./same-page.ts";

/** Judges by the target of the redirects; later readers judge the page there. */
export const readRedirects: Reader = (seen) => {
  const { answer, url } = seen;
  const target = answer.hops.length > 0 ? URL.parse(answer.finalUrl) : null;
  if (!target) return null;
  // A client-side app shows at its home page what the fragment names.
  const showsView = isHome(target) && namesView(answer.fragment, url);
  const returnAddress = returnAddressIn(showsView ? { ...answer, fragment: "" } : answer);
  if (leadsToErrorPage(answer, url, target)) {
    const isGateToMore = returnAddress && !isPlainErrorPage(answer, url);
    if (isGateToMore) return behindBarrier(seen, barrierOn(answer.page), [LEADS_TO_GATE]);
    return judgeErrorPage(seen, target);
  }
  const isHomeward = leadsHome(url, target) && !NAMES_VIEW.test(answer.fragment);
  if (returnAddress && (isHomeward || (returnAddress === "sure" && isGate(seen, target)))) {
    return behindBarrier(seen, barrierOn(answer.page), [LEADS_TO_GATE]);
  }
  return isHomeward ? judgeHome(seen, target) : null;
};

/** An error page may be given the link's address to name it. It says that the page is missing, and asks for nothing. */
const isPlainErrorPage = (answer: Answer, link: URL): boolean =>
  answer.page !== null &&
  answer.page.forms + answer.page.passwordFields === 0 &&
  isPhrase(missingWordsOn(answer.page, answer, link)?.strength ?? null);

/** Whether a fragment is the link's path and nothing else. */
const namesView = (fragment: string, { pathname }: URL) =>
  decoded(fragment)
    .replace(/^#!?\/?/, "/")
    .toLowerCase() === decoded(pathname).toLowerCase();

const LEADS_TO_GATE = {
  rule: "leads_to_gate",
  text: "The link is redirected to a page that carries the link's address, to return to it later.",
};

/** Moved content may carry its old address too, but keeps its name or is visibly content. */
const isGate = ({ answer: { page }, url }: Seen, target: URL) =>
  page !== null &&
  isPlain(page) &&
  !keepsName(url, target) &&
  !isShortener(url) &&
  !namesHost(url, target);

/** Whether the last parts of the paths are the same. */
const keepsName = (link: URL, target: URL) =>
  nameOf(link) !== "" && nameOf(link) === nameOf(target);

const nameOf = ({ pathname }: URL) => decoded(lastPartOf(pathname)).toLowerCase();

/** A fragment that names a view of a client-side app. */
const NAMES_VIEW = /^#!?\/?[\w-]/;

/** If the address may also name a real thing, the page must look like an error page too. */
function leadsToErrorPage(answer: Answer, link: URL, target: URL): boolean {
  const found = speaksOfErrors(link) ? null : errorPageAt(target);
  if (found === null || found === "sure") return found !== null;
  const { page } = answer;
  if (!page || !isShort(page)) return false;
  if (found === "words") return true;
  // The number in the title only repeats the number in the address.
  const missing = missingWordsOn(page, answer, link);
  return missing !== null && missing.strength !== "number";
}

/** If the home page is redirected there too, it is not evidence. */
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

/** Not for links to a home page, also of a folder, nor for short URLs, which may mean one. */
const leadsHome = (link: URL, target: URL) =>
  isHome(target) &&
  !isSiteAddress(link) &&
  !leadsToItsHome(link, target) &&
  !isShortener(link) &&
  !namesHost(link, target);

/** Compares with random addresses: only if they are redirected there too, and others are not, the link is dead. */
function judgeHome(seen: Seen, target: URL): Finding | Need | null {
  const {
    answer,
    serving,
    facts: { sibling },
  } = seen;
  const home = { rule: "leads_home", text: `The link leads to the home page of ${target.host}.` };
  // Services are not tested with random addresses.
  if (serving?.target) return suspected("soft404_suspected", [home]);
  if (sibling === undefined) return needs("sibling");
  const comparison = compare(answer, sibling);
  if (comparison === "missing" || saysMissing(sibling)) return null;
  if (comparison !== "same" || sibling?.hops.length === 0) {
    return suspected("soft404_suspected", [home]);
  }
  const text = "A random address next to the link leads there, too.";
  const signals = [home, { rule: "sibling_leads_home", text }];
  // A folder may be for members only, and a site that moved redirects its whole old host to its home page.
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
    : unlessSameAtControl(seen, dead("soft404_redirect_home", "C2", signals));
}

/** A client-side app may show each fragment its own page, and a sign-in may show more after it. */
const mayShowMore = ({ page }: Answer) =>
  page !== null && ((isAppShell(page) && page.text.length < LITTLE_TEXT) || mayBeBarrierPage(page));

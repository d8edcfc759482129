import type { Page } from "../page/page.ts";
import { promisesFile } from "../page/sniff.ts";
import {
  alive,
  dead,
  type Finding,
  type Need,
  needs,
  type Reader,
  type Seen,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import type { Answer } from "../probe/probe.ts";
import {
  bareHost,
  hasEarlierKey,
  isBelowRoot,
  isFileAddress,
  isSiteAddress,
  leadsToItsHome,
  mayBeScript,
  speaksOfErrors,
} from "./addresses.ts";
import {
  barrierInWords,
  barrierOn,
  behindBarrier,
  hasFewLinks,
  isSignInOfSite,
  mayBeBarrierPage,
  mayBePrivate,
} from "./barriers.ts";
import {
  canonicalElsewhere,
  contentOf,
  hasSameMissingWords,
  hasSentence,
  hiddenFromSearch,
  isAboutOneThing,
  isAppShell,
  isExplanation,
  isPhrase,
  isReference,
  isShort,
  type Missing,
  missingInLine,
  missingWordsOn,
} from "./clues.ts";
import { unlessSameAtControl } from "./controlled.ts";
import { FOR_NOW } from "./known/page-words.ts";
import { isLoginAddress } from "./logins.ts";
import { type Rest, restOf } from "./own-words.ts";
import { quoted } from "./phrases.ts";
import {
  type Comparison,
  compare,
  comparedAddress,
  fingerprintOf,
  HOME_SAME,
  isNear,
} from "./same-page.ts";
import { readShortText } from "./short-texts.ts";

/** Detects error pages with a success status, by words and by comparison (docs/verdicts.md). */
export const readSoft404: Reader = (seen) => {
  const { answer } = seen;
  const { page } = answer;
  if (answer.bodyBytes === 0 || answer.bodyProblem === "body_undecodable") return null;
  if (!page) return readShortText(seen);
  const finding = judgePage(seen, page);
  const isDead = finding && !("needs" in finding) && finding.verdict === "dead";
  return isDead && mayBePrivate(page)
    ? behindBarrier(seen, barrierOn(page), finding.signals)
    : finding;
};

function judgePage(seen: Seen, page: Page): Finding | Need | null {
  const { answer, url } = seen;
  const missing = missingWordsOn(page, answer, url);
  if (missing) return judgeWords(seen, page, missing);
  const conflict = typeConflict(answer, url);
  if (!conflict) return judgeUniform(seen, page);
  // An app may have a page about `node.js`.
  const isOpen = isAppShell(page) && !isFileAddress(url) && mayBeScript(url);
  return isOpen ? judgeUniform(seen, page) : judgeConflict(seen, page, conflict);
}

/** A page with the words of an error page. */
function judgeWords(seen: Seen, page: Page, missing: Missing): Finding | Need | null {
  const { answer, url } = seen;
  const agreeing = [...hiddenFromSearch(page, answer), ...canonicalElsewhere(page, answer, url)];
  const signals = [
    ...missing.signals,
    ...agreeing,
    ...(isShort(page) ? [{ rule: "short_page", text: "There is little else on the page." }] : []),
  ];
  const isProof = missing.isSaidByBoth && isOnlyAnError(seen, page);
  if (isProof && contentOf(page) === "none" && restOf(page) === "nothing")
    return deadUnlessSameEverywhere(seen, page, signals);
  const sibling = isSiteAddress(url) ? "nothing" : compareWith(seen, "sibling");
  if (typeof sibling !== "string") return sibling;
  if (missing.strength === "number" && sibling === "nothing") return null;
  if (!isPhrase(missing.strength)) {
    const finding = judgeHint(seen, page, sibling, signals);
    // Hints are also said of pages that are locked or temporarily away.
    return missing.strength === "hint" ? controlled(seen, finding, { hasWords: true }) : finding;
  }
  if (sibling === "same" && saysMoreThanSibling(seen, page)) {
    return suspected("soft404_suspected", [...signals, SIBLING_SAME]);
  }
  if (sibling === "same" || (sibling !== "nothing" && isErrorPageOfSite(seen, page))) {
    return deadUnlessHomeIsSame(seen, page, [...signals, SIBLING_SAME]);
  }
  const isExpected = speaksOfErrors(url) || isReference(page);
  const isBackedUp = agreeing.length > 0 || (missing.isSaidTwice && !isExpected);
  // Services are not tested with random addresses, so it is not known how they answer.
  const isHonest = sibling === "missing" && !seen.serving?.target;
  if (isBackedUp && isShort(page) && !isHonest) {
    const rest = restApartFromSite(seen, page);
    if (typeof rest !== "string") return rest;
    if (rest === "nothing") return deadUnlessSameEverywhere(seen, page, signals);
  }
  if (sibling === "nothing") return suspected("soft404_suspected", signals);
  return judgeSurrounded(seen, page, isProof, signals);
}

/**
 * Whether a random address shows these words, and no less than this page: a page with more may be a discussion about
 * error pages. A site that usually returns 404 may still show its error page here with a success.
 */
function isErrorPageOfSite({ answer, facts: { sibling } }: Seen, page: Page): boolean {
  if (!hasSameMissingWords(page, sibling)) return false;
  const rest = restOf(page, sibling);
  if (rest === "nothing") return true;
  const isSoft = sibling?.kind === "answered" && sibling.status < 300 && sibling.page !== null;
  return isSoft && rest === "something" && restOf(sibling.page!, answer) !== "nothing";
}

/** A few words of its own do not make a long page another one, but the site's error page may lack them. */
function saysMoreThanSibling({ answer, facts: { sibling } }: Seen, page: Page): boolean {
  const others = sibling?.kind === "answered" ? sibling.page : null;
  return (
    others !== null && restOf(page, sibling) !== "nothing" && restOf(others, answer) === "nothing"
  );
}

/** What the page says, apart from what the site shows at a random address and at home. */
function restApartFromSite(seen: Seen, page: Page): Rest | Need {
  const { facts } = seen;
  const rest = restOf(page, facts.sibling);
  if (rest === "nothing") return rest;
  const home = compareWith(seen, "home");
  return typeof home === "string" ? restOf(page, facts.sibling, facts.home) : home;
}

function deadUnlessSameEverywhere(seen: Seen, page: Page, signals: Signal[]): Finding | Need {
  const other = isSiteAddress(seen.url) ? "root" : "home";
  const comparison = compareWith(seen, other);
  if (typeof comparison !== "string") return comparison;
  const isSame = comparison === "same" || hasSameMissingWords(page, seen.facts[other]);
  return isSame
    ? behindBarrier(seen, barrierOn(page), [...signals, other === "home" ? HOME_SAME : ROOT_SAME])
    : dead("soft404_body", "C2", signals);
}

/** Judges an error page within the layout of its site. */
function judgeSurrounded(
  seen: Seen,
  page: Page,
  isProof: boolean,
  signals: Signal[],
): Finding | Need | null {
  if (isShort(page) && !isProof) return suspected("soft404_suspected", signals);
  if (isAboutOneThing(page) || contentOf(page) === "paragraph") return null;
  if (!isProof) return suspected("soft404_suspected", signals);
  const rest = restApartFromSite(seen, page);
  if (typeof rest !== "string") return rest;
  if (rest === "posts") return null;
  const { sibling, home } = seen.facts;
  return rest === "nothing" && contentOf(page, sibling, home) === "none"
    ? deadUnlessSameEverywhere(seen, page, signals)
    : suspected("soft404_suspected", signals);
}

const isOnlyAnError = ({ url }: Seen, page: Page) =>
  !isAboutOneThing(page) && !speaksOfErrors(url) && !isExplanation(page);

/** Words that other pages have too only count if a random address shows the same page. */
function judgeHint(
  seen: Seen,
  page: Page,
  sibling: Comparison,
  signals: Signal[],
): Finding | Need | null {
  if (sibling === "nothing") {
    const isSuspect = isShort(page) && !isSiteAddress(seen.url);
    return isSuspect ? suspected("soft404_suspected", signals) : null;
  }
  if (sibling !== "same") return null;
  const all = [...signals, SIBLING_SAME];
  return [page.title, page.heading].some((words) => FOR_NOW.test(words))
    ? suspected("soft404_suspected", all)
    : deadUnlessRootDiffers(seen, page, all);
}

function typeConflict({ hops, finalUrl, headers }: Answer, link: URL): Signal | null {
  const type = headers.get("content-type");
  if (promisesFile(type)) {
    return {
      rule: "page_for_file",
      text: `The response calls itself ${quoted(type!)}, but is a page.`,
    };
  }
  if (!isFileAddress(link) && !mayBeScript(link)) return null;
  if (hops.length === 0) {
    return { rule: "page_for_file", text: "The link names a file, but a page comes instead." };
  }
  const target = URL.parse(finalUrl);
  if (!target || bareHost(target) === bareHost(link)) return null;
  const text = `The link names a file, but leads to a page of ${target.host}.`;
  return { rule: "leads_from_file_to_page", text };
}

/** The file is missing if a random file address shows the same page. */
function judgeConflict(seen: Seen, page: Page, conflict: Signal): Finding | Need | null {
  const sibling = compareWith(seen, "sibling");
  if (sibling !== "same") return typeof sibling === "string" ? null : sibling;
  const lines = missingInLine(page);
  const signals = [conflict, ...lines, SIBLING_SAME];
  const isOpen = isAppShell(page) || (lines.length === 0 && mayBeBarrier(seen, page));
  if (isOpen) return behindBarrier(seen, barrierOn(page), signals);
  if (lines.length === 0 && !hasEarlierKey(seen.url)) {
    // Without words of an error page, it may be a barrier in front of this folder's files.
    const root = compareWith(seen, "root");
    if (root !== "same") {
      return typeof root === "string" ? suspected("soft404_suspected", signals) : root;
    }
  }
  const finding = hasEarlierKey(seen.url)
    ? deadUnlessRootDiffers(seen, page, signals)
    : deadUnlessHomeIsSame(seen, page, signals);
  if (lines.length > 0) return finding;
  const isForm = page.forms > formsAtHome(seen);
  return finding && !("needs" in finding) && isForm
    ? suspected("soft404_suspected", finding.signals)
    : controlled(seen, finding);
}

/** Without clear words of an error page, a death also needs a comparison with a page that must exist. */
const controlled = (
  seen: Seen,
  finding: Finding | Need | null,
  options?: { hasWords: boolean },
): Finding | Need | null =>
  finding && !("needs" in finding) && finding.verdict === "dead"
    ? unlessSameAtControl(seen, finding, options)
    : finding;

/** A form that the home page lacks may ask for an e-mail address before the download. */
const formsAtHome = ({ facts: { home } }: Seen): number =>
  home?.kind === "answered" ? (home.page?.forms ?? 0) : 0;

/** A sibling may show the same page by design, as in `/questions/123/any-title`; one at the root does not. */
function deadUnlessRootDiffers(seen: Seen, page: Page, signals: Signal[]): Finding | Need | null {
  const root = compareWithRoot(seen);
  if (typeof root !== "string") return root;
  if (root === "nothing") return suspected("soft404_suspected", signals);
  return root === "same" ? deadUnlessHomeIsSame(seen, page, [...signals, ROOT_SAME]) : null;
}

function deadUnlessHomeIsSame(seen: Seen, page: Page, signals: Signal[]): Finding | Need {
  const home = compareWith(seen, "home");
  if (typeof home !== "string") return home;
  if (home === "nothing") return suspected("soft404_suspected", signals);
  return home === "same" || hasSameMissingWords(page, seen.facts.home)
    ? behindBarrier(seen, barrierOn(page), [...signals, HOME_SAME])
    : dead("soft404_probe", "C2", signals);
}

const mayBeBarrier = ({ answer }: Seen, page: Page) =>
  mayBeBarrierPage(page) ||
  hasFewLinks(page, new URL(answer.finalUrl)) ||
  barrierInWords(page) !== null;

/** Judges a page without words of an error page, which may still be the same for every address. */
function judgeUniform(seen: Seen, page: Page): Finding | Need | null {
  const isDoubtful = seen.isReregistered || isUsualPage(seen, page);
  if (typeof isDoubtful !== "boolean") return isDoubtful;
  if (!isDoubtful) return null;
  const sibling = compareWith(seen, comparedAddress(seen.url));
  if (sibling !== "same") return typeof sibling === "string" ? null : sibling;
  const lines = missingInLine(page);
  if (isAppShell(page)) return judgeApp(seen, page, lines);
  if (isSiteAddress(seen.url)) return judgeReregisteredHome(seen);
  const root = compareWithRoot(seen);
  if (typeof root !== "string") return root;
  const signals = [...lines, ...canonicalElsewhere(page, seen.answer, seen.url), SIBLING_SAME];
  if (root === "same") return judgeEverywhere(seen, page, [...signals, ROOT_SAME]);
  if (isSignIn(seen, page)) return behindBarrier(seen, barrierOn(page), signals);
  const isSuspect =
    lines.length > 0 ? !hasEarlierKey(seen.url) : seen.isReregistered && root === "nothing";
  return isSuspect ? suspected("soft404_suspected", signals) : suspectShort(seen, page, signals);
}

/** In any language: next to nothing of its own, and the same for a random address, but not the home page. */
function suspectShort(seen: Seen, page: Page, signals: Signal[]): Finding | Need | null {
  if (hasEarlierKey(seen.url) || isAboutOneThing(page) || contentOf(page) !== "none") return null;
  const home = compareWith(seen, "home");
  if (typeof home !== "string") return home;
  return home === "different" ? suspected("soft404_suspected", signals) : null;
}

/** Without words of an error page, it is not evidence: it may be a barrier in unknown words. */
const judgeEverywhere = (seen: Seen, page: Page, signals: Signal[]): Finding | Need =>
  missingInLine(page).length > 0
    ? deadUnlessHomeIsSame(seen, page, signals)
    : behindBarrier(seen, barrierOn(page), signals);

/**
 * A short error page with scripts may be an app, and an app may be a sign-in. A frame with a sentence of its own is
 * not empty, unless the home page has the same.
 */
function judgeApp(seen: Seen, page: Page, lines: Signal[]): Finding | Need {
  if (lines.length > 0) return suspected("soft404_suspected", [...lines, SIBLING_SAME]);
  const barrier = barrierOn(page);
  if (barrier) return behindBarrier(seen, barrier, [SIBLING_SAME]);
  const app = { ...alive("ok_unverified_app"), signals: [APP_SHELL] };
  if (isSiteAddress(seen.url) || hasEarlierKey(seen.url)) return app;
  if (!hasSentence(page) || contentOf(page) !== "none") return app;
  const home = compareWith(seen, "home");
  if (typeof home !== "string") return home;
  const isApp = home !== "different" || !hasSentence(page, seen.facts.home);
  return isApp ? app : suspected("soft404_suspected", [SIBLING_SAME]);
}

/** Whether the page looks like the one that the host shows for random addresses. */
function isUsualPage({ answer, url, facts, serving }: Seen, page: Page): boolean | Need {
  if (isSiteAddress(url) || serving?.target) return false;
  if (answer.hops.length > 0 && leadsToItsHome(url, new URL(answer.finalUrl))) return false;
  const { profile, sibling } = facts;
  if (profile === undefined) return needs("profile");
  if (profile?.kind === "honest") return missingInLine(page).length > 0;
  if (sibling || canonicalElsewhere(page, answer, url).length > 0) return true;
  return profile !== null && isNear(profile.fingerprint, fingerprintOf(answer));
}

/** Whether a page may be the sign-in of a whole folder. */
const isSignIn = (seen: Seen, page: Page) =>
  isShort(page) &&
  page.passwordFields === 1 &&
  !hasEarlierKey(seen.url) &&
  !isLoginAddress(seen.url) &&
  !isSignInOfSite(seen);

/** A new owner's domain often has only a home page, shown at every address. */
const judgeReregisteredHome = ({ facts: { root } }: Seen): Finding | null =>
  root?.hops.length === 0 ? suspected("soft404_suspected", [ROOT_SAME]) : null;

/** Services are not tested with random addresses, because rules know their error pages. */
function compareWith(seen: Seen, fact: "sibling" | "root" | "home"): Comparison | Need {
  const { answer, facts, serving } = seen;
  if (serving?.target) return "missing";
  const probe = facts[fact];
  return probe === undefined ? needs(fact) : compare(answer, probe);
}

/** Directly below the root, the sibling is a random address at the root. */
const compareWithRoot = (seen: Seen) =>
  compareWith(seen, isBelowRoot(seen.url) ? "sibling" : "root");

const SIBLING_SAME: Signal = {
  rule: "sibling_same",
  text: "A random address next to the link shows the same page.",
};
const ROOT_SAME: Signal = {
  rule: "root_same",
  text: "A random address directly below the site shows the same page.",
};
const APP_SHELL: Signal = {
  rule: "app_shell",
  text: "The page is an empty frame for scripts, and the same for every address.",
};

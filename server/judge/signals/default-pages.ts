import type { Page } from "../page/page.ts";
import {
  dead,
  type Finding,
  type Need,
  needs,
  type Reader,
  type Seen,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import { decoded, isSiteAddress } from "./addresses.ts";
import { isShort, LITTLE_TEXT } from "./clues.ts";
import { unlessSameAtControl } from "./controlled.ts";
import { DEFAULT_PAGES } from "./known/default-pages.ts";
import { headlinesOf, matches, prepare, type Signature, titlesOf } from "./known/signature.ts";
import {
  ABOUT_SUSPENSION,
  ACCOUNT_SUSPENDED,
  HOSTING,
  ONLY_NAME,
  SITE_SUSPENDED,
  SUSPENDED_PATH,
} from "./known/suspended.ts";
import { SITE_ERRORS } from "./outages.ts";
import { quoted } from "./phrases.ts";
import { compare, comparedAddress, SAME_EVERYWHERE } from "./same-page.ts";
import { isInLayout } from "./site-links.ts";

type Suspension = {
  signal: Signal;
  /** No other page shows this. */
  isSure: boolean;
  /** Title and heading both say it, and there is little else. */
  isSaidTwice: boolean;
};

function readSuspension({ answer, url }: Seen, page: Page): Suspension | null {
  const { pathname } = new URL(answer.finalUrl);
  if (SUSPENDED_PATH.test(pathname) && !SUSPENDED_PATH.test(url.pathname)) {
    const text = `The site leads to its host's ${quoted(pathname)}.`;
    return { signal: { rule: "suspended_path", text }, isSure: true, isSaidTwice: false };
  }
  if (!isShort(page)) return null;
  const headlines = [...headlinesOf(page), firstSentence(page)];
  const words = headlines.find(saysSuspended);
  if (!words) return null;
  const text = `The page is a host's notice: ${quoted(words)}.`;
  const isAbout = ABOUT_SUSPENSION.test(decoded(url.pathname));
  return {
    signal: { rule: "suspended_notice", text },
    isSure: !isAbout && !isInLayout(page, answer) && isSure(words, page),
    isSaidTwice: !isAbout && isSaidTwice(page),
  };
}

const saysSuspended = (words: string) =>
  SITE_SUSPENDED.test(words) || ACCOUNT_SUSPENDED.test(words);

const isSaidTwice = (page: Page) =>
  page.text.length < LITTLE_TEXT &&
  titlesOf(page).some(saysSuspended) &&
  saysSuspended(page.heading);

/**
 * Sites suspend their users in the same words, and hosting companies explain them. Such pages also have the
 * site's name in the title, a search or a sign-in.
 */
function isSure(words: string, { title, text, forms }: Page): boolean {
  if (title !== "" && title !== words && !ONLY_NAME.test(title)) return false;
  return forms === 0 && (SITE_SUSPENDED.test(words) || title === words || HOSTING.test(text));
}

/** For notices without a heading. */
const firstSentence = ({ text }: Page) => /^[^.!]{1,100}/.exec(text)?.[0] ?? "";

/** Judges pages in place of a site: a notice of suspension, a default page, an error of the site. */
export const readPlaceholder: Reader = (seen) => {
  const { page } = seen.answer;
  if (!page || page.text.length > LONGEST_TEXT) return null;
  const suspension = readSuspension(seen, page);
  return (suspension && judgeSuspension(seen, suspension)) ?? readDefaultPage(seen);
};

/** A page with more characters belongs to a site. */
const LONGEST_TEXT = 5000;

/** A suspended site shows its notice at every address; one page that says nothing else may be a member's. */
function judgeSuspension(
  seen: Seen,
  { signal, isSure, isSaidTwice }: Suspension,
): Finding | Need | null {
  const { answer, facts, url } = seen;
  if (isSure) return dead("hosting_suspended", "C2", [signal]);
  const fact = comparedAddress(url);
  const other = facts[fact];
  if (other === undefined) return needs(fact);
  const comparison = compare(answer, other);
  if (comparison === "nothing") return suspected("placeholder_page", [signal]);
  if (comparison === "same") return judgeSuspendedFolder(seen, signal);
  return isSaidTwice ? suspected("soft404_suspected", [signal]) : null;
}

/** A notice that the home page does not show may be for the members of one folder. */
function judgeSuspendedFolder({ answer, facts, url }: Seen, signal: Signal): Finding | Need {
  const signals = [signal, SAME_EVERYWHERE];
  if (isSiteAddress(url)) return dead("hosting_suspended", "C2", signals);
  if (facts.home === undefined) return needs("home");
  return compare(answer, facts.home) === "different"
    ? suspected("soft404_suspected", signals)
    : dead("hosting_suspended", "C2", signals);
}

function readDefaultPage(seen: Seen): Finding | Need | null {
  const sight = prepare(seen);
  const isMet = (wall: Signature) => matches(sight, wall);
  const defaultPage = DEFAULT_PAGES.find(isMet);
  if (defaultPage) return judgeDefaultPage(seen, signalOf(defaultPage));
  const failure = SITE_ERRORS.find(isMet);
  return failure ? suspected(failure.reason, [signalOf(failure)]) : null;
}

/** Only evidence against a deep link if a random address shows it too, and the home page and a page of it do not. */
function judgeDefaultPage(seen: Seen, signal: Signal): Finding | Need {
  const { answer, url, facts } = seen;
  const open = suspected("placeholder_page", [signal]);
  if (isSiteAddress(url)) return open;
  if (facts.sibling === undefined) return needs("sibling");
  if (compare(answer, facts.sibling) !== "same") return open;
  if (facts.home === undefined) return needs("home");
  if (!["different", "missing"].includes(compare(answer, facts.home))) return open;
  const finding = unlessSameAtControl(seen, dead("soft404_probe", "C2", [signal, SAME_EVERYWHERE]));
  return "needs" in finding || finding.verdict === "dead" ? finding : open;
}

const signalOf = ({ rule, text }: Signature): Signal => ({ rule, text });

import { codeOf } from "../page/code.ts";
import type { Page } from "../page/page.ts";
import {
  type Finding,
  type Need,
  needs,
  type Reader,
  type Seen,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import type { Answer } from "../probe/probe.ts";
import { bareHost, isSiteAddress } from "./addresses.ts";
import { isAppShell, isFrame, LITTLE_TEXT, missingInLine, missingWordsOn } from "./clues.ts";
import { isSamePage } from "./same-page.ts";

/**
 * A 404 that browsers may show as a page: static hosts send the frame of an app with it, and some sites their content. An
 * error page by its own words is none.
 */
export const readShown404: Reader = (seen) => {
  const { answer, url, serving } = seen;
  const { page } = answer;
  if (answer.status !== 404 || !page || serving?.target || isSiteAddress(url)) return null;
  if (missingWordsOn(page, answer, url) || missingInLine(page).length > 0) return null;
  if (page.hasMainEntity) return judgeContent(seen, page);
  return isScripted(page, answer) ? judgeApp(seen, page) : null;
};

/** The frame of an app, or a script or refresh that leads to another page of the host. */
const isScripted = (page: Page, answer: Answer): boolean =>
  page.text.length < LITTLE_TEXT &&
  (isFrame(page) || (page.text.length < FEW_WORDS && isAppShell(page)) || leadsOn(page, answer));

/** "Loading the app, please wait." */
const FEW_WORDS = 80;

/** A script that changes the address, and names no other host (`spa-github-pages` and others). */
function leadsOn({ markup, refresh }: Page, { finalUrl }: Answer): boolean {
  const target = refresh && URL.parse(refresh.url, finalUrl);
  if (target) return bareHost(target) === bareHost(new URL(finalUrl));
  const { scripts } = codeOf(markup);
  return CHANGES_ADDRESS.test(scripts) && !NAMES_HOST.test(scripts);
}

const CHANGES_ADDRESS =
  /\blocation(?:\.href)?\s*=(?!=)|\blocation\.(?:replace|assign)\s*\(|\bl\.replace\s*\(\s*l\.|\bhistory\.replaceState\s*\(/;
const NAMES_HOST = /(?:=|\()\s*["'`](?:https?:)?\/\/[^"'`]/;

/** Whether the home page is the app. A home page that cannot be seen leaves it open. */
function judgeApp({ facts: { home }, answer }: Seen, page: Page): Finding | Need | null {
  if (home === undefined) return needs("home");
  const open = suspected("soft404_suspected", [APP_BEHIND_404]);
  if (home?.kind !== "answered" || home.status > 299)
    return home?.kind === "answered" ? null : open;
  if (!home.page) return null;
  const isEmpty = page.text === "" && (isFrame(home.page) || isAppShell(home.page));
  return isEmpty || isSamePage(answer, home) ? open : null;
}

/** Only if a random address shows less: error pages may describe what they recommend. */
function judgeContent({ facts: { sibling }, answer }: Seen, page: Page): Finding | Need | null {
  if (sibling === undefined) return needs("sibling");
  if (sibling?.kind !== "answered" || isSamePage(answer, sibling)) return null;
  const isOwn =
    !sibling.page?.hasMainEntity ||
    (sibling.page.title !== page.title && sibling.page.heading !== page.heading);
  return isOwn ? suspected("soft404_suspected", [CONTENT_BEHIND_404]) : null;
}

const APP_BEHIND_404: Signal = {
  rule: "app_behind_404",
  text: "The server returns 404 with the frame of the app that its home page is.",
};
const CONTENT_BEHIND_404: Signal = {
  rule: "content_behind_404",
  text: "The server returns 404 with a page about something, which a random address does not show.",
};

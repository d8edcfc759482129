import type { Page } from "../page/page.ts";
import { readRetryAfter } from "../politeness/site-load.ts";
import {
  type Finding,
  needs,
  type Reader,
  type Seen,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import type { UnknownReason } from "../reasons/reasons.ts";
import { BLOCKS, CAPTIVE_PORTALS, NETWORK_FILTERS, SAYS_GEO } from "./blocks.ts";
import { isShort, isShownAtFirst } from "./clues.ts";
import { BOT_PROTECTION, GENERIC_BOT_PROTECTION } from "./known/bot-protection.ts";
import { ASKS_AGE, MAY_BE_PRIVATE, NAMES_AGE, SAYS_LOGIN, SESSION_OVER } from "./known/logins.ts";
import { SAYS_MAINTENANCE } from "./known/outages.ts";
import { concernsPage, headlinesOf, matches, prepare, type Signature } from "./known/signature.ts";
import { AGE_GATES, LOGINS } from "./logins.ts";
import { OUTAGES } from "./outages.ts";
import { quoted } from "./phrases.ts";
import { isSamePage } from "./same-page.ts";
import { linksInto } from "./site-links.ts";

/** Certain signatures come before general ones. */
const BARRIERS: readonly Signature[] = [
  ...BOT_PROTECTION,
  ...NETWORK_FILTERS,
  ...CAPTIVE_PORTALS,
  ...LOGINS,
  ...AGE_GATES,
  ...BLOCKS,
  ...OUTAGES,
  ...GENERIC_BOT_PROTECTION,
];

/** Selected once per status, because most signatures have few statuses. */
const barriersByStatus = new Map<number, Signature[]>();

/** Frequent requests make bot protection more suspicious. */
const REST_MS = 6 * 3_600_000;

/** Finds a barrier in front of the page. It concerns this monitor, never the link. */
export const readBarriers: Reader = (seen) => {
  const sight = prepare(seen);
  for (const wall of barriersAt(seen.answer.status)) {
    if (!matches(sight, wall)) continue;
    if (wall.when.signsIn) {
      if (seen.facts.home === undefined) return needs("home");
      if (isSignInOfSite(seen)) continue;
    }
    return findingOf(wall, seen);
  }
  return null;
};

/**
 * Whether pages that show something else have a form for a password too, so that it belongs to the site's layout. Not if
 * those pages are sign-ins themselves.
 */
export function isSignInOfSite({ answer, facts: { home, sibling, root } }: Seen): boolean {
  return [home, sibling, root].some(
    (other) =>
      other?.kind === "answered" &&
      other.page !== null &&
      other.page.passwordFields > 0 &&
      !isSamePage(answer, other) &&
      barrierInWords(other.page) === null,
  );
}

function barriersAt(status: number): Signature[] {
  const known = barriersByStatus.get(status);
  if (known) return known;
  const walls = BARRIERS.filter(({ when }) => !when.status || when.status.includes(status));
  barriersByStatus.set(status, walls);
  return walls;
}

function findingOf(wall: Signature, seen: Seen): Finding {
  const { rule, reason, retries = [] } = wall;
  const signal = { rule, text: signalText(wall, seen) };
  return { ...behindBarrier(seen, { reason, signal }, []), retries };
}

/** Unknown, with the barrier's reason if it is known. */
export function behindBarrier(seen: Seen, barrier: Barrier | null, signals: Signal[]): Finding {
  const isLayout = barrier?.signal.rule === FORM && isSignInOfSite(seen);
  if (!barrier || isLayout) return suspected("soft404_suspected", signals);
  const finding = suspected(barrier.reason, [...signals, barrier.signal]);
  return barrier.reason === "bot_challenge" ? { ...finding, restMs: restAfter(seen) } : finding;
}

const restAfter = ({ answer: { headers }, now }: Seen) =>
  Math.max(REST_MS, readRetryAfter(headers.get("retry-after"), now) ?? 0);

/** The signature's sentence, with a quotation of the page if the page matched. */
function signalText({ text, when }: Signature, { answer: { page } }: Seen): string {
  const words = page && concernsPage(when) ? page.title || page.heading || page.text : "";
  return words === "" ? text : `${text} It says ${quoted(words)}.`;
}

/** Whether a page may ask its visitor for something first, and so be the same for every address. */
export const mayBeBarrierPage = (page: Page) =>
  isShort(page) && (page.passwordFields > 0 || ASKS.some((words) => words.test(page.text)));

const FORM = "barrier_form";

/** The barrier that a page is, known to be the same for every address. */
type Barrier = { reason: UnknownReason; signal: Signal };

/** Detects the barrier by words or form, for a page that is the same for many addresses. */
export function barrierOn(page: Page | null): Barrier | null {
  const text = "The page has a form that asks for a password.";
  const signal = { rule: FORM, text };
  const isForm = page?.passwordFields === 1;
  return barrierInWords(page) ?? (isForm ? { reason: "login_required", signal } : null);
}

/** Detects the barrier by words; unlike in signatures, they need not be whole sentences. */
export function barrierInWords(page: Page | null): Barrier | null {
  if (!page) return null;
  const sayings = headlinesOf(page);
  for (const { reason, said, anywhere } of BARRIER_WORDS) {
    const words = sayings.find((saying) => said.some((pattern) => pattern.test(saying)));
    if (words !== undefined) return barrierByWords(reason, words);
    const found = anywhere && isShort(page) ? anywhere.exec(page.text)?.[0] : undefined;
    if (found !== undefined) return barrierByWords(reason, found);
  }
  return null;
}

/** Whether a short page may only be hidden from this visitor, so that its words are not evidence. */
export function mayBePrivate(page: Page | null): boolean {
  if (!page || !isShort(page)) return false;
  // Each page of an app may be ready to say that its session is over.
  const [over] = SESSION_OVER.exec(page.text) ?? [];
  return MAY_BE_PRIVATE.test(page.text) || (over !== undefined && isShownAtFirst(over, page));
}

const barrierByWords = (reason: UnknownReason, words: string): Barrier => ({
  reason,
  signal: { rule: "barrier_words", text: `The page asks for something first: ${quoted(words)}.` },
});

/**
 * Whether a short page with scripts hardly links to the site. An error page links to other pages; a barrier, a
 * queue or a closed shop does not.
 */
export const hasFewLinks = (page: Page, found: URL) =>
  isShort(page) && /<script\b/i.test(page.markup) && linksInto(page, found) < MIN_LINKS;

const MIN_LINKS = 2;

const AGE =
  /\b(?:(?:are you|you are|i am|i['’]m|must be) (?:(?:over|above|at least|older than) )?(?:1[68]|19|2[01])\b|legal (?:drinking |smoking )?age\b|(?:verify|confirm) your age\b)|(?:bist du|sind sie) (?:über |mindestens |schon )?(?:16|18)|volljährig|(?:avoir|avez[- ]vous|j['’]ai) (?:plus de )?18 ans|(?:je suis|êtes[- ]vous) majeur|mayor(?:es)? de (?:18|edad)|maggiorenn|maior(?:es)? de (?:18|idade)|(?:мне|вам) (?:уже )?(?:есть )?18|pełnoletni|18 jaar of ouder/i;

const PERSON =
  /\b(?:(?:verify|confirm) (?:that )?you are\b|are you (?:a )?(?:human|robot)|not a (?:ro)?bot\b|captcha\b)/i;

const BROWSER =
  /\b(?:(?:please )?enable (?:javascript|cookies)\b|browser is (?:not supported|out of date))/i;

/** A required choice or consent, a queue, or a site that is not open. */
const CLOSED =
  /\b(?:(?:select|choose) (?:your|a) (?:country|region|location|language|store)|(?:accept|agree to) (?:the|our|all)|terms of (?:use|service)|(?:now )?in (?:line|the queue|a queue)|waiting room|(?:being|currently) (?:upgraded|updated|rebuilt|redesigned|moved|migrated)|under construction|coming soon|launching soon|opening soon|back (?:soon|shortly|online))\b|wartung|baustelle|en construction|en construcción|in costruzione|em construção|w budowie|в разработке|на реконструкции|工事中|準備中|建设中|공사중/i;

const ASKS = [AGE, PERSON, BROWSER, CLOSED];

/** In a title or a heading. */
const PROVE_PERSON =
  /captcha|\b(?:(?:not|are) a (?:ro)?bot|(?:verify|confirm|prove)\b.{0,30}\bhuman|human verification)\b|security (?:check|verification)|unusual (?:traffic|activity)|checking (?:your browser|if the site)|pardon our interruption|just a moment|робот|roboter|automat(?:isierte|ed) (?:anfragen|requests)|安全[验驗][证證]|人机|人機|ロボット|로봇|보안 ?인증/i;
const CONSENT =
  /before you continue|\bcookies? (?:consent|settings|policy|preferences|choices|notice|wall)|(?:\buse|accept|gebruik|verwend|nutz|utilis|utiliz|\busa|używa|použív|использ).{0,30}\bcookies?\b|\bconsents?\b|\b(?:your|respect(?:s|ing)?) (?:online )?privacy\b|privacy (?:choices|settings|preferences)|zustimmung|einwilligung|ihre (?:privatsphäre|daten)|deine (?:privatsphäre|daten)|vie privée|consentement|(?:tu|su) privacidad|consentimiento|(?:tua|sua) privacy|consenso|(?:sua|tua) privacidade|consentimento|toestemming|(?:je|uw) privacy|prywatnoś|zgod[ayę]|согласие|конфиденциальност|souhlas|soukromí|samtycke|integritet|samtykke|クッキー|同意|쿠키/i;
const LOG_IN =
  /\b(?:log ?-?in|sign ?-?in|sign ?-?on|log on|logged in|members[- ]only|authentication required)\b|anmelden|anmeldung|einloggen|connectez-vous|se connecter|identifiez-vous|inici(?:a|e|ar) sesi[óo]n|fa[çz]a login|\baccedi\b|inloggen|aanmelden|zaloguj|logga in|log ind|logg inn|kirjaudu|přihl(?:á|a)s|bejelentkezés|giriş yap|авториз|войдите|войти|увійдіть|увійти|ログイン|サインイン|登[录錄入]|로그인/i;

/** In this order, since an age verification may mention cookies, and any page a login. */
const BARRIER_WORDS: readonly {
  reason: UnknownReason;
  said: readonly RegExp[];
  anywhere?: RegExp;
}[] = [
  { reason: "consent_wall", said: [ASKS_AGE, NAMES_AGE, AGE], anywhere: AGE },
  { reason: "geo_blocked", said: [SAYS_GEO] },
  { reason: "maintenance", said: [SAYS_MAINTENANCE] },
  { reason: "bot_challenge", said: [PROVE_PERSON, PERSON], anywhere: PERSON },
  { reason: "consent_wall", said: [CONSENT] },
  { reason: "login_required", said: [SAYS_LOGIN, LOG_IN] },
];

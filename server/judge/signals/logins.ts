import type { Page } from "../page/page.ts";
import type { Seen } from "../probe/finding.ts";
import { decoded, lastPartOf, returnAddressIn } from "./addresses.ts";
import {
  ABOUT_AGE,
  AGE_ADDRESS,
  ASKS_AGE,
  CONSENT_ADDRESS,
  CONSENT_HOST,
  LOGIN_ADDRESS,
  MAY_BE_PRIVATE,
  NAMES_AGE,
  RETURN_NAMES,
  SAYS_LOGIN,
} from "./known/logins.ts";
import { headlinesOf, type Signature, SMALL, signatureFor, titlesOf } from "./known/signature.ts";

const consent = signatureFor("consent_wall");
const login = signatureFor("login_required");

const PAGES = [200, 202, 203] as const;

export const LOGINS: readonly Signature[] = [
  consent("consent_redirect", "The link leads to a page that asks for consent first.", {
    status: PAGES,
    redirectedTo: CONSENT_HOST,
  }),
  consent(
    "consent_return",
    "The link leads to a page that asks for consent and has a return address.",
    {
      status: PAGES,
      redirectedTo: CONSENT_ADDRESS,
      also: ({ answer }) => namesReturn(answer.finalUrl) || returnAddressIn(answer) !== null,
    },
  ),
  consent("age_redirect", "The link leads to a page that requires an age verification first.", {
    status: PAGES,
    redirectedTo: AGE_ADDRESS,
  }),
  login("login_redirect", "The link leads to a login with a return address.", {
    status: PAGES,
    redirectedTo: LOGIN_ADDRESS,
    // Some logins store the return address on the server after the first request.
    also: ({ answer }) =>
      [...answer.hops.slice(1).map(({ url }) => url), answer.finalUrl].some(namesReturn) ||
      returnAddressIn(answer) !== null,
  }),
  login("login_landing", "The link leads to a login.", {
    status: PAGES,
    redirectedTo: LOGIN_ADDRESS,
    also: (seen) => isDeep(seen) && showsLogin(seen),
  }),
  login("login_page", "The page is only a login.", {
    status: PAGES,
    textUnder: SMALL,
    isPlain: true,
    headline: SAYS_LOGIN,
    signsIn: true,
    also: (seen) => isDeep(seen) && !isLoginItself(seen) && hasOnlyLogin(seen),
  }),
  login("login_title", "The title asks to log in, and the page has a form for a password.", {
    status: PAGES,
    isPlain: true,
    signsIn: true,
    also: (seen) => isDeep(seen) && !isLoginItself(seen) && isTitledLogin(seen),
  }),
  login(
    "login_permission",
    "The page may be hidden from visitors, and has a form for a password.",
    {
      status: PAGES,
      textUnder: SMALL,
      isPlain: true,
      signsIn: true,
      also: (seen) => isDeep(seen) && !isLoginItself(seen) && isWithheld(seen),
    },
  ),
];

export const isLoginAddress = ({ host, pathname }: URL) => LOGIN_ADDRESS.test(host + pathname);

/** A value with a slash, plain or in base64. */
const HAS_SLASH = /\/|^aHR0c|^%2f/i;

function namesReturn(url: string): boolean {
  const query = URL.parse(url)?.searchParams ?? [];
  return [...query].some(([name, value]) => {
    const plain = name.toLowerCase().replace(/[-_.]/g, "");
    return RETURN_NAMES.has(plain) && (plain === "samlrequest" || HAS_SLASH.test(value));
  });
}

/** A link to a home page shows what every visitor sees, even if that is a login. */
const isDeep = ({ url }: Seen) =>
  url.search !== "" || !/^\/(?:[a-z]{2}(?:[-_][a-z]{2})?\/?)?(?:index\.\w+)?$/i.test(url.pathname);

const isLoginItself = ({ url }: Seen) => isLoginAddress(url);

const showsLogin = ({ answer: { page } }: Seen) =>
  !!page && (page.passwordFields > 0 || headlinesOf(page).some((words) => SAYS_LOGIN.test(words)));

const isWithheld = ({ answer: { page } }: Seen) =>
  page?.passwordFields === 1 && MAY_BE_PRIVATE.test(page.text);

const isTitledLogin = ({ answer: { page } }: Seen) =>
  page?.passwordFields === 1 && titlesOf(page).some((words) => SAYS_LOGIN.test(words));

/** A second password field is a registration. */
const hasOnlyLogin = ({ answer: { page } }: Seen) => page?.forms === 1 && page.passwordFields === 1;

export const AGE_GATES: readonly Signature[] = [
  consent("age_words", "The page requires an age verification first.", {
    status: [200, 202, 203],
    isPlain: true,
    also: (seen) => isDeep(seen) && !ABOUT_AGE.test(decoded(seen.url.pathname)) && asksAge(seen),
  }),
];

function asksAge({ answer: { page }, url }: Seen): boolean {
  if (!page) return false;
  if (titlesOf(page).some((words) => ASKS_AGE.test(words))) return true;
  const isShort = page.text.length < SMALL;
  if (isShort && headlinesOf(page).some((words) => NAMES_AGE.test(words))) return true;
  // Below such a wall the page may stand whole, hidden by a script.
  if (NAMES_AGE.test(page.heading) && titlesOf(page).some((words) => NAMES_AGE.test(words)))
    return true;
  return ASKS_AGE.test(page.heading) && !isAbout(page, url) && (isShort || !isInOverlay(page));
}

/** Whether the title repeats the address, so that an age verification is laid over the page by a script. */
function isAbout({ title }: Page, { pathname }: URL): boolean {
  const words =
    decoded(lastPartOf(pathname))
      .toLowerCase()
      .match(/\p{L}{4,}/gu) ?? [];
  return words.some((word) => title.toLowerCase().includes(word));
}

/** Whether the heading is in an overlay. */
function isInOverlay({ markup }: Page): boolean {
  const at = markup.search(/<h1\b/i);
  return LAYER.test(markup.slice(Math.max(0, at - BEFORE_HEADING), at + AFTER_HEADING));
}

const BEFORE_HEADING = 600;
const AFTER_HEADING = 200;
const LAYER = /\b(?:class|id|role)\s*=\s*["'][^"']*(?:modal|overlay|pop-?up|dialog|lightbox)/i;

import type { Seen } from "../probe/finding.ts";
import { SMALL, sayingsOf, titlesOf, type Wall } from "./wall.ts";
import { carriesWayBack } from "./way-back.ts";

const PAGES = [200, 202, 203] as const;

const LOGIN_SEGMENTS = [
  "log[-_]?in",
  "sign[-_]?in",
  "log[-_]?on",
  "sign[-_]?on",
  "(?:wp|web|user|member|customer|service|account|admin)[-_]?(?:log[-_]?in|sign[-_]?in|log[-_]?on)",
  "sso",
  "auth",
  "authwall",
  "authenticate",
  "authorize",
  "sessions?/new",
  "anmelden|anmeldung|einloggen",
  "connexion|se-connecter",
  "iniciar-sesion|acceder",
  "accedi",
  "entrar",
  "inloggen|aanmelden",
  "logowanie|zaloguj",
  "logga-in|logg-inn|log-ind",
  "prihlaseni",
  "bejelentkezes",
  "uye-girisi|giris",
].join("|");

const LOGIN_HOSTS =
  "(?:login|signin|sso|auth|idp|accounts)\\.[^/]+|idmsa\\.apple\\.com|[^/]+\\.(?:okta|auth0|onelogin|cloudflareaccess|amazoncognito|b2clogin)\\.com";

/** A part of the path, or the host, that is there for logging in and for nothing else. */
const LOGIN_ADDRESS = new RegExp(
  `^(?:${LOGIN_HOSTS})[/:]|^[^?]*/(?:${LOGIN_SEGMENTS})(?:\\.(?:php|aspx?|html?|jsp|jsf|do|action|cgi|cfm))?(?:[/;?]|$)`,
  "i",
);

const CONSENT_HOST = /^(?:consent\.(?:google|youtube|yahoo)\.[a-z.]{2,6}|guce\.[a-z]+\.com)\//;
const CONSENT_ADDRESS =
  /^(?:consent|cmp|myprivacy|privacy)\.|^[^?]*\/(?:consent|(?:cookie|gdpr|privacy)[-_]?(?:consent|wall|gate)|consent[-_]?(?:wall|page|form|gate)|collectconsent)(?:\.(?:php|aspx?|html?))?(?:[/?]|$)/i;

const AGE_ADDRESS =
  /^[^?]*\/(?:age[-_]?(?:gate|check|verification|verify|confirm(?:ation)?)|verify[-_]?(?:your[-_]?)?age|altersabfrage|altersverifikation)(?:\.(?:php|aspx?|html?))?(?:[/?]|$)/i;

const LOGIN_WORDS = [
  "log ?-?in|logon|sign ?-?in|sign ?-?on|log on|log into",
  "(?:please|you (?:must|need to|have to)(?: be)?) (?:log(?:ged)?|sign(?:ed)?)[ -]?in(?: to (?:continue|view|see|access).{0,40})?",
  "(?:log ?-?in|sign ?-?in) (?:or|and|&) (?:register|sign ?-?up|join|create (?:an )?account)|(?:log ?-?in|sign ?-?in) (?:is )?required",
  "(?:member|members|customer|client|user|account|admin|student|staff)s?['’]?s? (?:log ?-?in|sign ?-?in|area log ?-?in)",
  "anmelden|anmeldung|einloggen",
  "connexion|se connecter|connectez-vous|identification",
  "iniciar sesi[óo]n|inicia sesi[óo]n|inicio de sesi[óo]n|acceder",
  "accedi|accesso",
  "entrar|iniciar sessão|fazer login|acessar",
  "inloggen|aanmelden",
  "zaloguj(?: się)?|logowanie",
  "logga in|log ind|logg inn|kirjaudu(?: sisään)?",
  "přihlášení|přihlásit se|prihlásenie|prijava|autentificare|bejelentkezés",
  "giriş(?: yap)?|oturum aç",
  "вход|войти|авторизация|вход в систему|вход на сайт|вхід|увійти",
  "σύνδεση|تسجيل الدخول|התחברות|đăng nhập",
  "ログイン|サインイン|登录|登錄|登入|로그인",
].join("|");

/** A title that says nothing but "log in", apart from the name of the site. */
export const SAYS_LOGIN = new RegExp(
  `^(?:${LOGIN_WORDS})(?: (?:to|into|at|on|bei|à|a|en|no|na|på|w|в) .{1,60})?[^\\p{L}\\p{N}]*$`,
  "iu",
);

/** The link's content is somewhere behind; so far there is only a door. */
export const LOGINS: readonly Wall[] = [
  {
    rule: "consent_redirect",
    reason: "consent_wall",
    text: "The link leads to a page that asks for consent first.",
    when: { status: PAGES, ledTo: CONSENT_HOST },
  },
  {
    rule: "consent_return",
    reason: "consent_wall",
    text: "The link leads to a page that asks for consent and knows where to return to.",
    when: {
      status: PAGES,
      ledTo: CONSENT_ADDRESS,
      also: ({ answer }) => namesReturn(answer.finalUrl) || carriesWayBack(answer) !== null,
    },
  },
  {
    rule: "age_redirect",
    reason: "consent_wall",
    text: "The link leads to a page that asks for the reader's age first.",
    when: { status: PAGES, ledTo: AGE_ADDRESS },
  },
  {
    rule: "login_redirect",
    reason: "login_required",
    text: "The link leads to a login that knows where to return to.",
    when: {
      status: PAGES,
      ledTo: LOGIN_ADDRESS,
      // Some logins keep the return address on the server after the first request.
      also: ({ answer }) =>
        [...answer.hops.slice(1).map(({ url }) => url), answer.finalUrl].some(namesReturn) ||
        carriesWayBack(answer) !== null,
    },
  },
  {
    rule: "login_landing",
    reason: "login_required",
    text: "The link leads to a login.",
    when: { status: PAGES, ledTo: LOGIN_ADDRESS, also: (seen) => isDeep(seen) && showsLogin(seen) },
  },
  {
    rule: "login_page",
    reason: "login_required",
    text: "The page is a login and nothing else.",
    when: {
      status: PAGES,
      textUnder: SMALL,
      isPlain: true,
      says: SAYS_LOGIN,
      also: (seen) => isDeep(seen) && !isLoginItself(seen) && hasOnlyLogin(seen),
    },
  },
  {
    rule: "login_title",
    reason: "login_required",
    text: "The title asks to log in, and the page has a form for a password.",
    when: {
      status: PAGES,
      isPlain: true,
      also: (seen) => isDeep(seen) && !isLoginItself(seen) && isTitledLogin(seen),
    },
  },
];

/** Whether an address is there for logging in, by its host or its path. */
export const isLoginAddress = ({ host, pathname }: URL) => LOGIN_ADDRESS.test(host + pathname);

/** What a query calls the address to return to; without `-` and `_`. */
const RETURN_NAMES = new Set(
  `next continue continueurl continueto return returnto returnurl returnuri returnpath redirect redirectto
  redirecturl redirecturi redirectpath redirectafterlogin redir r back backurl backto goto go dest destination
  destinationurl target targeturl from fromurl forward forwardurl successurl callback callbackurl camefrom ref
  referer referrer origin originalurl originurl originaluri service url u requesturl requesturi relaystate
  samlrequest wreply wctx sessionredirect then path state tourl after afterlogin`.split(/\s+/),
);

/** A value that names a place: with a slash in it, or such a thing in base64. */
const NAMES_PLACE = /\/|^aHR0c|^%2f/i;

function namesReturn(url: string): boolean {
  const query = URL.parse(url)?.searchParams ?? [];
  return [...query].some(([name, value]) => {
    const plain = name.toLowerCase().replace(/[-_.]/g, "");
    return RETURN_NAMES.has(plain) && (plain === "samlrequest" || NAMES_PLACE.test(value));
  });
}

/** A link to a whole site gets what the site shows to every visitor, even if that is a login. */
export const isDeep = ({ url }: Seen) =>
  url.search !== "" || !/^\/(?:[a-z]{2}(?:[-_][a-z]{2})?\/?)?(?:index\.\w+)?$/i.test(url.pathname);

const isLoginItself = ({ url }: Seen) => isLoginAddress(url);

const showsLogin = ({ answer: { page } }: Seen) =>
  !!page && (page.passwordFields > 0 || sayingsOf(page).some((words) => SAYS_LOGIN.test(words)));

const isTitledLogin = ({ answer: { page } }: Seen) =>
  page?.passwordFields === 1 && titlesOf(page).some((words) => SAYS_LOGIN.test(words));

/** With two password fields one signs up. */
const hasOnlyLogin = ({ answer: { page } }: Seen) => page?.forms === 1 && page.passwordFields === 1;

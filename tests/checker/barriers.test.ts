import { afterAll, describe, expect, test } from "bun:test";
import { NEVER_CHECKED } from "../../server/verdict/attempt.ts";
import { checkUrl } from "../../server/verdict/confirm.ts";
import { type Says, startSite } from "../site.ts";
import {
  ARTICLE,
  bare,
  below,
  belowSections,
  HOME,
  LOGIN,
  moved,
  only,
  say,
  sends,
  site,
} from "./barrier-sites.ts";
import { labChecker } from "./prober.ts";
import { paragraph, shell, story } from "./signals/missing-pages.ts";

/**
 * Whole sites, each checked from the request to the verdict. A site is what it says at any address; the link
 * is `/articles/some-story` unless the row names another.
 */
type Row = [what: string, says: Says, verdict: string, path?: string];

const stops: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

async function verdictAt(says: Says, path = "/articles/some-story"): Promise<string> {
  const { url, stop } = startSite({}, { otherwise: (request) => say(says, request) });
  stops.push(stop);
  const { checker } = labChecker();
  const { status, reason } = await checkUrl(checker, { ...NEVER_CHECKED, url: url + path });
  return `${status} ${reason}`;
}

const testSites = (rows: Row[]) =>
  test.each(rows.map(([what, ...row]) => [what, row] as const))("%s", async (_, row) => {
    const [says, verdict, path] = row;
    expect(await verdictAt(says, path)).toBe(verdict);
  });

/** Another number each time, for pages that change at every reading. */
let last = 100;
const next = () => {
  last += 1;
  return last;
};

const h1 = (text: string) => `<h1>${text}</h1>`;
const CONSENT = "unknown consent_wall";
const LOG_IN = "unknown login_required";
const ROBOT = "unknown bot_challenge";
const GEO = "unknown geo_blocked";
const WORKS = "unknown maintenance";
const OPEN = "unknown soft404_suspected";
const NOT_FOUND = site("Page not found", `${h1("Page not found")}<p>There is nothing here.</p>`);
const BIRTH =
  '<form><input name="day"><input name="month"><input name="year"><button>Enter</button></form>';

describe("one page in front of a whole site says nothing about the link:", () => {
  testSites([
    [
      "a consent page",
      bare(
        "Before you continue",
        h1("Before you continue") +
          "<p>We and our 842 partners store cookies on your device.</p><button>Accept all</button>",
        600,
      ),
      CONSENT,
    ],
    [
      "a consent page in the site's layout",
      site("Harbour News", `${h1("We value your privacy")}<button>Accept all</button>`, {
        words: 900,
      }),
      CONSENT,
    ],
    [
      "a choice between advertising and payment, in German",
      site("Zustimmung | Hafenblatt", h1("Wir brauchen Ihre Zustimmung"), {
        words: 700,
        lang: "de",
      }),
      CONSENT,
    ],
    [
      "a consent page in French",
      site(
        "Le Port",
        h1("Le respect de votre vie privée est notre priorité") +
          "<a href='#'>Continuer sans accepter</a>",
        { words: 500, lang: "fr" },
      ),
      CONSENT,
    ],
    [
      "a consent page in Spanish",
      site("El Puerto", h1("Tu privacidad es importante para nosotros"), {
        words: 400,
        lang: "es",
      }),
      CONSENT,
    ],
    [
      "a consent page in Dutch",
      site("De Haven", h1("Wij gebruiken cookies"), { words: 400, lang: "nl" }),
      CONSENT,
    ],
    [
      "a consent page that no rule knows",
      site("Satamalehti", h1("Hyvä lukija"), { words: 800, lang: "fi" }),
      OPEN,
    ],
    [
      "a sign-in that asks for the name first",
      site(
        "Sign in - Harbour",
        `${h1("Sign in")}<form><input name='user'><button>Next</button></form>`,
        { words: 500 },
      ),
      LOG_IN,
    ],
    [
      "a sign-in with much around it",
      site("Log in | Harbour Members", h1("Welcome back") + LOGIN, { words: 900, links: 25 }),
      LOG_IN,
    ],
    ["a sign-in as an app", shell("Sign in | Harbour"), LOG_IN],
    [
      "a portal for members only",
      site("Harbour Portal", `${h1("Harbour Portal")}<p>Please sign in to continue.</p>${LOGIN}`, {
        words: 600,
      }),
      LOG_IN,
    ],
    [
      "a choice of one's university",
      site(
        "Select your institution",
        h1("Select your institution") +
          `<ul>${Array.from({ length: 400 }, (_, at) => `<li><a href="/idp/${at}">University of ${story(at, 2)}</a>`).join("")}</ul>`,
      ),
      OPEN,
    ],
    [
      "a captcha in the site's layout",
      site("Harbour", `${h1("Please confirm that you are a human")}<div class='h-captcha'></div>`, {
        words: 400,
        links: 18,
      }),
      ROBOT,
    ],
    [
      "a refusal in the site's layout",
      site(
        "Pardon Our Interruption",
        h1("Pardon Our Interruption") +
          "<p>Something about your browser made us think you were a bot.</p>",
        { words: 500 },
      ),
      ROBOT,
    ],
    [
      "a button to press and hold",
      site("Harbour", h1("Press & Hold to confirm you are a human (and not a bot)."), {
        words: 300,
      }),
      ROBOT,
    ],
    [
      "a refusal with a reference",
      bare(
        "Access Denied",
        h1("Access Denied") +
          "<p>You don't have permission to access this page on this server. Reference #18.2f3a</p>",
        300,
      ),
      OPEN,
    ],
    [
      "a captcha in Chinese",
      site("安全验证", h1("请完成安全验证"), { words: 400, lang: "zh" }),
      ROBOT,
    ],
    [
      "a captcha in Russian",
      site("Гавань", h1("Подтвердите, что вы не робот"), { words: 400, lang: "ru" }),
      ROBOT,
    ],
    [
      "a brewery's question of age",
      site("Harbour Brewery", h1("Are you of legal drinking age?") + BIRTH, { words: 500 }),
      CONSENT,
    ],
    [
      "a German brewery's question of age",
      site("Hafenbräu", h1("Bist du schon 16 Jahre alt?"), { words: 400, lang: "de" }),
      CONSENT,
    ],
    [
      "a tobacconist's",
      site(
        "Age verification - Harbour Tobacco",
        h1("You must be 21 or older to enter this site") + BIRTH,
        { words: 900 },
      ),
      CONSENT,
    ],
    [
      "adults only",
      bare("Adults only", `${h1("This site contains adult content")}<p>I am over 18</p>`, 1500),
      CONSENT,
    ],
    [
      "a French wine's",
      site("Château du Port", h1("Avez-vous l’âge légal pour consommer de l’alcool ?"), {
        words: 400,
        lang: "fr",
      }),
      CONSENT,
    ],
    [
      "a Spanish tequila's",
      site("Tequila Puerto", h1("¿Eres mayor de edad?"), { words: 400, lang: "es" }),
      CONSENT,
    ],
    [
      "a Polish vodka's",
      site("Wódka Portowa", h1("Czy masz ukończone 18 lat?"), { words: 400, lang: "pl" }),
      CONSENT,
    ],
    [
      "a paper that is not for Europe",
      site(
        "Unavailable in your region",
        h1("Our website is unavailable in most European countries"),
        { words: 500 },
      ),
      GEO,
    ],
    [
      "a channel that is not for this country",
      site(
        "Harbour TV",
        `${h1("This video is not available in your country")}<p>See where we are.</p>`,
        { words: 600, links: 40 },
      ),
      GEO,
    ],
    [
      "betting that is not for this country",
      site("Harbour Bets", h1("Access from your country is not permitted"), { words: 700 }),
      GEO,
    ],
    [
      "maintenance in WordPress",
      site("Site under maintenance – Harbour", h1("Site is undergoing maintenance"), {
        words: 700,
      }),
      WORKS,
    ],
    [
      "maintenance in Drupal",
      site("Site under maintenance | Harbour", h1("Site under maintenance"), { words: 400 }),
      WORKS,
    ],
    [
      "maintenance in a shop",
      site("Service temporarily unavailable", h1("We’ll be right back"), { words: 600, links: 20 }),
      WORKS,
    ],
    [
      "maintenance in German",
      site("Wartungsarbeiten – Hafenshop", h1("Unser Shop wird gerade gewartet"), {
        words: 500,
        lang: "de",
      }),
      WORKS,
    ],
    [
      "maintenance in Portuguese",
      site("Porto", h1("Site em manutenção"), { words: 500, lang: "pt" }),
      WORKS,
    ],
    [
      "maintenance with a sign-in for the staff",
      site("Harbour", h1("This site is down for maintenance.") + LOGIN, { words: 300 }),
      WORKS,
    ],
    [
      "a shop that has not opened yet",
      site(
        "Harbour – Opening soon",
        `${h1("Opening soon")}<form><input type='password' placeholder='Store password'></form>`,
        { words: 300 },
      ),
      LOG_IN,
    ],
    [
      "an error with a success",
      site("Harbour", `${h1("Something went wrong")}<p>Please try again later.</p>`, {
        words: 300,
        links: 20,
      }),
      OPEN,
    ],
    [
      "an error with a success, and a number",
      site("Oops", `${h1("Oops! An error occurred")}<p>Error ID 7f3a</p>`, { words: 350 }),
      OPEN,
    ],
    [
      "an error in Spanish",
      site("Puerto", h1("Ha ocurrido un error inesperado"), { words: 300, lang: "es" }),
      OPEN,
    ],
    [
      "a choice of one's country",
      site(
        "Choose your country",
        h1("Choose your country") +
          `<ul>${Array.from({ length: 60 }, (_, at) => `<li><a href="/c${at}/">Country ${story(at, 1)}</a>`).join("")}</ul>`,
        { words: 300 },
      ),
      OPEN,
    ],
    [
      "a browser that is too old",
      site("Harbour Bank", h1("Please update your browser"), { words: 500 }),
      OPEN,
    ],
    ["a waiting room", site("Harbour Tickets", h1("You are now in line"), { words: 300 }), OPEN],
    [
      "a site that says goodbye",
      site("Goodbye", h1("Thank you for twenty years"), { words: 300 }),
      OPEN,
    ],
    ["nothing but its home page", HOME, OPEN],
    [
      "that there is no such page, at home as well",
      site("Page not found", h1("Welcome"), { words: 400 }),
      OPEN,
    ],
    [
      "a page with other words each time",
      () =>
        new Response(site("Harbour", h1("Hyvä lukija") + paragraph(next(), 20), { words: 700 }), {
          headers: { "Content-Type": "text/html" },
        }),
      OPEN,
    ],
    [
      "a page that names what was asked for",
      (request) =>
        say(
          site("Harbour", `${h1("One moment")}<p>You asked for ${request.url}.</p>`, {
            words: 300,
          }),
          request,
        ),
      OPEN,
    ],
    [
      "maintenance in Greek",
      site("Υπό συντήρηση", h1("Ο ιστότοπος είναι υπό συντήρηση"), { words: 400, lang: "el" }),
      WORKS,
    ],
    [
      "maintenance in Arabic",
      site("الصيانة", h1("الموقع تحت الصيانة"), { words: 400, lang: "ar" }),
      WORKS,
    ],
    [
      "a sign-in in Hebrew",
      site("התחברות", h1("התחברות") + LOGIN, { words: 400, lang: "he" }),
      LOG_IN,
    ],
    [
      "a country in Turkish",
      site("Liman", h1("Bu içerik ülkenizde kullanılamıyor"), { words: 400, lang: "tr" }),
      GEO,
    ],
    [
      "a consent page in place of a file",
      site("Harbour", h1("We value your privacy"), { words: 700 }),
      CONSENT,
      "/files/report.pdf",
    ],
    [
      "any long page in place of a file",
      site("Harbour", h1("Hyvä lukija"), { words: 700 }),
      OPEN,
      "/files/report.pdf",
    ],
    [
      "a page that its server shows until a site is set up",
      bare(
        "Welcome to nginx!",
        h1("Welcome to nginx!") +
          "<p>If you see this page, the nginx web server is successfully installed and working.</p>",
      ),
      "unknown placeholder_page",
    ],
    ["an app", shell(), "active ok_unverified_app"],
  ]);
});

describe("a barrier before all but the home page says nothing about the link:", () => {
  testSites([
    [
      "a sign-in",
      below(site("Members", `${h1("Members only")}<p>Please log in.</p>${LOGIN}`, { words: 500 })),
      LOG_IN,
    ],
    [
      "a question of age",
      below(site("Harbour Brewery", h1("Are you over 18?") + BIRTH, { words: 500 })),
      CONSENT,
    ],
    [
      "a country's",
      below(site("Harbour TV", h1("This content is not available in your region"), { words: 600 })),
      GEO,
    ],
    [
      "an error with a success",
      below(site("Harbour", h1("Something went wrong"), { words: 300 })),
      OPEN,
    ],
    [
      "a captcha",
      below(site("Harbour", h1("Please confirm that you are not a robot"), { words: 400 })),
      ROBOT,
    ],
    [
      "a choice of one's store",
      below(site("Harbour", h1("Choose your store"), { words: 400 })),
      OPEN,
    ],
    [
      "a subscription",
      below(site("Harbour Gazette", h1("Subscribe to continue reading"), { words: 500 })),
      OPEN,
    ],
    [
      "a frame that scripts fill",
      below(
        site("Harbour – ropes, sails and charts", "<div class='js-view'></div>", { links: 40 }),
      ),
      OPEN,
    ],
    [
      "an error in Czech, which no rule knows",
      below(site("Přístav", h1("Došlo k chybě"), { words: 200, lang: "cs" })),
      OPEN,
    ],
    [
      "a server that is busy",
      below(site("Harbour", h1("We’re a bit busy right now"), { words: 200 })),
      OPEN,
    ],
    [
      "what is away for a moment",
      below(site("Hafen", h1("Diese Seite ist derzeit nicht erreichbar"), { words: 200 })),
      OPEN,
    ],
    [
      "an appeal to its readers",
      below(site("Harbour Gazette", h1("Support local journalism"), { words: 300 })),
      OPEN,
    ],
    [
      "a form before its files",
      below(site("Harbour", h1("Get the report") + BIRTH, { words: 200 })),
      OPEN,
      "/files/report.pdf",
    ],
    [
      "a page that all are led to",
      (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/") return say(HOME, request);
        if (pathname === "/hello")
          return say(site("Satama", h1("Tervetuloa"), { words: 400 }), request);
        return new Response(null, { status: 302, headers: { Location: "/hello" } });
      },
      OPEN,
    ],
    [
      "its catalogue",
      below(site("All products – Harbour", h1("All products") + paragraph(44, 200))),
      OPEN,
    ],
    ["a consent page that no rule knows", below(bare("Satamalehti", h1("Hyvä lukija"), 900)), OPEN],
  ]);
});

const b64 = (text: string) => Buffer.from(text).toString("base64url");
const wayBack = (rest: (asked: URL) => string, at = "/"): Says => sends(at, rest, HOME);

describe("a redirect that carries the way back leads to a gate:", () => {
  testSites([
    ["in a parameter of any name", wayBack(({ pathname }) => `?zz=${pathname}`), OPEN],
    ["encoded", wayBack(({ pathname }) => `?zz=${encodeURIComponent(pathname)}`), OPEN],
    [
      "encoded twice",
      wayBack(({ href }) => `?zz=${encodeURIComponent(encodeURIComponent(href))}`),
      OPEN,
    ],
    ["in base64url", wayBack(({ href }) => `?k=${b64(href)}`), OPEN],
    [
      "in base64 with padding",
      wayBack(
        ({ pathname }) => `?k=${encodeURIComponent(Buffer.from(pathname).toString("base64"))}`,
      ),
      OPEN,
    ],
    [
      "in JSON in base64",
      wayBack(({ pathname }) => `?state=${b64(JSON.stringify({ go: pathname, at: 1 }))}`),
      OPEN,
    ],
    ["behind #", wayBack(({ pathname }) => `#zz=${pathname}`), OPEN],
    [
      "behind a semicolon",
      wayBack(({ pathname }) => `;zz=${encodeURIComponent(pathname)}`, "/404"),
      OPEN,
    ],
    ["without its first slash", wayBack(({ pathname }) => `?zz=${pathname.slice(1)}`), OPEN],
    [
      "in another host's words",
      wayBack(({ pathname }) => `?x=https://www.h.test${pathname}`),
      OPEN,
    ],
    ["in capitals", wayBack(({ pathname }) => `?X=${pathname.toUpperCase()}`), OPEN],
    [
      "in a token",
      wayBack(({ href }) => `?t=${b64('{"a":1}')}.${b64(JSON.stringify({ href }))}.s`),
      OPEN,
    ],
    ["behind # in base64", wayBack(({ href }) => `#s=${b64(href)}`), OPEN],
    [
      "inside another address",
      wayBack(
        ({ pathname }) =>
          `?x=${encodeURIComponent(`https://sso/?n=${encodeURIComponent(pathname)}`)}`,
      ),
      OPEN,
    ],
    [
      "in another alphabet",
      wayBack(({ pathname }) => `?zz=${encodeURIComponent(pathname)}`),
      OPEN,
      "/stra%C3%9Fe/gr%C3%BC%C3%9Fe",
    ],
    [
      "without its last slash",
      wayBack(({ pathname }) => `?zz=${pathname.slice(0, -1)}`),
      OPEN,
      "/articles/some-story/",
    ],
    [
      "with its query",
      wayBack(({ pathname, search }) => `?zz=${encodeURIComponent(pathname + search)}`),
      OPEN,
      "/view.php?id=5512",
    ],
    ["as short as it is", wayBack(({ pathname }) => `?zz=${pathname}`), OPEN, "/a"],
    [
      "one redirect earlier",
      (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/") return say(HOME, request);
        const to = pathname === "/sso" ? "/" : `/sso?zz=${pathname}`;
        return new Response(null, { status: 302, headers: { Location: to } });
      },
      OPEN,
    ],
    [
      "by a page that sends its reader on",
      (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/") return say(HOME, request);
        return say(`<meta http-equiv="refresh" content="0;url=/?zz=${pathname}">`, request);
      },
      OPEN,
    ],
    ["to an error page", wayBack(({ pathname }) => `?url=${pathname}`, "/404"), OPEN],
    [
      "but not to an error page that says so",
      sends(
        "/404.html",
        ({ pathname }) => `?aspxerrorpath=${pathname}`,
        site("Page not found", h1("Page not found")),
      ),
      "dead soft404_redirect_error",
    ],
    [
      "to a page of any address",
      sends(
        "/hello",
        ({ pathname }) => `?zz=${pathname}`,
        site("Harbour", h1("Hello"), { words: 300 }),
      ),
      OPEN,
    ],
    [
      "to a question of age",
      sends(
        "/hello",
        ({ pathname }) => `?zz=${pathname}`,
        site("Harbour", h1("Are you over 18?"), { words: 300 }),
      ),
      CONSENT,
    ],
    [
      "to a sign-in",
      sends(
        "/login",
        ({ href }) => `?zz=${b64(href)}`,
        site("Harbour", h1("Hello"), { words: 300 }),
      ),
      LOG_IN,
    ],
  ]);

  testSites([
    ["but not one to the home page without it", wayBack(() => ""), "dead soft404_redirect_home"],
    [
      "but not one with another address",
      wayBack(() => "?ref=/articles/another-story"),
      "dead soft404_redirect_home",
    ],
    [
      "but not one with a longer address",
      wayBack(() => "?ref=/articles/some-story-of-old"),
      "dead soft404_redirect_home",
    ],
    [
      "but not one with its number only",
      wayBack(() => "?ref=12345"),
      "dead soft404_redirect_home",
      "/articles/12345",
    ],
    [
      "but not one with its words in a campaign",
      wayBack(() => "?utm_source=articles&utm_campaign=some-story"),
      "dead soft404_redirect_home",
    ],
    [
      "but not one to the home page of a bakery",
      sends("/", () => "", site("Bakery", h1("The best cookies in town") + paragraph(1, 300))),
      "dead soft404_redirect_home",
    ],
    [
      "but not one to a home page with a sign-in in its header",
      sends("/", () => "", site("Harbour", h1("Ropes") + paragraph(1, 300), { banner: LOGIN })),
      "dead soft404_redirect_home",
    ],
    [
      "but not one with a key",
      wayBack(() => `?ref=${b64("0123456789abcdef")}`),
      "dead soft404_redirect_home",
    ],
    [
      "but not one that ends as a short address begins",
      wayBack(() => "?ref=/about"),
      "dead soft404_redirect_home",
      "/a",
    ],
    [
      "but not one to an error page without it",
      sends("/404.html", () => `?from=/`, NOT_FOUND),
      "dead soft404_redirect_error",
    ],
    [
      "but not to the same path in a language",
      moved(({ pathname }) => `/en${pathname}?from=${pathname}`, ARTICLE),
      "active ok_redirected",
    ],
    [
      "but not to an article with a note of where one came from",
      moved(({ pathname }) => `/guides/12?from=${pathname}`, ARTICLE),
      "active ok_redirected",
    ],
    [
      "but not to another page without such a note",
      moved(() => "/guides/12?from=mail", site("Guide", h1("Guide"), { words: 300 })),
      "active ok_redirected",
    ],
  ]);
});

const MISSING = "dead soft404_probe";
describe("a site that shows an excuse for what is missing is not believed:", () => {
  testSites([
    ["in its title", below(site("Page not found – Harbour", h1("Hello"), { words: 400 })), MISSING],
    ["in its heading", below(site("Harbour", h1("Page not found"), { words: 400 })), MISSING],
    [
      "in German",
      below(site("Hafen", h1("Seite nicht gefunden"), { words: 400, lang: "de" })),
      MISSING,
    ],
    ["in French", below(site("Port", h1("Page introuvable"), { words: 400, lang: "fr" })), MISSING],
    [
      "in Japanese",
      below(site("港", h1("ページが見つかりません"), { words: 400, lang: "ja" })),
      MISSING,
    ],
    [
      "in Polish",
      below(site("Port", h1("Nie znaleziono strony"), { words: 400, lang: "pl" })),
      MISSING,
    ],
    [
      "in a line",
      below(
        site("Harbour", "<h2>Oh dear</h2><p>Sorry, the page you requested was not found.</p>", {
          words: 60,
        }),
      ),
      MISSING,
    ],
    [
      "under a banner for cookies",
      below(
        site("Harbour", h1("Page not found"), {
          words: 400,
          banner:
            "<div role=dialog><h2>We value your privacy</h2><button>Accept all</button></div>",
        }),
      ),
      MISSING,
    ],
    [
      "under a banner about works",
      below(
        site("Harbour", h1("Page not found"), {
          words: 400,
          banner: "<p>Scheduled maintenance on Sunday.</p>",
        }),
      ),
      MISSING,
    ],
    [
      "above a footer about age and robots",
      below(
        site("Harbour", h1("Page not found"), {
          words: 400,
          footer: "You must be 18 to buy. Protected by reCAPTCHA.",
        }),
      ),
      MISSING,
    ],
    [
      "under a sign-in in the header",
      below(site("Harbour", h1("Page not found"), { words: 400, banner: LOGIN })),
      MISSING,
    ],
    [
      "with other goods each time",
      below(
        () =>
          new Response(
            site("Harbour", h1("Page not found") + paragraph(2, 300) + paragraph(next(), 20)),
            {
              headers: { "Content-Type": "text/html" },
            },
          ),
      ),
      MISSING,
    ],
    [
      "as its catalogue, in place of a file",
      belowSections(site("All products – Harbour", h1("All products") + paragraph(44, 200))),
      MISSING,
      "/files/report.pdf",
    ],
    [
      "twice and short",
      below(
        site("Page not found", h1("Page not found"), {
          head: '<meta name="robots" content="noindex">',
        }),
      ),
      "dead soft404_body",
    ],
    ["by its home page", wayBack(() => "?ref=404"), "dead soft404_redirect_home"],
  ]);
});

describe("a page about barriers is there:", () => {
  testSites([
    [
      "an article on maintenance",
      only(
        "/articles/some-story",
        site(
          "Under maintenance – Harbour",
          `<article>${h1("Under maintenance")}${paragraph(8, 600)}</article>`,
        ),
      ),
      "active ok",
    ],
    [
      "documentation of a maintenance mode",
      only(
        "/docs/maintenance-mode",
        site("Maintenance mode – Docs", h1("Maintenance mode") + paragraph(8, 600)),
      ),
      "active ok",
      "/docs/maintenance-mode",
    ],
    [
      "a page with news of works in its heading only",
      only(
        "/articles/some-story",
        site("Harbour news", h1("Under maintenance") + paragraph(8, 600)),
      ),
      "active ok",
    ],
    [
      "an offer of maintenance",
      only(
        "/articles/some-story",
        site("Maintenance | Harbour", h1("Maintenance") + paragraph(8, 300)),
      ),
      "active ok",
    ],
    [
      "a page with a sign-in in its header",
      only(
        "/articles/some-story",
        site("Rope, 20 m | Harbour", h1("Rope, 20 m") + paragraph(8, 300), { banner: LOGIN }),
      ),
      "active ok",
    ],
    [
      "a guide to signing in",
      only("/articles/some-story", site("Log in | Help", h1("How to log in") + paragraph(8, 500))),
      "active ok",
    ],
    [
      "a page on which one signs up",
      only(
        "/articles/some-story",
        site(
          "Log in or register",
          `${h1("Join")}<form><input type="password"><input type="password"></form>${paragraph(8, 300)}`,
        ),
      ),
      "active ok",
    ],
    [
      "a beer under a question of age",
      only(
        "/beers/pale-ale",
        site(
          "Pale Ale | Harbour Brewery",
          `<div class="modal age-gate">${h1("Are you over 18?")}</div><h2>Pale Ale</h2>${paragraph(8, 400)}`,
        ),
      ),
      "active ok",
      "/beers/pale-ale",
    ],
    [
      "a help page on age verification",
      only(
        "/help/age-verification",
        site("Age verification", h1("Age verification") + paragraph(8, 400)),
      ),
      "active ok",
      "/help/age-verification",
    ],
    [
      "a film that is rated",
      only(
        "/articles/some-story",
        site("Over 18 – Harbour Films", h1("Over 18") + paragraph(8, 400)),
      ),
      "active ok",
    ],
    [
      "an article on what is not available",
      only(
        "/articles/some-story",
        site(
          "Not available in your country – Harbour",
          `<article>${h1("Not available in your country")}${paragraph(8, 600)}</article>`,
        ),
      ),
      "active ok",
    ],
    [
      "a guide against such walls",
      only(
        "/articles/some-story",
        site(
          "Not available in your country? What to do",
          h1("Not available in your country? What to do") + paragraph(8, 500),
        ),
      ),
      "active ok",
    ],
    [
      "a product that is not sent here",
      only(
        "/articles/some-story",
        site(
          "Rope",
          `${h1("Rope")}<p>This item is not available in your country.</p>${paragraph(8, 400)}`,
        ),
      ),
      "active ok",
    ],
    [
      "a page under a banner for cookies",
      only(
        "/articles/some-story",
        site("Rope", h1("Rope") + paragraph(8, 300), {
          banner: "<div role=dialog><h2>We value your privacy</h2></div>",
        }),
      ),
      "active ok",
    ],
    [
      "an article on a site that shows one page for the rest",
      (request) =>
        say(new URL(request.url).pathname === "/articles/some-story" ? ARTICLE : HOME, request),
      "active ok",
    ],
  ]);
});

const SEARCHED = site("Harbour", `${h1("Harbour")}<form></form>`, { words: 400 });
/** Whatever is below `/files/` shows this; elsewhere missing pages are 404. */
const inFolder =
  (says: Says): Says =>
  (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/files/")) return say(says, request);
    return say(pathname === "/" ? SEARCHED : 404, request);
  };
const redirects =
  (to: string): Says =>
  () =>
    new Response(null, { status: 302, headers: { Location: to } });
/** Everything at the link's host leads to one page at another host. */
const leaves =
  (page: string): Says =>
  (request) => {
    const { hostname, port } = new URL(request.url);
    return hostname === "127.0.0.1"
      ? say(redirects(`http://site.test:${port}/`), request)
      : say(page, request);
  };
const HEDGED = site(
  "Page not found",
  `${h1("Page not found")}<p>The page does not exist, or you do not have permission to see it.</p>`,
);

describe("what happens to a part of a site, or to all of it, says nothing about the link:", () => {
  testSites([
    ["a members' folder leads home", inFolder(redirects("/")), OPEN, "/files/report"],
    [
      "pictures lead home for readers from elsewhere",
      inFolder(redirects("/")),
      OPEN,
      "/files/a.jpg",
    ],
    [
      "a folder of files asks for a code first",
      inFolder(site("Download", `${h1("Security code")}<form><input name="code"></form>`)),
      OPEN,
      "/files/tool.zip",
    ],
    [
      "a folder of pictures is for readers of the site",
      inFolder(site("Pictures", `${h1("No hotlinking")}<p>See it on our site.</p>`)),
      OPEN,
      "/files/a.jpg",
    ],
    [
      "a folder asks for a password",
      inFolder(bare("Intern", h1("Intern") + LOGIN)),
      LOG_IN,
      "/files/report",
    ],
    ["all of a host leads to another one's home page", leaves(HOME), OPEN],
    [
      "all of a shop leads to a notice at another host",
      leaves(bare("We are upgrading our shop", h1("Please come back on Monday"))),
      OPEN,
    ],
    ["the home page is not found either", () => say(NOT_FOUND, new Request("http://x/")), OPEN],
    [
      "the home page leads to the error page, too",
      (request) =>
        say(new URL(request.url).pathname === "/404" ? NOT_FOUND : redirects("/404"), request),
      OPEN,
    ],
    ["what is not found may be private", below(HEDGED), OPEN],
    [
      "what is not found may be private, in German",
      below(
        site(
          "Seite nicht gefunden",
          `${h1("Seite nicht gefunden")}<p>Die Seite existiert nicht, oder Sie haben keine Berechtigung.</p>`,
        ),
      ),
      OPEN,
    ],
  ]);
});

import { describe } from "bun:test";
import { article, notice, page, prose, type Row, testGuards, testWalls } from "./wall-pages.ts";

const STORY = "http://site.test/articles/some-story";
const PASSWORD = '<input name="user"><input type="password" name="pass"><button>Go</button>';
const login = (title: string, heading = title) =>
  `<title>${title}</title><h1>${heading}</h1><form action="/login" method="post">${PASSWORD}</form>`;
const SEARCH = '<form action="/search"><input name="q"></form>';
const led = (at: string, html: string, from = [STORY]) => ({ from, at, html, url: from[0]! });

describe("a login stands before what the link names", () => {
  testWalls([
    [
      "on the same site, with the way back",
      led("http://site.test/login?next=%2Farticles%2Fsome-story", login("Members")),
      "login_required",
      "login_redirect",
    ],
    [
      "as a page of ASP.NET",
      led("http://site.test/Account/Login.aspx?ReturnUrl=%2farticles", login("Members")),
      "login_required",
      "login_redirect",
    ],
    [
      "of WordPress",
      led("http://site.test/wp-login.php?redirect_to=http%3A%2F%2Fsite.test%2F", login("Log In")),
      "login_required",
      "login_redirect",
    ],
    [
      "at Google",
      led(
        "https://accounts.google.com/v3/signin/identifier?continue=https%3A%2F%2Fdrive.google.com%2Ffile%2Fd%2Fx",
        notice("Sign in - Google Accounts"),
        ["https://drive.google.com/file/d/x/view"],
      ),
      "login_required",
      "login_redirect",
    ],
    [
      "at Microsoft",
      led(
        "https://login.microsoftonline.com/common/oauth2/v2.0/authorize?redirect_uri=https%3A%2F%2Fa.test%2F",
        notice("Sign in to your account"),
      ),
      "login_required",
      "login_redirect",
    ],
    [
      "of LinkedIn",
      led(
        "https://www.linkedin.com/authwall?sessionRedirect=https%3A%2F%2Fwww.linkedin.com%2Fin%2Fx",
        notice("Join LinkedIn"),
        ["https://www.linkedin.com/in/x"],
      ),
      "login_required",
      "login_redirect",
    ],
    [
      "in the language of the site",
      led("http://site.test/benutzer/anmelden?return=/articles/some-story", login("Willkommen")),
      "login_required",
      "login_redirect",
    ],
    [
      "with the way back in base64",
      led("http://site.test/login?return=aHR0cDovL3NpdGUudGVzdC8", login("Members")),
      "login_required",
      "login_redirect",
    ],
    [
      "that asked for the way back one redirect earlier",
      led("http://site.test/login", notice("Welcome"), [
        STORY,
        "http://site.test/sso/start?target=/articles/some-story",
      ]),
      "login_required",
      "login_redirect",
    ],
    [
      "even before a home page that is for members only",
      led("http://site.test/login?next=/", login("Members"), ["http://site.test/"]),
      "login_required",
      "login_redirect",
    ],
    [
      "without the way back, yet in the place of a deep link",
      led("http://site.test/login", login("Members")),
      "login_required",
      "login_landing",
    ],
    [
      "without the way back, as an application",
      led("http://site.test/login", notice("Log in | Harbour")),
      "login_required",
      "login_landing",
    ],
    [
      "at the very address",
      { html: login("Log in", "Welcome back") },
      "login_required",
      "login_page",
    ],
    [
      "with the site's name behind it",
      { html: login("Sign in to Harbour · Harbour", "") },
      "login_required",
      "login_page",
    ],
    [
      "in its heading only",
      { html: login("Harbour", "Please log in to continue") },
      "login_required",
      "login_page",
    ],
    ["in German", { html: login("Anmelden | Hafen") }, "login_required", "login_page"],
    ["in French", { html: login("Se connecter - Port") }, "login_required", "login_page"],
    ["in Spanish", { html: login("Iniciar sesión") }, "login_required", "login_page"],
    ["in Polish", { html: login("Zaloguj się") }, "login_required", "login_page"],
    ["in Russian", { html: login("Вход в систему") }, "login_required", "login_page"],
    ["in Japanese", { html: login("ログイン") }, "login_required", "login_page"],
    ["in Chinese", { html: login("登录 - 港口") }, "login_required", "login_page"],
    ...[
      "Log in | Harbour",
      "Sign in to Harbour",
      "Log in or register - Harbour",
      "Login required",
      "Anmelden – Hafen",
      "Se connecter | Port",
      "Iniciar sesión",
      "Zaloguj się",
      "Вход на сайт",
      "ログイン",
    ].map(
      (title): Row => [
        `among much else, under the title ${title}`,
        { html: page(title, `<h1>Welcome</h1><form>${PASSWORD}</form>${SEARCH}${prose(700)}`) },
        "login_required",
        "login_title",
      ],
    ),
    ...(["zz=%2Farticles%2Fsome-story", `k=${btoa("/articles/some-story")}`] as const).map(
      (query): Row => [
        `with the way back in a parameter of any name: ${query}`,
        led(`http://site.test/login?${query}`, notice("Welcome")),
        "login_required",
        "login_redirect",
      ],
    ),
  ] satisfies Row[]);
});

describe("no login stands before", () => {
  testGuards([
    [
      "a link to the login itself",
      { url: "http://site.test/login", html: login("Log in") },
      "active ok",
    ],
    [
      "a link to the login, which adds a way back",
      led("http://site.test/login?next=/", login("Log in"), ["http://site.test/login"]),
      "active ok_redirected",
    ],
    [
      "an application that starts with a login",
      { url: "http://site.test/", html: login("Log in") },
      "active ok",
    ],
    [
      "an application that leads to its login",
      led("http://site.test/login", login("Log in"), ["http://site.test/"]),
      "active ok_redirected",
    ],
    [
      "an application in English that leads to its login",
      led("http://site.test/en/login", login("Log in"), ["http://site.test/en/"]),
      "active ok_redirected",
    ],
    [
      "an article about logins",
      led("http://site.test/login-tips?ref=/home", article("Ten login tips")),
      "active ok_redirected",
    ],
    [
      "a page about a product that is called so",
      { html: article("Sign in with Apple - documentation", 90) },
      "active ok",
    ],
    [
      "a page that only names its tab so",
      { html: page("Log in to the harbour: a boat story", `<h1>Log in</h1>${prose(400)}`) },
      "active ok",
    ],
    [
      "a shop with a login in its header",
      {
        html: page("Rope, 20 m | Chandlery", `<h1>Rope, 20 m</h1>${prose(60)}`, {
          header: `<form>${PASSWORD}</form>`,
        }),
      },
      "active ok",
    ],
    [
      "a forum with a link to its login",
      {
        html: page("Mooring at night - Forum", `<h1>Mooring at night</h1>${prose(80)}`, {
          header: '<a href="/login">Log in</a>',
        }),
      },
      "active ok",
    ],
    [
      "a page that only has such a heading, and can also be searched",
      { html: page("Members", `<h1>Log in</h1><form>${PASSWORD}</form>${SEARCH}${prose(60)}`) },
      "active ok",
    ],
    [
      "a page on which one signs up",
      { html: `<title>Log in</title><form>${PASSWORD}<input type="password"></form>` },
      "active ok",
    ],
    [
      "a long page with such a heading over a form",
      { html: page("Members", `<h1>Log in</h1><form>${PASSWORD}</form>${prose(500)}`) },
      "active ok",
    ],
    [
      "a long page on which one signs up",
      { html: page("Log in", `<form>${PASSWORD}<input type="password"></form>${prose(500)}`) },
      "active ok",
    ],
    [
      "a long page titled so without a form for a password",
      { html: page("Log in", `<h1>Log in</h1>${SEARCH}${prose(500)}`) },
      "active ok",
    ],
    [
      "the home page of a site with its login and much else",
      {
        url: "http://site.test/",
        html: page("Log in", `<form>${PASSWORD}</form>${prose(500)}`),
      },
      "active ok",
    ],
    [
      "a story with such a title and a login in its header",
      { html: article("Log in", 400, { header: `<form>${PASSWORD}</form>` }) },
      "active ok",
    ],
    ["a lesson on how to make one", { html: `<article>${login("Log in")}</article>` }, "active ok"],
    [
      "a missing page with a login in its header",
      {
        status: 404,
        html: page("Not found", "<h1>Not found</h1>", { header: `<form>${PASSWORD}</form>` }),
      },
      "dead http_404 C2",
    ],
    [
      "a login that says so by its status",
      { status: 401, html: login("Log in") },
      "unknown http_401",
    ],
    ["a login with a refusal", { status: 403, html: login("Log in") }, "unknown http_403"],
    [
      "a redirect with a way back to something else",
      led("http://site.test/articles/some-story?ref=/home", article("Some story")),
      "active ok_redirected",
    ],
    [
      "a page found again after a silent sign-on",
      led("http://site.test/articles/some-story?ticket=ST-1", article("Some story"), [
        STORY,
        "https://idp.site.test/authorize?redirect_uri=http%3A%2F%2Fsite.test%2Farticles",
      ]),
      "active ok_redirected",
    ],
    [
      "a sister site of a similar name",
      led("https://loginhistory.test/articles/some-story?next=/two", article("Some story")),
      "active ok_redirected",
    ],
  ]);
});

describe("a question of age stands before what the link names", () => {
  const WINE = "http://wine.test/riesling";
  testWalls([
    [
      "with the way back",
      led("http://wine.test/age-gate?redirect=%2Friesling", notice("Are you 21?"), [WINE]),
      "consent_wall",
      "age_redirect",
    ],
    [
      "in German, without it",
      led("http://wine.test/de/altersabfrage/", notice("Willkommen"), [WINE]),
      "consent_wall",
      "age_redirect",
    ],
    ...[
      "Are you over 18?",
      "Are you 21 or older?",
      "You must be 18 years old or over to enter this website",
      "Are you of legal drinking age in your country?",
      "Please verify your age",
      "Bist du schon 16?",
      "Sind Sie volljährig?",
      "Avez-vous l’âge légal pour consommer de l’alcool ?",
      "¿Eres mayor de edad?",
      "Sei maggiorenne?",
      "Você é maior de 18 anos?",
      "Ben je 18 jaar of ouder?",
      "Czy masz ukończone 18 lat?",
      "Вам уже есть 18 лет?",
      "年齢確認",
    ].flatMap((words): Row[] => [
      [
        `in a heading over much else: ${words}`,
        { url: `${WINE}/dry`, html: page("Vineyard", `<h1>${words}</h1>${prose(600)}`) },
        "consent_wall",
        "age_words",
      ],
      [
        `in a title over much else: ${words}`,
        { url: `${WINE}/dry`, html: page(`${words} | Vineyard`, `<h1>Hello</h1>${prose(600)}`) },
        "consent_wall",
        "age_words",
      ],
    ]),
    [
      "in the title and the heading, over much else",
      { url: WINE, html: page("Age check | Vineyard", `<h1>Age check</h1>${prose(600)}`) },
      "consent_wall",
      "age_words",
    ],
    [
      "in two words, and little else",
      { url: WINE, html: page("Age verification | Vineyard", `<h1>Vineyard</h1>${prose(90)}`) },
      "consent_wall",
      "age_words",
    ],
  ]);

  const LAYER = '<div class="age modal"><h1>Are you over 18?</h1><button>Yes</button></div>';
  testGuards([
    ["but not in an article", { url: WINE, html: article("Are you over 18?", 300) }, "active ok"],
    [
      "but not over a page that is titled by what the link names",
      { url: WINE, html: page("Riesling | Vineyard", `${LAYER}<h2>Riesling</h2>${prose(90)}`) },
      "active ok",
    ],
    [
      "but not in a layer over a long page",
      { url: `${WINE}/dry`, html: page("Vineyard", `${LAYER}${prose(500)}`) },
      "active ok",
    ],
    [
      "but not before the home page, which is there for everyone",
      { url: "http://wine.test/", html: page("Vineyard", "<h1>Are you over 18?</h1>") },
      "active ok",
    ],
    [
      "but not in words that head a page of another title",
      { url: WINE, html: page("Riesling", `<h1>Age verification</h1>${prose(600)}`) },
      "active ok",
    ],
    [
      "but not in words that head an article",
      { url: WINE, html: article("Age verification", 600) },
      "active ok",
    ],
    [
      "but not on a page about such questions",
      {
        url: "http://wine.test/help/verify-your-age",
        html: page("Verify your age", `<h1>Verify your age</h1>${prose(300)}`),
      },
      "active ok",
    ],
    [
      "but not in a sentence of a product",
      {
        url: WINE,
        html: page("Riesling", `<h1>Riesling</h1><p>You must be 18 to buy.</p>${prose(90)}`),
      },
      "active ok",
    ],
    [
      "but not in a headline with the words in it",
      { url: WINE, html: page("Over 18? Read this", `<h1>Over 18s only, says mayor</h1>`) },
      "active ok",
    ],
    [
      "but not on a missing page",
      { url: WINE, status: 404, html: notice("Are you over 18?") },
      "dead http_404 C2",
    ],
    [
      "but not before a page about it that the link names",
      led("http://site.test/help/age-verification/", article("Age verification", 200), [
        "http://site.test/help/age-verification",
      ]),
      "active ok_redirected",
    ],
    [
      "but not before a story of that name",
      led("http://site.test/stories/age-gates", article("Age gates", 300)),
      "active ok_redirected",
    ],
  ]);
});

describe("consent stands before what the link names", () => {
  const VIDEO = ["https://www.youtube.com/watch?v=dQw4w9WgXcQ"];

  testWalls([
    [
      "at YouTube",
      led(
        "https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2F",
        notice("Before you continue"),
        VIDEO,
      ),
      "consent_wall",
      "consent_redirect",
    ],
    [
      "at Google",
      led(
        "https://consent.google.com/m?continue=https://news.google.com/",
        notice("Before you continue"),
        ["https://news.google.com/articles/x"],
      ),
      "consent_wall",
      "consent_redirect",
    ],
    [
      "at Yahoo",
      led(
        "https://consent.yahoo.com/v2/collectConsent?sessionId=3_cc",
        notice("Yahoo is part of a family"),
        ["https://finance.yahoo.com/news/x.html"],
      ),
      "consent_wall",
      "consent_redirect",
    ],
    [
      "on the same site, with the way back",
      led(
        "http://site.test/cookie-consent?continue=%2Farticles%2Fsome-story",
        notice("Your choice"),
      ),
      "consent_wall",
      "consent_return",
    ],
    [
      "on a host for it, with the way back",
      led(
        "https://myprivacy.site.test/?callbackUrl=http%3A%2F%2Fsite.test%2Farticles",
        notice("Your choice"),
      ),
      "consent_wall",
      "consent_return",
    ],
  ] satisfies Row[]);

  testGuards([
    [
      "not in an article about consent",
      led("http://site.test/health/informed-consent?from=/home", article("Informed consent")),
      "active ok_redirected",
    ],
    [
      "not on a page about it without a way back",
      led("http://site.test/consent", article("How we ask for consent")),
      "active ok_redirected",
    ],
    [
      "not where the page asks for itself",
      {
        html: article("Locks", 90, {
          header:
            '<div id="onetrust-consent-sdk"><h2>We value your privacy</h2><button>Accept all</button></div>',
        }),
      },
      "active ok",
    ],
    [
      "not for a link to such a page",
      led("http://site.test/consent/?continue=/x", notice("Your choice"), [
        "http://site.test/consent?continue=/x",
      ]),
      "active ok_redirected",
    ],
  ]);
});

describe("the site refuses this monitor's", () => {
  testWalls([
    [
      "country, in a title",
      { html: notice("This video is not available in your country") },
      "geo_blocked",
      "geo_heading",
    ],
    [
      "region, in a heading, and says why",
      {
        html: notice(
          "Harbour TV",
          "Sorry, this content isn't available in your region due to licensing.",
        ),
      },
      "geo_blocked",
      "geo_heading",
    ],
    [
      "country, with its name behind",
      { status: 403, html: notice("Not available in your country | Harbour TV", "Harbour TV") },
      "geo_blocked",
      "geo_heading",
    ],
    [
      "country, at a status for legal reasons",
      { status: 451, html: notice("Access from your country is not permitted") },
      "geo_blocked",
      "geo_heading",
    ],
    [
      "country, in German",
      { html: notice("Dieses Video ist in deinem Land nicht verfügbar") },
      "geo_blocked",
      "geo_heading",
    ],
    [
      "country, in French",
      { html: notice("Ce contenu n’est pas disponible dans votre pays.") },
      "geo_blocked",
      "geo_heading",
    ],
    [
      "country, in Spanish",
      { html: notice("Este vídeo no está disponible en tu país") },
      "geo_blocked",
      "geo_heading",
    ],
    [
      "country, in Russian",
      { html: notice("Этот контент недоступен в вашей стране") },
      "geo_blocked",
      "geo_heading",
    ],
    [
      "country, in Japanese",
      { html: notice("お住まいの地域ではご利用いただけません") },
      "geo_blocked",
      "geo_heading",
    ],
    ...[
      "Our website is unavailable in most European countries",
      "Access from your location is restricted",
      "You cannot access this site from your country",
      "Content not available in your territory",
      "Dieser Inhalt ist in deinem Land nicht verfügbar",
      "Questo video non è disponibile nel tuo paese",
      "Deze uitzending is niet beschikbaar in jouw land",
      "Ten film jest niedostępny w twoim kraju",
    ].map(
      (words): Row => [
        `country, over much else: ${words}`,
        { html: page("Harbour TV", `<h1>${words}</h1>${prose(700)}`) },
        "geo_blocked",
        "geo_heading",
      ],
    ),
    [
      "country, with hardly another word",
      {
        html: "<title>Harbour TV</title><p>Sorry, this programme is currently not available in your location. Please check back.</p>",
      },
      "geo_blocked",
      "geo_only",
    ],
    [
      "country, as a European one",
      {
        status: 451,
        html: notice(
          "451: Unavailable due to legal reasons",
          "451: Unavailable due to legal reasons",
          "We recognize you are attempting to access this website from a country belonging to the European Economic Area (EEA) including the EU.",
        ),
      },
      "geo_blocked",
      "geo_refusal",
    ],
    [
      "country, among other sentences of a refusal",
      {
        status: 403,
        html: notice(
          "Harbour TV",
          "Hello",
          "Welcome. This service is not available in your country. Thank you.",
        ),
      },
      "geo_blocked",
      "geo_refusal",
    ],
    [
      "address, in a title",
      { html: notice("Your IP address has been blocked") },
      "ip_blocked",
      "ip_heading",
    ],
    [
      "address, which it names",
      { status: 429, html: notice("Blocked", "Your IP (198.51.100.7) was temporarily banned.") },
      "ip_blocked",
      "ip_heading",
    ],
    [
      "address, in the text of a refusal",
      {
        status: 403,
        html: notice(
          "Forbidden",
          "Forbidden",
          "Hello. Access from your IP address has been denied.",
        ),
      },
      "ip_blocked",
      "ip_refusal",
    ],
    [
      "eyes, for legal reasons",
      { html: notice("This content has been removed due to a copyright claim by Harbour Ltd") },
      "legal_blocked",
      "legal_heading",
    ],
    [
      "address, in Russian",
      { status: 429, html: notice("Доступ ограничен: проблема с IP") },
      "ip_blocked",
      "ip_heading",
    ],
    [
      "eyes, in Russian",
      { html: notice("Доступ к информационному ресурсу ограничен на основании закона") },
      "legal_blocked",
      "legal_heading",
    ],
    [
      "eyes, by seizure",
      { html: notice("This domain has been seized") },
      "legal_blocked",
      "legal_heading",
    ],
    [
      "eyes, by order of a court",
      {
        status: 403,
        html: "<title>Harbour</title>This website is blocked due to a court order. See the register.",
      },
      "legal_blocked",
      "legal_only",
    ],
  ] satisfies Row[]);
});

describe("the site does not refuse with", () => {
  testGuards([
    [
      "a long page about such refusals, as its address says",
      {
        url: "http://site.test/help/video-not-available",
        html: page("Not available in your country", `<h1>Why</h1>${prose(400)}`),
      },
      "active ok",
    ],
    [
      "a long page with the words below its heading",
      {
        html: page("Ships", `<h1>Ships</h1><h2>Not available in your country</h2>${prose(400)}`),
      },
      "active ok",
    ],
    [
      "an article about such refusals",
      { html: article("Why shows are not available in your country", 120) },
      "active ok",
    ],
    [
      "a short guide against such refusals",
      {
        html: page(
          "How to watch",
          `<h1>This video is not available in your country: what to do</h1>${prose(90)}`,
        ),
      },
      "active ok",
    ],
    [
      "a product that is not delivered everywhere",
      {
        html: page(
          "Rope, 20 m | Chandlery",
          `<h1>Rope, 20 m</h1>${prose(90)}<p>This item is not available in your country.</p>`,
        ),
      },
      "active ok",
    ],
    [
      "a video page that says so of one format",
      {
        html: page(
          "Ships",
          `<h1>Ships</h1>${prose(80)}<p>Sorry, this content is not available in your region.</p>`,
        ),
      },
      "active ok",
    ],
    [
      "a comment under a long page",
      {
        status: 403,
        html: article("Ships", 900).replace(
          "</article>",
          "<p>Me too. This video is not available in your country.</p></article>",
        ),
      },
      "unknown http_403",
    ],
    [
      "an article with such a heading",
      { html: `<article>${notice("This video is not available in your country")}</article>` },
      "active ok",
    ],
    [
      "an article that begins so",
      {
        html: "<title>Essays</title><article>This video is not available in your country. So begins a story.</article>",
      },
      "active ok",
    ],
    [
      "a poem about an address",
      { html: `<article>${notice("Your IP address has been blocked")}</article>` },
      "active ok",
    ],
    [
      "an article about removal",
      {
        html: "<title>Essays</title><article>This content is blocked due to legal reasons. So begins a story.</article>",
      },
      "active ok",
    ],
    [
      "a refusal in Russian that gives no reason",
      { status: 403, html: notice("Доступ ограничен") },
      "unknown http_403",
    ],
    [
      "a claim to be everywhere",
      { html: notice("This service is available in your country") },
      "active ok",
    ],
    ["an article about regions", { html: article("Geo: a magazine of maps", 90) }, "active ok"],
    [
      "a bare status for legal reasons",
      { status: 451, html: notice("451 Unavailable For Legal Reasons") },
      "unknown http_451",
    ],
    [
      "a page that shows one's address",
      { html: notice("What is my IP?", "Your IP address is 198.51.100.7") },
      "active ok",
    ],
    [
      "a guide for the blocked",
      { html: page("Help", `<h1>Your IP address has been blocked? Read this</h1>${prose(90)}`) },
      "active ok",
    ],
    [
      "a list of court orders",
      { html: article("Blocked due to a court order: ten cases", 100) },
      "active ok",
    ],
    [
      "news about a seizure",
      {
        html: `<meta property="og:type" content="article">${notice("This domain has been seized", "This domain has been seized", "The police told us.")}`,
      },
      "active ok",
    ],
    [
      "a metered story",
      {
        html: article("The bridge", 120, {
          header: "<p>You have read 3 of 5 free articles. Subscribe.</p>",
        }),
      },
      "active ok",
    ],
    [
      "a missing page that says so of countries",
      { status: 404, html: notice("This page is not available in your country") },
      "dead http_404 C2",
    ],
  ]);
});

import { readRetryAfter } from "../politeness/site-load.ts";
import type { Seen } from "../probe/finding.ts";
import { decoded } from "./addresses.ts";
import { type Signature, SMALL, signatureFor, titlesOf } from "./signature.ts";
import { isInLayout } from "./site-links.ts";

const maintenance = signatureFor("maintenance");
const unavailable = signatureFor("service_unavailable");

const SITE = "(?:web ?)?(?:site|page|shop|store|app|application|portal|server|forum|wiki|blog)";
const NOW = "(?:currently |temporarily |briefly |now )?";
const CLOSED = "(?:down |closed |offline |unavailable )?";
const FOR_MAINTENANCE =
  "(?:for|under|undergoing|in) (?:scheduled |planned |routine |essential |system )?maintenance(?: mode)?";

/** The whole statement, apart from punctuation. */
const wholly = (patterns: string[]) =>
  new RegExp(`^(?:${patterns.join("|")})[^\\p{L}\\p{N}]*$`, "iu");

const UNDER_MAINTENANCE = wholly([
  `(?:(?:sorry|oops)[,!.]? )?(?:(?:(?:this|the|our) ${SITE}|we|[\\w.-]{1,60}\\.[a-z]{2,10}) (?:is|are)|we['’]re) ${NOW}${CLOSED}${FOR_MAINTENANCE}`,
  `(?:${SITE} )?(?:is )?${NOW}${CLOSED}${FOR_MAINTENANCE}`,
  "(?:we are|we['’]re) (?:currently )?(?:performing|doing|carrying out|conducting) (?:some )?(?:scheduled |planned |routine |essential )?maintenance(?: (?:on|of) .{1,40})?",
  "maintenance (?:mode|in progress)",
  `(?:this |the |our )?${SITE} (?:is )?(?:currently )?temporarily (?:unavailable|offline|down|closed)`,
  "(?:we['’]ll |we will )?be (?:right back|back (?:soon|shortly))",
  "(?:(?:die|diese|dieser|der|unsere?) )?(?:seite|website|webseite|(?:online-?)?shop) (?:wird|ist|befindet sich) .{0,30}(?:gewartet|in wartung|wartungsmodus)",
  "wartungsmodus|wir sind (?:gleich|bald|in kürze) (?:wieder )?(?:für (?:sie|dich|euch) )?(?:da|zurück|online)",
  "(?:(?:le |ce |notre )?site )?(?:est )?(?:actuellement )?en (?:cours de )?maintenance",
  "maintenance en cours|(?:nous (?:revenons|serons de retour)|de retour) (?:bientôt|très vite|dans quelques instants)",
  "(?:(?:el |este |nuestro )?sitio(?: web)? )?(?:está )?en mantenimiento|(?:estamos|página|web) en mantenimiento|volvemos (?:pronto|enseguida)",
  "(?:(?:il |questo )?sito )?(?:è )?in manutenzione|torniamo (?:presto|subito)",
  "(?:(?:o |este )?site )?(?:está )?em manutenção|estamos em manutenção|voltamos (?:já|em breve|logo)",
  "(?:(?:de |deze )?(?:site|website) )?(?:is )?in onderhoud",
  "trwają prace (?:konserwacyjne|techniczne|serwisowe)|(?:strona|serwis) (?:jest )?w trakcie konserwacji",
  "(?:stránky|web|stránka) (?:jsou|je) (?:právě )?v údržbě|probíhá údržba",
  "(?:sidan|webbplatsen|siden|nettsiden) (?:är|er) under (?:underhåll|vedlikehold|vedligeholdelse)|(?:underhåll|vedlikehold) pågår|sivusto on huollossa",
  "karbantartás (?:alatt|folyamatban)|(?:site|site-ul) (?:este )?în (?:mentenanță|întreținere)|(?:ведуться|проводяться) технічні роботи",
  "(?:ο ιστότοπος )?(?:είναι )?υπό συντήρηση|(?:الموقع )?(?:تحت|قيد) الصيانة|האתר בתחזוקה|(?:trang web )?đang bảo trì",
  "(?:на сайте )?(?:ведутся|проводятся) (?:технические|профилактические) работы",
  "(?:ただいま|現在)?(?:サーバー?|システム)?メンテナンス中(?:です)?",
  "(?:网站|系统|系統|網站)?(?:正在)?(?:维护|維護)中",
  "(?:서버 |시스템 |사이트 )?점검 ?중(?:입니다)?",
  "(?:site(?:miz)? )?bakım(?:dayız|da| çalışması| modu)",
]);

/** Words that may also be the title of a page about maintenance. */
const MAINTENANCE = wholly([
  "(?:(?:service|site|website|page) )?(?:is )?(?:currently )?temporarily unavailable",
  "(?:scheduled |planned |routine |site |system |server )?maintenance",
  "wartungs(?:arbeiten|pause)",
  "przerwa techniczna|prace (?:konserwacyjne|techniczne)",
  "(?:технические|профилактические) работы",
  "(?:网站|系统|系統|網站)(?:维护|維護)",
]);

/** Not only "maintenance", which Apache's usual 503 page gives as one possible cause. */
const SPEAKS_OF_MAINTENANCE =
  /\b(?:under(?:going)?|performing|scheduled|planned|routine|for|in) maintenance\b|\bbe (?:right back|back (?:soon|shortly))\b|wartungsarbeiten|wartungsmodus|en maintenance|mantenimiento|in manutenzione|em manutenção|in onderhoud|(?:технические|профилактические) работы|メンテナンス|(?:维护|維護)中|점검 ?중/i;

/** Phrases that may also name a service for sale. */
const OFFERS_MAINTENANCE = wholly([
  "(?:system |server |site )?maintenance",
  "wartungs(?:arbeiten|pause)",
  "prace (?:konserwacyjne|techniczne)",
]);

/** For pages that are known to be the same for every address. */
export const SAYS_MAINTENANCE = new RegExp(
  `${UNDER_MAINTENANCE.source}|${MAINTENANCE.source}|\\b(?:down|closed|offline|unavailable) for (?:scheduled |planned )?maintenance\\b|\\bunder(?:going)? (?:scheduled |planned )?maintenance\\b`,
  "iu",
);

/** An address about maintenance. */
const ABOUT_MAINTENANCE =
  /maintenance|wartung|mantenimiento|manutenzione|manuten[çc]|onderhoud|konserwac|obsluga/i;

/** Title and first heading both say it, and one of them means this site. */
function isSaidTwice({ answer: { page }, url }: Seen): boolean {
  if (!page || ABOUT_MAINTENANCE.test(decoded(url.pathname))) return false;
  const headlines = [titlesOf(page), [page.heading]].map((words) =>
    words.filter((one) => UNDER_MAINTENANCE.test(one) || MAINTENANCE.test(one)),
  );
  return (
    headlines.every((words) => words.length > 0) &&
    headlines.some((words) => words.some((one) => !OFFERS_MAINTENANCE.test(one)))
  );
}

/** A 503 with `Retry-After` is maintenance by its status. */
const namesNoTime = ({ answer: { status, headers }, now }: Seen) =>
  status !== 503 || readRetryAfter(headers.get("retry-after"), now) === null;

export const OUTAGES: readonly Signature[] = [
  unavailable("archive_offline", "The Internet Archive says that its services are offline.", {
    status: [200, 500, 502, 503],
    textUnder: SMALL,
    text: [/^.{0,80}\bInternet Archive services are temporarily offline/i],
  }),
  unavailable("services_offline", "The site says that its services are offline.", {
    status: [200, 503],
    textUnder: SMALL,
    isPlain: true,
    headline:
      /^(?:sorry[,!.]? )?(?:all |our )?(?:[\w.&'’-]{1,20} ){0,4}services are (?:currently |temporarily ){1,2}(?:offline|unavailable|down)\W*$/i,
    also: namesNoTime,
  }),
  maintenance("maintenance_page", "The site says that it is under maintenance.", {
    status: [200, 503],
    textUnder: SMALL,
    isPlain: true,
    headline: UNDER_MAINTENANCE,
    also: namesNoTime,
  }),
  maintenance("maintenance_words", "The site only mentions maintenance.", {
    status: [200, 503],
    textUnder: 400,
    isPlain: true,
    headline: MAINTENANCE,
    also: namesNoTime,
  }),
  maintenance(
    "maintenance_twice",
    "The title and the heading say that the site is under maintenance.",
    {
      status: [200, 503],
      isPlain: true,
      also: (seen) => namesNoTime(seen) && isSaidTwice(seen),
    },
  ),
  maintenance(
    "maintenance_text",
    "The server is not available, and the page mentions maintenance.",
    {
      status: [503],
      textUnder: SMALL,
      text: [SPEAKS_OF_MAINTENANCE],
      also: namesNoTime,
    },
  ),
];

const siteError = (rule: string, text: string, when: Signature["when"]): Signature => ({
  rule,
  reason: "site_error",
  text,
  when: { isPlain: true, ...when },
});

/** The message of WordPress in several languages. */
const NO_DATABASE = [
  "error establishing a database connection",
  "fehler beim aufbau einer datenbankverbindung",
  "erreur lors de la connexion à la base de données",
  "error al establecer una conexión con la base de datos",
  "errore nello stabilire una connessione al database",
  "erro ao estabelecer uma conexão com o banco de dados",
  "fout bij het (?:maken van een|verbinden met de) database(?:connectie)?",
  "błąd (?:podczas )?łączenia (?:się )?z bazą danych",
  "ошибка установки соединения с базой данных",
  "データベース接続確立エラー",
];

const CANNOT_CONNECT =
  "(?:could not|cannot|can['’]t|failed to|unable to) connect to (?:the |local )?(?:my ?sql|postgres(?:ql)?|database)";

/** Where operators report what fails, and pages explain it. */
const ABOUT_OUTAGES =
  /(?:^|[./_-])(?:status|incidents?|outages?|disruptions?|st(?:ö|oe)rung(?:en)?|codes?|errors?|glossary|docs?|help|support|kb|faq|wiki)(?:[./_-]|$)/i;

/** Whether a site itself speaks of an outage or an error. The error page of a server has no layout. */
const reportsOutage = ({ url, answer }: Seen) =>
  ABOUT_OUTAGES.test(url.hostname + url.pathname) &&
  answer.page !== null &&
  isInLayout(answer.page, answer);

/** Errors with status 200. The page must begin or end with the error, unlike a page about errors. */
export const SITE_ERRORS: readonly Signature[] = [
  siteError("database_error", "The site reports that its database is unavailable.", {
    textUnder: SMALL,
    text: [new RegExp(`^(?:${NO_DATABASE.join("|")})(?!\\s?[:?–-])`, "i")],
  }),
  siteError("database_message", "The page is a database's error message.", {
    textUnder: 600,
    text: [
      new RegExp(
        `^(?:warning: |error: )?(?:mysqli?_p?connect\\(\\)|SQLSTATE\\[|ORA-\\d{5}: |(?:my)?sql error\\b|connection failed: |${CANNOT_CONNECT})`,
        "i",
      ),
    ],
  }),
  siteError("critical_error", "The site reports a critical error.", {
    textUnder: 600,
    text: [
      /^there has been a critical error on (?:this|your) website|^the website encountered an unexpected error\. (?:please )?try again later/i,
    ],
  }),
  siteError("program_error", "The page is a program's error message.", {
    textUnder: 5000,
    text: [
      /^(?:php )?(?:fatal|parse) error ?: .{1,1000}? (?:on line \d|in \/.{1,200}?:\d)|^Traceback \(most recent call last\):|^(?:java|javax|org|com)(?:\.\w{1,60}){1,8}(?:Exception|Error)\b|^\w{0,40}Error: .{0,300}? at .{1,200}?:\d{1,6}:\d/i,
    ],
  }),
  siteError("program_broke_off", "The page ends with a program's error message.", {
    textUnder: SMALL,
    text: [/\b(?:fatal|parse) error ?: .{1,600} on line \d{1,6}$/i],
  }),
  siteError("aspnet_error", "The page is ASP.NET's error message.", {
    textUnder: 5000,
    headline: /^server error in '\/.{0,80}' application\.?$/i,
  }),
  siteError("debug_page", "The page is a framework's debug page.", {
    textUnder: 5000,
    title: /^\w{1,60} at \/|^whoops(?:, looks like something went wrong|! there was an error)/i,
    text: [/django version:|whoops|stack ?trace|exception/i],
  }),
  siteError("server_error_page", "The page says that the server failed.", {
    textUnder: 800,
    headline:
      /^(?:error )?(?:http (?:error|status) )?(?:5\d\d[\s:–—-]+)?(?:internal server error|bad gateway|gateway time-?out|service (?:temporarily )?unavailable)$|^whitelabel error page$|^we['’]re sorry, but something went wrong(?: \(500\))?\.?$/i,
    also: (seen) => !reportsOutage(seen),
  }),
  {
    rule: "passing_error",
    // Not `site_error`, which can become dead: bot protection uses the same words.
    reason: "soft404_suspected",
    text: "The page reports a temporary error.",
    when: {
      isPlain: true,
      textUnder: 600,
      headline:
        /^(?:(?:oops|sorry|uh[ -]oh|we['’]re sorry)[,!.:… ]+(?:but )?)?(?:something (?:went|has gone) wrong|an? (?:(?:unexpected|unknown|internal|temporary) )?error (?:has )?occurred|(?:temporary|internal|unexpected) error)[.!]?$/i,
      text: [
        /\b(?:(?:try|check) (?:it |this )?again|come back (?:later|soon)|working on (?:it|a fix|fixing))\b/i,
      ],
    },
  },
  siteError("limit_reached", "The site has reached a limit of its hosting plan.", {
    textUnder: SMALL,
    headline: /^(?:50\d )?(?:bandwidth limit exceeded|resource limit is reached)\.?$/i,
  }),
];

const SITE = "(?:web ?)?(?:site|page|shop|store|app|application|portal|server|forum|wiki|blog)";
const NOW = "(?:currently |temporarily |briefly |now )?";
const CLOSED = "(?:down |closed |offline |unavailable )?";
const FOR_MAINTENANCE =
  "(?:for|under|undergoing|in) (?:scheduled |planned |routine |essential |system )?maintenance(?: mode)?";

/** The whole statement, apart from punctuation. */
const wholly = (patterns: string[]) =>
  new RegExp(`^(?:${patterns.join("|")})[^\\p{L}\\p{N}]*$`, "iu");

export const UNDER_MAINTENANCE = wholly([
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
export const MAINTENANCE = wholly([
  "(?:(?:service|site|website|page) )?(?:is )?(?:currently )?temporarily unavailable",
  "(?:scheduled |planned |routine |site |system |server )?maintenance",
  "wartungs(?:arbeiten|pause)",
  "przerwa techniczna|prace (?:konserwacyjne|techniczne)",
  "(?:технические|профилактические) работы",
  "(?:网站|系统|系統|網站)(?:维护|維護)",
]);

/** Not only "maintenance", which Apache's usual 503 page gives as one possible cause. */
export const SPEAKS_OF_MAINTENANCE =
  /\b(?:under(?:going)?|performing|scheduled|planned|routine|for|in) maintenance\b|\bbe (?:right back|back (?:soon|shortly))\b|wartungsarbeiten|wartungsmodus|en maintenance|mantenimiento|in manutenzione|em manutenção|in onderhoud|(?:технические|профилактические) работы|メンテナンス|(?:维护|維護)中|점검 ?중/i;

/** Phrases that may also name a service for sale. */
export const OFFERS_MAINTENANCE = wholly([
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
export const ABOUT_MAINTENANCE =
  /maintenance|wartung|mantenimiento|manutenzione|manuten[çc]|onderhoud|konserwac|obsluga/i;

/** The message of WordPress in several languages. */
export const NO_DATABASE = [
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

export const CANNOT_CONNECT =
  "(?:could not|cannot|can['’]t|failed to|unable to) connect to (?:the |local )?(?:my ?sql|postgres(?:ql)?|database)";

/** Where operators report what fails, and pages explain it. */
export const ABOUT_OUTAGES =
  /(?:^|[./_-])(?:status|incidents?|outages?|disruptions?|st(?:ö|oe)rung(?:en)?|codes?|errors?|glossary|docs?|help|support|kb|faq|wiki)(?:[./_-]|$)/i;

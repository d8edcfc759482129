import { SMALL, type Wall } from "./wall.ts";

const siteError = (rule: string, text: string, when: Wall["when"]): Wall => ({
  rule,
  reason: "site_error",
  text,
  when: { isPlain: true, ...when },
});

/** In the languages that WordPress sites without a database speak. */
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

/**
 * A site that fails with a success. The page must begin with the failure, or break off with it, since
 * whoever writes about failures begins with something else.
 */
export const SITE_ERRORS: readonly Wall[] = [
  siteError("database_error", "The site says that it has lost its database.", {
    textUnder: SMALL,
    reads: [new RegExp(`^(?:${NO_DATABASE.join("|")})(?!\\s?[:?–-])`, "i")],
  }),
  siteError("database_message", "The page is a database's message of failure.", {
    textUnder: 600,
    reads: [
      new RegExp(
        `^(?:warning: |error: )?(?:mysqli?_p?connect\\(\\)|SQLSTATE\\[|ORA-\\d{5}: |(?:my)?sql error\\b|connection failed: |${CANNOT_CONNECT})`,
        "i",
      ),
    ],
  }),
  siteError("critical_error", "The site says that it has met a critical error.", {
    textUnder: 600,
    reads: [
      /^there has been a critical error on (?:this|your) website|^the website encountered an unexpected error\. (?:please )?try again later/i,
    ],
  }),
  siteError("program_error", "The page is a program's message of failure.", {
    textUnder: 5000,
    reads: [
      /^(?:php )?(?:fatal|parse) error ?: .{1,1000}? (?:on line \d|in \/.{1,200}?:\d)|^Traceback \(most recent call last\):|^(?:java|javax|org|com)(?:\.\w{1,60}){1,8}(?:Exception|Error)\b|^\w{0,40}Error: .{0,300}? at .{1,200}?:\d{1,6}:\d/i,
    ],
  }),
  siteError("program_broke_off", "The page ends in a program's message of failure.", {
    textUnder: SMALL,
    reads: [/\b(?:fatal|parse) error ?: .{1,600} on line \d{1,6}$/i],
  }),
  siteError("aspnet_error", "The page is ASP.NET's message of failure.", {
    textUnder: 5000,
    says: /^server error in '\/.{0,80}' application\.?$/i,
  }),
  siteError("debug_page", "The page is what a framework shows to its programmers.", {
    textUnder: 5000,
    title: /^\w{1,60} at \/|^whoops(?:, looks like something went wrong|! there was an error)/i,
    reads: [/django version:|whoops|stack ?trace|exception/i],
  }),
  siteError("server_error_page", "The page says that the server failed.", {
    textUnder: 800,
    says: /^(?:error )?(?:http (?:error|status) )?(?:5\d\d[\s:–—-]+)?(?:internal server error|bad gateway|gateway time-?out|service (?:temporarily )?unavailable)$|^whitelabel error page$|^we['’]re sorry, but something went wrong(?: \(500\))?\.?$/i,
  }),
  {
    rule: "passing_error",
    // No site_error, which may last until the link is dead: what turns robots away says the same.
    reason: "soft404_suspected",
    text: "The page says that something failed for now.",
    when: {
      isPlain: true,
      textUnder: 600,
      says: /^(?:(?:oops|sorry|uh[ -]oh|we['’]re sorry)[,!.:… ]+(?:but )?)?(?:something (?:went|has gone) wrong|an? (?:(?:unexpected|unknown|internal|temporary) )?error (?:has )?occurred|(?:temporary|internal|unexpected) error)[.!]?$/i,
      reads: [
        /\b(?:(?:try|check) (?:it |this )?again|come back (?:later|soon)|working on (?:it|a fix|fixing))\b/i,
      ],
    },
  },
  siteError("limit_reached", "The site has used up what its host gives it for now.", {
    textUnder: SMALL,
    says: /^(?:50\d )?(?:bandwidth limit exceeded|resource limit is reached)\.?$/i,
  }),
];

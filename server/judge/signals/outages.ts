import { readRetryAfter } from "../politeness/site-load.ts";
import type { Seen } from "../probe/finding.ts";
import { decoded } from "./addresses.ts";
import {
  ABOUT_MAINTENANCE,
  ABOUT_OUTAGES,
  CANNOT_CONNECT,
  MAINTENANCE,
  NO_DATABASE,
  OFFERS_MAINTENANCE,
  SPEAKS_OF_MAINTENANCE,
  UNDER_MAINTENANCE,
} from "./known/outages.ts";
import { type Signature, SMALL, signatureFor, titlesOf } from "./known/signature.ts";
import { isInLayout } from "./site-links.ts";

const maintenance = signatureFor("maintenance");
const unavailable = signatureFor("service_unavailable");

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

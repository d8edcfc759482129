import type { Page } from "../page/page.ts";
import type { Seen, Signal } from "../probe/finding.ts";
import { decoded } from "./addresses.ts";
import { isShort } from "./clues.ts";
import { quoted } from "./quoted.ts";
import { sayingsOf } from "./wall.ts";

/** A host's notice in the place of a site that it switched off. */
export type Suspension = {
  signal: Signal;
  /** Nobody else would say so, and so. */
  isSure: boolean;
};

/** Looks for such a notice at the address that the site led to, or in what the page says first. */
export function readSuspension({ answer, url }: Seen, page: Page): Suspension | null {
  const { pathname } = new URL(answer.finalUrl);
  if (SUSPENDED_PATH.test(pathname) && !SUSPENDED_PATH.test(url.pathname)) {
    const text = `The site leads to its host's ${quoted(pathname)}.`;
    return { signal: { rule: "suspended_path", text }, isSure: true };
  }
  if (!isShort(page)) return null;
  const sayings = [...sayingsOf(page), firstSentence(page)];
  const words = sayings.find((said) => SITE_SUSPENDED.test(said) || ACCOUNT_SUSPENDED.test(said));
  if (!words) return null;
  const text = `The page is a host's notice: ${quoted(words)}.`;
  return {
    signal: { rule: "suspended_notice", text },
    isSure: !SPEAKS_OF_IT.test(decoded(url.pathname)) && isSure(words, page),
  };
}

/** cPanel's. */
const SUSPENDED_PATH = /^\/cgi-sys\/suspendedpage\.cgi$/i;
/** Whoever explains such notices says so in the address. */
const SPEAKS_OF_IT = /suspen|gesperrt|sospes|zawiesz|opgeschort|приостанов/i;

/**
 * Sites suspend their users in the same words, and hosts explain theirs. Such pages have more to them: the
 * site's name in the title, a search, a sign-in.
 */
function isSure(words: string, { title, text, forms }: Page): boolean {
  if (title !== "" && title !== words && !ONLY_NAME.test(title)) return false;
  return forms === 0 && (SITE_SUSPENDED.test(words) || title === words || HOSTING.test(text));
}

/** For notices without a heading. */
const firstSentence = ({ text }: Page) => /^[^.!]{1,100}/.exec(text)?.[0] ?? "";

const wholly = (phrases: string[]) =>
  new RegExp(`^[^\\p{L}\\p{N}]*(?:${phrases.join("|")})[^\\p{L}\\p{N}]*$`, "iu");

const HAS_BEEN = "(?:(?:has been|is|was) )?(?:temporarily |currently |permanently )?";
const NAME = "[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{2,63}){1,3}";
const ONLY_NAME = new RegExp(`^(?:https?://)?${NAME}/?$`, "iu");

const SITE_SUSPENDED = wholly([
  `(?:(?:this|the|your) )?(?:web ?site|site|web ?page|domain(?: name)?|(?:web )?hosting(?: account| service| package| plan)?|web ?space)(?: ${NAME})? ${HAS_BEEN}suspended`,
  `${NAME} (?:has been|is) (?:temporarily |currently )?suspended`,
  "(?:diese |die )?(?:website|webseite|webpräsenz|domain|internetpräsenz) (?:wurde|ist) (?:vorübergehend )?(?:gesperrt|deaktiviert)",
  "(?:ce |le )?(?:site(?: web| internet)?|(?:nom de )?domaine|hébergement) (?:est |a été )?suspendu",
  "(?:este |el )?(?:sitio(?: web)?|dominio|hosting) (?:está |ha sido )?suspendido",
  "(?:questo |il )?(?:sito(?: web)?|dominio) (?:è |è stato )?sospeso",
  "(?:este |o )?(?:site|domínio) (?:está |foi )?suspenso",
  "(?:deze |de )?(?:website|site|domeinnaam) is (?:tijdelijk )?opgeschort",
  "(?:ta |ten )?(?:strona|serwis|domena) (?:została |jest )?zawieszon[ay]",
  "(?:этот )?(?:сайт|домен|хостинг) (?:временно )?приостановлен",
]);

const ACCOUNT_SUSPENDED = wholly([
  `(?:(?:this|the|your) )?account ${HAS_BEEN}suspended`,
  "(?:dieser |der )?account (?:wurde |ist )?gesperrt",
  "(?:ce )?compte (?:est |a été )?suspendu",
  "(?:esta )?cuenta (?:está |ha sido )?suspendida",
  "(?:questo )?account (?:è |è stato )?sospeso",
  "(?:esta )?conta (?:está |foi )?suspensa",
  "(?:to )?konto (?:zostało |jest )?zawieszone",
  "аккаунт (?:временно )?приостановлен",
]);

const HOSTING =
  /\bhosting (?:provider|company|account|service)\b|\bweb ?host\b|\bwebmaster\b|\bowner of th(?:is|e) (?:web ?)?site\b|hosting-?(?:anbieter|provider)|hébergeur|proveedor de (?:hosting|alojamiento)|хостинг/i;

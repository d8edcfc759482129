import { wholly } from "./signature.ts";

/** cPanel. */
export const SUSPENDED_PATH = /^\/cgi-sys\/suspendedpage\.cgi$/i;

/** Pages about suspensions say so in their addresses. */
export const ABOUT_SUSPENSION = /suspen|gesperrt|sospes|zawiesz|opgeschort|приостанов/i;

const HAS_BEEN = "(?:(?:has been|is|was) )?(?:temporarily |currently |permanently )?";
const NAME = "[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{2,63}){1,3}";
export const ONLY_NAME = new RegExp(`^(?:https?://)?${NAME}/?$`, "iu");

export const SITE_SUSPENDED = wholly([
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

export const ACCOUNT_SUSPENDED = wholly([
  `(?:(?:this|the|your) )?account ${HAS_BEEN}suspended`,
  "(?:dieser |der )?account (?:wurde |ist )?gesperrt",
  "(?:ce )?compte (?:est |a été )?suspendu",
  "(?:esta )?cuenta (?:está |ha sido )?suspendida",
  "(?:questo )?account (?:è |è stato )?sospeso",
  "(?:esta )?conta (?:está |foi )?suspensa",
  "(?:to )?konto (?:zostało |jest )?zawieszone",
  "аккаунт (?:временно )?приостановлен",
]);

export const HOSTING =
  /\bhosting (?:provider|company|account|service)\b|\bweb ?host\b|\bwebmaster\b|\bowner of th(?:is|e) (?:web ?)?site\b|hosting-?(?:anbieter|provider)|hébergeur|proveedor de (?:hosting|alojamiento)|хостинг/i;

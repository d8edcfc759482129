import type { Page } from "../page/page.ts";
import {
  dead,
  type Finding,
  type Need,
  needs,
  type Reader,
  type Seen,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import { decoded, isSiteAddress } from "./addresses.ts";
import { isShort, LITTLE_TEXT } from "./clues.ts";
import { unlessSameAtControl } from "./controlled.ts";
import { SITE_ERRORS } from "./outages.ts";
import { quoted } from "./phrases.ts";
import { compare, comparedAddress, SAME_EVERYWHERE } from "./same-page.ts";
import { headlinesOf, matches, prepare, type Signature, titlesOf, wholly } from "./signature.ts";
import { isInLayout } from "./site-links.ts";

const defaultPage = (of: string, when: Signature["when"]): Signature => ({
  rule: "default_page",
  reason: "placeholder_page",
  text: `The page is the one that ${of} shows where no site was set up.`,
  when: { isPlain: true, ...when },
});

/** Title and text must both match, because instructions quote one of them. */
export const DEFAULT_PAGES: readonly Signature[] = [
  defaultPage("nginx", {
    title: /^welcome to (?:nginx|freenginx|openresty|angie|tengine)(?: on .{1,40})?!?$/i,
    text: [
      /web (?:server|platform) is successfully installed|test the proper operation of the nginx/i,
    ],
  }),
  // If there is nothing else on the page, the name is enough.
  defaultPage("nginx", {
    title: /^welcome to nginx!$/i,
    textUnder: 80,
    text: [/^(?:welcome to nginx!|$)/i],
  }),
  defaultPage("Apache", {
    title: /^apache2 .{0,30}default page(?:: it works)?$/i,
    textUnder: 80,
    text: [/^(?:apache2 |it works|$)/i],
  }),
  defaultPage("Apache", {
    title: /^apache2 .{0,30}default page(?:: it works)?$/i,
    text: [/default welcome page used to test the correct operation of the Apache2 server/i],
  }),
  defaultPage("Apache", { title: /^(?:it works!.{0,40})?$/i, text: [/^it works!$/i] }),
  defaultPage("a Linux distribution's web server", {
    title: /\btest page\b/i,
    text: [/used to test the proper operation of (?:the|an|this) [^.]{0,40}server/i],
  }),
  defaultPage("IIS", {
    title:
      /^(?:IIS ?[\d.]*|IIS Windows(?: Server)?|(?:Microsoft )?Internet Information Services ?[\d.]*)$/,
    textUnder: 600,
    markup: [/go\.microsoft\.com\/fwlink|www\.iis\.net|iisstart/i],
  }),
  defaultPage("IIS", {
    title: /^under construction$/i,
    text: [
      /site you (?:are|were) trying to (?:view|reach) does not currently have a default page/i,
    ],
  }),
  defaultPage("LiteSpeed", {
    title: /litespeed|congratulations/i,
    text: [/(?:successfully installed|running) (?:the )?(?:open)?litespeed(?: web server)?/i],
  }),
  defaultPage("Caddy", { title: /^caddy works!$/i, text: [/your web server is working/i] }),
  defaultPage("Tomcat", {
    title: /^apache tomcat(?:\/[\w.-]{1,20})?$/i,
    text: [/(?:successfully installed|set ?up) tomcat/i],
  }),
  defaultPage("GlassFish", { title: /^glassfish server/i, text: [/your server is now running/i] }),
  defaultPage("WildFly", {
    title: /^welcome to (?:wildfly|jboss)/i,
    text: [/your (?:wildfly|jboss)[^.]{0,40} is running/i],
  }),
  defaultPage("Plesk", {
    title:
      /^(?:domain default page|(?:default )?(?:parallels )?plesk.{0,20} page|web server.?s default page)$/i,
    text: [/\bplesk\b/i],
  }),
  defaultPage("cPanel", { redirectedTo: /\/cgi-sys\/defaultwebpage\.cgi(?:$|\?)/i }),
  defaultPage("cPanel", {
    title: /^default web ?(?:site )?page$/i,
    text: [/(?:if you are the|are you the) owner of this (?:web)?site/i],
  }),
  defaultPage("XAMPP", {
    title: /^(?:welcome to )?xampp/i,
    text: [/successfully installed xampp/i],
  }),
  defaultPage("ISPConfig", {
    title: /^welcome/i,
    text: [/this is the default index page of your website/i],
  }),
  defaultPage("a hosting panel", {
    textUnder: 600,
    text: [
      /^(?:\S{1,100} )?(?:success! your new web server is ready to use|this is (?:a|the) default (?:index )?page for a new domain)/i,
    ],
  }),
  defaultPage("ISPmanager", { textUnder: 600, text: [/^welcome!? site \S{3,100} just created/i] }),
  defaultPage("BaoTa", {
    title: /站点|site is created/i,
    text: [/web服务器中没有找到对应的站点|站点创建成功|the site is created successfully/i],
  }),
  defaultPage("Azure", {
    title: /^microsoft azure (?:app service|web app)/i,
    text: [
      /(?:is up and running|is running and waiting for your content|waiting for your content)/i,
    ],
  }),
  defaultPage("Heroku", {
    title: /^heroku \| welcome to your new app!$/i,
    text: [/refer to the documentation/i],
  }),
  defaultPage("Elastic Beanstalk", {
    textUnder: 1500,
    text: [
      /^congratulations!? your first aws elastic beanstalk .{0,60}application is now running/i,
    ],
  }),
  defaultPage("Django", {
    title: /^(?:the install worked successfully! congratulations!|welcome to django)$/i,
    text: [/\bdjango\b/i],
  }),
  defaultPage("Rails", {
    title: /^ruby on rails/i,
    text: [/you.re (?:riding ruby )?on rails!/i],
  }),
  defaultPage("GoDaddy", {
    textUnder: 600,
    text: [/^(?:\S{1,100} )?future home of something quite cool/i],
  }),
  defaultPage("Wix", {
    textUnder: 1500,
    text: [/^looks like this domain isn.t connected to a website yet/i],
  }),
  defaultPage("OVH", {
    title: /\b(?:construction|congratulations|félicitations|welcome|bienvenue)\b/i,
    text: [
      /your domain (?:name )?has (?:indeed )?been created (?:with|at|on) ovh|votre (?:nom de )?domaine a bien été créé chez ovh/i,
    ],
  }),
  {
    rule: "empty_listing",
    reason: "placeholder_page",
    text: "The page lists a folder in which there is nothing.",
    when: {
      textUnder: 400,
      text: [
        /^index of \/ ?(?:name last modified size description ?)?(?:(?:\.\.\/|parent directory|cgi-bin\/) ?[-\d: ]{0,30}){0,3}(?:(?:apache|nginx|litespeed|proudly served)\b.{0,200})?$/i,
      ],
    },
  },
];

type Suspension = {
  signal: Signal;
  /** No other page shows this. */
  isSure: boolean;
  /** Title and heading both say it, and there is little else. */
  isSaidTwice: boolean;
};

function readSuspension({ answer, url }: Seen, page: Page): Suspension | null {
  const { pathname } = new URL(answer.finalUrl);
  if (SUSPENDED_PATH.test(pathname) && !SUSPENDED_PATH.test(url.pathname)) {
    const text = `The site leads to its host's ${quoted(pathname)}.`;
    return { signal: { rule: "suspended_path", text }, isSure: true, isSaidTwice: false };
  }
  if (!isShort(page)) return null;
  const headlines = [...headlinesOf(page), firstSentence(page)];
  const words = headlines.find(saysSuspended);
  if (!words) return null;
  const text = `The page is a host's notice: ${quoted(words)}.`;
  const isAbout = ABOUT_SUSPENSION.test(decoded(url.pathname));
  return {
    signal: { rule: "suspended_notice", text },
    isSure: !isAbout && !isInLayout(page, answer) && isSure(words, page),
    isSaidTwice: !isAbout && isSaidTwice(page),
  };
}

const saysSuspended = (words: string) =>
  SITE_SUSPENDED.test(words) || ACCOUNT_SUSPENDED.test(words);

const isSaidTwice = (page: Page) =>
  page.text.length < LITTLE_TEXT &&
  titlesOf(page).some(saysSuspended) &&
  saysSuspended(page.heading);

/** cPanel. */
const SUSPENDED_PATH = /^\/cgi-sys\/suspendedpage\.cgi$/i;
/** Pages about suspensions say so in their addresses. */
const ABOUT_SUSPENSION = /suspen|gesperrt|sospes|zawiesz|opgeschort|приостанов/i;

/**
 * Sites suspend their users in the same words, and hosting companies explain them. Such pages also have the
 * site's name in the title, a search or a sign-in.
 */
function isSure(words: string, { title, text, forms }: Page): boolean {
  if (title !== "" && title !== words && !ONLY_NAME.test(title)) return false;
  return forms === 0 && (SITE_SUSPENDED.test(words) || title === words || HOSTING.test(text));
}

/** For notices without a heading. */
const firstSentence = ({ text }: Page) => /^[^.!]{1,100}/.exec(text)?.[0] ?? "";

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

/** Judges pages in place of a site: a notice of suspension, a default page, an error of the site. */
export const readPlaceholder: Reader = (seen) => {
  const { page } = seen.answer;
  if (!page || page.text.length > LONGEST_TEXT) return null;
  const suspension = readSuspension(seen, page);
  return (suspension && judgeSuspension(seen, suspension)) ?? readDefaultPage(seen);
};

/** A page with more characters belongs to a site. */
const LONGEST_TEXT = 5000;

/** A suspended site shows its notice at every address; one page that says nothing else may be a member's. */
function judgeSuspension(
  seen: Seen,
  { signal, isSure, isSaidTwice }: Suspension,
): Finding | Need | null {
  const { answer, facts, url } = seen;
  if (isSure) return dead("hosting_suspended", "C2", [signal]);
  const fact = comparedAddress(url);
  const other = facts[fact];
  if (other === undefined) return needs(fact);
  const comparison = compare(answer, other);
  if (comparison === "nothing") return suspected("placeholder_page", [signal]);
  if (comparison === "same") return judgeSuspendedFolder(seen, signal);
  return isSaidTwice ? suspected("soft404_suspected", [signal]) : null;
}

/** A notice that the home page does not show may be for the members of one folder. */
function judgeSuspendedFolder({ answer, facts, url }: Seen, signal: Signal): Finding | Need {
  const signals = [signal, SAME_EVERYWHERE];
  if (isSiteAddress(url)) return dead("hosting_suspended", "C2", signals);
  if (facts.home === undefined) return needs("home");
  return compare(answer, facts.home) === "different"
    ? suspected("soft404_suspected", signals)
    : dead("hosting_suspended", "C2", signals);
}

function readDefaultPage(seen: Seen): Finding | Need | null {
  const sight = prepare(seen);
  const isMet = (wall: Signature) => matches(sight, wall);
  const defaultPage = DEFAULT_PAGES.find(isMet);
  if (defaultPage) return judgeDefaultPage(seen, signalOf(defaultPage));
  const failure = SITE_ERRORS.find(isMet);
  return failure ? suspected(failure.reason, [signalOf(failure)]) : null;
}

/** Only evidence against a deep link if a random address shows it too, and the home page and a page of it do not. */
function judgeDefaultPage(seen: Seen, signal: Signal): Finding | Need {
  const { answer, url, facts } = seen;
  const open = suspected("placeholder_page", [signal]);
  if (isSiteAddress(url)) return open;
  if (facts.sibling === undefined) return needs("sibling");
  if (compare(answer, facts.sibling) !== "same") return open;
  if (facts.home === undefined) return needs("home");
  if (!["different", "missing"].includes(compare(answer, facts.home))) return open;
  const finding = unlessSameAtControl(seen, dead("soft404_probe", "C2", [signal, SAME_EVERYWHERE]));
  return "needs" in finding || finding.verdict === "dead" ? finding : open;
}

const signalOf = ({ rule, text }: Signature): Signal => ({ rule, text });

import { once } from "../../probe/finding.ts";
import { AS_BROWSER } from "../../probe/style.ts";
import { type Signature, SMALL, signatureFor } from "./signature.ts";

const challenge = signatureFor("bot_challenge");
const geoBlock = signatureFor("geo_blocked");
const ipBlock = signatureFor("ip_blocked");

/** Cloudflare's own pages. Its 502 and 52x mostly mean that a server is down. */
const CLOUDFLARE_STATUSES = [403, 429, 502, 503, 520, 521, 522, 523, 524, 525, 526] as const;
const CLOUDFLARE = /^server: cloudflare/im;
/** Statuses with which such firewalls block. */
const REFUSED = [401, 403, 405, 406, 412, 418, 429, 503] as const;
const IMPERVA = /^x-(iinfo: .|cdn: (incapsula|imperva))/im;
const IMPERVA_SCRIPT = /\/_Incapsula_Resource/;

/** Bot protection, recognised by signs that only it shows. */
export const BOT_PROTECTION: readonly Signature[] = [
  // Content delivery networks.
  // developers.cloudflare.com, "Detect a Challenge Page response": always present, with this value only.
  challenge("cloudflare_challenge", "Cloudflare says in a header that it asks for a challenge.", {
    headers: /^cf-mitigated: challenge$/im,
  }),
  challenge("vercel_challenge", "Vercel says in a header that it asks for a challenge.", {
    headers: /^x-vercel-mitigated: challenge$/im,
  }),
  challenge(
    "aws_waf_challenge",
    "The firewall of AWS says in a header that it asks for a challenge.",
    { headers: /^x-amzn-waf-action: (challenge|captcha)$/im },
  ),
  challenge("aws_waf_action", "The firewall of AWS says in a header that it intervened.", {
    status: [202, 403, 405],
    headers: /^x-amzn-waf-action: ./im,
  }),
  challenge("cloudflare_challenge_title", "Cloudflare shows its challenge.", {
    status: CLOUDFLARE_STATUSES,
    headers: CLOUDFLARE,
    title: /^(just a moment\W*$|attention required!)/i,
  }),
  challenge("cloudflare_challenge_page", "Cloudflare shows its challenge.", {
    status: CLOUDFLARE_STATUSES,
    headers: CLOUDFLARE,
    markup: [/data-translate="challenge_headline"|_cf_chl_opt|jschl-answer|name="captcha-bypass"/],
  }),
  geoBlock(
    "cloudflare_country_block",
    "Cloudflare shows that the site refuses the country this monitor is in.",
    {
      status: [403],
      headers: CLOUDFLARE,
      textUnder: SMALL,
      text: [/\berror (code:? )?1009\b|has banned the country or region/i],
    },
  ),
  ipBlock("cloudflare_ip_block", "Cloudflare shows that the site refuses this monitor's address.", {
    status: [403],
    headers: CLOUDFLARE,
    textUnder: SMALL,
    text: [/\berror (code:? )?100[678]\b|has banned your (ip|access based on your ip)/i],
  }),
  challenge("cloudflare_block_title", "Cloudflare blocks this monitor.", {
    status: CLOUDFLARE_STATUSES,
    headers: CLOUDFLARE,
    title: /used Cloudflare to restrict access$/i,
  }),
  // With a 5xx, the same page means that the server is down.
  challenge("cloudflare_block_page", "Cloudflare blocks this monitor.", {
    status: [403, 429],
    headers: CLOUDFLARE,
    markup: [/cf-error-details/],
  }),
  challenge("vercel_checkpoint", "Vercel shows its security check.", {
    status: [403, 429],
    headers: /^server: vercel$/im,
    title: /^Vercel Security Checkpoint$/i,
  }),
  challenge("akamai_denied", "Akamai blocks this monitor.", {
    status: [403],
    textUnder: SMALL,
    title: /^Access Denied$/i,
    text: [/\bReference #\s?[0-9a-f]/i, /errors\.edgesuite\.net|You don't have permission/i],
  }),
  challenge("akamai_error", "Akamai says in a header that it refused the request itself.", {
    status: [403, 429],
    headers: /^akamai-cache-status: error/im,
  }),
  challenge("fastly_challenge", "Fastly shows its challenge.", {
    status: [200, 202, 403, 429, 503],
    textUnder: SMALL,
    title: /^Client Challenge$/i,
    markup: [/\b_fs-ch-/],
  }),
  challenge("edgeone", "EdgeOne sends nothing but a script.", {
    status: [200],
    headers: /^server: edgeone/im,
    textUnder: 200,
    title: /^$/,
    markup: [/^\s*<script/i],
  }),
  geoBlock(
    "cloudfront_country_block",
    "CloudFront shows that the site refuses the country this monitor is in.",
    {
      status: [403],
      textUnder: SMALL,
      text: [/Amazon CloudFront distribution is configured to block access from your country/i],
    },
  ),
  challenge("cloudfront_block", "CloudFront blocks this monitor.", {
    status: [403],
    textUnder: SMALL,
    title: /request could not be satisfied/i,
    text: [/\brequest blocked\b/i],
  }),
  // Bot protection products.
  challenge("siteground_challenge", "SiteGround says in a header that it asks for a challenge.", {
    headers: /^sg-captcha: challenge$/im,
  }),
  challenge("datadome_header", "DataDome says in a header that it stopped the request.", {
    status: [401, 403],
    headers: /^(x-dd-b: [12]$|x-datadome: (?!protected$).)/im,
  }),
  challenge("datadome_page", "DataDome shows its challenge.", {
    status: [401, 403],
    textUnder: SMALL,
    markup: [/\bcaptcha-delivery\.com\b/],
  }),
  challenge("datadome_notice", "DataDome shows its challenge.", {
    status: [200, 202, 405, 429],
    text: [/^Please enable JS and disable any ad blocker$/i],
    markup: [/\bcaptcha-delivery\.com\b/],
  }),
  challenge("perimeterx_block", "HUMAN (PerimeterX) shows its challenge.", {
    status: [403],
    markup: [/\bwindow\._pxAppId\b|\bpx-captcha\b/],
  }),
  challenge("perimeterx_page", "HUMAN (PerimeterX) shows its challenge.", {
    status: [200, 202, 307, 412, 429],
    textUnder: SMALL,
    title: /^(robot or human\?|access to this page has been denied)/i,
    markup: [/\bpx-captcha\b/],
  }),
  challenge("imperva_incident", "Imperva shows its challenge.", {
    headers: IMPERVA,
    status: [200, 202, ...REFUSED],
    textUnder: 5000,
    markup: [IMPERVA_SCRIPT, /incident_id=|Incapsula incident ID|id="main-iframe"/i],
  }),
  // Real pages contain the same script, but also a title or text.
  challenge("imperva_script", "Imperva sends nothing but its own script.", {
    headers: IMPERVA,
    status: [200, 202, ...REFUSED],
    textUnder: 200,
    title: /^$/,
    markup: [IMPERVA_SCRIPT],
  }),
  challenge("kasada_header", "Kasada says in a header that it stopped the request.", {
    status: [403, 429],
    headers: /^x-(kasada|kpsdk)-?[\w-]*:/im,
  }),
  challenge("kasada_page", "Kasada shows its challenge.", {
    status: [403, 429],
    textUnder: 200,
    markup: [/\bwindow\.KPSDK\b/],
  }),
  challenge("ddos_guard", "DDoS-Guard shows its challenge.", {
    status: [403],
    headers: /^server: ddos-guard/im,
    markup: [/\/ddos-guard\/js-challenge\/|<title>\s*DDoS-Guard|https?:\/\/ddos-guard\.net\//i],
  }),
  challenge("sucuri_block", "Sucuri says in a header that it stopped the request.", {
    status: [403],
    headers: /^x-sucuri-block: ./im,
  }),
  challenge("sucuri_page", "Sucuri blocks this monitor.", {
    status: [403],
    textUnder: 5000,
    title: /^Sucuri Website Firewall\b/i,
  }),
  challenge("sucuri_challenge", "Sucuri shows its challenge.", {
    status: [200, 202, 307, 403],
    textUnder: 200,
    title: /^You are being redirected/i,
    markup: [/\bsucuri_cloudproxy_js\b/],
  }),
  challenge("anubis", "Anubis shows its challenge.", {
    status: [200, 401, 403],
    textUnder: SMALL,
    markup: [/\sid="anubis_challenge"/, /\/\.within\.website\/x\/cmd\/anubis\//],
  }),
  challenge("shieldsquare", "Radware (ShieldSquare) shows its captcha.", {
    status: [200],
    textUnder: SMALL,
    title: /^(ShieldSquare|Radware( Bot Manager)?) Captcha( Page)?$/i,
  }),
  challenge("radware_redirect", "The link leads to the captcha of Radware.", {
    redirectedTo: /^validate\.perfdrive\.com\//,
  }),
  challenge("imunify_check", "Imunify360 shows its challenge.", {
    status: [200, 202, 415, ...REFUSED],
    textUnder: 200,
    title: /^One moment, please/i,
    text: [/request is being verified/i],
  }),
  challenge("f5_rejected", "A firewall of F5 refused the request.", {
    status: [200, 403],
    textUnder: 500,
    title: /^Request Rejected$/i,
    text: [/support id is:? ?\d/i],
  }),
  challenge("fortiweb_block", "A firewall of Fortinet in front of the site refused the request.", {
    status: [200, 403, 500],
    textUnder: SMALL,
    text: [/web page blocked/i, /\battack id: ?\d/i],
  }),
  challenge("wordfence_block", "Wordfence blocks this monitor.", {
    status: [403, 503],
    textUnder: 5000,
    text: [/generated by wordfence/i],
  }),
  // Sites with protection of their own.
  challenge("amazon_captcha", "Amazon shows its captcha.", {
    status: [200, 503],
    at: /^([^/]*\.)?amazon\.[a-z.]{2,6}\//,
    textUnder: SMALL,
    markup: [/To discuss automated access to Amazon data|action="\/errors\/validateCaptcha"/],
  }),
  challenge("amazon_notice", "Amazon blocks automated requests.", {
    status: [503],
    textUnder: SMALL,
    markup: [/To discuss automated access to Amazon data/],
  }),
  challenge("amazon_characters", "Amazon shows its captcha.", {
    status: [200, 503],
    textUnder: SMALL,
    text: [/^.{0,80}enter the characters you see below/i],
    markup: [/amazon/i],
  }),
  challenge("reddit_block", "Reddit blocks this monitor.", {
    status: [403, 429],
    textUnder: SMALL,
    text: [/blocked by network security|whoa there, pardner/i],
  }),
  challenge("reddit_verification", "Reddit shows its challenge.", {
    status: [200, 403, 429],
    textUnder: SMALL,
    title: /^Reddit - (Please wait for verification|Prove your humanity)$/i,
  }),
  challenge(
    "linkedin_999",
    "The status is the one with which LinkedIn rejects automated requests.",
    {
      status: [999],
    },
  ),
  challenge("google_sorry", "The link leads to Google's page for suspected automated requests.", {
    redirectedTo: /^([^/]*\.)?google\.[a-z.]{2,6}\/sorry\//,
  }),
  challenge("google_traffic", "Google suspects an automated request.", {
    status: [403, 429, 503],
    textUnder: SMALL,
    text: [
      /our systems have detected unusual traffic|your computer or network may be sending automated queries/i,
    ],
  }),
];

/** For products without a signature of their own. */
export const GENERIC_BOT_PROTECTION: readonly Signature[] = [
  challenge("challenge_page", "The page only asks for proof that the visitor is human.", {
    status: [200, 202],
    textUnder: SMALL,
    isPlain: true,
    headline:
      /^(?:please )?(?:are you (?:a )?(?:human|robot)|(?:verify|prove|confirm)(?:ing)? (?:that )?you are (?:a )?(?:human|not a (?:ro)?bot)|(?:human|bot|security) (?:verification|check)|captcha|just a moment|one more step|checking your browser|pardon our interruption|access to this page has been denied)[^\p{L}\p{N}]*$/iu,
    markup: [
      /captcha|turnstile|_cf_chl|challenge|made us think (?:that )?you (?:were|might be) a bot/i,
    ],
  }),
  challenge("challenge_title", "The server asks for proof that the visitor is human.", {
    status: [403, 429, 503],
    textUnder: SMALL,
    title: /captcha|are you (a )?human|security check|verify (that )?you are (a )?human/i,
  }),
  challenge(
    "refusal_title",
    "The server rejects the request with a page for suspected automated requests.",
    {
      status: [403, 429, 503],
      textUnder: SMALL,
      title: /access denied|request blocked/i,
    },
    once(AS_BROWSER),
  ),
];

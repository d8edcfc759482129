import { AS_BROWSER, once } from "../probe/finding.ts";
import { SMALL, type Wall } from "./wall.ts";

/** Statuses that firewalls of this kind refuse with. */
const REFUSED = [401, 403, 405, 406, 412, 418, 429, 503] as const;
const IMPERVA = /^x-(iinfo: .|cdn: (incapsula|imperva))/im;
const IMPERVA_SCRIPT = /\/_Incapsula_Resource/;

/** Bot protection products, recognized by marks that only they leave. */
export const BOT_WALLS: readonly Wall[] = [
  {
    rule: "siteground_challenge",
    reason: "bot_challenge",
    text: "SiteGround says in a header that it asks for a challenge.",
    when: { headers: /^sg-captcha: challenge$/im },
  },
  {
    rule: "datadome_header",
    reason: "bot_challenge",
    text: "DataDome says in a header that it stopped the request.",
    when: {
      status: [401, 403],
      headers: /^(x-dd-b: [12]$|x-datadome: (?!protected$).)/im,
    },
  },
  {
    rule: "datadome_page",
    reason: "bot_challenge",
    text: "DataDome shows its challenge.",
    when: { status: [401, 403], textUnder: SMALL, markup: [/\bcaptcha-delivery\.com\b/] },
  },
  {
    rule: "datadome_notice",
    reason: "bot_challenge",
    text: "DataDome shows its challenge.",
    when: {
      status: [200, 202, 405, 429],
      reads: [/^Please enable JS and disable any ad blocker$/i],
      markup: [/\bcaptcha-delivery\.com\b/],
    },
  },
  {
    rule: "perimeterx_block",
    reason: "bot_challenge",
    text: "HUMAN (PerimeterX) shows its challenge.",
    when: { status: [403], markup: [/\bwindow\._pxAppId\b|\bpx-captcha\b/] },
  },
  {
    rule: "perimeterx_page",
    reason: "bot_challenge",
    text: "HUMAN (PerimeterX) shows its challenge.",
    when: {
      status: [200, 202, 307, 412, 429],
      textUnder: SMALL,
      title: /^(robot or human\?|access to this page has been denied)/i,
      markup: [/\bpx-captcha\b/],
    },
  },
  {
    rule: "imperva_incident",
    reason: "bot_challenge",
    text: "Imperva shows its challenge.",
    when: {
      headers: IMPERVA,
      status: [200, 202, ...REFUSED],
      textUnder: 5000,
      markup: [IMPERVA_SCRIPT, /incident_id=|Incapsula incident ID|id="main-iframe"/i],
    },
  },
  {
    rule: "imperva_script",
    reason: "bot_challenge",
    text: "Imperva sends nothing but its own script.",
    // It puts the same script into pages that are there, but those have a title or something to read.
    when: {
      headers: IMPERVA,
      status: [200, 202, ...REFUSED],
      textUnder: 200,
      title: /^$/,
      markup: [IMPERVA_SCRIPT],
    },
  },
  {
    rule: "kasada_header",
    reason: "bot_challenge",
    text: "Kasada says in a header that it stopped the request.",
    when: { status: [403, 429], headers: /^x-(kasada|kpsdk)-?[\w-]*:/im },
  },
  {
    rule: "kasada_page",
    reason: "bot_challenge",
    text: "Kasada shows its challenge.",
    when: { status: [403, 429], textUnder: 200, markup: [/\bwindow\.KPSDK\b/] },
  },
  {
    rule: "ddos_guard",
    reason: "bot_challenge",
    text: "DDoS-Guard shows its challenge.",
    when: {
      status: [403],
      headers: /^server: ddos-guard/im,
      markup: [/\/ddos-guard\/js-challenge\/|<title>\s*DDoS-Guard|https?:\/\/ddos-guard\.net\//i],
    },
  },
  {
    rule: "sucuri_block",
    reason: "bot_challenge",
    text: "Sucuri says in a header that it stopped the request.",
    when: { status: [403], headers: /^x-sucuri-block: ./im },
  },
  {
    rule: "sucuri_page",
    reason: "bot_challenge",
    text: "Sucuri shows that it does not let this monitor in.",
    when: { status: [403], textUnder: 5000, title: /^Sucuri Website Firewall\b/i },
  },
  {
    rule: "sucuri_challenge",
    reason: "bot_challenge",
    text: "Sucuri shows its challenge.",
    when: {
      status: [200, 202, 307, 403],
      textUnder: 200,
      title: /^You are being redirected/i,
      markup: [/\bsucuri_cloudproxy_js\b/],
    },
  },
  {
    rule: "anubis",
    reason: "bot_challenge",
    text: "Anubis shows its challenge.",
    when: {
      status: [200, 401, 403],
      textUnder: SMALL,
      markup: [/\sid="anubis_challenge"/, /\/\.within\.website\/x\/cmd\/anubis\//],
    },
  },
  {
    rule: "shieldsquare",
    reason: "bot_challenge",
    text: "Radware (ShieldSquare) shows its captcha.",
    when: {
      status: [200],
      textUnder: SMALL,
      title: /^(ShieldSquare|Radware( Bot Manager)?) Captcha( Page)?$/i,
    },
  },
  {
    rule: "radware_redirect",
    reason: "bot_challenge",
    text: "The link leads to the captcha of Radware.",
    when: { ledTo: /^validate\.perfdrive\.com\// },
  },
  {
    rule: "imunify_check",
    reason: "bot_challenge",
    text: "Imunify360 shows its challenge.",
    when: {
      status: [200, 202, 415, ...REFUSED],
      textUnder: 200,
      title: /^One moment, please/i,
      reads: [/request is being verified/i],
    },
  },
  {
    rule: "f5_rejected",
    reason: "bot_challenge",
    text: "A firewall of F5 refused the request.",
    when: {
      status: [200, 403],
      textUnder: 500,
      title: /^Request Rejected$/i,
      reads: [/support id is:? ?\d/i],
    },
  },
  {
    rule: "fortiweb_block",
    reason: "bot_challenge",
    text: "A firewall of Fortinet in front of the site refused the request.",
    when: {
      status: [200, 403, 500],
      textUnder: SMALL,
      reads: [/web page blocked/i, /\battack id: ?\d/i],
    },
  },
  {
    rule: "wordfence_block",
    reason: "bot_challenge",
    text: "Wordfence shows that it does not let this monitor in.",
    when: {
      status: [403, 503],
      textUnder: 5000,
      reads: [/generated by wordfence/i],
    },
  },
];

/** A refusal whose title speaks of a captcha. For whatever nothing else has a name for. */
export const GENERIC_BOT_WALLS: readonly Wall[] = [
  {
    rule: "challenge_page",
    reason: "bot_challenge",
    text: "The page wants proof that a person is asking, and nothing else.",
    when: {
      status: [200, 202],
      textUnder: SMALL,
      isPlain: true,
      says: /^(?:please )?(?:are you (?:a )?(?:human|robot)|(?:verify|prove|confirm)(?:ing)? (?:that )?you are (?:a )?(?:human|not a (?:ro)?bot)|(?:human|bot|security) (?:verification|check)|captcha|just a moment|one more step|checking your browser|pardon our interruption|access to this page has been denied)[^\p{L}\p{N}]*$/iu,
      markup: [
        /captcha|turnstile|_cf_chl|challenge|made us think (?:that )?you (?:were|might be) a bot/i,
      ],
    },
  },
  {
    rule: "challenge_title",
    reason: "bot_challenge",
    text: "The server wants proof that a person is asking.",
    when: {
      status: [403, 429, 503],
      textUnder: SMALL,
      title: /captcha|are you (a )?human|security check|verify (that )?you are (a )?human/i,
    },
  },
  {
    rule: "refusal_title",
    reason: "bot_challenge",
    text: "The server refuses the request with a page for suspected programs.",
    retries: once(AS_BROWSER),
    when: {
      status: [403, 429, 503],
      textUnder: SMALL,
      title: /access denied|request blocked/i,
    },
  },
];

/** Statuses with which Cloudflare shows pages of its own. Its 502 and 52x mostly mean that a server is down. */
const CLOUDFLARE_STATUSES = [403, 429, 502, 503, 520, 521, 522, 523, 524, 525, 526] as const;
const CLOUDFLARE = /^server: cloudflare/im;

/** Networks that deliver other people's pages, and turn programs away for them. */
export const CDN_WALLS: readonly Wall[] = [
  {
    rule: "cloudflare_challenge",
    reason: "bot_challenge",
    text: "Cloudflare says in a header that it asks for a challenge.",
    // developers.cloudflare.com, "Detect a Challenge Page response": the only value, and always there.
    when: { headers: /^cf-mitigated: challenge$/im },
  },
  {
    rule: "vercel_challenge",
    reason: "bot_challenge",
    text: "Vercel says in a header that it asks for a challenge.",
    when: { headers: /^x-vercel-mitigated: challenge$/im },
  },
  {
    rule: "aws_waf_challenge",
    reason: "bot_challenge",
    text: "The firewall of AWS says in a header that it asks for a challenge.",
    when: { headers: /^x-amzn-waf-action: (challenge|captcha)$/im },
  },
  {
    rule: "aws_waf_action",
    reason: "bot_challenge",
    text: "The firewall of AWS says in a header that it stepped in.",
    when: { status: [202, 403, 405], headers: /^x-amzn-waf-action: ./im },
  },
  {
    rule: "cloudflare_challenge_title",
    reason: "bot_challenge",
    text: "Cloudflare shows its challenge.",
    when: {
      status: CLOUDFLARE_STATUSES,
      headers: CLOUDFLARE,
      title: /^(just a moment\W*$|attention required!)/i,
    },
  },
  {
    rule: "cloudflare_challenge_page",
    reason: "bot_challenge",
    text: "Cloudflare shows its challenge.",
    when: {
      status: CLOUDFLARE_STATUSES,
      headers: CLOUDFLARE,
      markup: [
        /data-translate="challenge_headline"|_cf_chl_opt|jschl-answer|name="captcha-bypass"/,
      ],
    },
  },
  {
    rule: "cloudflare_country_block",
    reason: "geo_blocked",
    text: "Cloudflare shows that the site refuses the country this monitor is in.",
    when: {
      status: [403],
      headers: CLOUDFLARE,
      textUnder: SMALL,
      reads: [/\berror (code:? )?1009\b|has banned the country or region/i],
    },
  },
  {
    rule: "cloudflare_ip_block",
    reason: "ip_blocked",
    text: "Cloudflare shows that the site refuses this monitor's address.",
    when: {
      status: [403],
      headers: CLOUDFLARE,
      textUnder: SMALL,
      reads: [/\berror (code:? )?100[678]\b|has banned your (ip|access based on your ip)/i],
    },
  },
  {
    rule: "cloudflare_block_title",
    reason: "bot_challenge",
    text: "Cloudflare shows that it does not let this monitor in.",
    when: {
      status: CLOUDFLARE_STATUSES,
      headers: CLOUDFLARE,
      title: /used Cloudflare to restrict access$/i,
    },
  },
  {
    rule: "cloudflare_block_page",
    reason: "bot_challenge",
    text: "Cloudflare shows that it does not let this monitor in.",
    // With a 5xx the same page means that a server is down.
    when: { status: [403, 429], headers: CLOUDFLARE, markup: [/cf-error-details/] },
  },
  {
    rule: "vercel_checkpoint",
    reason: "bot_challenge",
    text: "Vercel shows its security check.",
    when: {
      status: [403, 429],
      headers: /^server: vercel$/im,
      title: /^Vercel Security Checkpoint$/i,
    },
  },
  {
    rule: "akamai_denied",
    reason: "bot_challenge",
    text: "Akamai shows that it does not let this monitor in.",
    when: {
      status: [403],
      textUnder: SMALL,
      title: /^Access Denied$/i,
      reads: [/\bReference #\s?[0-9a-f]/i, /errors\.edgesuite\.net|You don't have permission/i],
    },
  },
  {
    rule: "akamai_error",
    reason: "bot_challenge",
    text: "Akamai says in a header that it refused the request itself.",
    when: { status: [403, 429], headers: /^akamai-cache-status: error/im },
  },
  {
    rule: "fastly_challenge",
    reason: "bot_challenge",
    text: "Fastly shows its challenge.",
    when: {
      status: [200, 202, 403, 429, 503],
      textUnder: SMALL,
      title: /^Client Challenge$/i,
      markup: [/\b_fs-ch-/],
    },
  },
  {
    rule: "edgeone",
    reason: "bot_challenge",
    text: "EdgeOne sends nothing but a script.",
    when: {
      status: [200],
      headers: /^server: edgeone/im,
      textUnder: 200,
      title: /^$/,
      markup: [/^\s*<script/i],
    },
  },
  {
    rule: "cloudfront_country_block",
    reason: "geo_blocked",
    text: "CloudFront shows that the site refuses the country this monitor is in.",
    when: {
      status: [403],
      textUnder: SMALL,
      reads: [/Amazon CloudFront distribution is configured to block access from your country/i],
    },
  },
  {
    rule: "cloudfront_block",
    reason: "bot_challenge",
    text: "CloudFront shows that it does not let this monitor in.",
    when: {
      status: [403],
      textUnder: SMALL,
      title: /request could not be satisfied/i,
      reads: [/\brequest blocked\b/i],
    },
  },
];

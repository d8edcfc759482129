import { SMALL, type Wall } from "./wall.ts";

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

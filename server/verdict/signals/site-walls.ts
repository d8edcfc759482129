import { SMALL, type Wall } from "./wall.ts";

/** Sites that turn programs away in a manner of their own. */
export const SITE_WALLS: readonly Wall[] = [
  {
    rule: "amazon_captcha",
    reason: "bot_challenge",
    text: "Amazon shows its captcha.",
    when: {
      status: [200, 503],
      at: /^([^/]*\.)?amazon\.[a-z.]{2,6}\//,
      textUnder: SMALL,
      markup: [/To discuss automated access to Amazon data|action="\/errors\/validateCaptcha"/],
    },
  },
  {
    rule: "amazon_notice",
    reason: "bot_challenge",
    text: "Amazon shows that it does not let programs in.",
    when: {
      status: [503],
      textUnder: SMALL,
      markup: [/To discuss automated access to Amazon data/],
    },
  },
  {
    rule: "amazon_characters",
    reason: "bot_challenge",
    text: "Amazon shows its captcha.",
    when: {
      status: [200, 503],
      textUnder: SMALL,
      reads: [/^.{0,80}enter the characters you see below/i],
      markup: [/amazon/i],
    },
  },
  {
    rule: "reddit_block",
    reason: "bot_challenge",
    text: "Reddit shows that it does not let this monitor in.",
    when: {
      status: [403, 429],
      textUnder: SMALL,
      reads: [/blocked by network security|whoa there, pardner/i],
    },
  },
  {
    rule: "reddit_verification",
    reason: "bot_challenge",
    text: "Reddit shows its challenge.",
    when: {
      status: [200, 403, 429],
      textUnder: SMALL,
      title: /^Reddit - (Please wait for verification|Prove your humanity)$/i,
    },
  },
  {
    rule: "linkedin_999",
    reason: "bot_challenge",
    text: "The status is the one with which LinkedIn turns programs away.",
    when: { status: [999] },
  },
  {
    rule: "google_sorry",
    reason: "bot_challenge",
    text: "The link leads to the page on which Google suspects a program.",
    when: { ledTo: /^([^/]*\.)?google\.[a-z.]{2,6}\/sorry\// },
  },
  {
    rule: "google_traffic",
    reason: "bot_challenge",
    text: "Google suspects a program.",
    when: {
      status: [403, 429, 503],
      textUnder: SMALL,
      reads: [
        /our systems have detected unusual traffic|your computer or network may be sending automated queries/i,
      ],
    },
  },
];

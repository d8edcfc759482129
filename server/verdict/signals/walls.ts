import { readRetryAfter } from "../politeness/site-load.ts";
import { type Finding, type Reader, type Seen, type Signal, suspected } from "../probe/finding.ts";
import { AGE_WALLS } from "./age-walls.ts";
import { BARRIERS } from "./barriers.ts";
import { BOT_WALLS, GENERIC_BOT_WALLS } from "./bot-walls.ts";
import { CDN_WALLS } from "./cdn-walls.ts";
import type { Barrier } from "./gates.ts";
import { LOGINS } from "./logins.ts";
import { CAPTIVE_PORTALS, NETWORK_FILTERS } from "./network-filters.ts";
import { OUTAGES } from "./outages.ts";
import { quoted } from "./phrases.ts";
import { looksAtPage, meets, SMALL, sightOf, type Wall } from "./wall.ts";

/** Sites that turn programs away in a manner of their own. */
const SITE_WALLS: readonly Wall[] = [
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

/** Who gives itself away for certain comes before who only looks like it. */
const WALLS: readonly Wall[] = [
  ...CDN_WALLS,
  ...BOT_WALLS,
  ...SITE_WALLS,
  ...NETWORK_FILTERS,
  ...CAPTIVE_PORTALS,
  ...LOGINS,
  ...AGE_WALLS,
  ...BARRIERS,
  ...OUTAGES,
  ...GENERIC_BOT_WALLS,
];

/** Most walls stand at a few statuses only, so that those of each are picked once. */
const wallsByStatus = new Map<number, Wall[]>();

/** A quick retry makes bot protection more suspicious. */
const REST_MS = 6 * 3_600_000;

/** Finds what stands between us and the page. What it says is about us, never about the link. */
export const readWalls: Reader = (seen) => {
  const sight = sightOf(seen);
  const wall = wallsAt(seen.answer.status).find((candidate) => meets(sight, candidate));
  return wall ? findingOf(wall, seen) : null;
};

function wallsAt(status: number): Wall[] {
  const known = wallsByStatus.get(status);
  if (known) return known;
  const walls = WALLS.filter(({ when }) => !when.status || when.status.includes(status));
  wallsByStatus.set(status, walls);
  return walls;
}

function findingOf(wall: Wall, seen: Seen): Finding {
  const { rule, reason, retries = [] } = wall;
  const signal = { rule, text: told(wall, seen) };
  return { ...behindBarrier(seen, { reason, signal }, []), retries };
}

/** Open for the barrier's own reason, or for none that is known. */
export function behindBarrier(seen: Seen, barrier: Barrier | null, signals: Signal[]): Finding {
  if (!barrier) return suspected("soft404_suspected", signals);
  const finding = suspected(barrier.reason, [...signals, barrier.signal]);
  return barrier.reason === "bot_challenge" ? { ...finding, restMs: restAfter(seen) } : finding;
}

const restAfter = ({ answer: { headers }, now }: Seen) =>
  Math.max(REST_MS, readRetryAfter(headers.get("retry-after"), now) ?? 0);

/** The wall's sentence, with the page's own words where the page gave it away. */
function told({ text, when }: Wall, { answer: { page } }: Seen): string {
  const words = page && looksAtPage(when) ? page.title || page.heading || page.text : "";
  return words === "" ? text : `${text} It says ${quoted(words)}.`;
}

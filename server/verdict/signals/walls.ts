import { readRetryAfter } from "../politeness/retry-after.ts";
import { type Finding, type Reader, type Seen, type Signal, suspected } from "../probe/finding.ts";
import { AGE_WALLS } from "./age-walls.ts";
import { BARRIERS } from "./barriers.ts";
import { BOT_WALLS, GENERIC_BOT_WALLS } from "./bot-walls.ts";
import { CDN_WALLS } from "./cdn-walls.ts";
import type { Barrier } from "./gates.ts";
import { LOGINS } from "./logins.ts";
import { CAPTIVE_PORTALS, NETWORK_FILTERS } from "./network-filters.ts";
import { OUTAGES } from "./outages.ts";
import { quoted } from "./quoted.ts";
import { SITE_WALLS } from "./site-walls.ts";
import { looksAtPage, meets, sightOf, type Wall } from "./wall.ts";

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

/** Asking again soon makes whoever suspects a program more suspicious. */
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

/** A link's place in its period, from 0 to 1, evenly spread. It never changes. */
const placeOf = (linkId: string) => Bun.hash.crc32(linkId) / 2 ** 32;

/** Part of the distance to its place that a link moves each time: half a period becomes a tenth. */
const STEP = 1 / 5;
/** Distance, as part of the period, within which a link counts as at its place. */
const NEAR = 1 / 50;

type Schedule = {
  linkId: string;
  frequencySeconds: number;
  /** When the last check was due or done. */
  from: number;
  /** When the one before was, if there was one. */
  before?: number | null;
};

/**
 * Returns when a link is due next, in milliseconds since 1970. Each link has a fixed place in its period, derived from
 * its id, so that links created together do not stay due together.
 *
 * A place is at most half a period away, so a fifth of the distance changes an interval by at most a tenth, differently
 * for each link: they spread from the first interval on and reach their places within about fifteen. A link that was at
 * its place returns to it at once, however late it was checked and however many checks it missed: a daily one keeps its
 * hour.
 */
export function nextCheckAt({ linkId, frequencySeconds, from, before = null }: Schedule): number {
  const period = frequencySeconds * 1000;
  const distanceFrom = (at: number) => nearestPlace(linkId, period, at) - at;
  const isAtPlace = (at: number) => Math.abs(distanceFrom(at)) <= NEAR * period;
  const isSettled = isAtPlace(from) || (before !== null && isAtPlace(before));
  return Math.round(from + period + distanceFrom(from) * (isSettled ? 1 : STEP));
}

function nearestPlace(linkId: string, period: number, at: number): number {
  const place = placeOf(linkId) * period;
  return Math.round((at - place) / period) * period + place;
}

/** No link waits longer for its next check, as part of its period. */
export const LONGEST_INTERVAL = 3 / 2;

const HOUR_MS = 3_600_000;
/** Extra checks after the first of a series of failures, so that links with rare checks need not wait for months. */
const FOLLOW_UPS_MS = [1, 6, 24, 72].map((hours) => hours * HOUR_MS);
/** Follow-ups are late by up to this part, never early, so that the series is long enough by then. */
const LATEST = 1 / 10;

/**
 * Returns when a failing link is checked next in addition to its schedule, in milliseconds since 1970; null after the
 * last time. `since` is when it failed first, `after` its latest check.
 */
export function followUpAt(input: { linkId: string; since: number; after: number }): number | null {
  const lateness = 1 + placeOf(input.linkId) * LATEST;
  const times = FOLLOW_UPS_MS.map((ms) => Math.round(input.since + ms * lateness));
  return times.find((time) => time > input.after) ?? null;
}

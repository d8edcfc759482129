/** Where in its period a link has its place, evenly spread over [0, 1). The same for ever. */
const placeOf = (linkId: string) => Bun.hash.crc32(linkId) / 2 ** 32;

/** What part of the way to its place a link goes each time: half a period away becomes a tenth. */
const STEP = 1 / 5;
/** So near to its place, in parts of the period, a link is at its place. */
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
 * When a link is due next, in milliseconds since 1970. Each link has a fixed place in its period, taken
 * from its id, so that links made at the same moment do not come due at the same moment.
 *
 * A place is at most half a period away, so a fifth of the way stretches or cuts an interval by at most
 * a tenth, differently for each link: they spread from the first interval on, and settle on their
 * places within some fifteen. A link that had its place goes back there at once, however late it was
 * checked and however many turns it missed: a daily one stays at its hour.
 */
export function nextCheckAt({ linkId, frequencySeconds, from, before = null }: Schedule): number {
  const period = frequencySeconds * 1000;
  const wayFrom = (at: number) => nearestPlace(linkId, period, at) - at;
  const isAtPlace = (at: number) => Math.abs(wayFrom(at)) <= NEAR * period;
  const isSettled = isAtPlace(from) || (before !== null && isAtPlace(before));
  return Math.round(from + period + wayFrom(from) * (isSettled ? 1 : STEP));
}

/** The next time after `now` that a link is at its place, within a period. */
export const nextPlace = (linkId: string, frequencySeconds: number, now: number): number =>
  Math.ceil(nearestPlace(linkId, frequencySeconds * 1000, now + frequencySeconds * 500));

function nearestPlace(linkId: string, period: number, at: number): number {
  const place = placeOf(linkId) * period;
  return Math.round((at - place) / period) * period + place;
}

/** Longer than this, in parts of the period, no link waits for its next check. */
export const LONGEST_INTERVAL = 3 / 2;

const HOUR_MS = 3_600_000;
/** Extra checks after the first of a series of failures: a link that is rarely checked waits no months. */
const FOLLOW_UPS_MS = [1, 6, 24, 72].map((hours) => hours * HOUR_MS);
/** Never early, so that a series is as long as it has to be when the follow-up sees it. */
const LATEST = 1 / 10;

/**
 * When a link that fails is to be looked at again beside its frequency, in milliseconds since 1970; null
 * after the last time. `since` is when it failed first, `after` its latest check.
 */
export function followUpAt(input: { linkId: string; since: number; after: number }): number | null {
  const late = 1 + placeOf(input.linkId) * LATEST;
  const moments = FOLLOW_UPS_MS.map((ms) => Math.round(input.since + ms * late));
  return moments.find((moment) => moment > input.after) ?? null;
}

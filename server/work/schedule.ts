import { Cron } from "croner";
import { LRUCache } from "lru-cache";

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

/** When links are checked instead of by a frequency: five fields, in an IANA time zone. */
export type CheckSchedule = { cron: string; timeZone: string };

/** Links with the same schedule are checked over this time, each at its own place. */
const SPREAD_MS = 15 * 60_000;

/** Building one takes longer than asking it. */
const patterns = new LRUCache<string, Cron>({ max: 1000 });

/**
 * Returns when a link is due next by its schedule, in milliseconds since 1970; null if never again. Missed turns are made
 * up for once, since the next one counts from the check.
 */
export function turnAfter(
  { cron, timeZone }: CheckSchedule,
  { linkId, from }: { linkId: string; from: number },
): number | null {
  const offset = Math.floor(placeOf(linkId) * SPREAD_MS);
  const minute = Math.floor((from - offset) / MINUTE_MS);
  const key = `${timeZone} ${cron} ${minute}`;
  const turn =
    turns.get(key) ??
    patternOf(cron, timeZone)
      .nextRun(new Date(minute * MINUTE_MS))
      ?.getTime() ??
    NEVER;
  turns.set(key, turn);
  return turn === NEVER ? null : turn + offset;
}

const MINUTE_MS = 60_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Turns after a minute: many links ask for the same one, and finding it takes 0.1 ms. */
const turns = new LRUCache<string, number>({ max: 5000 });

/** Returns the next turns of a schedule, without a link's own place. */
export const nextTurns = ({ cron, timeZone }: CheckSchedule, from: number, count: number): Date[] =>
  patternOf(cron, timeZone).nextRuns(count, new Date(from));

/** Why the pattern cannot be used, as the end of a sentence; null if it can. */
export function problemOfCron(cron: string): string | null {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5) return "must have five fields: minute, hour, day, month, weekday";
  if (!/^[0-5]?[0-9]$/.test(fields[0]!))
    return "must name one minute; nothing is checked oftener than hourly";
  try {
    const pattern = patternOf(cron, "Etc/UTC");
    return pattern.nextRun() ? null : "never comes";
  } catch {
    return 'must be a pattern of five fields, such as "0 6 * * 1-5"';
  }
}

function patternOf(cron: string, timeZone: string): Cron {
  const key = `${timeZone} ${cron}`;
  const known = patterns.get(key) ?? new Cron(cron, { timezone: timeZone, mode: "5-part" });
  patterns.set(key, known);
  return known;
}

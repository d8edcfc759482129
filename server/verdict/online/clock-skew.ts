import { getDomain, getHostname } from "tldts";
import type { Clock } from "../../lib/clock.ts";
import { log } from "../../lib/log.ts";

export type ClockSkew = {
  note(answer: { finalUrl: string; headers: Headers }): void;
  isOff(): boolean;
};

const SITES_KEPT = 20;
const SITES_NEEDED = 3;
/** With enough sites known, one more in such a time tells nothing new, and thousands may answer. */
const ENOUGH_MS = 1000;
const MOST_MS = 5 * 60_000;
/** The wall clock differs this much from `elapsed()` only when it was set. */
const STEP_MS = 60_000;

/**
 * Compares our clock with those of the sites that answer: any of them may be wrong, most are not. Certificates
 * are judged by this machine's own, so where another one is followed, both have to be right.
 */
export function createClockSkew(clock: Clock): ClockSkew {
  // How far each site is ahead of us in milliseconds, the latest last.
  const skews = new Map<string, number>();
  let notedAt = 0;
  let wasOff = false;
  let start = startOf(clock);

  /** What was measured against a clock that was set meanwhile says nothing. */
  function forgetWhenSet() {
    if (Math.abs(startOf(clock) - start) < STEP_MS) return;
    start = startOf(clock);
    skews.clear();
  }

  function isOff(): boolean {
    forgetWhenSet();
    if (skews.size < SITES_NEEDED) return false;
    const behind = median([...skews.values()]);
    const ownBehind = behind - (clock.source?.ownAheadMs() ?? 0);
    return Math.max(Math.abs(behind), Math.abs(ownBehind)) > MOST_MS;
  }

  function note({ finalUrl, headers }: { finalUrl: string; headers: Headers }) {
    if (skews.size >= SITES_KEPT && clock.elapsed() - notedAt < ENOUGH_MS) return;
    const time = timeIn(headers);
    if (time === null) return;
    notedAt = clock.elapsed();
    forgetWhenSet();
    const site = getDomain(finalUrl) ?? getHostname(finalUrl) ?? finalUrl;
    skews.delete(site);
    skews.set(site, time - clock.now());
    const [oldest] = skews.keys();
    if (skews.size > SITES_KEPT) skews.delete(oldest!);
    tell();
  }

  function tell() {
    const nowOff = isOff();
    if (nowOff === wasOff || skews.size < SITES_NEEDED) return;
    wasOff = nowOff;
    if (!nowOff) return log.info("this machine's clock agrees with other sites again");
    log.warn("this machine's clock is wrong: dates of certificates are not judged", {
      behind_s: Math.round(median([...skews.values()]) / 1000),
    });
  }

  return { note, isOff };
}

/** When the clock's `elapsed()` was 0, by the wall. */
const startOf = (clock: Clock) => clock.now() - clock.elapsed();

/** RFC 9110 §6.6.1; a cache keeps the date and says in `Age` how old it is (RFC 9111 §5.1). */
function timeIn(headers: Headers): number | null {
  const date = headers.get("date") ?? "";
  const time = /[a-z]{3}/i.test(date) ? Date.parse(date) : Number.NaN;
  const age = headers.get("age") ?? "";
  if (Number.isNaN(time)) return null;
  return time + (/^\d{1,9}$/.test(age) ? Number(age) * 1000 : 0);
}

const median = (numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

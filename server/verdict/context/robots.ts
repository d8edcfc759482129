import { LRUCache } from "lru-cache";
import { createOnceAtATime } from "../politeness/once-at-a-time.ts";
import { LONGEST_HOLD_WAIT_MS, withManners } from "../politeness/politeness.ts";
import { locationOf, nextHop } from "../probe/hops.ts";
import type { Prober } from "../probe/probe.ts";
import { isWelcome, rulesForUs } from "./robots-rules.ts";
import { unlessCut } from "./unless-cut.ts";

/**
 * Whether a site's robots.txt lets this program ask for an address that it made up; null when the site
 * would not say for now.
 */
export type Robots = (prober: Prober, url: URL, limits: Limits) => Promise<Permission>;

/** `waitedMs` is what queueing for the site, or waiting for another check that asks it, took. */
type Permission = { isWelcome: boolean | null; waitedMs: number };

/** `timeoutMs` is for all requests together; queueing does not count. The signal ends only the wait. */
type Limits = { timeoutMs: number; signal?: AbortSignal | undefined };

/** RFC 9309 §2.4: not remembered for longer than a day. */
const LIFE_MS = 24 * 3_600_000;
const CHARS_KEPT = 16 * 1024 * 1024;
/** RFC 9309 §2.3.1.2 and §2.5. */
const MOST_REDIRECTS = 5;
const LARGEST = 500 * 1024;

type Rules = { text: string; readAt: number };

/** A look at a site's robots.txt, for all who want it. */
type Reading = { prober: Prober; timeoutMs: number; startedAt: number; waitedMs: number };

/**
 * Links are asked for as their owners wish, and need no permission of the site. Only the random addresses
 * that tell an honest host from another are our own idea, so for those the site's wish counts.
 */
export function createRobots(): Robots {
  const memory = new LRUCache<string, Rules>({
    maxSize: CHARS_KEPT,
    sizeCalculation: ({ text }, origin) => text.length + origin.length,
  });
  const once = createOnceAtATime<string | null>();

  return async (prober, url, { timeoutMs, signal }) => {
    const { clock, isUrgent } = prober;
    const known = memory.get(url.origin);
    if (known && clock.now() - known.readAt < LIFE_MS) {
      return { isWelcome: isWelcome(known.text, url), waitedMs: 0 };
    }
    const reading = { prober, timeoutMs, startedAt: clock.elapsed(), waitedMs: 0 };
    let isOurs = false;
    const readAndKeep = async () => {
      isOurs = true;
      const text = await read(reading, url.origin);
      if (text !== null) memory.set(url.origin, { text, readAt: clock.now() });
      return text;
    };
    const work = () => once({ key: url.origin, isUrgent, work: readAndKeep });
    const rules = await unlessCut(signal, { work, instead: null });
    const waitedMs = isOurs ? reading.waitedMs : clock.elapsed() - reading.startedAt;
    return { isWelcome: rules === null ? null : isWelcome(rules, url), waitedMs };
  };
}

/** RFC 9309 §2.3.1: without a robots.txt all is allowed, with one that cannot be had nothing is (null). */
async function read(reading: Reading, origin: string): Promise<string | null> {
  let next = new URL("/robots.txt", origin);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const exchange = await ask(reading, next);
    if (exchange.kind !== "response" || exchange.status >= 500) return null;
    const location = locationOf(exchange.status, exchange.headers);
    if (location === null) return exchange.status < 300 ? rulesIn(exchange.body) : "";
    const hop = nextHop(location, next, reading.prober.outbound.policy);
    if (!hop.ok) return "";
    if (leftOf(reading) <= 0) return null;
    next = hop.url;
  }
  return "";
}

const rulesIn = (body: Uint8Array) => rulesForUs(new TextDecoder().decode(body));

function ask(reading: Reading, url: URL) {
  const { manners, outbound, userAgent, isUrgent } = reading.prober;
  const send = (waitedMs: number) => {
    reading.waitedMs += waitedMs;
    return outbound.request(url, {
      headers: { "User-Agent": userAgent },
      timeoutMs: leftOf(reading),
      bodyCap: LARGEST,
    });
  };
  const patienceMs = Math.min(LONGEST_HOLD_WAIT_MS, leftOf(reading));
  return withManners(manners, url.host, send, { patienceMs, isUrgent });
}

const leftOf = ({ prober: { clock }, timeoutMs, startedAt, waitedMs }: Reading) =>
  timeoutMs - (clock.elapsed() - startedAt - waitedMs);

import { LRUCache } from "lru-cache";
import { createOnceAtATime, unlessAborted } from "../ground/lib/concurrency.ts";
import { LONGEST_HOLD_WAIT_MS, withPoliteness } from "./politeness/politeness.ts";
import { locationOf, nextHop } from "./probe/hops.ts";
import type { Prober } from "./probe/probe.ts";
import { compileRules, linesForUs } from "./robots-rules.ts";

/** Reads whether a site's robots.txt allows a made-up address; null if it could not be fetched. */
export type Robots = (prober: Prober, url: URL, limits: Limits) => Promise<Permission>;

/** `waitedMs` was spent in queues or waiting for another check's request. */
type Permission = { isAllowed: boolean | null; waitedMs: number };

/** `timeoutMs` is for all requests together, without queues. The signal only ends the wait. */
type Limits = { timeoutMs: number; signal?: AbortSignal | undefined };

/** RFC 9309 §2.4. */
const CACHE_MS = 24 * 3_600_000;
const CHARS_KEPT = 16 * 1024 * 1024;
/** RFC 9309 §2.3.1.2 and §2.5. */
const MAX_REDIRECTS = 5;
const MAX_BYTES = 500 * 1024;

type Rules = { text: string; readAt: number };

/** One download, shared by all checks that need it. */
type Reading = { prober: Prober; timeoutMs: number; startedAt: number; waitedMs: number };

/** A link needs no permission, because its owner asked to have it checked; a made-up address does. */
export function createRobots(): Robots {
  const memory = new LRUCache<string, Rules>({
    maxSize: CHARS_KEPT,
    sizeCalculation: ({ text }, origin) => text.length + origin.length,
  });
  const once = createOnceAtATime<string | null>();

  return async (prober, url, { timeoutMs, signal }) => {
    const { clock, isUrgent } = prober;
    const known = memory.get(url.origin);
    if (known && clock.now() - known.readAt < CACHE_MS) {
      return { isAllowed: isAllowed(known.text, url), waitedMs: 0 };
    }
    const reading = { prober, timeoutMs, startedAt: clock.elapsed(), waitedMs: 0 };
    let isOwnRequest = false;
    const readAndKeep = async () => {
      isOwnRequest = true;
      const text = await read(reading, url.origin);
      if (text !== null) memory.set(url.origin, { text, readAt: clock.now() });
      return text;
    };
    const work = () => once({ key: url.origin, isUrgent, work: readAndKeep });
    const rules = await unlessAborted(signal, { work, fallback: null });
    const waitedMs = isOwnRequest ? reading.waitedMs : clock.elapsed() - reading.startedAt;
    return { isAllowed: rules === null ? null : isAllowed(rules, url), waitedMs };
  };
}

/** RFC 9309 §2.3.1: without a robots.txt everything is allowed; null if it cannot be fetched. */
async function read(reading: Reading, origin: string): Promise<string | null> {
  let next = new URL("/robots.txt", origin);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const exchange = await ask(reading, next);
    if (exchange.kind !== "response" || exchange.status >= 500) return null;
    const location = locationOf(exchange.status, exchange.headers);
    if (location === null)
      return exchange.status < 300 ? rulesForUs(new TextDecoder().decode(exchange.body)) : "";
    const hop = nextHop(location, next, reading.prober.outbound.policy);
    if (!hop.ok) return "";
    if (leftOf(reading) <= 0) return null;
    next = hop.url;
  }
  return "";
}

function ask(reading: Reading, url: URL) {
  const { politeness, outbound, userAgent, isUrgent, onWait } = reading.prober;
  const send = (waitedMs: number) => {
    reading.waitedMs += waitedMs;
    return outbound.request(url, {
      headers: { "User-Agent": userAgent },
      timeoutMs: leftOf(reading),
      bodyCap: MAX_BYTES,
    });
  };
  const maxHoldMs = Math.min(LONGEST_HOLD_WAIT_MS, leftOf(reading));
  return withPoliteness(politeness, url.host, send, { maxHoldMs, isUrgent, onWait });
}

const leftOf = ({ prober: { clock }, timeoutMs, startedAt, waitedMs }: Reading) =>
  timeoutMs - (clock.elapsed() - startedAt - waitedMs);

/** Longer rules are too expensive to evaluate, so everything is disallowed. */
const MAX_RULES_CHARS = 32 * 1024;
const DISALLOW_ALL = "User-agent: *\nDisallow: /";

/** Reduces a robots.txt to the rules for this program, written as rules for all (RFC 9309 §2.2.1). */
export function rulesForUs(text: string): string {
  const lines = linesForUs(text).filter(({ field }) => field !== "crawl-delay");
  const written = lines.map(({ field, value }) => `${field}: ${value}`);
  const rules = ["User-agent: *", ...written].join("\n");
  return rules.length > MAX_RULES_CHARS ? DISALLOW_ALL : rules;
}

/** @param rules from `rulesForUs` */
export const isAllowed = (rules: string, url: URL): boolean =>
  compileRules(linesForUs(rules)).isAllowed(url);

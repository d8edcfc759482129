import { LRUCache } from "lru-cache";
import type { Clock } from "../lib/clock.ts";
import type { KnownLink } from "./confirm.ts";
import type { Conclusion } from "./probe/conclusion.ts";
import { isMonitorFault } from "./reasons/reasons.ts";
import { type Catalogue, urlKeyOf } from "./services/catalogue.ts";

/** One whole check; ends early when the signal aborts. Never throws for network reasons. */
export type CheckLink = (link: KnownLink, signal: AbortSignal) => Promise<Conclusion>;

type Coalescing = { clock: Clock; catalogue: Catalogue; checkLink: CheckLink };

/**
 * A conclusion that came to its end at `at`, on the clock's `elapsed()`, and the links that know of it. As
 * JSON, since so many medium-lived objects make work for the garbage collector.
 */
type Remembered = { json: string; at: number; links: Set<string> };

const SHARED_FOR_MS = 10 * 60_000;
const CONCLUSIONS_KEPT = 5000;
const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * Asks the same question only once: links with the same URL, of whatever accounts, share the check that is
 * under way, and what a check of another link came to in the last ten minutes. No link is told the same
 * conclusion twice, since it would count as seen again. Who asks by hand gets nothing remembered.
 *
 * A check is cut short only by the signal of the link that it was begun for. It then ends as aborted for all
 * who share it, who need another one.
 */
export function coalesced({ clock, catalogue, checkLink }: Coalescing): CheckLink {
  const running = new Map<string, { conclusion: Promise<Conclusion>; links: Set<string> }>();
  const told = new LRUCache<string, Remembered>({ max: CONCLUSIONS_KEPT });

  function remembered(key: string, { id, isAsked }: KnownLink): Remembered | null {
    const known = told.get(key);
    if (!known || isAsked || id === null || known.links.has(id)) return null;
    return clock.elapsed() - known.at <= SHARED_FOR_MS ? known : null;
  }

  async function run(key: string, link: KnownLink, links: Set<string>, signal: AbortSignal) {
    const conclusion = await checkLink(link, signal);
    if (isTelling(conclusion)) {
      told.set(key, { json: JSON.stringify(conclusion), at: clock.elapsed(), links });
    }
    return conclusion;
  }

  return (link, signal) => {
    const key = questionOf(catalogue, link, clock.now());
    const underWay = running.get(key);
    const known = underWay ? null : remembered(key, link);
    const links = (underWay ?? known)?.links ?? new Set();
    if (link.id !== null) links.add(link.id);
    if (underWay) return underWay.conclusion;
    if (known) return Promise.resolve(JSON.parse(known.json) as Conclusion);
    const conclusion = run(key, link, links, signal).finally(() => running.delete(key));
    running.set(key, { conclusion, links });
    return conclusion;
  };
}

/** What says nothing about the link is of no use to another. */
const isTelling = ({ reason, deferMs }: Conclusion) => !isMonitorFault(reason) && deferMs === null;

/** The URL and everything else that a check depends on: the same question has the same answer. */
function questionOf(catalogue: Catalogue, link: KnownLink, now: number): string {
  const url = URL.parse(link.url);
  const { lastDecided, decidedReason, lastActiveAt, unconfirmedSince } = link;
  return JSON.stringify([
    url ? urlKeyOf(catalogue, url) : link.url,
    lastDecided === "active" ? lastDecided : decidedReason,
    lastActiveAt !== null && now - lastActiveAt <= WEEK_MS,
    unconfirmedSince !== null,
    link.isFlapping,
    link.isAsked,
  ]);
}

import { decodeHTML } from "entities";
import { LRUCache } from "lru-cache";
import { unlessAborted } from "../ground/lib/concurrency.ts";
import { probeRecord, urlInBetween } from "./probe/conclusion.ts";
import type { Control, Facts } from "./probe/finding.ts";
import { type Answer, type Probe, probe } from "./probe/probe.ts";
import { bareHost, isHome, isSamePlace } from "./signals/addresses.ts";
import { barrierInWords } from "./signals/barriers.ts";
import { compare, fingerprintOf, isNear } from "./signals/same-page.ts";
import { missingInText, saidBy } from "./signals/short-texts.ts";
import { controlsAmong } from "./signals/site-links.ts";
import { homeOf, type LearnedFacts, noNewFacts, type Question } from "./surroundings.ts";

/** A host is asked for an address that must exist once in this time, and so is each account's view of it. */
const ONCE_IN_MS = 3_600_000;
const HOSTS_IN_MEMORY = 10_000;
/** Addresses that robots.txt is asked about until one is allowed. */
const MOST_TRIED = 5;
/** Of a sitemap, in its order. */
const MOST_LOCATIONS = 2000;

/** What a page shows, as far as it is needed to recognize it within the hour. */
type Shown = {
  place: string | null;
  title: string;
  heading: string;
  fingerprint: string;
  /** The sentence or code of a short text that is not a page. */
  said: string | null;
};
type Entry = { at: number; shown: Shown; control: Promise<Control | null> };

/** What hosts showed within the last hour at addresses that must exist. */
export type Controls = LRUCache<string, Entry>;

export const createControls = (most = HOSTS_IN_MEMORY): Controls => new LRUCache({ max: most });

type ControlQuestion = Question & { facts: Facts };

/**
 * Asks for an address that must exist, because the site itself offers it, and compares it with the page that a death
 * would rest on. An earlier answer counts for the same page only: another one may have come since. Null if there is no
 * such address, or the site was asked too short a time ago.
 */
export async function learnControl(
  controls: Controls,
  question: ControlQuestion,
): Promise<LearnedFacts> {
  const { url, host, answer, context, signal, timeoutMs } = question;
  if (timeoutMs <= 0) return noNewFacts({ control: null });
  const key = host ? `${url.host} ${host.id} ${host.version}` : url.host;
  const now = context.clock.now();
  const known = controls.get(key);
  const arrivedAt = context.clock.elapsed();
  if (known && now - known.at < ONCE_IN_MS) {
    if (!isShown(known.shown, answer)) return noNewFacts({ control: null });
    const control = await unlessAborted(signal, { work: () => known.control, fallback: null });
    return noNewFacts({ control }, context.clock.elapsed() - arrivedAt);
  }
  const asking: Asking = {
    question: { ...question, signal: undefined },
    learned: noNewFacts({ control: null }),
    startedAt: arrivedAt,
  };
  const control = askSite(asking);
  controls.set(key, { at: now, shown: shownBy(answer), control });
  await unlessAborted(signal, { work: () => control, fallback: null });
  return asking.learned;
}

const shownBy = (answer: Answer): Shown => ({
  place: answer.hops.length > 0 ? answer.finalUrl : null,
  title: answer.page?.title ?? "",
  heading: answer.page?.heading ?? "",
  fingerprint: fingerprintOf(answer),
  said: missingInText(answer.shortText),
});

function isShown(known: Shown, answer: Answer): boolean {
  const { place, title, heading, fingerprint, said } = shownBy(answer);
  if (known.place !== null && place !== null) {
    return isSamePlace(new URL(known.place), new URL(place));
  }
  return (
    said === known.said &&
    title === known.title &&
    heading === known.heading &&
    isNear(fingerprint, known.fingerprint)
  );
}

/** The requests for one control. `startedAt` is on the clock's `elapsed()`. */
type Asking = { question: ControlQuestion; learned: LearnedFacts; startedAt: number };

async function askSite(asking: Asking): Promise<Control | null> {
  const offered = await firstAllowed(asking, offeredByHome(asking.question));
  const url = offered ?? (await firstAllowed(asking, await offeredBySitemap(asking)));
  const found = url && (await request(asking, "control", url));
  const control = found
    ? { url: urlInBetween(url.href), shows: compareWithControl(asking.question, found) }
    : null;
  asking.learned = { ...asking.learned, facts: { control } };
  return control;
}

/** The home page: a fact, or where the link was redirected to. */
function homeIn({ facts: { home }, answer, url }: ControlQuestion): Answer | null {
  if (home?.kind === "answered") return home;
  const found = URL.parse(answer.finalUrl);
  const isAtHome = found !== null && isHome(found) && bareHost(found) === bareHost(url);
  return home === undefined && isAtHome ? answer : null;
}

function offeredByHome(question: ControlQuestion): URL[] {
  const home = homeIn(question);
  if (!home?.page || home.status > 299) return [];
  const { links, base } = home.page;
  const from = URL.parse(decodeHTML(base ?? ""), home.finalUrl) ?? new URL(home.finalUrl);
  return choose(question, links, from);
}

const choose = ({ url, answer }: ControlQuestion, links: string[], from: URL): URL[] =>
  controlsAmong(
    links.flatMap((address) => URL.parse(decodeHTML(address), from) ?? []),
    url,
    new URL(answer.finalUrl),
  ).slice(0, MOST_TRIED);

async function offeredBySitemap(asking: Asking): Promise<URL[]> {
  const origin = homeOf(asking.question.url);
  const root = await readSitemap(asking, new URL("/sitemap.xml", origin));
  if (!root?.isIndex) return choose(asking.question, root?.locations ?? [], origin);
  const child = root.locations.map((location) => URL.parse(decodeHTML(location)));
  const next = child.find((each) => each && bareHost(each) === bareHost(origin));
  const map = next ? await readSitemap(asking, next) : null;
  return map && !map.isIndex ? choose(asking.question, map.locations, origin) : [];
}

/** sitemaps.org, "XML tag definitions". */
const LOCATION = /<loc>\s*(?:<!\[CDATA\[)?\s*([^<\s]+?)\s*(?:\]\]>)?\s*<\/loc>/g;

async function readSitemap(
  asking: Asking,
  url: URL,
): Promise<{ isIndex: boolean; locations: string[] } | null> {
  if (!(await firstAllowed(asking, [url]))) return null;
  const found = await request(asking, "sitemap", url);
  const text = found?.kind === "answered" && found.status === 200 ? found.text : null;
  if (text === null) return null;
  const locations = text.matchAll(LOCATION).take(MOST_LOCATIONS);
  return {
    isIndex: /<sitemapindex\b/.test(text),
    locations: Array.from(locations, ([, location]) => location!),
  };
}

async function firstAllowed(asking: Asking, urls: URL[]): Promise<URL | null> {
  const { context } = asking.question;
  for (const url of urls) {
    const timeoutMs = leftOf(asking);
    if (timeoutMs <= 0) return null;
    const { isAllowed, waitedMs } = await context.robots(context, url, { timeoutMs });
    asking.learned.waitedMs += waitedMs;
    if (isAllowed) return url;
  }
  return null;
}

async function request(
  asking: Asking,
  asked: "control" | "sitemap",
  url: URL,
): Promise<Probe | null> {
  const { learned, question } = asking;
  const { context, style, host } = question;
  const timeoutMs = leftOf(asking);
  if (timeoutMs <= 0) return null;
  const keepsText = asked === "sitemap";
  const found = await probe(context, { url: url.href, style, host, timeoutMs, keepsText });
  const final_url = found.hops.length > 0 ? urlInBetween(found.finalUrl) : null;
  learned.records.push({ ...probeRecord(asked, url.href, found), final_url });
  learned.waitedMs += found.waitedMs;
  return found;
}

const leftOf = ({ question, learned, startedAt }: Asking) =>
  question.timeoutMs - (question.context.clock.elapsed() - startedAt - learned.waitedMs);

function compareWithControl(question: ControlQuestion, found: Probe): Control["shows"] {
  const comparison = compare(question.answer, found);
  if (comparison === "same" || hasSameWords(question, found)) return "same";
  // The text may name its address.
  if (missingInText(question.answer.shortText) !== null && saidBy(found) !== null) return "same";
  // What stands before a part of the site may stand before more of it.
  const isBarrier = found.kind === "answered" && barrierInWords(found.page) !== null;
  return comparison === "different" && !isBarrier ? "different" : "nothing";
}

/** One notice may have the layout of each part of the site; the home page shows what all pages have. */
function hasSameWords({ answer, facts: { home } }: ControlQuestion, found: Probe): boolean {
  const wordsOf = (probe: Probe | null | undefined) =>
    probe?.kind === "answered" && probe.page ? `${probe.page.title}\n${probe.page.heading}` : null;
  const words = wordsOf(answer);
  const isSaid = words !== null && answer.page?.heading !== "";
  return isSaid && words === wordsOf(found) && words !== wordsOf(home);
}

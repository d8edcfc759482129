import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import { getDomain } from "tldts";
import type { Clock } from "../ground/lib/clock.ts";
import { createOnceAtATime, unlessAborted } from "../ground/lib/concurrency.ts";
import type { HostNames } from "../ground/net/dns-query.ts";
import { type ProbeRecord, probeRecord, urlInBetween } from "./probe/conclusion.ts";
import type { Facts, HostProfile } from "./probe/finding.ts";
import type { HostSetting } from "./probe/host-setting.ts";
import { type Answer, type Probe, type Prober, probe } from "./probe/probe.ts";
import type { Style } from "./probe/style.ts";
import type { Robots } from "./robots.ts";
import { fingerprintOf } from "./signals/same-page.ts";

export type CheckContext = Prober & {
  hostProfiles: HostProfiles;
  robots: Robots;
  /** Sixteen random letters. */
  randomName: () => string;
};

export type Question = {
  context: CheckContext;
  /** The link's own URL. */
  url: URL;
  answer: Answer;
  /** The style of the page's own request. */
  style: Style;
  /** What is sent to the link's host. */
  host?: HostSetting | null | undefined;
  /** For all requests together. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

/** New facts, the requests made for them, and the time spent in queues. */
export type LearnedFacts = { facts: Facts; records: ProbeRecord[]; waitedMs: number };

type NearbyAddress = "sibling" | "root" | "home" | "subdomain";

/** Learns one fact, which is null if it cannot be learned. Never throws for network reasons. */
export async function learnFact(
  question: Question,
  fact: Exclude<keyof Facts, "control">,
): Promise<LearnedFacts> {
  if (question.timeoutMs <= 0) return noNewFacts({ [fact]: null });
  if (fact === "profile") return learnProfile(question);
  if (fact === "names") return noNewFacts({ names: await namesOf(question) });
  return (await probeNearby(question, fact)).learned;
}

export const noNewFacts = (facts: Facts, waitedMs = 0): LearnedFacts => ({
  facts,
  records: [],
  waitedMs,
});

/** Requests an address near the page if it exists and robots.txt allows it. */
async function probeNearby(
  question: Question,
  asked: NearbyAddress,
): Promise<{ isAllowed: boolean | null; learned: LearnedFacts }> {
  const { clock } = question.context;
  const address = addressOf(question, asked);
  if (!address) return { isAllowed: null, learned: noNewFacts({ [asked]: null }) };
  const startedAt = clock.elapsed();
  const { isAllowed, waitedMs } = await isAllowedByRobots(question, asked, address);
  const timeoutMs = question.timeoutMs - (clock.elapsed() - startedAt - waitedMs);
  if (!isAllowed || timeoutMs <= 0) {
    return { isAllowed, learned: noNewFacts({ [asked]: null }, waitedMs) };
  }
  const learned = await probeFor({ ...question, timeoutMs }, asked, address);
  return { isAllowed, learned: { ...learned, waitedMs: learned.waitedMs + waitedMs } };
}

function addressOf({ context, url }: Question, asked: NearbyAddress): URL | null {
  if (asked === "home") return homeOf(url);
  const name = context.randomName();
  if (asked === "subdomain") return subdomainOf(url, name);
  return asked === "sibling" ? siblingOf(url, name) : rootOf(url, name);
}

/** Only made-up addresses need permission. */
const isAllowedByRobots = (question: Question, asked: NearbyAddress, address: URL) =>
  asked === "sibling" || asked === "root"
    ? question.context.robots(question.context, address, question)
    : { isAllowed: true, waitedMs: 0 };

async function probeFor(
  question: Question,
  asked: NearbyAddress,
  address: URL,
): Promise<LearnedFacts> {
  const { context, style, timeoutMs, signal } = question;
  // Names that are made up may lead anywhere.
  const host = asked === "subdomain" ? null : question.host;
  const found = await probe(context, { url: address.href, style, host, timeoutMs, signal });
  const final_url = found.hops.length > 0 ? urlInBetween(found.finalUrl) : null;
  const records = [{ ...probeRecord(asked, address.href, found), final_url }];
  return { facts: { [asked]: found }, records, waitedMs: found.waitedMs };
}

/** Asks each time, since a host may answer to an account with credentials as to no other. */
async function learnOwnProfile(question: Question): Promise<LearnedFacts> {
  const { learned } = await probeNearby(question, "sibling");
  const found = behaviourIn(learned.facts.sibling ?? null);
  return { ...learned, facts: { ...learned.facts, profile: found && asProfile(found) } };
}

/** Learns once a week how a host answers for missing addresses; concurrent checks share the request. */
async function learnProfile(question: Question): Promise<LearnedFacts> {
  if (question.host) return learnOwnProfile(question);
  const { hostProfiles, clock, isUrgent } = question.context;
  const { host } = question.url;
  const known = await hostProfiles.find(host);
  if (known) return noNewFacts({ profile: asProfile(known) });
  const arrivedAt = clock.elapsed();
  let own = noNewFacts({});
  let isOwnRequest = false;
  const ask = async (): Promise<HostBehaviour | null> => {
    isOwnRequest = true;
    const { isAllowed, learned } = await probeNearby({ ...question, signal: undefined }, "sibling");
    own = learned;
    return isAllowed === false ? { kind: "closed" } : behaviourIn(learned.facts.sibling ?? null);
  };
  const work = () => hostProfiles.learn({ host, isUrgent, ask });
  const learned = await unlessAborted(question.signal, { work, fallback: null });
  const profile = learned && asProfile(learned);
  if (!isOwnRequest) return noNewFacts({ profile }, clock.elapsed() - arrivedAt);
  // A sibling that was not requested may still be needed as a fact.
  return { ...own, facts: { ...(own.facts.sibling && own.facts), profile } };
}

const asProfile = (learned: HostBehaviour): HostProfile | null =>
  learned.kind === "closed" ? null : learned;

/** A host that did not answer is asked again next time; a useless answer is remembered. */
function behaviourIn(found: Probe | null): HostBehaviour | null {
  if (found === null || found.kind === "failed") return null;
  if (found.status === 404 || found.status === 410) return { kind: "honest" };
  const isPage = found.status >= 200 && found.status < 300 && found.page !== null;
  return isPage ? { kind: "page", fingerprint: fingerprintOf(found) } : { kind: "closed" };
}

const namesOf = ({ context, answer }: Question): Promise<HostNames | null> =>
  context.outbound.resolver.namesOf(new URL(answer.finalUrl).hostname);

/** Scripts and views whose query says what they show. */
const SHOWS_BY_QUERY =
  /\.(php\d?|aspx?|jsp|do|cgi|pl|cfm|dll)$|^(index|view|view(topic|thread|item|ad|job)|show(thread|topic|post|ad)?|watch|item|page|article|details?|product|offer|listing|job|topic|thread|post|ad|auction|file|download|read|story|node|open|get|play|v|d|f)$/i;

/**
 * An address next to the link's own that cannot exist: `name` replaces the last part of the path, but for its
 * ending, and the parameter that names a thing. Where the query alone says what is shown, only its parameter is
 * replaced. Null if there is nothing to replace.
 */
export function siblingOf(url: URL, name: string): URL | null {
  const parts = /^(.*\/)([^/]+)(\/?)$/.exec(url.pathname);
  if (!parts) return null;
  const [, folder = "", last = "", slash = ""] = parts;
  const sibling = withoutHash(url);
  const key = keyOfThing(url);
  const shown = SHOWS_BY_QUERY.test(last) ? (key ?? longestKey(url)) : null;
  if (shown !== null) return withValue(sibling, shown, name);
  if (key === null) sibling.search = "";
  else withValue(sibling, key, name);
  sibling.pathname = `${folder}${name}${endingOf(last)}${slash}`;
  return sibling;
}

/** Parameters that name a thing: `id`, `item_id`, `oldid`, or a word or a letter with a number. */
const NAMES_THING =
  /^(?:\w{0,30}[-_]?(?:id|item|sku|isbn|guid|uuid|num|number|nr|no|key|code)|(?:article|product|topic|thread|post|node|job|ad|offer|listing|auction|property|link|note|doc|document|file|story|video|entry|record|event|revision|rev|version|diff|[a-eg-pr-su-z])(?:s|no|nr)?)$/i;
/** Parameters that many scripts ignore, or whose number is a place in a list. `Itemid` is Joomla's menu. */
const NAMES_NO_THING =
  /^(?:utm_\w+|\w*clid|\w*(?:sess|camp|aff|partner|ref|source|src|track|click|visit|client|cat|lang|site|menu|shop|store|forum|user)\w*id|sid|cid|fid|lid|Itemid|s|v)$/i;

/** The last parameter that names a thing by a number or an id; null if none does. */
function keyOfThing({ searchParams, pathname }: URL): string | null {
  const isTopic = /(?:topic|thread)[^/]*$/i.test(pathname);
  const keys = [...searchParams].flatMap(([key, value]) => {
    const isNumber = /^\d{1,15}$/.test(value);
    const isName = NAMES_THING.test(key) && (isNumber || /id$/i.test(key));
    const isThing = (isName && !NAMES_NO_THING.test(key)) || (isTopic && isNumber && key === "t");
    return isThing && value !== "" ? [key] : [];
  });
  return keys.at(-1) ?? null;
}

/** The parameter with the longest value, but for those of advertisers. */
function longestKey({ searchParams }: URL): string | null {
  const [longest] = [...searchParams]
    .filter(([key]) => !/^utm_|clid$/i.test(key))
    .sort(([, a], [, b]) => b.length - a.length);
  return longest?.[0] ?? null;
}

/** In place of a number another one, since some scripts answer other values with an error of their own. */
function withValue(url: URL, key: string, name: string): URL {
  const isNumber = /^\d{1,15}$/.test(url.searchParams.get(key) ?? "");
  url.searchParams.set(key, isNumber ? numberFrom(name) : name);
  return url;
}

/** A number of ten digits that fits into 31 bits: larger than most, and as random as the name. */
const numberFrom = (name: string) =>
  `1${[...name.slice(0, 9)].map((letter) => letter.charCodeAt(0) % 10).join("")}`;

/** `.html`, `.pdf` and so on, but not the end of a version such as `2.0`. */
const endingOf = (last: string) => /\.[a-z][a-z0-9]{0,4}$/i.exec(last)?.[0] ?? "";

export function rootOf(url: URL, name: string): URL {
  return new URL(`/${name}`, withoutHash(url));
}

export const homeOf = (url: URL) => new URL("/", withoutHash(url));

/** The root of a sub-domain that cannot exist; null for an IP address. */
export function subdomainOf(url: URL, name: string): URL | null {
  const domain = isIP(url.hostname.replace(/^\[|\]$/g, "")) ? null : getDomain(url.hostname);
  if (!domain) return null;
  const other = homeOf(url);
  other.hostname = `${name}.${domain}`;
  return other;
}

function withoutHash(url: URL): URL {
  const copy = new URL(url);
  copy.hash = "";
  return copy;
}

/** Nothing can be learned about `closed` hosts. */
export type HostBehaviour = HostProfile | { kind: "closed" };

/** Remembers for a week how hosts answer for missing addresses. */
export type HostProfiles = {
  find(host: string): Promise<HostBehaviour | null>;
  /** Stores what `ask` learns; concurrent callers share one call of it. */
  learn(wanted: {
    host: string;
    isUrgent?: boolean | undefined;
    ask: () => Promise<HostBehaviour | null>;
  }): Promise<HostBehaviour | null>;
};

export const PROFILE_LIFETIME_MS = 7 * 24 * 3_600_000;
const HOSTS_IN_MEMORY = 10_000;

/** How a host behaved at a time, in milliseconds since 1970. */
export type ProfileEntry = { learned: HostBehaviour; at: number };

/** Keeps profiles for other processes, and over restarts. Never throws. */
export type ProfileStore = {
  find(host: string): Promise<ProfileEntry | null>;
  /** Stores the entry, sooner or later. */
  keep(host: string, entry: ProfileEntry): void;
};

export function createHostProfiles({
  clock,
  store,
  most = HOSTS_IN_MEMORY,
}: {
  clock: Clock;
  store?: ProfileStore;
  /** Hosts in memory, for which room is reserved at once. */
  most?: number;
}): HostProfiles {
  const memory = new LRUCache<string, ProfileEntry>({ max: most });
  const once = createOnceAtATime<HostBehaviour | null>();
  const isFresh = ({ at }: ProfileEntry) => clock.now() - at < PROFILE_LIFETIME_MS;

  async function find(host: string): Promise<HostBehaviour | null> {
    const entry = memory.get(host) ?? (await store?.find(host));
    if (!entry || !isFresh(entry)) return null;
    memory.set(host, entry);
    return entry.learned;
  }

  function keep(host: string, learned: HostBehaviour | null): HostBehaviour | null {
    if (!learned) return null;
    const entry = { learned, at: clock.now() };
    memory.set(host, entry);
    store?.keep(host, entry);
    return learned;
  }

  const learn: HostProfiles["learn"] = ({ host, isUrgent, ask }) =>
    once({ key: host, isUrgent, work: async () => keep(host, await ask()) });

  return { find, learn };
}

import { isIP } from "node:net";
import { getDomain } from "tldts";
import type { HostNames } from "../../net/policy.ts";
import { type ProbeRecord, toShownOnTheWay } from "../probe/conclusion.ts";
import type { Facts, HostProfile } from "../probe/finding.ts";
import { type Answer, type Probe, type Prober, probe } from "../probe/probe.ts";
import type { Style } from "../probe/profiles.ts";
import { fingerprintOf } from "../signals/same-page.ts";
import type { HostProfiles, Learned } from "./host-profiles.ts";
import type { Robots } from "./robots.ts";

/** What asking around a page takes. */
export type Witness = Prober & {
  hostProfiles: HostProfiles;
  robots: Robots;
  /** Sixteen letters that name nothing. */
  randomName: () => string;
};

/** One question about the surroundings of a page, with what is known so far. */
export type Question = {
  witness: Witness;
  /** The link's own URL. */
  url: URL;
  answer: Answer;
  /** Asked in the same way as the page itself. */
  style: Style;
  /** For everything that is asked, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

/** What was learned: new facts, what was asked for them, and how long that waited for its turn. */
type Testimony = { facts: Facts; records: ProbeRecord[]; waitedMs: number };

type Asked = "sibling" | "root" | "home" | "subdomain";

/** Learns one fact. What cannot be learned is null; nothing is thrown for what a network does. */
export async function learn(question: Question, fact: keyof Facts): Promise<Testimony> {
  if (question.timeoutMs <= 0) return nothingNew({ [fact]: null });
  if (fact === "profile") return learnProfile(question);
  if (fact === "names") return nothingNew({ names: await namesOf(question) });
  return (await askAround(question, fact)).testimony;
}

const nothingNew = (facts: Facts, waitedMs = 0): Testimony => ({ facts, records: [], waitedMs });

/** Asks for an address around the page, if there is one and it may be asked for. */
async function askAround(
  question: Question,
  asked: Asked,
): Promise<{ isWelcome: boolean | null; testimony: Testimony }> {
  const { clock } = question.witness;
  const address = addressOf(question, asked);
  if (!address) return { isWelcome: null, testimony: nothingNew({ [asked]: null }) };
  const startedAt = clock.elapsed();
  const { isWelcome, waitedMs } = await permission(question, asked, address);
  const timeoutMs = question.timeoutMs - (clock.elapsed() - startedAt - waitedMs);
  if (!isWelcome || timeoutMs <= 0) {
    return { isWelcome, testimony: nothingNew({ [asked]: null }, waitedMs) };
  }
  const told = await probeFor({ ...question, timeoutMs }, asked, address);
  return { isWelcome, testimony: { ...told, waitedMs: told.waitedMs + waitedMs } };
}

function addressOf({ witness, url }: Question, asked: Asked): URL | null {
  if (asked === "home") return homeOf(url);
  const name = witness.randomName();
  if (asked === "subdomain") return subdomainOf(url, name);
  return asked === "sibling" ? siblingOf(url, name) : rootOf(url, name);
}

/** Only for addresses that were made up does it count whether robots are welcome. */
const permission = (question: Question, asked: Asked, address: URL) =>
  asked === "sibling" || asked === "root"
    ? question.witness.robots(question.witness, address, question)
    : { isWelcome: true, waitedMs: 0 };

async function probeFor(question: Question, asked: Asked, address: URL): Promise<Testimony> {
  const { witness, style, timeoutMs, signal } = question;
  const found = await probe(witness, { url: address.href, style, timeoutMs, signal });
  const records = [recordOf(asked, address, found)];
  return { facts: { [asked]: found }, records, waitedMs: found.waitedMs };
}

/**
 * Once a week, a host is asked for an address that does not exist, to know how it answers then. Whoever
 * comes while it is asked waits for that, as one queues.
 */
async function learnProfile(question: Question): Promise<Testimony> {
  const { hostProfiles, clock, isUrgent } = question.witness;
  const { host } = question.url;
  const known = await hostProfiles.find(host);
  if (known) return nothingNew({ profile: asProfile(known) });
  const arrivedAt = clock.elapsed();
  let own = nothingNew({});
  let isOurs = false;
  const ask = async (): Promise<Learned | null> => {
    isOurs = true;
    const { isWelcome, testimony } = await askAround({ ...question, signal: undefined }, "sibling");
    own = testimony;
    return isWelcome === false ? { kind: "closed" } : learnedFrom(testimony.facts.sibling ?? null);
  };
  const work = () => hostProfiles.learn({ host, isUrgent, ask });
  const learned = await unlessCut(question.signal, { work, instead: null });
  const profile = learned && asProfile(learned);
  if (!isOurs) return nothingNew({ profile }, clock.elapsed() - arrivedAt);
  // An address that was not asked for may still be wanted for its own sake.
  return { ...own, facts: { ...(own.facts.sibling && own.facts), profile } };
}

const asProfile = (learned: Learned): HostProfile | null =>
  learned.kind === "closed" ? null : learned;

/** A host that did not answer may do so next time; one that gave a useless answer is left alone. */
function learnedFrom(found: Probe | null): Learned | null {
  if (found === null || found.kind === "failed") return null;
  if (found.status === 404 || found.status === 410) return { kind: "honest" };
  const isPage = found.status >= 200 && found.status < 300 && found.page !== null;
  return isPage ? { kind: "page", fingerprint: fingerprintOf(found) } : { kind: "closed" };
}

const namesOf = ({ witness, answer }: Question): Promise<HostNames | null> =>
  witness.outbound.resolver.namesOf(new URL(answer.finalUrl).hostname);

const recordOf = (asked: Asked, address: URL, found: Probe): ProbeRecord => ({
  asked,
  url: toShownOnTheWay(address.href),
  status: found.kind === "answered" ? found.status : null,
  reason: found.kind === "failed" ? found.reason : null,
  final_url: found.hops.length > 0 ? toShownOnTheWay(found.finalUrl) : null,
});

/** Scripts and views that show what their query names. */
const SHOWS_BY_QUERY =
  /\.(php\d?|aspx?|jsp|do|cgi|pl|cfm|dll)$|^(index|view|watch|show|item|page|article|details?|product|file|download|read|story|node|open|get|play|v|d|f)$/i;

/**
 * An address beside the link's own at which nothing can be: the last part of the path becomes `name`,
 * with the ending and the last slash as they were. Where the query says what is shown, its longest value
 * becomes `name` instead. Null where the path names nothing that could be replaced.
 */
export function siblingOf(url: URL, name: string): URL | null {
  const parts = /^(.*\/)([^/]+)(\/?)$/.exec(url.pathname);
  if (!parts) return null;
  const [, folder = "", last = "", slash = ""] = parts;
  const sibling = bare(url);
  if (SHOWS_BY_QUERY.test(last) && url.searchParams.size > 0) return withRandomValue(sibling, name);
  sibling.search = "";
  sibling.pathname = `${folder}${name}${endingOf(last)}${slash}`;
  return sibling;
}

/** `.html`, `.pdf` and the like; nothing of a version such as `2.0`. */
const endingOf = (last: string) => /\.[a-z][a-z0-9]{0,4}$/i.exec(last)?.[0] ?? "";

function withRandomValue(url: URL, name: string): URL {
  const [longest] = [...url.searchParams].sort(([, a], [, b]) => b.length - a.length);
  url.searchParams.set(longest![0], name);
  return url;
}

/** An address at the root of the same host at which nothing can be. */
export function rootOf(url: URL, name: string): URL {
  return new URL(`/${name}`, bare(url));
}

export const homeOf = (url: URL) => new URL("/", bare(url));

/** The root of a name below the registrable domain that cannot exist; null for a bare address. */
export function subdomainOf(url: URL, name: string): URL | null {
  const domain = isIP(url.hostname.replace(/^\[|\]$/g, "")) ? null : getDomain(url.hostname);
  if (!domain) return null;
  const other = homeOf(url);
  other.hostname = `${name}.${domain}`;
  return other;
}

function bare(url: URL): URL {
  const copy = new URL(url);
  copy.hash = "";
  return copy;
}

/** Work that several checks wait for, under the signal of none, and what a check that is cut short has instead. */
type Shared<T> = { work: () => Promise<T>; instead: T };

/**
 * What shared work comes to; `instead` as soon as the signal of the check that waits aborts, while the work
 * goes on for the others. Nothing is begun for a check that was cut short before.
 */
export async function unlessCut<T>(
  signal: AbortSignal | undefined,
  { work, instead }: Shared<T>,
): Promise<T> {
  if (!signal) return work();
  if (signal.aborted) return instead;
  const cut = Promise.withResolvers<T>();
  const leave = () => cut.resolve(instead);
  signal.addEventListener("abort", leave);
  return Promise.race([work(), cut.promise]).finally(() =>
    signal.removeEventListener("abort", leave),
  );
}

import { getDomain } from "tldts";
import type { Look, PageFacts, Shown } from "../page/page-facts.ts";
import {
  type Doubts,
  type Memory,
  type Notice,
  type NoticeKind,
  type Past,
  SETTLED_LOOKS,
} from "./memory.ts";
import { type DomainFacts, isRegisteredAgain } from "./registry.ts";
import { contentSigns, isOtherContent, type Sign } from "./signs.ts";
import { hasParameter, keptParameters, placeOf } from "./way.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Between two comparisons that count. */
const APART_MS = 20 * HOUR_MS;
const LOOK_AGAIN_MS = DAY_MS;
const LOST_MS = 48 * HOUR_MS;
const DEAD_MS = 72 * HOUR_MS;
const DEAD_LOOKS = 3;
/** After so many the link is dead, lost or changed, or nothing comes of it. */
const MOST_EXTRA_LOOKS = 4;
/** Of a memory by which a link may be declared dead. */
const LEAST_AGE_MS = 14 * DAY_MS;
/** How long a new page waits for what the registry says about its domain. */
const REGISTRY_MS = 7 * DAY_MS;
const CLEARED_KEPT_MS = 30 * DAY_MS;
const MOST_CLEARED = 3;
const VARIABLE_MS = 90 * DAY_MS;
const MOST_RESTARTS = 3;
/** Until the same is said again. */
const GIVEN_MS = 90 * DAY_MS;
const WAY_LOOKS = SETTLED_LOOKS;
const WAY_MS = 48 * HOUR_MS;
/** For how long a link leads to one place until it has moved there. */
const MOVED_MS = 7 * DAY_MS;
const PARAMETERS_MS = DAY_MS;
const MOST_DOMAINS = 5;
/** Longer addresses are cut, and are good for comparing alone. */
export const LONGEST_WAY = 512;

/** What a check saw of a link that is alive. */
export type Sight = {
  at: number;
  url: string;
  finalUrl: string;
  /** Whether all its redirects are permanent. */
  isPermanent: boolean;
  /** Null if nothing has changed since the last full reading, or if there is no page. */
  facts: PageFacts | null;
  /** Nothing has changed since the last full reading. */
  isUnchanged: boolean;
  /** The link was dead because its name was missing or its domain parked. */
  wasMissing: boolean;
};

/** What other sources say, which is asked only if the content is another. */
export type Surroundings = {
  registration: DomainFacts;
  /** At least three links of the site are remembered, and all that are alive show something else since the same week. */
  areNeighborsOther: boolean;
};

export type Compared = {
  memory: Memory;
  notices: Notice[];
  /** Milliseconds until the page should be looked at again, whatever the link's frequency; null if it need not be. */
  lookAgainMs: number | null;
};

/** Begins a memory with what the first check of a link that is alive saw. */
export function begin(sight: Sight): Memory {
  const page = shownIn(sight.facts);
  return {
    state: page ? "learning" : "thin",
    since: sight.at,
    page,
    now: page,
    firstTitle: null,
    textHash: sight.facts?.textHash ?? null,
    comparedAt: sight.at,
    way: wayIn(sight),
    waySince: sight.at,
    isWayPermanent: sight.isPermanent,
    waySeen: 1,
    domains: [domainOf(sight.finalUrl)].filter((domain) => domain !== domainOf(sight.url)),
    kept: keptParameters(sight.url, sight.finalUrl),
    doubts: {},
    past: {},
  };
}

const wayIn = ({ url, finalUrl }: Sight) =>
  finalUrl === url ? null : finalUrl.slice(0, LONGEST_WAY);

function shownIn(facts: PageFacts | null): Shown | null {
  if (!facts?.look || facts.look === "thin") return null;
  const { script, print } = facts.look;
  return { title: facts.title, language: facts.language, script, print };
}

/** By the public suffixes that ICANN knows and the private ones, such as github.io. */
const domainOf = (url: string) =>
  getDomain(url, { allowPrivateDomains: true }) ?? URL.parse(url)?.hostname ?? "";

/** Whether the content is another, so that `compareWith` needs to know the surroundings. */
export const needsSurroundings = (memory: Memory, sight: Sight): boolean =>
  !isVariable(memory, sight.at) && isOtherContent(signsIn(memory, sight));

/** The signs in the content; none if the page was not looked at. */
function signsIn(memory: Memory, { facts }: Sight): Sign[] {
  if (!memory.page || !facts?.look || facts.look === "thin") return [];
  return contentSigns(memory.page, facts.look);
}

const isVariable = ({ past }: Memory, at: number) => (past.variableUntil ?? 0) > at;

/**
 * Compares what a check saw with what is remembered. Nothing here makes a link dead but `past.isDead` of the memory that
 * it returns, which needs a foreign page, a proof from outside of it, and three looks within three days or more.
 * @returns null if nothing is to be written
 */
export function compareWith(
  memory: Memory,
  sight: Sight,
  surroundings: Surroundings,
): Compared | null {
  const notices: Notice[] = [];
  const next = { ...memory, doubts: { ...memory.doubts }, past: { ...memory.past } };
  if (sight.wasMissing) next.past.hasGap = true;
  compareWay(next, sight, notices);
  compareParameters(next, sight, notices);
  comparePage(next, sight, surroundings, notices);
  const { page: doubt } = next.doubts;
  const isOpen = doubt?.at === sight.at && doubt.seen <= MOST_EXTRA_LOOKS;
  const compared = { memory: next, notices, lookAgainMs: isOpen ? LOOK_AGAIN_MS : null };
  return Bun.deepEquals(memory, next) ? null : compared;
}

/** Says something, unless it was said within 90 days. */
function say(memory: Memory, notices: Notice[], at: number, notice: Notice): void {
  const given = memory.past.given ?? {};
  const last = given[notice.kind];
  if (last !== undefined && at - last < GIVEN_MS) return;
  memory.past.given = { ...given, [notice.kind]: at };
  notices.push(notice);
}

function compareWay(memory: Memory, sight: Sight, notices: Notice[]): void {
  const { at, url } = sight;
  const before = memory.way ?? url;
  const after = sight.finalUrl.slice(0, LONGEST_WAY);
  if (placeOf(after) === placeOf(before.slice(0, LONGEST_WAY))) {
    delete memory.doubts.way;
    keepWay(memory, sight);
    return;
  }
  const doubt = sameWay(memory.doubts.way, sight);
  if (doubt.seen < WAY_LOOKS || at - doubt.since < WAY_MS) {
    memory.doubts.way = doubt;
    return;
  }
  delete memory.doubts.way;
  delete memory.doubts.parameters;
  const isOwn = placeOf(after) === placeOf(url.slice(0, LONGEST_WAY));
  memory.way = isOwn ? null : after;
  memory.waySince = doubt.since;
  memory.isWayPermanent = doubt.isPermanent;
  memory.waySeen = WAY_LOOKS - 1;
  memory.kept = keptParameters(url, sight.finalUrl);
  const firstSeenAt = doubt.since;
  report(memory, notices, at, { kind: "redirect_changed", before, after, signs: [], firstSeenAt });
}

/** Counts the checks in which the link led to the very same address, and notes a new form of it. */
function keepWay(memory: Memory, sight: Sight): void {
  const { at, isUnchanged } = sight;
  const way = wayIn(sight);
  const isPermanent = isUnchanged ? memory.isWayPermanent : sight.isPermanent;
  if (way === memory.way && isPermanent === memory.isWayPermanent) {
    const isLast = memory.waySeen === WAY_LOOKS - 1;
    if (memory.waySeen === 0) Object.assign(memory, { waySeen: 1, waySince: at });
    else if (!isLast) memory.waySeen = Math.min(memory.waySeen + 1, WAY_LOOKS);
    else if (at - memory.waySince >= MOVED_MS) memory.waySeen = WAY_LOOKS;
    return;
  }
  // A query that is another at each visit is not written each time.
  const isQuery =
    way !== null && memory.way !== null && withoutQuery(way) === withoutQuery(memory.way);
  if (isQuery && isPermanent === memory.isWayPermanent) memory.waySeen = 0;
  else Object.assign(memory, { way, isWayPermanent: isPermanent, waySince: at, waySeen: 1 });
}

const withoutQuery = (url: string) => url.split("?")[0]!;

/** The way that was seen before once more, or another one for the first time. */
function sameWay(before: Doubts["way"], { at, finalUrl, isPermanent }: Sight) {
  const url = finalUrl.slice(0, LONGEST_WAY);
  if (!before || placeOf(before.url) !== placeOf(url)) {
    return { url, isPermanent, since: at, seen: 1, at };
  }
  return { ...before, seen: Math.min(before.seen + 1, WAY_LOOKS) };
}

/** Reports a change that people see until they accept the page. */
function report(memory: Memory, notices: Notice[], at: number, notice: Notice): void {
  if (memory.state === "known" || memory.state === "variable") memory.state = "changed";
  say(memory, notices, at, notice);
}

/** Parameters that the redirects always dropped or replaced are not among those that are kept. */
function compareParameters(memory: Memory, { at, url, finalUrl }: Sight, notices: Notice[]): void {
  const keeps = keptParameters(url, finalUrl);
  const names = memory.doubts.way ? [] : memory.kept.filter((name) => !keeps.includes(name));
  if (finalUrl === url || names.length === 0) {
    delete memory.doubts.parameters;
    return;
  }
  const { parameters: doubt } = memory.doubts;
  const isSame = doubt !== undefined && doubt.names.join() === names.join();
  const since = isSame ? doubt.since : at;
  if (!isSame || at - since < PARAMETERS_MS) {
    memory.doubts.parameters = { names, since, seen: 1, at: since };
    return;
  }
  delete memory.doubts.parameters;
  memory.kept = keeps;
  const isReplaced = names.some((name) => hasParameter(finalUrl, name));
  const kind: NoticeKind = isReplaced ? "parameters_changed" : "parameters_lost";
  report(memory, notices, at, {
    kind,
    before: names.join(", "),
    after: finalUrl,
    signs: [],
    firstSeenAt: since,
  });
}

function comparePage(
  memory: Memory,
  sight: Sight,
  surroundings: Surroundings,
  notices: Notice[],
): void {
  const { at, facts, isUnchanged } = sight;
  const hadDoubt = memory.doubts.page !== undefined;
  if (!memory.page) beginAgain(memory, sight);
  else if (memory.state === "learning") confirm(memory, sight);
  else if (isVariable(memory, at) || facts?.look === "thin") return;
  else if (!facts?.look) {
    if ((isUnchanged || facts) && !hadDoubt) match(memory, sight);
  } else judge(memory, { sight, look: facts.look, surroundings, notices });
}

type Difference = {
  sight: Sight;
  look: Look;
  surroundings: Surroundings;
  notices: Notice[];
};

function judge(memory: Memory, difference: Difference): void {
  const { sight, look } = difference;
  const signs = contentSigns(memory.page!, look);
  if (isOtherContent(signs)) {
    differ(memory, signs, difference);
    return;
  }
  const isBack = !signs.includes("title_gone") && !signs.includes("other_text");
  if (memory.state === "lost" && !isBack) return;
  note(memory, sight, look);
  if (memory.doubts.page) clear(memory, sight.at);
  match(memory, sight);
}

/** There was too little to compare, and now there may be enough. */
function beginAgain(memory: Memory, sight: Sight): void {
  const page = shownIn(sight.facts);
  if (!page || (memory.past.restarts ?? 0) >= MOST_RESTARTS) return;
  restart(memory, sight, page);
}

function restart(memory: Memory, { at, facts }: Sight, page: Shown): void {
  Object.assign(memory, {
    state: "learning",
    since: at,
    page,
    now: page,
    textHash: facts!.textHash,
    comparedAt: at,
  });
}

/** The second look, which shows whether the first page was there to stay. */
function confirm(memory: Memory, sight: Sight): void {
  const { at, facts, isUnchanged } = sight;
  if (at - memory.comparedAt < APART_MS) return;
  const isSame = isUnchanged || (facts !== null && facts.textHash === memory.textHash);
  const page = shownIn(facts);
  if (!isSame && !page) return;
  if (isSame || signsIn(memory, sight).length === 0) {
    memory.state = "known";
    memory.comparedAt = at;
    if (facts?.look && facts.look !== "thin") note(memory, sight, facts.look);
    return;
  }
  const restarts = (memory.past.restarts ?? 0) + 1;
  memory.past.restarts = restarts;
  restart(memory, sight, page!);
  if (restarts >= MOST_RESTARTS) Object.assign(memory, { state: "thin", page: null, now: null });
}

/** Keeps what the page shows now. */
function note(memory: Memory, { at, facts }: Sight, look: Look): void {
  const { title, language, textHash } = facts!;
  memory.now = { title, language, script: look.script, print: look.print };
  memory.textHash = textHash;
  memory.comparedAt = at;
}

/** The page is the remembered one. */
function match(memory: Memory, { at, url, finalUrl }: Sight): void {
  delete memory.past.hasGap;
  delete memory.past.isDead;
  const domain = domainOf(finalUrl);
  if (domain !== domainOf(url) && !memory.domains.includes(domain)) {
    memory.domains = [...memory.domains, domain].slice(-MOST_DOMAINS);
  }
  const isOver = memory.state === "variable" && !isVariable(memory, at);
  if (isOver || memory.state === "doubted" || memory.state === "lost") memory.state = "known";
}

/** A doubt ends well. A page about which that happens often is one that cannot be compared. */
function clear(memory: Memory, at: number): void {
  delete memory.doubts.page;
  const cleared = [...(memory.past.cleared ?? []), at].filter(
    (then) => at - then < CLEARED_KEPT_MS,
  );
  memory.past.cleared = cleared;
  if (cleared.length < MOST_CLEARED) return;
  memory.state = "variable";
  memory.past.variableUntil = at + VARIABLE_MS;
  delete memory.past.cleared;
}

/** The page shows something else. */
function differ(memory: Memory, content: Sign[], difference: Difference): void {
  const { sight, look, notices } = difference;
  const { at } = sight;
  const before = memory.doubts.page;
  if (before && at - before.at < APART_MS) return;
  const signs = [...content, ...outsideSigns(memory, difference)];
  const since = before?.since ?? at;
  const doubt = { signs, since, seen: (before?.seen ?? 0) + 1, at };
  memory.doubts.page = doubt;
  note(memory, sight, look);
  if (memory.state !== "lost") memory.state = "doubted";
  const lasted = at - since;
  const notice = {
    before: memory.page!.title,
    after: sight.facts!.title,
    signs,
    firstSeenAt: since,
  };
  const isOutside = signs.some((sign) => OUTSIDE.has(sign));
  if (isOutside && doubt.seen >= 2 && lasted >= LOST_MS) {
    memory.state = "lost";
    say(memory, notices, at, { kind: "identity_lost", ...notice });
  }
  if (doubt.seen >= DEAD_LOOKS && lasted >= DEAD_MS && isProven(memory, difference, signs)) {
    memory.state = "lost";
    memory.past.isDead = true;
  }
  if (!isOutside && doubt.seen >= 2 && isRegistryHeard(difference, since)) {
    accept(memory, at);
    memory.state = "changed";
    say(memory, notices, at, { kind: "content_changed", ...notice });
  }
}

const OUTSIDE = new Set<Sign>(["other_domain", "registered_again", "gap", "neighbors"]);

/** The signs that do not depend on the content, which say nothing without it. */
function outsideSigns(memory: Memory, { sight, surroundings }: Difference): Sign[] {
  const domain = domainOf(sight.finalUrl);
  const isForeign = domain !== domainOf(sight.url) && !memory.domains.includes(domain);
  const { state, absentConfirmedAt } = surroundings.registration;
  const wasAbsent = (absentConfirmedAt ?? 0) > memory.since;
  const isGap = (memory.past.hasGap === true || wasAbsent) && state !== "known";
  return [
    ...(isForeign ? (["other_domain"] as const) : []),
    ...(isRegisteredAgain(surroundings.registration, memory.since)
      ? (["registered_again"] as const)
      : []),
    ...(isGap ? (["gap"] as const) : []),
    ...(surroundings.areNeighborsOther ? (["neighbors"] as const) : []),
  ];
}

/**
 * Whether the domain belongs to another owner: its registry has said twice that it was registered after the page was
 * remembered. Where no registry can be asked, it was missing in between and its whole site shows something else.
 */
function isProven(memory: Memory, { sight, surroundings }: Difference, signs: Sign[]): boolean {
  const { registration } = surroundings;
  if (sight.at - memory.since < LEAST_AGE_MS) return false;
  if (isRegisteredAgain(surroundings.registration, memory.since))
    return registration.registrationConfirmedAt !== null;
  const isUnanswerable = registration.state === "not_available";
  return isUnanswerable && signs.includes("gap") && signs.includes("neighbors");
}

/** A stranger must not become the memory before its registration is known. */
function isRegistryHeard({ sight, surroundings }: Difference, since: number): boolean {
  const { state, checkedAt } = surroundings.registration;
  if (state === "not_available" || sight.at - since >= REGISTRY_MS) return true;
  return checkedAt !== null && checkedAt > since;
}

/** Makes the page of the last comparison the remembered one, as a person or a confirmed change says. */
export function accept(memory: Memory, at: number): void {
  const { page, now } = memory;
  memory.firstTitle ??= page?.title ?? null;
  memory.page = now;
  memory.state = now ? "known" : "thin";
  memory.since = at;
  const { restarts, given } = memory.past;
  memory.doubts = { ...(memory.doubts.way && { way: memory.doubts.way }) } satisfies Doubts;
  memory.past = { ...(restarts && { restarts }), ...(given && { given }) } satisfies Past;
}

/** As `accept`, for a person who says that everything about the link is right as it is. */
export function acceptAll(memory: Memory, at: number): void {
  accept(memory, at);
  memory.doubts = {};
  memory.past = {};
}

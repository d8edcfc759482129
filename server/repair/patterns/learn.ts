import { yieldToEventLoop } from "../../ground/lib/steps.ts";

/** An address, and the one that stands or should stand in its place. */
export type Pair = { from: string; to: string };

/** What addresses begin with, before and after they moved; both end in a slash. `pairs`: how many moved like this. */
export type Rule = Pair & { pairs: number };

/** With fewer, the same change may be chance. */
const LEAST_PAIRS = 5;
const LEAST_SHARE = 0.9;
/** A rule about more segments than this is about a single page. */
const MOST_SEGMENTS = 20;
/** Longer work would delay requests. */
const PAIRS_AT_ONCE = 250;

/** Returns the rules that enough pairs prove. Works in slices, so that it delays nothing. */
export async function learnRules(pairs: readonly Pair[]): Promise<Rule[]> {
  const counts = await countAgreeing(pairs, await possibleRules(pairs));
  return [...counts].flatMap(([from, { all, agreeing }]) =>
    [...agreeing].flatMap(([to, count]) =>
      count >= all * LEAST_SHARE ? [{ from, to, pairs: count }] : [],
    ),
  );
}

/** Of an old prefix: how many pairs begin with it, and how many of them have each of the new ones. */
type Counts = Map<string, { all: number; agreeing: Map<string, number> }>;

/** The rules that pairs with enough different tails have. */
async function possibleRules(pairs: readonly Pair[]): Promise<Counts> {
  const tails = new Map<string, Set<string>>();
  const counts: Counts = new Map();
  await inSlices(pairs, (pair) => {
    const change = changeOf(pair);
    if (!change) return;
    const { from, to, tail } = change;
    const known = tails.get(`${from} ${to}`) ?? new Set();
    tails.set(`${from} ${to}`, known.add(tail));
    if (known.size < LEAST_PAIRS) return;
    const possible = counts.get(from) ?? { all: 0, agreeing: new Map() };
    counts.set(from, possible);
    possible.agreeing.set(to, 0);
  });
  return counts;
}

/** Counts each pair for all rules that it could be an example of. */
async function countAgreeing(pairs: readonly Pair[], counts: Counts): Promise<Counts> {
  await inSlices(pairs, (pair) => {
    const [from, to] = [withoutFragment(pair.from), withoutFragment(pair.to)];
    for (const prefix of prefixesOf(from)) {
      const count = counts.get(prefix);
      if (!count) continue;
      count.all++;
      const tail = from.slice(prefix.length);
      const target = to.endsWith(tail) ? to.slice(0, to.length - tail.length) : "";
      const agreeing = count.agreeing.get(target);
      if (agreeing !== undefined) count.agreeing.set(target, agreeing + 1);
    }
  });
  return counts;
}

/**
 * Cuts the longest common tail of whole path segments, with the query, off both addresses of a pair. Null if they have
 * none in common.
 */
export function changeOf({ from, to }: Pair): (Pair & { tail: string }) | null {
  const [before, after] = [URL.parse(from), URL.parse(to)];
  if (!before || !after || before.search !== after.search || hasPassword(before, after))
    return null;
  const [ours, theirs] = [before.pathname, after.pathname];
  const shortest = Math.min(ours.length, theirs.length);
  let same = 0;
  while (same < shortest && ours.at(-1 - same) === theirs.at(-1 - same)) same++;
  const slash = ours.indexOf("/", ours.length - same);
  if (slash === -1) return null;
  const length = ours.length - slash - 1;
  const tail = ours.slice(slash + 1) + before.search;
  if (tail === "") return null;
  return {
    from: before.origin + ours.slice(0, slash + 1),
    to: after.origin + theirs.slice(0, theirs.length - length),
    tail,
  };
}

/** Rules are shown to everyone of the account. */
const hasPassword = (...urls: URL[]) =>
  urls.some(({ username, password }) => username !== "" || password !== "");

/** Returns all that a rule about an address may begin with, the longest first. */
export function prefixesOf(url: string): string[] {
  const end = url.search(/[?#]|$/);
  const prefixes: string[] = [];
  let slash = url.indexOf("/", url.indexOf("://") + 3);
  while (slash !== -1 && slash < end && prefixes.length < MOST_SEGMENTS) {
    prefixes.push(url.slice(0, slash + 1));
    slash = url.indexOf("/", slash + 1);
  }
  return prefixes.toReversed();
}

const withoutFragment = (url: string) => url.replace(/#.*/s, "");

async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  for (let at = 0; at < items.length; at += PAIRS_AT_ONCE) {
    for (const item of items.slice(at, at + PAIRS_AT_ONCE)) work(item);
    await yieldToEventLoop();
  }
}

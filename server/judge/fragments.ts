import { lazily } from "../ground/lib/concurrency.ts";
import type { FragmentState } from "../ground/lib/vocabulary.ts";
import { anchorIn, createAlike, createTextTest, decoded, wantedBy } from "./page/fragments.ts";
import type { Page } from "./page/page.ts";
import type { Probe } from "./probe/probe.ts";
import { LITTLE_TEXT } from "./signals/clues.ts";
import { quoted } from "./signals/phrases.ts";

/** What a check of an active link saw of a fragment. */
export type SeenFragment = {
  /** As written, without `#`. */
  fragment: string;
  state: FragmentState;
  /** Ids of the page that look like one that is missing. */
  alike?: string[];
};

/** Looks for fragments in what a check has read. `unknown` wherever a browser may find one that is not there. */
export function lookForFragments(
  fragments: readonly string[],
  { probe: seen, reason }: { probe: Probe; reason: string },
): SeenFragment[] {
  if (seen.kind === "failed") return [];
  const { page, truncated, bodyProblem, status } = seen;
  // Browsers take the fragment of a redirect instead (RFC 9110 §10.2.2).
  const isReplaced = seen.fragment !== "";
  const isShell = reason === "ok_unverified_app" || (page?.text.length ?? 0) < LITTLE_TEXT;
  const isWhole = !truncated && bodyProblem === null && status !== 206 && !isShell && !isReplaced;
  const look = page?.anchors && !isReplaced ? createLook(page) : null;
  return fragments.map((fragment) => {
    const wanted = wantedBy(fragment);
    if (wanted === "top") return { fragment, state: "found" };
    if (wanted === "unknown" || !look) return { fragment, state: "unknown" };
    const found = look(wanted);
    if (found.state !== "missing" || isWhole) return { fragment, ...found };
    return { fragment, state: "unknown" };
  });
}

type Looked = Omit<SeenFragment, "fragment">;

function createLook(page: Page) {
  const anchors = page.anchors!;
  const hasText = lazily(() => createTextTest(page.text));
  const alike = lazily(() => createAlike(anchors));
  return ({ anchor, texts }: Exclude<ReturnType<typeof wantedBy>, string>): Looked => {
    const place = anchor === null ? "there" : anchorIn(anchors, anchor);
    if (place === "script") return { state: "unknown" };
    if (place === null) return { state: "missing", alike: alike()(anchor!) };
    if (texts.length === 0) return { state: "found" };
    // Browsers scroll to the first of several that is there.
    if (texts.some(hasText())) return { state: "found" };
    return { state: anchors.isTextCut ? "unknown" : "missing" };
  };
}

/** What is known of a fragment of a link. Times are in milliseconds since 1970. */
export type KnownFragment = {
  fragment: string;
  /** Whether it is from the link's own URL, and not only from where the link stands. */
  isOwn: boolean;
  state: FragmentState;
  /** When a check first found it; null if none has. */
  foundAt: number | null;
  /** The first of the checks in a row that did not find it again. */
  missedAt: number | null;
  /** The same, once it counts as missing. */
  missingSince: number | null;
  alike: string[];
};

/** What is to be said about a link because of a fragment. */
export type FragmentNotice = {
  kind: "fragment_missing" | "fragment_found";
  fragment: string;
  /** What led to a place of the page, and what does now. */
  before: string | null;
  after: string | null;
  sentence: string;
  firstSeenAt: number;
};

/** @param json of a link; null for none */
export const fragmentsIn = (json: unknown): KnownFragment[] =>
  JSON.parse((json as string | null) ?? "[]");

/** A fragment that no check has looked for. */
export const newFragment = (fragment: string, isOwn: boolean): KnownFragment => ({
  fragment,
  isOwn,
  state: "unknown",
  foundAt: null,
  missedAt: null,
  missingSince: null,
  alike: [],
});

const LEAST_GAP_MS = 20 * 3_600_000;

/**
 * Returns what is known of fragments after a check. One that was found counts as missing when two checks, at least 20 hours
 * apart, and none in between found it again.
 * @param seen null for a check that found the page as the last one did
 */
export function fragmentsAfter(
  known: KnownFragment[],
  seen: readonly SeenFragment[] | null,
  at: number,
): { known: KnownFragment[]; notices: FragmentNotice[] } {
  const byName = new Map(seen?.map((each) => [each.fragment, each]));
  const notices: FragmentNotice[] = [];
  const after = known.map((before) => {
    const now = seen ? byName.get(before.fragment) : sameAgain(before);
    const next = now ? nextOf(before, now, at) : before;
    if (next.missingSince !== null && before.missingSince === null) notices.push(missing(next));
    if (next.missingSince === null && before.missingSince !== null)
      notices.push(foundAgain(next, at));
    return next;
  });
  return { known: after, notices };
}

/** Only a first miss needs a second look at the same page. */
const sameAgain = ({
  fragment,
  state,
  missedAt,
  alike,
}: KnownFragment): SeenFragment | undefined =>
  state === "found" && missedAt !== null ? { fragment, state: "missing", alike } : undefined;

function nextOf(
  before: KnownFragment,
  { state, alike = [] }: SeenFragment,
  at: number,
): KnownFragment {
  const { foundAt, missedAt, missingSince } = before;
  if (state === "found")
    return {
      ...before,
      state,
      foundAt: foundAt ?? at,
      missedAt: null,
      missingSince: null,
      alike: [],
    };
  // What looks alike need not be renewed.
  if (missingSince !== null || (foundAt === null && state === before.state)) return before;
  if (state === "unknown") return { ...before, state, alike: [] };
  if (foundAt === null) return { ...before, state, alike };
  // Also after a look that could not say, since it was found once.
  const isMissing = missedAt !== null && at - missedAt >= LEAST_GAP_MS;
  return {
    ...before,
    state: isMissing ? "missing" : "found",
    missedAt: missedAt ?? at,
    missingSince: isMissing ? missedAt : null,
    alike,
  };
}

function missing({ fragment, missingSince, alike }: KnownFragment): FragmentNotice {
  return {
    kind: "fragment_missing",
    fragment,
    before: `#${fragment}`,
    after: null,
    sentence: `The page no longer has ${nameOf(fragment)}.${like(alike)}`,
    firstSeenAt: missingSince!,
  };
}

const like = (ids: string[]) =>
  ids.length === 0 ? "" : ` It has ${ids.map((id) => quoted(id)).join(", ")}.`;

const foundAgain = ({ fragment }: KnownFragment, at: number): FragmentNotice => ({
  kind: "fragment_found",
  fragment,
  before: null,
  after: `#${fragment}`,
  sentence: `The page has ${nameOf(fragment)} again.`,
  firstSeenAt: at,
});

/** What a fragment names, in words. */
function nameOf(fragment: string): string {
  const [anchor = "", text] = fragment.split(":~:");
  if (text === undefined) return `the anchor ${quoted(decoded(anchor))}`;
  return `the text of ${quoted(decoded(`#${fragment}`))}`;
}

/** What the page of an active link lacks of its URL, in a sentence; null if it is not known to lack something. */
export function lacksFragment(
  seen: readonly SeenFragment[] | undefined,
  fragment: string,
): string | null {
  const found = seen?.find((each) => each.fragment === fragment);
  if (found?.state !== "missing") return null;
  return `The page is there, but does not have ${nameOf(fragment)}.${like(found.alike ?? [])}`;
}

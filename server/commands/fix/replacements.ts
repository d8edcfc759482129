import type { Config } from "../../ground/config/config.ts";
import {
  CONFIDENCES,
  type Confidence,
  SUGGESTION_KINDS,
  type SuggestionKind,
} from "../../ground/lib/vocabulary.ts";
import { isOutside } from "../../ground/net/policy.ts";
import { moveTo } from "../../judge/identity/moved.ts";
import type { Conclusion } from "../../judge/probe/conclusion.ts";
import { messageOf } from "../../judge/reasons/reasons.ts";
import { askAbout, isVerdict, type ServerOptions } from "../check/ask-server.ts";
import { checksOf } from "../check/requests.ts";
import type { Archive } from "./archive.ts";

/** What is to stand in place of a URL. People accept an address, the others are suggested. */
export type Replacement = {
  url: string;
  kind: SuggestionKind | "accepted";
  confidence: Confidence | null;
  /** Of an archived copy, as a moment of ISO 8601. */
  captured_at: string | null;
};

export type Replacements = {
  /** By URL. */
  found: Map<string, Replacement>;
  /** Dead URLs that nothing is known for, with why they are dead. */
  dead: Map<string, string>;
  /** URLs that keep their address although there is another one, with why. */
  left: Map<string, string>;
};

/** Where replacements are from. */
export type Origins = {
  server: ServerOptions | null;
  archive: Archive | null;
  hasRedirects: boolean;
  kinds: ReadonlySet<SuggestionKind>;
};

/** What happens meanwhile. */
export type Around = {
  /** Something could not be asked. Receives a sentence. */
  missed(sentence: string): void;
  say(sentence: string): void;
  done(): void;
  signal: AbortSignal;
};

/** Asks what is known of URLs, checks those that may be dead, and returns what is to stand in their places. */
export async function findReplacements(
  config: Config,
  urls: string[],
  origins: Origins,
  around: Around,
): Promise<Replacements> {
  const { server, archive, hasRedirects, kinds } = origins;
  const known = server ? await askSuggestions(server, urls, around) : new Map<string, Known>();
  const found = new Map<string, Replacement>();
  for (const [url, { accepted }] of known) if (accepted) found.set(url, accepted);
  const open = urls.filter(
    (url) => !found.has(url) && (hasRedirects || known.get(url)?.status !== "active"),
  );
  const dead = new Map<string, Conclusion>();
  let isOffline = false;
  for await (const { url, conclusion } of checksOf(config, open, around)) {
    const { status, suggestion } = known.get(url) ?? {};
    const move = hasRedirects && kinds.has("moved") ? moveOf(url, conclusion) : null;
    isOffline ||= /^monitor_(?:offline|degraded)$/.test(conclusion.reason);
    if (move) found.set(url, move);
    // What the server has settled is confirmed by anything but life.
    if (conclusion.status === "active" || (conclusion.status !== "dead" && status !== "dead"))
      continue;
    if (suggestion && kinds.has(suggestion.kind)) found.set(url, suggestion);
    else dead.set(url, conclusion);
  }
  if (isOffline) around.missed("This machine is offline, so not all links could be checked.");
  if (archive && kinds.has("archive")) await findCopies(archive, dead, found, around);
  const left = await carryFragments(config, found, archive, around);
  return {
    found,
    left,
    dead: new Map(
      [...dead].map(([url, { reason, statusCode, cause }]) => [
        url,
        messageOf(reason, statusCode, cause),
      ]),
    ),
  };
}

type Suggested = Replacement & { kind: SuggestionKind };

/** What a server knows of a URL, whose status is the one that it has settled. */
type Known = { status: unknown; accepted: Replacement | null; suggestion: Suggested | null };

async function askSuggestions(server: ServerOptions, urls: string[], { missed }: Around) {
  const { results, trouble } = await askAbout(server, "suggestions", urls);
  if (trouble !== null) missed(`${trouble}, so not all that it suggests is used.`);
  const known = new Map<string, Known>();
  for (const { url, status, accepted_url: accepted, suggestion } of results) {
    if (typeof url !== "string" || !isVerdict(status)) continue;
    const to = hrefOf(accepted);
    known.set(url, {
      status,
      accepted:
        to === null ? null : { url: to, kind: "accepted", confidence: null, captured_at: null },
      suggestion: suggestedIn(Object(suggestion)),
    });
  }
  return known;
}

function suggestedIn({ url, kind, confidence, captured_at: at }: Record<string, unknown>) {
  const [to, known] = [hrefOf(url), SUGGESTION_KINDS.find((each) => each === kind)];
  if (to === null || !known) return null;
  const surely = CONFIDENCES.find((each) => each === confidence) ?? null;
  const captured = typeof at === "string" ? at : null;
  return { url: to, kind: known, confidence: surely, captured_at: captured };
}

function hrefOf(value: unknown): string | null {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** Where a link moved for good that is another form of the same address. */
function moveOf(url: string, { status, finalUrl, evidence }: Conclusion): Replacement | null {
  const { redirects } = evidence;
  const isForGood = redirects.every(
    ({ status: hop, via }) => via === "location" && (hop === 301 || hop === 308),
  );
  if (status !== "active" || finalUrl === null || redirects.length === 0 || !isForGood) return null;
  if (moveTo(url, finalUrl) !== "safe") return null;
  return { url: finalUrl, kind: "moved", confidence: "safe", captured_at: null };
}

/** Moves dead links to `found` of which the archive has a copy. */
async function findCopies(
  archive: Archive,
  dead: Map<string, Conclusion>,
  found: Map<string, Replacement>,
  { say, missed, signal }: Around,
) {
  if (dead.size === 0) return;
  say(archive.notice(dead.size));
  for (const [url, { evidence }] of dead) {
    if (signal.aborted) return;
    // An archive does not have what is in a network of its own.
    if (evidence.address !== null && !isOutside(evidence.address)) continue;
    const answer = await archive.find(url, signal);
    if (answer.state === "unavailable") {
      const at = new Date(answer.retryAt).toISOString();
      return missed(
        `The archive is not to be asked before ${at}, so not all copies were looked for.`,
      );
    }
    if (answer.state !== "found") continue;
    dead.delete(url);
    const { url: copy, captured_at: at } = answer.copy;
    found.set(url, {
      url: new URL(copy).href,
      kind: "archive",
      confidence: "copy",
      captured_at: new Date(at).toISOString(),
    });
  }
}

/** Adds the fragment of each URL to its new address, or takes that away if its page has no such place. */
async function carryFragments(
  config: Config,
  found: Map<string, Replacement>,
  archive: Archive | null,
  { signal }: Around,
): Promise<Map<string, string>> {
  const wanted = [...found].flatMap(([url, replacement]) => {
    const { hash } = new URL(url);
    if (hash === "" || new URL(replacement.url).hash !== "") return [];
    return [{ url, replacement, hash, target: `${replacement.url}${hash}` }];
  });
  const isCopy = ({ replacement: { kind } }: (typeof wanted)[number]) =>
    archive !== null && kind === "archive";
  const there = new Set<string>();
  for (const { target, replacement, hash } of wanted.filter(isCopy)) {
    if (await archive?.hasPlace(replacement.url, hash.slice(1), signal)) there.add(target);
  }
  const others = wanted.filter((each) => !isCopy(each)).map(({ target }) => target);
  const quiet = { done() {}, signal };
  for await (const { url, conclusion } of checksOf(config, [...new Set(others)], quiet)) {
    const seen = conclusion.fragments?.find(({ fragment }) => `#${fragment}` === new URL(url).hash);
    if (seen?.state === "found") there.add(url);
  }
  const left = new Map<string, string>();
  for (const { url, replacement, hash, target } of wanted) {
    if (there.has(target)) found.set(url, { ...replacement, url: target });
    else {
      found.delete(url);
      left.set(url, `${replacement.url} has no place ${hash}.`);
    }
  }
  return left;
}

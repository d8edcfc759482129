import type { Config } from "../../ground/config/config.ts";
import type { Confidence, SuggestionKind } from "../../ground/lib/vocabulary.ts";
import { moveTo } from "../../judge/identity/moved.ts";
import type { Conclusion } from "../../judge/probe/conclusion.ts";
import { messageOf } from "../../judge/reasons/reasons.ts";
import { askServer, type ServerOptions } from "../check/ask-server.ts";
import { checksOf } from "../check/requests.ts";

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

export type Sources = {
  server: ServerOptions | null;
  hasRedirects: boolean;
  kinds: ReadonlySet<Replacement["kind"]>;
};

/** What looks around while URLs are checked. */
type Progress = {
  warn(sentence: string): void;
  done(): void;
  signal: AbortSignal;
};

/** Checks URLs, and finds what is to stand in their places. */
export async function findReplacements(
  config: Config,
  urls: string[],
  { server, hasRedirects, kinds }: Sources,
  progress: Progress,
): Promise<Replacements> {
  const { warn, signal } = progress;
  const found = new Map<string, Replacement>();
  const dead = new Map<string, string>();
  const known = server ? await askServer(server, urls, warn) : new Map();
  const open = urls.filter((url) => hasRedirects || known.get(url)?.verdict !== "active");
  for await (const { url, conclusion } of checksOf(config, open, progress)) {
    const verdict = known.get(url)?.verdict;
    const isDead = conclusion.status === "dead" || verdict === "dead";
    const move = hasRedirects ? moveOf(url, conclusion) : null;
    if (move) found.set(url, move);
    else if (isDead && conclusion.status !== "active") dead.set(url, why(conclusion));
  }
  for (const [url, { kind }] of found) if (!kinds.has(kind)) found.delete(url);
  const left = signal.aborted ? new Map() : await carryFragments(config, found, signal);
  return { found, dead, left };
}

const why = ({ reason, statusCode, cause }: Conclusion) => messageOf(reason, statusCode, cause);

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

/** Adds the fragment of each URL to its new address, or takes that away if its page has no such place. */
async function carryFragments(
  config: Config,
  found: Map<string, Replacement>,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const wanted = [...found].flatMap(([url, { url: to }]) => {
    const { hash } = new URL(url);
    return hash === "" || new URL(to).hash !== "" ? [] : [{ url, hash, target: `${to}${hash}` }];
  });
  const targets = [...new Set(wanted.map(({ target }) => target))];
  const there = new Set<string>();
  for await (const { url, conclusion } of checksOf(config, targets, { done() {}, signal })) {
    const isThere = conclusion.fragments?.some(
      ({ fragment, state }) => `#${fragment}` === new URL(url).hash && state === "found",
    );
    if (isThere) there.add(url);
  }
  const left = new Map<string, string>();
  for (const { url, hash, target } of wanted) {
    const replacement = found.get(url)!;
    if (there.has(target)) found.set(url, { ...replacement, url: target });
    else {
      found.delete(url);
      left.set(url, `${replacement.url} has no place ${hash}.`);
    }
  }
  return left;
}

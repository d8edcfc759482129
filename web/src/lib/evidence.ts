import { lengthText } from "./format.ts";
import type { LinkDetail } from "./links.ts";

export type Evidence = NonNullable<LinkDetail["evidence"]>;
export type Attempt = Evidence["attempts"][number];
export type Redirect = Evidence["redirects"][number];
export type Probe = Evidence["probes"][number];

/** `kind` determines how the value is shown. */
export type Fact = { name: string; value: string; kind: "text" | "code" | "moment" | "url" };

/** "404", or the reason of a failure. */
export const outcomeOf = ({ status, reason, outcome }: Attempt): string =>
  String(status ?? reason ?? outcome);

/** Evidence of any version may contain other text. */
export const isMoment = (text: string | null | undefined): text is string =>
  typeof text === "string" && !Number.isNaN(Date.parse(text));

/** The finding about a page whose status code does not explain it. */
export const extraReasonOf = ({ status, reason }: Attempt): string | null =>
  status === null || /^(ok|http_)/.test(reason) ? null : reason;

/** Time since the first attempt; null for the first, and if unknown. */
export function delaysOf(attempts: Attempt[]): (string | null)[] {
  const first = Date.parse(attempts[0]?.at ?? "");
  return attempts.map(({ at }) => {
    const delay = Date.parse(at) - first;
    return delay > 0 ? `${lengthText(delay)} later` : null;
  });
}

const PLACES: Record<Probe["asked"], string> = {
  sibling: "A random address next to it",
  root: "A random address of the site",
  home: "The home page",
  subdomain: "A random name below the domain",
  service: "The service itself",
  canary: "A link of the service that has been there for years",
};

export const placeOf = ({ asked }: Probe): string => PLACES[asked];

const FLAPPING =
  "The link's status changes so often that more looks than usual are needed before it is called dead.";

/** Sentences that help to judge the verdict. */
export function remarksOf({ notes, flapping, monitor }: Evidence): string[] {
  return [...notes, ...(flapping ? [FLAPPING] : []), ...(monitor ? [stateOf(monitor)] : [])];
}

export function factsOf(evidence: Evidence): Fact[] {
  const { cause, tls_expires_at, redirects } = evidence;
  // With redirects, the final URL is the end of their chain.
  const finalUrl = redirects.length > 0 ? null : evidence.final_url;
  const facts: { name: string; value: string | null; kind: Fact["kind"] }[] = [
    { name: "Cause", value: cause, kind: "code" },
    { name: "Final URL", value: finalUrl, kind: "url" },
    { name: "Addresses", value: addressesOf(evidence), kind: "text" },
    {
      name: "Certificate valid until",
      value: tls_expires_at,
      kind: isMoment(tls_expires_at) ? "moment" : "text",
    },
  ];
  return facts.flatMap(({ value, ...rest }) => (value === null ? [] : [{ ...rest, value }]));
}

function addressesOf({ address, attempts }: Evidence): string | null {
  const all = [address, ...attempts.map((attempt) => attempt.address)];
  return [...new Set(all.filter((each) => each !== null))].join(", ") || null;
}

function stateOf({ state, sentinels }: NonNullable<Evidence["monitor"]>): string {
  const answered = sentinels.filter((sentinel) => sentinel.answered).length;
  const count = `${answered} of the ${sentinels.length} servers asked to find out answered`;
  return `This monitor was ${WORDS[state]}: ${count}.`;
}

const WORDS = { online: "online", degraded: "badly connected", offline: "offline" };

/** One URL of a redirect chain. The pieces together are the URL; `differs` compares with the previous one. */
export type Stop = {
  pieces: { text: string; differs: boolean }[];
  /** "now encrypted, another path"; empty for the first. */
  changes: string;
};

type Pieces = { scheme: string; host: string; path: string; rest: string };

const NAMES: Record<keyof Pieces, string> = {
  scheme: "scheme",
  host: "host",
  path: "path",
  rest: "query",
};

export const stopsOf = (urls: string[]): Stop[] =>
  urls.map((url, index) => stopOf(url, index > 0 ? urls[index - 1] : undefined));

function stopOf(url: string, before: string | undefined): Stop {
  const pieces = piecesOf(url);
  const previous = before === undefined ? pieces : piecesOf(before);
  // A URL that cannot be parsed is shown unchanged.
  if (!pieces || !previous) {
    return { pieces: [{ text: url, differs: false }], changes: "" };
  }
  const names = Object.keys(NAMES) as (keyof Pieces)[];
  const different = names.filter((name) => pieces[name] !== previous[name]);
  return {
    pieces: names
      .map((name) => ({ text: pieces[name], differs: different.includes(name) }))
      .filter(({ text }) => text !== ""),
    changes: different.map((name) => wordsOf(name, pieces, previous)).join(", "),
  };
}

/** Splits without normalizing. */
function piecesOf(url: string): Pieces | null {
  const found = /^([a-z]+:\/\/)([^/?#]*)([^?#]*)(.*)$/is.exec(url);
  if (!found) return null;
  const [, scheme = "", host = "", path = "", rest = ""] = found;
  return { scheme, host, path, rest };
}

function wordsOf(name: keyof Pieces, now: Pieces, before: Pieces): string {
  if (name === "scheme") return now.scheme === "https://" ? "now encrypted" : "no longer encrypted";
  if (name === "host" && withoutWww(now.host) === withoutWww(before.host)) {
    return now.host.length > before.host.length ? "with www" : "without www";
  }
  return `another ${NAMES[name]}`;
}

const withoutWww = (host: string) => host.replace(/^www\./i, "");

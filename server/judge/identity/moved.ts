import { wordList } from "../../ground/lib/text.ts";
import type { Confidence } from "../../ground/lib/vocabulary.ts";
import { bareHost, errorPageAt, isHome, isShortener } from "../signals/addresses.ts";
import { CONSENT_HOST, LOGIN_ADDRESS } from "../signals/known/logins.ts";

/** Who gives an address here keeps it for good, whatever it redirects to today. */
const IDENTIFIERS = wordList(
  "doi.org dx.doi.org hdl.handle.net handle.net purl.org purl.net w3id.org n2t.net perma.cc identifiers.org arks.org",
);

/** Segments that mean another page tomorrow than they do today. */
const MOVING = new Set(wordList("latest stable current main master head lts"));

/** Names of parameters that are for one visit, or that expire. */
const PASSING =
  /^(?:x-amz-.*|x-goog-.*|signature|expires|sig|token|access_?token|session|session_?id|sid|jsessionid|phpsessid|code|state|utm_\w+|[a-z]{1,3}clid|lang|language|locale|hl)$/i;

const CONSENT = /(?:^|[/._-])(?:cookie[-_]?)?consent(?:[/._-]|$)|\/cdn-cgi\/|\/captcha\b/i;
const LOCALE = /^[a-z]{2}(?:[-_](?:[a-z]{2}|hans|hant|latn|cyrl))?$/i;

/**
 * How surely a link belongs at the address that its permanent redirects lead to: `safe` if that is another form of the
 * same address. Null where writing the target in its place would lose something, such as the name that is meant to last.
 */
export function moveTo(from: string, to: string): Confidence | null {
  const [link, target] = [URL.parse(from), URL.parse(to)];
  if (!link || !target || link.href === target.href) return null;
  if (isKept(link) || cannotReplace(link, target)) return null;
  return formOf(link) === formOf(target) ? "safe" : "likely";
}

/** Whether an address is worth more than what it leads to. */
const isKept = (link: URL): boolean =>
  isFront(link) ||
  isShortener(link) ||
  /^(?:urn|purl)\./.test(link.hostname) ||
  IDENTIFIERS.some((host) => link.hostname === host || link.hostname.endsWith(`.${host}`)) ||
  /\/ark:/.test(link.pathname);

function cannotReplace(link: URL, target: URL): boolean {
  const [ours, theirs] = [segmentsOf(link), segmentsOf(target)];
  const place = target.host + target.pathname;
  return (
    !/^https?:$/.test(target.protocol) ||
    (link.protocol === "https:" && target.protocol === "http:") ||
    isFront(target) ||
    errorPageAt(target) !== null ||
    [...ours].some((part) => MOVING.has(part) && !theirs.has(part)) ||
    localesOf(target).some((part) => !localesOf(link).includes(part)) ||
    LOGIN_ADDRESS.test(place) ||
    CONSENT_HOST.test(place) ||
    CONSENT.test(place) ||
    /;(?:jsessionid|sid)=/i.test(target.pathname) ||
    [...target.searchParams.keys()].some(
      (name) => PASSING.test(name) && !hasSame(link, target, name),
    ) ||
    sendsBack(link, target)
  );
}

/** A link that names a language keeps it. */
const hasSame = (link: URL, target: URL, name: string): boolean =>
  /^(?:lang|language|locale|hl)$/i.test(name) &&
  link.searchParams.get(name) === target.searchParams.get(name);

/** A home page. A segment such as `my_page` does not name a language, although home pages may have one that looks like it. */
const isFront = (url: URL): boolean =>
  isHome(url) &&
  url.pathname.split("/").every((part) => !/^..[-_]/.test(part) || LOCALE.test(part));

const segmentsOf = ({ pathname }: URL) => new Set(pathname.toLowerCase().split("/"));

/** The languages and countries that an address names, as a label of its host or a segment of its path. */
const localesOf = ({ hostname, pathname }: URL): string[] =>
  [hostname.split(".").slice(0, -2).at(0) ?? "", ...pathname.split("/").slice(1, 4)]
    .filter((part) => LOCALE.test(part))
    .map((part) => part.toLowerCase());

/** Whether the target is to send its visitor back, so that it is not what they wanted. */
const sendsBack = (link: URL, target: URL): boolean =>
  [...target.searchParams].some(
    ([name, value]) =>
      link.searchParams.get(name) !== value &&
      (value.includes(link.host) || (link.pathname.length > 1 && value.startsWith(link.pathname))),
  );

/** An address without what does not matter about its form: scheme, `www.`, final slash, index file. */
const formOf = (url: URL): string =>
  bareHost(url) + url.pathname.replace(/\/index\.\w+$/i, "/").replace(/\/$/, "") + url.search;

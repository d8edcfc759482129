import { lacksFragment } from "../../judge/fragments.ts";
import type { Conclusion } from "../../judge/probe/conclusion.ts";
import { messageOf } from "../../judge/reasons/reasons.ts";
import type { Element, FoundLink } from "../../read/documents/document.ts";
import type { KnownVerdict } from "./ask-server.ts";
import type { IsAdded } from "./changed-lines.ts";
import type { CheckedDocument } from "./documents.ts";

/** Where a link stands, and what it is there. */
export type Place = { file: string /** Whether the baseline has it. */; isKnown?: true } & Pick<
  FoundLink,
  "line" | "column" | "endColumn" | "text" | "element" | "cell"
>;

export type Status = Conclusion["status"];

/** What is known of one address, with all places where it stands. */
export type Finding = {
  /** The URL, or the address within the tree as it is written. */
  url: string;
  status: Status;
  reason: string;
  message: string;
  places: Place[];
  /** Where the verdict is from. */
  via: "check" | "disk" | "document" | "server" | "cache";
  service: string | null;
  /** Null where nothing was requested. */
  conclusion: Conclusion | null;
};

/** A link to another document, or within its own. */
export type LocalLink = {
  /** As written, or its path below the root. */
  href: string;
  /** What is shown. */
  url: string;
  place: Place;
  document: CheckedDocument;
};

export type Counts = Record<Status, number>;

/** The links of all documents by what has to be done about them. */
export type Targets = {
  /** URLs to request, each once, in the order of their first places. */
  remote: Map<string, Place[]>;
  /** Those within the tree. */
  local: LocalLink[];
  /** Addresses that cannot be requested. */
  wrong: Finding[];
  /** How many stand on lines that are not new, and are not checked for that. */
  old: number;
  /** How many are not checked: `mailto:` and the like, templates, and what `--exclude` names. */
  leftOut: number;
};

export type TargetOptions = {
  /** What URLs to leave out. */
  exclude?: RegExp[];
  /** The URL at which the root is published. */
  baseUrl?: string;
  /** What else is not requested. */
  isLeftOut?: (url: string) => boolean;
  /** Of links to other sites only those on such lines are checked. */
  isAdded?: IsAdded | undefined;
};

/** A browser requests no page for these. */
export const NOT_REQUESTED = new Set<Element>(["script", "style", "metadata"]);

export function targetsOf(documents: CheckedDocument[], options: TargetOptions = {}): Targets {
  const targets: Targets = { remote: new Map(), local: [], wrong: [], old: 0, leftOut: 0 };
  for (const document of documents) {
    const { links, unreadable } = document.read;
    if (unreadable !== undefined) targets.wrong.push(unreadableFile(document.file, unreadable));
    const used = new Set(
      links.filter(({ element }) => element !== "definition").map(({ href }) => href),
    );
    for (const link of links) {
      // A definition that is used is reported where it is used.
      if (link.element === "definition" && used.has(link.href)) continue;
      addLink(targets, link, document, options);
    }
  }
  return targets;
}

function addLink(
  targets: Targets,
  { href, line, column, endColumn, text, element, cell }: FoundLink,
  document: CheckedDocument,
  { exclude = [], baseUrl, isLeftOut, isAdded = () => true }: TargetOptions,
) {
  const place = {
    file: document.file,
    line,
    column,
    endColumn,
    text,
    element,
    ...(cell && { cell }),
  };
  const address = addressOf(href, document.read.base, baseUrl);
  const url = typeof address === "string" ? href : address.url;
  const isExcluded = exclude.some((pattern) => pattern.test(url));
  if (address === "other" || isExcluded) targets.leftOut++;
  else if (address === "local") targets.local.push({ href, url: href, place, document });
  else if (baseUrl !== undefined && url.startsWith(baseUrl)) {
    targets.local.push({ href: `/${url.slice(baseUrl.length)}`, url, place, document });
  } else if (NOT_REQUESTED.has(element) || isLeftOut?.(url)) targets.leftOut++;
  else if (!isAdded(document.path, line)) targets.old++;
  else if (address === "wrong") targets.wrong.push(badUrl(href, place));
  else if (hasCredentials(url)) targets.wrong.push(withCredentials(url, [place]));
  else {
    const places = targets.remote.get(url);
    if (places) places.push(place);
    else targets.remote.set(url, [place]);
  }
}

/** Parts of addresses that a program fills in: `{{ … }}`, `{% … %}`, `<% … %>`, `${…}` and `%NAME%`. */
const TEMPLATE = /\{\{|\{%|<%|\$\{|%[A-Z][A-Z_]+%/;

/** `https://$HOST/`, `https://*.example.org/`, `https://<host>/`, `https://[host]/` and `https://%host%/` */
const PLACEHOLDER =
  /^(?:https?:)?\/\/(?:[^/?#]*@)?(?:[^/?#]*[$*{}<>]|\[(?![\da-f:.]+\])|[^/?#]*%[a-z_]+%)/i;

/** Sorts an address by what it leads to. */
function addressOf(
  href: string,
  base: string | null,
  baseUrl: string | undefined,
): { url: string } | "wrong" | "local" | "other" {
  if (TEMPLATE.test(href) || PLACEHOLDER.test(href)) return "other";
  const isRemote = /^(?:https?:|\/\/)/i.test(href);
  if (!isRemote && /^[a-z][a-z\d+.-]*:/i.test(href)) return "other";
  const page = base !== null && /^https?:/i.test(base) ? base : undefined;
  if (!isRemote && page === undefined) return "local";
  const [scheme] = /^https?:/i.exec(page ?? baseUrl ?? "") ?? ["https:"];
  const url = URL.parse(href.startsWith("//") ? `${scheme}${href}` : href, page);
  return url && /^https?:$/.test(url.protocol) ? { url: url.href } : "wrong";
}

const unreadableFile = (file: string, message: string): Finding => ({
  url: file,
  status: "dead",
  reason: "unreadable",
  message,
  places: [{ file, line: 1, column: 1, endColumn: 1, text: "", element: "link" }],
  via: "document",
  service: null,
  conclusion: null,
});

const CREDENTIALS = /^(https?:\/\/)[^/?#]*@/i;

export const hasCredentials = (url: string) => CREDENTIALS.test(url);

/** As it may be shown. */
export const withoutCredentials = (url: string) => url.replace(CREDENTIALS, "$1***@");

/** A URL with a user name or a password, which reach no log. */
export const withCredentials = (url: string, places: Place[]): Finding => ({
  url: withoutCredentials(url),
  status: "unknown",
  reason: "url_invalid",
  message: "A URL with a user name or a password is not requested.",
  places,
  via: "document",
  service: null,
  conclusion: null,
});

const badUrl = (url: string, place: Place): Finding => ({
  url,
  status: "dead",
  reason: "bad_url",
  message: "The address is not a valid URL.",
  places: [place],
  via: "document",
  service: null,
  conclusion: null,
});

export function findingOf(
  url: string,
  conclusion: Conclusion,
  { service, places }: { service: string; places: Place[] },
): Finding {
  const { status, reason, statusCode, cause, fragments } = conclusion;
  const lack = lacksFragment(fragments, new URL(url).hash.slice(1));
  return {
    url,
    status,
    reason: lack === null ? reason : "anchor_missing",
    message: lack ?? messageOf(reason, statusCode, cause),
    places,
    via: "check",
    service,
    conclusion,
  };
}

/** Whether people should know of it. A page that is alive may lack an anchor, which fails nothing. */
export const isProblem = ({ status, reason }: Finding): boolean =>
  status !== "active" || reason === "anchor_missing";

/** What the server has found. */
export const knownFinding = (
  url: string,
  { verdict, reason, message }: KnownVerdict,
  places: Place[],
): Finding => ({
  url,
  status: verdict,
  reason,
  message,
  places,
  via: "server",
  service: null,
  conclusion: null,
});

export const cachedFinding = (url: string, places: Place[]): Finding => ({
  url,
  status: "active",
  reason: "ok",
  message: "It was active when it was checked before.",
  places,
  via: "cache",
  service: null,
  conclusion: null,
});

/** The message of a finding where it stands. The lines of a notebook's file are not those that its readers see. */
export const messageAt = ({ message }: Finding, { cell }: Place): string =>
  cell === undefined ? message : `Cell ${cell}: ${message}`;

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export const byPlace = (a: Place, b: Place) =>
  byText(a.file, b.file) || a.line - b.line || a.column - b.column;

/** A row for each place of each finding, sorted by place. */
export const rowsOf = (findings: Finding[]): { place: Place; finding: Finding }[] =>
  findings
    .flatMap((finding) => finding.places.map((place) => ({ place, finding })))
    .sort((a, b) => byPlace(a.place, b.place) || byText(a.finding.url, b.finding.url));

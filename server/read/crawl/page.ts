import { parseRefresh } from "../../judge/page/elements.ts";
import { encodeQuery } from "../../judge/page/query-encoding.ts";
import { encodeBytes, locationOf, nextHop } from "../../judge/probe/hops.ts";
import type { Read } from "../documents/document.ts";
import { openHtml } from "../documents/html.ts";
import { discard, type Fetching, heldFor, SourceFailed, textsOf } from "./fetching.ts";
import type { Target } from "./job.ts";

/** What became of a page. */
export type PageAnswer =
  | {
      kind: "page";
      status: number;
      read: Read;
      etag: string | null;
      lastModified: string | null;
      /** Whether headers or page ask for its links not to be followed. */
      isNofollow: boolean;
      /** Whether the page is longer than what was read. */
      isCut: boolean;
    }
  | { kind: "unchanged" }
  /** `to` is null if the target cannot be requested. */
  | { kind: "redirect"; status: number; to: URL | null; reason: string | null }
  /** Something else than HTML, which was not transferred. */
  | { kind: "no_page"; status: number }
  | { kind: "gone"; status: number }
  | { kind: "failed"; status: number | null; reason: string }
  | { kind: "held"; forMs: number };

const MOST_CHARS = 5 * 1024 * 1024;

const USUAL_HEADERS = {
  Accept: "text/html,application/xhtml+xml,*/*;q=0.8",
  "Accept-Language": "en;q=0.9,*;q=0.5",
  "Accept-Encoding": "gzip, br",
};

/** Reads one page of a crawl, and follows no redirect. */
export async function readPage(
  { get, policy, now, onStep }: Fetching,
  { url, etag, lastModified }: Pick<Target, "url" | "etag" | "lastModified">,
): Promise<PageAnswer> {
  const target = new URL(url);
  const found = await get(target, {
    ...USUAL_HEADERS,
    ...(etag !== null && { "If-None-Match": etag }),
    ...(lastModified !== null && { "If-Modified-Since": lastModified }),
  });
  if (found.kind === "held") return found;
  if (found.kind === "failed") return { kind: "failed", status: null, reason: found.reason };
  const { status, headers, body } = found;
  const isPage = status >= 200 && status < 300;
  if (!isPage || !isHtml(headers)) {
    await discard(body);
    if (isPage) return { kind: "no_page", status };
    if (status === 304) return { kind: "unchanged" };
    if (status === 404 || status === 410) return { kind: "gone", status };
    const forMs = heldFor(status, headers, now());
    if (forMs > 0) return { kind: "held", forMs };
    const location = locationOf(status, headers);
    if (location === null) return { kind: "failed", status, reason: `http_${status}` };
    const hop = nextHop(location, target, policy);
    if (!hop.ok) return { kind: "redirect", status, to: null, reason: hop.reason };
    return { kind: "redirect", status, to: new URL(hop.url.href + hop.fragment), reason: null };
  }
  const html = openHtml();
  let isCut = false;
  let length = 0;
  let encoding = "utf-8";
  const texts = textsOf(body, headers.get("content-type"), (name) => {
    encoding = name;
  });
  try {
    for await (const text of texts) {
      onStep?.();
      html.take(text);
      length += text.length;
      isCut = length > MOST_CHARS;
      if (isCut) break;
    }
  } catch (error) {
    html.end();
    // A part of a page would look as if the rest had been removed.
    if (error instanceof SourceFailed) return { kind: "failed", status, reason: error.reason };
    throw error;
  }
  const read = withEncodedQueries(html.end(), encoding);
  const refresh = read.refresh ?? encodeBytes(headers.get("refresh") ?? "");
  const to = refreshOf(refresh, read.base, target, encoding);
  if (to) return { kind: "redirect", status, to, reason: null };
  return {
    kind: "page",
    status,
    read,
    isCut,
    etag: headers.get("etag"),
    lastModified: headers.get("last-modified"),
    isNofollow: read.isNofollow || saysNofollow(headers.get("x-robots-tag") ?? ""),
  };
}

/** A page's addresses, with their queries in its own encoding (URL Standard, "query state"). */
export function withEncodedQueries(read: Read, encoding: string): Read {
  const encode = (address: string | null) => address && encodeQuery(address, encoding);
  return {
    ...read,
    links: read.links.map((link) => ({ ...link, href: encodeQuery(link.href, encoding) })),
    base: encode(read.base),
    canonical: encode(read.canonical),
  };
}

/** With a longer delay, a page is meant to be read. */
const LONGEST_DELAY_S = 10;

/**
 * Where a page sends its visitors, unless that is nowhere else.
 * @param encoding of the page
 */
function refreshOf(value: string, base: string | null, page: URL, encoding: string): URL | null {
  const refresh = parseRefresh(value);
  if (!refresh || refresh.delayS > LONGEST_DELAY_S) return null;
  const url = encodeQuery(refresh.url, encoding);
  const to = URL.parse(url, URL.parse(base ?? "", page) ?? page);
  const isElsewhere = to !== null && to.href.split("#")[0] !== page.href.split("#")[0];
  return isElsewhere && /^https?:$/.test(to.protocol) ? to : null;
}

/** A page without a type may be anything, and is not transferred. */
const isHtml = (headers: Headers) =>
  /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(headers.get("content-type") ?? "");

const AGENT = /^([\w-]+)\s*:\s*(.*)$/;

/** Whether an `X-Robots-Tag` is about the links, for all robots or for this one. */
function saysNofollow(header: string): boolean {
  let isForUs = true;
  for (const part of header.toLowerCase().split(",")) {
    const [, agent, rest] = AGENT.exec(part.trim()) ?? [];
    if (agent !== undefined && agent !== "unavailable_after") isForUs = agent === "stillup";
    const rule = (agent === undefined ? part : rest!).trim();
    if (isForUs && (rule === "nofollow" || rule === "none")) return true;
  }
  return false;
}

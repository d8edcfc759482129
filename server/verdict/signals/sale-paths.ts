import type { Seen, Signal } from "../probe/finding.ts";
import { domainOf } from "./addresses.ts";
import { isSalePage } from "./parking-services.ts";

/** What gives parking away in the redirects behind a link. */
export type SaleRoute = {
  signals: Signal[];
  /** The link ended at a sale page, or was led over one. */
  sale: URL | null;
  /** What is for sale there is the link's own domain. */
  sellsLink: boolean;
};

/**
 * Reads where a link was led to. What the link itself says counts for nothing: shops and advertisers put
 * the same into addresses that they hand out.
 */
export function readSaleRoute(seen: Seen): SaleRoute {
  const { answer, url } = seen;
  if (answer.hops.length === 0) return { signals: [], sale: null, sellsLink: false };
  const stops = [...answer.hops.slice(1).map((hop) => hop.url), answer.finalUrl];
  const way = [url, ...stops.flatMap((stop) => URL.parse(stop) ?? [])];
  const sale = way.find(isSalePage) ?? null;
  const signals = [
    ...(sale ? [saleSignal(sale)] : []),
    ...(way.some(isParkingHost) ? [PARKING_HOST] : []),
    ...(!hasParkingQuery(url) && way.some(hasAddedQuery) ? [PARKING_QUERY] : []),
  ];
  return { signals, sale, sellsLink: sale !== null && sells(sale, seen) };
}

const saleSignal = ({ hostname }: URL): Signal => ({
  rule: "sale_page",
  text: `The link leads to ${hostname}, where domains are sold or parked.`,
});

const PARKING_HOST: Signal = {
  rule: "parking_host",
  text: "The site sends its readers on to a host named as parking services name them (ww1, ww25 …).",
};

const PARKING_QUERY: Signal = {
  rule: "parking_query",
  text: "The site adds to its address what parking services add to count their visitors.",
};

/** Parking services move a domain's visitors to `ww25.` and the like below it. */
const isParkingHost = (url: URL, at: number, way: URL[]) =>
  url.protocol === "http:" && isNumbered(url) && !isNumbered(way[0]!) && staysAt(way[at - 1], url);

const isNumbered = ({ hostname }: URL) => /^ww\d+\./.test(hostname);

/** A shop on another domain may be told by the same words who sent the reader. */
const hasAddedQuery = (url: URL, at: number, way: URL[]) =>
  hasParkingQuery(url) && staysAt(way[at - 1], url);

const hasParkingQuery = ({ searchParams }: URL) =>
  searchParams.has("subid1") ||
  searchParams.has("tr_uuid") ||
  (searchParams.has("usid") && searchParams.has("utid"));

const staysAt = (before: URL | undefined, url: URL) =>
  before !== undefined && domainOf(before.hostname) === domainOf(url.hostname);

function sells(sale: URL, { answer: { page }, url }: Seen): boolean {
  const shown = page ? `${page.title} ${page.heading} ${page.text.slice(0, 300)}` : "";
  return `${sale.href} ${shown}`.toLowerCase().includes(domainOf(url.hostname));
}

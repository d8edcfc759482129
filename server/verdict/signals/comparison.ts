import type { Signal } from "../probe/finding.ts";
import type { Answer, Probe } from "../probe/probe.ts";
import { domainOf, errorPageAt, isSiteAddress } from "./addresses.ts";
import { isSamePage } from "./same-page.ts";

/** What an address that is asked for comparison shows; `nothing` when it could not be asked, or hid itself. */
export type Comparison = "same" | "missing" | "different" | "nothing";

/** Sets what another address shows beside the link's own page. */
export function compare(answer: Answer, probe: Probe | null): Comparison {
  if (probe?.kind !== "answered" || probe.bodyProblem === "body_undecodable") return "nothing";
  if (probe.status === 404 || probe.status === 410) return "missing";
  if (probe.status < 200 || probe.status > 299) return "nothing";
  if (isSamePage(answer, probe)) return "same";
  return isSentToErrorPage(probe) ? "missing" : "different";
}

function isSentToErrorPage({ hops, finalUrl }: Answer): boolean {
  const target = hops.length > 0 ? URL.parse(finalUrl) : null;
  return target !== null && errorPageAt(target) !== null;
}

/** An address of the link's site that cannot exist. Beside a home page there is none, but below it. */
export const besideOf = (url: URL) => (isSiteAddress(url) ? "root" : "sibling");

/**
 * Sets the root of another name below the same domain beside a page. Parking pages repeat the name that
 * they were asked for, so that names count for nothing.
 */
export const compareElsewhere = (answer: Answer, probe: Probe | null): Comparison =>
  probe?.kind === "answered" ? compare(withoutHost(answer), withoutHost(probe)) : "nothing";

function withoutHost(answer: Answer): Answer {
  const { page, finalUrl } = answer;
  if (!page) return answer;
  const { hostname } = new URL(finalUrl);
  const hidden = (words: string) =>
    words.toLowerCase().replaceAll(hostname, " ").replaceAll(domainOf(hostname), " ");
  const { title, heading, text, markup } = page;
  const nameless = {
    title: hidden(title),
    heading: hidden(heading),
    text: hidden(text),
    markup: hidden(markup),
  };
  return { ...answer, page: { ...page, ...nameless } };
}

/** Evidence that every address shows the same. */
export const SAME_EVERYWHERE: Signal = {
  rule: "same_everywhere",
  text: "The site shows the same page at an address that cannot exist.",
};

/** Evidence that the site says nothing about the link. */
export const HOME_SAME: Signal = { rule: "home_same", text: "The home page shows the same page." };

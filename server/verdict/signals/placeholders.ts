import {
  dead,
  type Finding,
  type Reader,
  type Seen,
  type Signal,
  suspected,
  type Wanted,
  wants,
} from "../probe/finding.ts";
import { isSiteAddress } from "./addresses.ts";
import { besideOf, compare, SAME_EVERYWHERE } from "./comparison.ts";
import { DEFAULT_PAGES } from "./default-pages.ts";
import { SITE_ERRORS } from "./site-errors.ts";
import { readSuspension, type Suspension } from "./suspended.ts";
import { meets, sightOf, type Wall } from "./wall.ts";

/** Pages that stand where a site should be: its host's notice, its server's default page, its failure. */
export const readPlaceholder: Reader = (seen) => {
  const { page } = seen.answer;
  if (!page || page.text.length > LONGEST_TEXT) return null;
  const suspension = readSuspension(seen, page);
  return (suspension && weighSuspension(seen, suspension)) ?? readStandIn(seen);
};

/** Whatever says more has a site. In characters. */
const LONGEST_TEXT = 5000;

/** What a switched-off site shows, it shows everywhere. */
function weighSuspension(
  { answer, facts, url }: Seen,
  { signal, isSure }: Suspension,
): Finding | Wanted | null {
  if (isSure) return dead("hosting_suspended", "C2", [signal]);
  const beside = besideOf(url);
  const other = facts[beside];
  if (other === undefined) return wants(beside);
  const shown = compare(answer, other);
  if (shown === "nothing") return suspected("placeholder_page", [signal]);
  return shown === "same" ? dead("hosting_suspended", "C2", [signal, SAME_EVERYWHERE]) : null;
}

function readStandIn(seen: Seen): Finding | Wanted | null {
  const sight = sightOf(seen);
  const isMet = (wall: Wall) => meets(sight, wall);
  const standIn = DEFAULT_PAGES.find(isMet);
  if (standIn) return weighDefaultPage(seen, signalOf(standIn));
  const failure = SITE_ERRORS.find(isMet);
  return failure ? suspected(failure.reason, [signalOf(failure)]) : null;
}

/**
 * A site that is set up, or moved to another server, shows its server's page everywhere, and says nothing about
 * the link. A page below a site that is there is gone when any address shows the server's page in its place.
 */
function weighDefaultPage(seen: Seen, signal: Signal): Finding | Wanted {
  const { answer, url, facts } = seen;
  const open = suspected("placeholder_page", [signal]);
  if (isSiteAddress(url)) return open;
  if (facts.sibling === undefined) return wants("sibling");
  if (compare(answer, facts.sibling) !== "same") return open;
  if (facts.home === undefined) return wants("home");
  const isElsewhere = ["different", "missing"].includes(compare(answer, facts.home));
  return isElsewhere ? dead("soft404_probe", "C2", [signal, SAME_EVERYWHERE]) : open;
}

const signalOf = ({ rule, text }: Wall): Signal => ({ rule, text });

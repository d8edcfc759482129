import type { LinkRow, SuggestionRow } from "../../ground/db/tables.ts";
import { conflict, notFound } from "../../ground/lib/errors.ts";
import { messageOf } from "../../judge/reasons/reasons.ts";
import { readMemories } from "../../links/memories.ts";
import {
  deleteSuggestion,
  FRESH_MS,
  toRow,
  writeSuggestions,
} from "../../links/suggestions/rows.ts";
import type { Deps } from "../../work/deps.ts";
import { findCopy } from "../archive/find-copy.ts";
import { demandLookups } from "../archive/settings.ts";
import { copyFound, wantedOf } from "./copy.ts";
import { suggestionsFor } from "./read.ts";
import { traceOf, viewPage } from "./view-page.ts";

type Taking = { link: LinkRow; suggestionId: string; signal: AbortSignal };

/**
 * Returns a suggestion of a link that a person wants to use. One that is older than a week is requested again, so this may
 * take a minute: call it outside transactions.
 * @throws NOT_FOUND if the link has no such suggestion; CONFLICT with `suggestion_outdated` if its address is not the page
 * any more
 */
export async function currentSuggestion(deps: Deps, taking: Taking): Promise<SuggestionRow> {
  const { link, suggestionId } = taking;
  const known = await suggestionsFor(deps.store, link);
  const found = known.find(({ id }) => id === suggestionId.toLowerCase());
  if (!found) throw notFound("suggestion");
  if (deps.clock.now() - found.checkedAt <= FRESH_MS) return found;
  return found.kind === "archive"
    ? currentCopy(deps, taking, found)
    : currentPage(deps, taking, found);
}

async function currentPage(
  deps: Deps,
  { link, signal }: Taking,
  found: SuggestionRow,
): Promise<SuggestionRow> {
  const memories = await readMemories(deps.store, [link.no]);
  const trace = traceOf(memories.get(link.no));
  const seen = await viewPage(deps, { accountId: link.accountId, url: found.url, trace, signal });
  if (seen.status !== "active" || seen.matches === "no") {
    const isGone = seen.status === "dead" || seen.matches === "no";
    if (isGone) await deleteSuggestion(deps.store, found);
    const { status, reason } = seen;
    const message =
      seen.matches === "no" ? "It shows another page now." : messageOf(reason, seen.statusCode);
    throw conflict(`The suggestion is out of date: ${message}`, {
      reason: "suggestion_outdated",
      verdict: { status, reason, status_code: seen.statusCode, matches: seen.matches },
    });
  }
  const now = { ...found, matches: seen.matches, checkedAt: deps.clock.now() };
  // Of a link that is alive, nothing is stored.
  if (link.status !== "active") await writeSuggestions(deps.store, [now]);
  return now;
}

/** A copy stays where an archive has it: one that cannot be asked now takes nothing back. */
async function currentCopy(
  deps: Deps,
  { link, signal }: Taking,
  found: SuggestionRow,
): Promise<SuggestionRow> {
  await demandLookups(deps, link.accountNo);
  const memories = await readMemories(deps.store, [link.no]);
  const wanted = { ...wantedOf(link, memories.get(link.no)), isByHand: true, signal };
  const asked = await findCopy(deps, wanted);
  if (asked.state === "unavailable" || asked.state === "not_asked") return found;
  if (asked.state === "found" && asked.copy.url === found.url) {
    const now = toRow(link, copyFound(asked.copy, deps.clock.now()));
    await writeSuggestions(deps.store, [now]);
    return now;
  }
  await deleteSuggestion(deps.store, found);
  if (asked.state === "found") {
    await writeSuggestions(deps.store, [toRow(link, copyFound(asked.copy, deps.clock.now()))]);
  }
  throw conflict("The suggestion is out of date: the archive has no such copy of the page now.", {
    reason: "suggestion_outdated",
    verdict: null,
  });
}

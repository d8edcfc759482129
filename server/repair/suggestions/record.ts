import { and, eq, ne, notInArray } from "drizzle-orm";
import { type LinkRow, linkLookups, links, suggestions } from "../../ground/db/tables.ts";
import type { SuggestionKind } from "../../ground/lib/vocabulary.ts";
import { type LinkNotice, recordNotices } from "../../links/notices.ts";
import {
  type NewSuggestion,
  rankOf,
  toRow,
  writeSuggestions,
} from "../../links/suggestions/rows.ts";
import { readSubscriptions } from "../../notify/events.ts";
import type { Deps } from "../../work/deps.ts";
import { makeChange, type Unit } from "../../work/unit.ts";
import { countTried } from "../patterns/patterns.ts";
import type { Candidate } from "./candidates.ts";
import { type Claimed, type Settled, settle } from "./lookups.ts";

/** An address that was requested, and what is suggested since it was found right. `candidate`: null for an archive's. */
export type Tried = { candidate: Candidate | null; found: NewSuggestion | null };

type Ended = { lookup: Claimed; link: LinkRow; tried: Tried[]; next: Settled };

/** Writes what a step of a lookup has found, and says so the first time that there is something since the link died. */
export async function record(deps: Deps, ended: Ended): Promise<void> {
  const { link, tried } = ended;
  const isWanted = await readSubscriptions(deps.store, [link.accountId]);
  const isWritten = await makeChange(deps, link, async (unit) => {
    if (!(await settle(unit.store, ended.lookup, ended.next))) return false;
    await write(unit, ended);
    await report(unit, ended, isWanted);
    return true;
  });
  if (!isWritten) return;
  for (const { found } of tried) if (found) deps.metrics.suggestionFound(found.kind);
}

async function write({ store: tx, clock }: Unit, { lookup, link, tried }: Ended): Promise<void> {
  const found = tried.flatMap((each) => (each.found ? [each.found] : []));
  const isArchive = lookup.step === "archive";
  // What was not found again is not suggested any more; a copy stays until there is another one.
  if (!isArchive || found.length > 0) {
    const { kind } = suggestions;
    const urls = found.map(({ url }) => url);
    await tx
      .delete(suggestions)
      .where(
        and(
          eq(suggestions.linkNo, link.no),
          isArchive ? eq(kind, "archive") : ne(kind, "archive"),
          notInArray(suggestions.url, urls),
        ),
      );
  }
  await writeSuggestions(
    tx,
    found.map((each) => toRow(link, each)),
  );
  for (const { candidate, found } of tried) {
    if (!candidate?.patternId) continue;
    const isRight = found !== null;
    await countTried(tx, { patternId: candidate.patternId, isRight, now: clock.now() });
  }
}

async function report(
  { store: tx, clock }: Unit,
  { lookup, tried }: Ended,
  isWanted: Awaited<ReturnType<typeof readSubscriptions>>,
): Promise<void> {
  const [best] = tried
    .flatMap(({ found }) => (found ? [found] : []))
    .toSorted((a, b) => rankOf(a.kind, a.confidence) - rankOf(b.kind, b.confidence));
  if (!best || lookup.isReported) return;
  const [link] = await tx.select().from(links).where(eq(links.no, lookup.linkNo));
  if (link?.status !== "dead") return;
  await tx
    .update(linkLookups)
    .set({ isReported: true })
    .where(eq(linkLookups.linkNo, lookup.linkNo));
  const at = clock.now();
  const notice: LinkNotice = {
    kind: "suggestion",
    before: link.url,
    after: best.url,
    sentence: SENTENCES[best.kind],
    firstSeenAt: best.capturedAt ?? at,
  };
  // One change of a link has one time.
  const checkedAt = Math.max(at, link.statusChangedAt + 1);
  const { reason } = link;
  await recordNotices(
    tx,
    [{ link, at, checkedAt, reason, finalUrl: null, notices: [notice] }],
    isWanted,
  );
}

const SENTENCES: Record<SuggestionKind, string> = {
  moved: "It is dead, and the page it redirected to is still there.",
  pattern: "It is dead, and there is a page where other links of its site have moved to.",
  same_title: "It is dead, and there is a page with the same title.",
  variant: "It is dead, and the page is there at another form of the address.",
  archive: "It is dead, and there is an archived copy.",
};

import type { LinkRow } from "../../ground/db/tables.ts";
import type { StoredMemory } from "../../links/memories.ts";
import type { NewSuggestion } from "../../links/suggestions/rows.ts";
import type { Copy, Wanted } from "../archive/model.ts";

type Dead = Pick<LinkRow, "accountNo" | "url" | "lastActiveAt" | "createdAt">;

/** What is asked of an archive about a link. */
export function wantedOf(
  link: Dead,
  memory: StoredMemory | undefined,
): Omit<Wanted, "isByHand" | "signal"> {
  const hasChanged =
    memory !== undefined &&
    (memory.firstTitle !== null || memory.state === "changed" || memory.state === "lost");
  return {
    accountNo: link.accountNo,
    url: link.url,
    lastActiveAt: link.lastActiveAt,
    finalUrl: memory?.way ?? null,
    memory: memory ?? null,
    firstSeenAt: firstSeenOf(link, memory),
    hasChanged,
  };
}

/** A memory that a person has accepted since says no more when its page was first seen. */
function firstSeenOf({ createdAt }: Dead, memory: StoredMemory | undefined): number | null {
  if (!memory) return null;
  return memory.firstTitle === null ? memory.since : createdAt;
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

export const copyFound = (copy: Copy, checkedAt: number): NewSuggestion => ({
  kind: "archive",
  url: copy.url,
  confidence: "copy",
  matches: copy.matches,
  capturedAt: copy.captured_at,
  checkedAt,
  patternId: null,
  evidence: [`The page was archived on ${DAY.format(copy.captured_at)}.`],
});

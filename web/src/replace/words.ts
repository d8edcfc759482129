import type { Suggestions } from "../data/repair.ts";
import { reasonWords } from "../data/words.ts";

type Lookup = NonNullable<Suggestions["lookup"]>;

/** Why an archived copy is not offered, other than by the reason of a verdict. */
const COPY_REASONS: Record<string, string> = {
  archive_refuses: "The archive blocks it",
  no_answer: "No answer",
  not_a_capture: "Not a copy",
  leads_elsewhere: "Leads elsewhere",
  too_late: "From after its death",
  little_text: "Almost empty",
  wrong_type: "Another kind of file",
  unconfirmed: "Nothing to compare it with",
  other_page: "Another page",
};

export const copyReasonText = (reason: string) => COPY_REASONS[reason] ?? reasonWords(reason);

export const isUnderWay = ({ state }: Lookup) => state === "waiting" || state === "looking";

/** How far the search is, or why it found nothing; null if there is nothing to say. */
export function lookupText(lookup: Lookup, isEmpty: boolean, hasCopy: boolean): string | null {
  const { state, reasons } = lookup;
  if (isUnderWay(lookup))
    return isEmpty ? "Looking for a replacement…" : "Still looking for an archived copy…";
  if (state === "unavailable") return "The archive could not be reached.";
  if (state === "not_asked") return "The archive was not asked, because this URL may be private.";
  if (hasCopy) return null;
  const isNeverSaved = reasons.some(({ reason }) => reason === "not_archived");
  if (isNeverSaved) return "The archive has no copy.";
  if (reasons.length > 0) return "The archive has no good copy:";
  return isEmpty ? "No replacement found." : null;
}

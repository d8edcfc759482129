import { counted } from "../data/format.ts";
import type { Suggestion, Suggestions } from "../data/repair.ts";

/** Why it is suggested, in a sentence. */
export function evidenceOf({ kind, evidence, matches }: Suggestion): string {
  const same = matches === "yes" ? " The page is about the same." : "";
  const { pairs, title } = evidence as { pairs?: number; title?: string };
  switch (kind) {
    case "moved":
      return `It redirected there while it was alive.${same}`;
    case "pattern":
      return `${counted(pairs ?? 0, "neighbour")} moved the same way.${same}`;
    case "same_title":
      return `Your page there has the title “${title ?? ""}”.`;
    case "variant":
      return `Almost the same URL is alive.${same}`;
    case "archive":
      return matches === "yes" ? "The copy is of the page that was linked." : "Nothing is known to compare it with.";
  }
}

const REASONS: Record<string, string> = {
  not_archived: "It was never archived.",
  private: "This URL may be private, so no archive was asked.",
};

/** What is to be said about the search next to what it found; empty if nothing. */
export function lookupText({ state, reasons }: Suggestions["lookup"], isEmpty: boolean): string {
  switch (state) {
    case "waiting":
    case "looking":
      return "Looking for a replacement…";
    case "unavailable":
      return "The archive did not answer.";
    case "not_asked":
      return reasons.map((reason) => REASONS[reason] ?? "").join(" ");
    default: {
      if (!isEmpty) return "";
      return ["No replacement was found.", ...reasons.map((reason) => REASONS[reason] ?? "")].join(" ").trim();
    }
  }
}

import { useState } from "preact/hooks";
import type { Source } from "./source.ts";

/** What was begun and is not done yet: it outlives a reload. */
type Draft = Omit<Source, "notes"> & { owner: string };

const KEY = "stillup-draft";
/** Characters, well below what browsers keep. */
const MOST_KEPT = 2_000_000;

/** The text that the user gave last; what is too long for the browser to keep is kept until a reload only. */
export function useDraft(owner: string) {
  const [draft, setDraft] = useState(() => readDraft(owner));
  return {
    draft,
    keep(text: string, name: string | null = null) {
      setDraft({ text, name });
      writeDraft({ text, name, owner });
    },
  };
}

function readDraft(owner: string): Omit<Source, "notes"> {
  const empty = { text: "", name: null };
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Draft | null;
    return kept?.owner === owner ? { text: kept.text, name: kept.name } : empty;
  } catch {
    return empty;
  }
}

/** A browser that keeps nothing, or has no room, is no reason to fail. */
function writeDraft(draft: Draft) {
  try {
    if (draft.text === "" || draft.text.length > MOST_KEPT) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(KEY);
  }
}

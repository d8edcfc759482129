import { plainJson } from "../../ground/lib/text.ts";
import { byPlace, type Place } from "../check/findings.ts";
import type { Replacement, Replacements } from "./replacements.ts";

/**
 * A link at its place, and what becomes of it: `suggested` if only a diff shows it, `left` if there is another address that
 * could not be put there, and `dead` if there is none.
 */
export type Row = {
  place: Place;
  url: string;
  replacement: Replacement | null;
  state: "changed" | "suggested" | "left" | "dead";
  /** Why it is dead or left alone. */
  message: string | null;
};

/** A row for each place of each link that is dead or gets another address, sorted by place. */
export const rowsOf = (places: Map<string, Place[]>, { found, left, dead }: Replacements): Row[] =>
  [...places]
    .flatMap(([url, some]) => {
      const replacement = found.get(url) ?? null;
      const message = left.get(url) ?? dead.get(url) ?? null;
      if (!replacement && message === null) return [];
      const state = replacement ? "suggested" : left.has(url) ? "left" : "dead";
      return some.map((place): Row => ({ place, url, replacement, state, message }));
    })
    .sort((a, b) => byPlace(a.place, b.place));

/** For people. */
export function asLine({ place, url, replacement, state, message }: Row): string {
  const start = `${place.file}:${place.line}:${place.column}  ${url}`;
  if (state === "changed") return `${start}  changed to ${replacement!.url}`;
  return `${start}  ${state === "dead" ? "no suggestion" : "left alone"}: ${message}`;
}

export const asJson = ({ place, url, replacement, state, message }: Row): string => {
  const { file, line, column } = place;
  const { url: newUrl = null, ...more } = replacement ?? {
    kind: null,
    confidence: null,
    captured_at: null,
  };
  return plainJson({ file, line, column, url, new_url: newUrl, ...more, state, message });
};

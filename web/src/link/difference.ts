import { diffWords } from "diff";

/** A piece of one of two texts, or of both. */
export type Piece = { kind: "both" | "removed" | "added"; text: string };

/** Texts that have nothing in common take long to compare, and show nothing. */
const LONGEST_MS = 300;

/** Whether the page may have more of the text: the server stores no more. */
export const isCut = (text: string | null) => text !== null && text.length >= 4096;

/** Compares two texts word by word. Where both go on for long, only the words around a change are kept. */
export function differenceOf(before: string, after: string): Piece[] {
  const pieces = piecesOf(before, after);
  return pieces.map(({ kind, text }, index) => ({
    kind,
    text: kind === "both" ? shortened(text, index > 0, index < pieces.length - 1) : text,
  }));
}

function piecesOf(before: string, after: string): Piece[] {
  const changes = diffWords(before, after, { timeout: LONGEST_MS });
  const pieces: Piece[] = changes
    ? changes.map(({ value: text, added, removed }) => ({
        kind: added ? "added" : removed ? "removed" : "both",
        text,
      }))
    : [
        { kind: "removed", text: before },
        { kind: "added", text: after },
      ];
  const last = pieces.findLastIndex(({ kind }) => kind === "both");
  if (last === -1) return pieces;
  // What a cut text lacks at its end may still be on the page.
  const unproven = { added: isCut(before), removed: isCut(after), both: false };
  return pieces.filter(({ kind }, index) => index <= last || !unproven[kind]);
}

/** Words around a change that show where it is. */
const AROUND = 12;

/** Leaves out the middle of what both have. @param isAfter whether a change comes before it */
function shortened(text: string, isAfter: boolean, isBefore: boolean): string {
  const words = text.split(/(?<=\s)(?=\S)/);
  const [first, last] = [isAfter ? AROUND : 0, isBefore ? AROUND : 0];
  if (words.length <= first + last + 1) return text;
  const [begin, end] = [words.slice(0, first), words.slice(words.length - last)];
  return `${begin.join("")}…${isBefore ? ` ${end.join("")}` : ""}`;
}

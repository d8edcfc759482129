const LONGEST = 80;

/** A few words of a page, fit for a sentence that people read. */
export function quoted(words: string): string {
  const clean = words.replace(/[\p{C}\s]+/gu, " ").trim();
  const characters = [...clean.slice(0, 2 * LONGEST)];
  const shown =
    characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join("")}…` : clean;
  return `“${shown}”`;
}

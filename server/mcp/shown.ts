const LONGEST = 300;
const LONGEST_URL = 2048;

/** Control characters, marks without a width, and characters that no font shows, in which text can be hidden. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu;

const isUrl = (text: string) => /^https?:\/\/\S+$/.test(text);

/**
 * Prepares a value for a language model. Titles, headings and notes come from foreign pages and from people: they stay
 * values of JSON, and become short and visible.
 */
export function shown(value: unknown): unknown {
  if (typeof value === "string") return shortened(value.replace(UNSEEN, " "));
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]));
}

function shortened(text: string): string {
  const most = isUrl(text) ? LONGEST_URL : LONGEST;
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

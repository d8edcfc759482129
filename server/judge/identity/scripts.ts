/** ISO 15924 codes by the names that regular expressions know. Kana marks Japanese, which is written with Han as well. */
const SCRIPTS: [code: string, letters: RegExp][] = (
  [
    ["Latn", "Latin"],
    ["Cyrl", "Cyrillic"],
    ["Grek", "Greek"],
    ["Arab", "Arabic"],
    ["Hebr", "Hebrew"],
    ["Deva", "Devanagari"],
    ["Beng", "Bengali"],
    ["Taml", "Tamil"],
    ["Telu", "Telugu"],
    ["Thai", "Thai"],
    ["Geor", "Georgian"],
    ["Armn", "Armenian"],
    ["Kore", "Hangul"],
    ["Jpan", "Hiragana}\\p{Script=Katakana"],
    ["Hani", "Han"],
  ] as const
).map(([code, name]) => [code, new RegExp(`[\\p{Script=${name}}]`, "gu")]);

const SAMPLE_CHARS = 2000;
const ASCII = /[^\u0080-\uffff]+/g;
const NOT_ASCII_LETTERS = /[^a-z]+/gi;
/** Text in kana has as many letters in Han. */
const LEAST_KANA = 0.1;

/** Returns the ISO 15924 code of the script that most letters of a text's beginning have; null if it has none. */
export function scriptOf(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS);
  // Counting all scripts takes ten times as long, and on most pages ASCII letters outnumber everything beyond ASCII.
  const isMostlyAscii =
    sample.replace(NOT_ASCII_LETTERS, "").length > sample.replace(ASCII, "").length;
  if (isMostlyAscii) return "Latn";
  const counts = new Map(
    SCRIPTS.map(([code, letters]) => [code, sample.match(letters)?.length ?? 0]),
  );
  const kana = counts.get("Jpan")!;
  if (kana > LEAST_KANA * (kana + counts.get("Hani")!)) {
    counts.set("Jpan", kana + counts.get("Hani")!);
  }
  const [[code, most]] = [...counts].toSorted(([, one], [, other]) => other - one) as [
    [string, number],
  ];
  return most > 0 ? code : null;
}

const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}]/u;

/** Whether a run of letters is of a script that writes words without spaces between them. */
export const isUnspaced = (run: string): boolean => UNSPACED.test(run);

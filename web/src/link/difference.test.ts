import { describe, expect, test } from "bun:test";
import { differenceOf } from "./difference.ts";

const shown = (before: string, after: string) =>
  differenceOf(before, after)
    .map(({ kind, text }) => ({ both: text, removed: `[-${text}-]`, added: `[+${text}+]` })[kind])
    .join("");

describe("The difference between two texts", () => {
  test("is word by word, with the words around each change", () => {
    const long = Array.from({ length: 40 }, (_, n) => `w${n}`).join(" ");

    expect(shown("Our guide is here.", "Our page is gone.")).toBe(
      "Our [-guide-][+page+] is [-here-][+gone+].",
    );
    expect(shown(`Before ${long} end`, `After ${long} fin`)).toBe(
      "[-Before-][+After+] w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 … w28 w29 w30 w31 w32 w33 w34 w35 w36 w37 w38 w39 [-end-][+fin+]",
    );
  });

  test("does not count as removed what another text has no room for", () => {
    const words = Array.from({ length: 2000 }, (_, n) => `w${n}`).join(" ");
    const [before, after] = [words, `New words. ${words}`].map((text) => text.slice(0, 4096));

    const pieces = differenceOf(before!, after!);

    expect(pieces.filter(({ kind }) => kind !== "both")).toEqual([
      { kind: "added", text: expect.stringContaining("New words.") },
    ]);
  });

  test("is everything where they have nothing in common", () => {
    expect(differenceOf("one two", "drei vier").filter(({ text }) => text.trim())).toEqual([
      { kind: "removed", text: expect.stringContaining("one") },
      { kind: "added", text: expect.stringContaining("drei") },
    ]);
  });
});

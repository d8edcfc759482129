import { expect, test } from "bun:test";
import { hexOf, THEMES } from "../../tests/colors.ts";
import { COLORS } from "./colors.ts";

/** What a token that is partly transparent lies on. */
const GROUNDS: Record<string, string[]> = { line: ["panel"] };

test("Mails have the colors of the dashboard", () => {
  for (const [name, color] of Object.entries(COLORS))
    for (const theme of THEMES)
      expect([name, theme, color[theme]]).toEqual([
        name,
        theme,
        hexOf(theme, name, ...(GROUNDS[name] ?? [])),
      ]);
});

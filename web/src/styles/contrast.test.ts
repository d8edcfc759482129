import { expect, test } from "bun:test";
import { shownColor, THEMES, type Theme } from "../../../tests/colors.ts";

/** WCAG 2.2. */
const luminance = ([r, g, b]: number[]) => 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;

/** @param grounds from the one on top down */
function contrast(theme: Theme, name: string, ...grounds: string[]): number {
  const ground = shownColor(theme, ...grounds);
  const above = shownColor(theme, name, ...grounds);
  const [dark, bright] = [luminance(ground), luminance(above)].sort((a, b) => a - b);
  return (bright! + 0.05) / (dark! + 0.05);
}

const TEXTS: string[][] = [
  ...["paper", "panel", "raised", "sunk"].flatMap((ground) => [
    ["ink", ground],
    ["soft", ground],
    ["dead", ground],
    ["unknown", ground],
    ["alive", ground],
  ]),
  ["ink", "hover", "panel"],
  ["soft", "hover", "panel"],
  ["soft", "hover", "paper"],
  ["dead", "hover", "panel"],
  ["dead", "dead-back"],
  ["dead", "dead-wash"],
  ["ink", "dead-back"],
  ["unknown", "unknown-back"],
  ["ink", "unknown-back"],
  ["alive", "alive-back"],
  ["paper", "ink"],
  ["on-dead", "dead-fill"],
];

const MARKS: string[][] = [
  ["dead-fill", "panel"],
  ["dead-fill", "paper"],
  ["dead-fill", "press", "panel"],
  ["alive-mark", "panel"],
  ["unknown", "panel"],
  ["edge", "panel"],
  ["edge", "paper"],
  ["focus", "panel"],
  ["focus", "paper"],
];

test.each(THEMES)("In the %s theme text can be read, and marks and edges can be seen", (theme) => {
  const fainterThan = (least: number, pairs: string[][]) =>
    pairs.filter(([name, ...grounds]) => contrast(theme, name!, ...grounds) < least);

  expect(fainterThan(4.5, TEXTS)).toEqual([]);
  expect(fainterThan(3, MARKS)).toEqual([]);
});

test("Contrast is computed as others do", () => {
  expect(contrast("light", "ink", "paper")).toBeCloseTo(15.6, 0);
  expect(contrast("dark", "ink", "paper")).toBeCloseTo(16.2, 0);
  expect(contrast("light", "dead", "dead-wash")).toBeCloseTo(4.8, 1);
  expect(contrast("dark", "edge", "panel")).toBeCloseTo(4.2, 1);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Lightness, chroma, hue in degrees, and how opaque it is. */
type Color = [l: number, c: number, h: number, alpha: number];

const TOKENS = readFileSync(join(import.meta.dir, "../web/src/styles/tokens.css"), "utf8");
export const THEMES = ["light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export function colorOf(name: string, theme: Theme): Color {
  const value = new RegExp(`--${name}:\\s*([^;]+);`).exec(TOKENS)?.[1];
  if (!value) throw new Error(`--${name} is missing`);
  const colors = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+)%)?\)/g)];
  const [, l, c, h, percent = "100"] = colors[theme === "dark" ? colors.length - 1 : 0]!;
  return [Number(l), Number(c), Number(h), Number(percent) / 100];
}

/** Linear light of red, green and blue (CSS Color 4 §10.2), cut to what a screen can show. */
function linearOf([l, c, h]: Color): number[] {
  const [a, b] = [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ].map((light) => Math.min(Math.max(light, 0), 1));
}

const encoded = (light: number) =>
  light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
const decoded = (value: number) =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;

/** What shows where a color lies on another one, as browsers mix them. */
function laidOn(color: Color, ground: number[]): number[] {
  const [, , , alpha] = color;
  return linearOf(color).map((light, n) =>
    decoded(encoded(light) * alpha + encoded(ground[n]!) * (1 - alpha)),
  );
}

/** Linear light of what shows. @param names of tokens, from the one on top down */
export const shownColor = (theme: Theme, ...names: string[]): number[] =>
  names.reduceRight<number[]>((below, name) => laidOn(colorOf(name, theme), below), [0, 0, 0]);

/** The same as `#rrggbb`. */
export const hexOf = (theme: Theme, ...names: string[]): string =>
  `#${shownColor(theme, ...names)
    .map((light) =>
      Math.round(encoded(light) * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;

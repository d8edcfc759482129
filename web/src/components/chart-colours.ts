import type { Tone } from "../lib/chart.ts";

type Fill = string | CanvasPattern;

/** What a chart is drawn with, as the page looks now. */
export type Colours = {
  lines: Record<Tone, string>;
  fills: Record<Tone, Fill>;
  words: string;
  line: string;
};

/** Reads the variables of the page, whose values a canvas could not. */
export function coloursOf(place: HTMLElement): Colours {
  const probe = place.appendChild(document.createElement("span"));
  const read = (colour: string) => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const [good, bad, unsure, accent] = ["good", "bad", "unsure", "accent"].map((name) =>
    read(`var(--${name})`),
  ) as [string, string, string, string];
  const surface = read("var(--surface)");
  const calm = read("var(--chart-good)");
  const colours = {
    lines: { good, bad, unsure, accent },
    fills: { good: calm, accent, bad: hatched(bad, surface), unsure: dotted(unsure, surface) },
    words: read("var(--soft)"),
    line: read("var(--line)"),
  };
  probe.remove();
  return colours;
}

const TILE = 6;

/** So that nothing is known by its colour alone. */
const hatched = (colour: string, back: string) =>
  tiled(colour, (canvas) => {
    canvas.strokeStyle = back;
    canvas.lineWidth = 1.2;
    for (const shift of [-TILE, 0, TILE]) {
      canvas.moveTo(shift - 1, TILE + 1);
      canvas.lineTo(shift + TILE + 1, -1);
    }
    canvas.stroke();
  });

const dotted = (colour: string, back: string) =>
  tiled(colour, (canvas) => {
    canvas.fillStyle = back;
    canvas.fillRect(1, 1, 1.5, 1.5);
    canvas.fillRect(4, 4, 1.5, 1.5);
  });

function tiled(colour: string, paint: (canvas: CanvasRenderingContext2D) => void): Fill {
  const tile = document.createElement("canvas");
  tile.width = tile.height = TILE * Math.max(Math.round(devicePixelRatio), 1);
  const canvas = tile.getContext("2d");
  if (!canvas) return colour;
  canvas.scale(tile.width / TILE, tile.height / TILE);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, TILE, TILE);
  paint(canvas);
  return canvas.createPattern(tile, "repeat") ?? colour;
}

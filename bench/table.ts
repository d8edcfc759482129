/** One figure: what was seen, what it should be, and whether it is. Without a wish it is there to compare by. */
export type Row = { what: string; seen: string; wanted: string; ok: boolean };

export type Note = (what: string, value: number, wish?: Wish) => void;

/** `digits` after the point. */
export type Wish = { most?: number | undefined; least?: number | undefined; digits?: number };

/** Takes figures as they come and prints all of them at the end. */
export function createTable(): { note: Note; rows: Row[] } {
  const rows: Row[] = [];
  const note: Note = (what, value, { most, least, digits = 0 } = {}) => {
    const ok = (most === undefined || value <= most) && (least === undefined || value >= least);
    const row = { what, seen: shown(value, digits), wanted: wish({ most, least, digits }), ok };
    rows.push(row);
    console.error(`${ok ? " " : "!"} ${what}: ${row.seen} ${row.wanted}`);
  };
  return { note, rows };
}

function wish({ most, least, digits = 0 }: Wish): string {
  if (most !== undefined) return `≤ ${shown(most, digits)}`;
  return least === undefined ? "" : `≥ ${shown(least, digits)}`;
}

const shown = (value: number, digits: number) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The item in the middle, by what is measured of it. */
export function medianBy<T>(items: T[], by: (item: T) => number): T {
  return items.toSorted((a, b) => by(a) - by(b))[Math.floor(items.length / 2)]!;
}

/** What 99 in 100 stay below. */
export const p99Of = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * 0.99))]!;

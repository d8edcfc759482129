import { useState } from "preact/hooks";
import { counted } from "../data/format.ts";

/** Consecutive days of one state, oldest first. */
export type Runs = [state: "alive" | "dead" | "unknown" | "none", days: number][];

const TOPS = { alive: 17, unknown: 9, dead: 0, none: 18 };
const WORDS = { alive: "alive", unknown: "unknown", dead: "dead", none: "not checked" };
/** Between two runs, in days. */
const GAP = 0.12;

type StripProps = { runs: Runs; days: number; size?: "mini" | "full"; label: string };

/** Days by state: a low line, a half bar, a full bar. The full one names the run under the pointer or the arrow keys. */
export function Strip({ runs, days, size, label }: StripProps) {
  const [at, setAt] = useState<number | null>(null);
  const chart = (
    <svg
      class={`strip ${size ?? ""}`}
      viewBox={`0 0 ${days} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      {...(size === "full" && walking(runs, at, setAt))}
    >
      {placed(runs).map(({ state, from, length }, index) => (
        <rect
          key={from}
          class={`d-${state}${index === at ? " on" : ""}`}
          x={from}
          y={TOPS[state]}
          width={Math.max(length - GAP, GAP)}
          height={20 - TOPS[state]}
        />
      ))}
    </svg>
  );
  if (size !== "full") return chart;
  return (
    <>
      {chart}
      <p class="axis">
        <span>{dayBefore(days - 1)}</span>
        <output>{at === null ? "" : nameOf(runs, at, days)}</output>
        <span>today</span>
      </p>
    </>
  );
}

function placed(runs: Runs) {
  let from = 0;
  return runs.map(([state, length]) => {
    from += length;
    return { state, length, from: from - length };
  });
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

function walking(runs: Runs, at: number | null, setAt: (at: number | null) => void) {
  const total = runs.reduce((sum, [, length]) => sum + length, 0);
  return {
    tabIndex: 0,
    onKeyDown(event: KeyboardEvent) {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      setAt(Math.min(Math.max((at ?? runs.length) + step, 0), runs.length - 1));
    },
    onBlur: () => setAt(null),
    onPointerLeave: () => setAt(null),
    onPointerMove({ clientX, currentTarget }: PointerEvent) {
      const { left, width } = (currentTarget as Element).getBoundingClientRect();
      const day = ((clientX - left) / width) * total;
      const found = placed(runs).findIndex(({ from, length }) => day < from + length);
      setAt(found < 0 ? runs.length - 1 : found);
    },
  };
}

/** "Dead, 12 days, 12 Nov to today" */
function nameOf(runs: Runs, index: number, days: number): string {
  const { state, from, length } = placed(runs)[index]!;
  const span = [dayBefore(days - 1 - from), dayBefore(days - from - length)];
  const word = WORDS[state].charAt(0).toUpperCase() + WORDS[state].slice(1);
  return `${word}, ${counted(length, "day")}, ${[...new Set(span)].join(" to ")}`;
}

const ofDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

const dayBefore = (days: number) =>
  days === 0 ? "today" : ofDay.format(Date.now() - days * 86_400_000);

/** "Dead 9 days, unknown 1 day": what a strip of days shows, without the good days. */
export function stripLabel(runs: Runs): string {
  const totals = new Map<string, number>();
  for (const [state, days] of runs) totals.set(state, (totals.get(state) ?? 0) + days);
  const parts = (["dead", "unknown", "none"] as const).flatMap((state) => {
    const days = totals.get(state);
    return days ? [`${WORDS[state]} ${counted(days, "day")}`] : [];
  });
  const text = parts.join(", ") || "alive on all days";
  return text.charAt(0).toUpperCase() + text.slice(1);
}

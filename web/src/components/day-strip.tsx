import { useRef, useState } from "preact/hooks";
import { type Day, dateOf, dayText, partsOf } from "../lib/link.ts";

type DayStripProps = {
  days: Day[];
  hrefOf: (date: string) => string;
  onOpen: () => void;
};

/**
 * One cell per day, coloured by its checks. It is one tab stop; the arrow keys move between the days.
 * The text below shows the day under the pointer or focus.
 */
export function DayStrip({ days, hrefOf, onOpen }: DayStripProps) {
  const [shown, setShown] = useState<number | null>(null);
  const [stop, setStop] = useState(days.length - 1);
  const list = useRef<HTMLOListElement>(null);
  const goTo = (event: KeyboardEvent) => {
    const next = nextStop(event.key, stop, days.length - 1);
    if (next === null) return;
    event.preventDefault();
    setStop(next);
    list.current?.querySelectorAll("a")[next]?.focus();
  };
  return (
    <div class="days">
      <ol ref={list} onMouseLeave={() => setShown(null)}>
        {days.map((day, index) => (
          <li key={day.start}>
            <a
              href={hrefOf(dateOf(day))}
              aria-label={dayText(day)}
              tabIndex={index === stop ? 0 : -1}
              onClick={onOpen}
              onKeyDown={goTo}
              onFocus={() => [setShown(index), setStop(index)]}
              onBlur={() => setShown(null)}
              onMouseEnter={() => setShown(index)}
            >
              <Cell day={day} />
            </a>
          </li>
        ))}
      </ol>
      <p class="hint" aria-hidden="true">
        {shown === null || !days[shown] ? <Key /> : dayText(days[shown])}
      </p>
    </div>
  );
}

const Cell = ({ day }: { day: Day }) =>
  day.totalChecks === 0 ? (
    <i class="none" />
  ) : (
    partsOf(day).map(({ tone, count }) => <i key={tone} class={tone} style={{ flexGrow: count }} />)
  );

const Key = () => (
  <span class="days-key">
    {(["good", "unsure", "bad", "none"] as const).map((tone) => (
      <span key={tone}>
        <i class={tone} />
        {WORDS[tone]}
      </span>
    ))}
  </span>
);

const WORDS = { good: "Alive", unsure: "Unknown", bad: "Dead", none: "Not checked" };

function nextStop(key: string, stop: number, last: number): number | null {
  if (key === "ArrowLeft") return Math.max(stop - 1, 0);
  if (key === "ArrowRight") return Math.min(stop + 1, last);
  if (key === "Home") return 0;
  return key === "End" ? last : null;
}

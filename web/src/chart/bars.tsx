import type { ComponentChildren } from "preact";
import "./chart.css";

type BarProps = {
  href: string;
  share: number;
  tone: "dead" | "unknown";
  children: ComponentChildren;
};

/** A row that leads somewhere, over a bar as long as its share of what `mostOf` says. */
export const Bar = ({ href, share, tone, children }: BarProps) => (
  <li>
    <a href={href}>
      <svg class="bb" width="100%" height="100%" aria-hidden="true">
        <rect class={tone} width={`${(share * 100).toFixed(1)}%`} height="100%" rx="4" />
      </svg>
      {children}
    </a>
  </li>
);

/** A full bar takes more than one dead link. */
const LEAST = 4;

/** What a full bar stands for. */
export const mostOf = (counts: readonly number[]): number => Math.max(LEAST, ...counts);

const HEIGHT = 20;

/** A small bar for each day, as high as its share of the highest; a low line where it is 0. */
export function Spark({ values, label }: { values: (number | null)[]; label: string }) {
  const most = mostOf(values.map((value) => value ?? 0));
  const heightOf = (value: number) => Math.max(2, (value / most) * HEIGHT);
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${values.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect class="z" x="0" width={values.length} y={HEIGHT - 1} height="1" />
      {values.map((value, at) =>
        value ? (
          <rect
            key={at}
            x={at}
            width="1.02"
            y={HEIGHT - heightOf(value)}
            height={heightOf(value)}
          />
        ) : null,
      )}
    </svg>
  );
}

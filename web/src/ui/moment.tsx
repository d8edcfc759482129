import { useEffect, useReducer } from "preact/hooks";
import {
  clockText,
  dayText,
  exactText,
  lastingTime,
  momentText,
  shortMoment,
  timeText,
} from "../data/format.ts";

type MomentProps = {
  /** ISO 8601. */
  at: string;
  /** "27 min", for columns; otherwise "27 minutes ago". */
  short?: boolean;
  /** Only the day: "12 Nov". */
  day?: boolean;
  /** With the time: "12 Nov, 08:41". */
  clock?: boolean;
  /** How long ago it began: "for 27 minutes". */
  lasting?: boolean;
  /** Only the time, below a heading with the day: "08:41". */
  time?: boolean;
};

/** A date in words, with the exact moment and zone on hover and focus. */
export function Moment({ at, short, day, clock, lasting, time }: MomentProps) {
  useRefresh();
  const now = Date.now();
  const wording = time
    ? timeText
    : day
      ? dayText
      : clock
        ? clockText
        : short
          ? shortMoment
          : lasting
            ? lastingTime
            : momentText;
  return (
    <time dateTime={at} title={exactText(at)}>
      {wording(at, now)}
    </time>
  );
}

/** The line between what is new to the viewer and what is not. */
export const LastVisit = ({ at }: { at: string }) => (
  <span>
    Your last visit: <Moment at={at} clock />
  </span>
);

const REFRESH_MS = 20_000;

/** Renders again regularly, because relative times change. */
function useRefresh() {
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => refresh(undefined), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
}

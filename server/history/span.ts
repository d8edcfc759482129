import { DAY_MS } from "./roll-ups.ts";

/** A time in milliseconds since 1970: from its first up to, but not with, its end. */
export type Span = { from: number; until: number };

/** A piece of a span, and its source: whole days, whole parts of hours, or the checks themselves. */
export type Piece = Span & {
  of: "days" | "parts" | "rows";
  /** It is not in the span, and what it came to is taken off again. */
  isTakenOff?: boolean;
};

/** After every moment that can be named (ECMA-262, time values). */
const END_OF_TIME = DAY_MS * 100_000_000;

/** The time that a query asks for, both of whose dates are inclusive and may be left out. */
export const spanOf = ({
  start_date: first = 0,
  end_date: last = END_OF_TIME - 1,
}: {
  start_date?: number | undefined;
  end_date?: number | undefined;
}): Span => ({ from: Math.max(first, 0), until: last + 1 });

/**
 * Cuts a span into at most five pieces, newest first.
 * @param whole the stretch of it that begins and ends where a part of an hour does: only what is outside
 * must be read check by check
 */
export function piecesOf(span: Span, whole: Span): Piece[] {
  const days = wholeDaysIn(whole);
  const pieces: Piece[] =
    whole.from < whole.until
      ? [
          { of: "rows", from: whole.until, until: span.until },
          { of: "parts", from: days.until, until: whole.until },
          { of: "days", ...days },
          { of: "parts", from: whole.from, until: days.from },
          { of: "rows", from: span.from, until: whole.from },
        ]
      : [{ of: "rows", ...span }];
  return pieces.filter(({ from, until }) => from < until);
}

/**
 * The days at both ends whole, where less than half of them is outside: what is outside is then less to
 * count than what is inside.
 */
export function roundedToDays({ from, until }: Span): Span {
  const [begin, end] = [floorTo(DAY_MS, from), ceilTo(DAY_MS, until)];
  if (end - begin <= DAY_MS) return { from, until };
  return {
    from: from - begin < DAY_MS / 2 ? begin : from,
    until: end - until < DAY_MS / 2 ? end : until,
  };
}

/** Without a whole day it is empty, and lies where the span begins. */
export function wholeDaysIn({ from, until }: Span): Span {
  const days = { from: ceilTo(DAY_MS, from), until: floorTo(DAY_MS, until) };
  return days.from < days.until ? days : { from, until: from };
}

/** Rounded outwards to whole hours, or whatever the step is. */
export const widenedTo = (step: number, { from, until }: Span): Span => ({
  from: floorTo(step, from),
  until: ceilTo(step, until),
});

export const floorTo = (step: number, at: number) => Math.floor(at / step) * step;
export const ceilTo = (step: number, at: number) => Math.ceil(at / step) * step;

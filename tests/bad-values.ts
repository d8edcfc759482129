/** A value that is refused: how a person would call it, the value, and what the reply says of it. */
export type BadValue = [name: string, value: unknown, problem: string];

const CONTROLS = "must not have control characters";
const NOT_A_TEXT = "must be a text";

/** What no text of at most `max` characters may be, whether or not it may be empty. */
export const badTexts = (max: number): BadValue[] => [
  ["a number", 7, NOT_A_TEXT],
  ["a list", ["x"], NOT_A_TEXT],
  ["an object", {}, NOT_A_TEXT],
  ["one letter too long", "x".repeat(max + 1), `must be at most ${max} characters`],
  ["one emoji too long", "😀".repeat(max + 1), `must be at most ${max} characters`],
  ["a text with NUL", "a\u0000b", CONTROLS],
  ["a text with a bell", "a\u0007b", CONTROLS],
  ["a lone surrogate", "a\ud800b", "must be valid Unicode (it has a lone surrogate)"],
];

const NO_LINES = "must not have control characters, except \\n for a new line";

/** What no text of at most `max` characters with several lines may be. */
export const badLines = (max: number): BadValue[] => [
  ...badTexts(max).filter(([, , problem]) => problem !== CONTROLS),
  ["a text with NUL", "a\u0000b", NO_LINES],
  ["a text with a tab", "a\tb", NO_LINES],
  ["a text with lines of Windows", "a\r\nb", NO_LINES],
  ["a text with an escape sequence", "\u001b[31mred", NO_LINES],
  ["a text that begins with a control character", "\ta", NO_LINES],
  ["a text with DEL", "a\u007fb", NO_LINES],
  ["a text with a C1 control character", "a\u0085b", NO_LINES],
];

/** What no text that must say something may be. */
export const badNames = (max: number): BadValue[] => [
  ...badTexts(max),
  ["null", null, NOT_A_TEXT],
  ["empty", "", "must not be empty"],
  ["blank", " \t ", "must not be empty"],
];

export const badIds: BadValue[] = [
  ["a number", 7, "must be a UUID"],
  ["a word", "docs", "must be a UUID"],
  ["empty", "", "must be a UUID"],
  ["a UUID with a tail", "0197a1b2-0000-7000-8000-000000000000x", "must be a UUID"],
];

const NO_MOMENT = "must be an RFC 3339 date and time with offset, or a date (YYYY-MM-DD)";

export const badMoments: BadValue[] = [
  ["a word", "tomorrow", NO_MOMENT],
  ["empty", "", NO_MOMENT],
  ["a day that no calendar has", "2031-02-30", NO_MOMENT],
  ["such a day with a time", "2031-02-30T00:00:00Z", NO_MOMENT],
  ["a time without offset", "2031-01-01T00:00:00", NO_MOMENT],
  ["an hour that no day has", "2031-01-01T24:00:00Z", NO_MOMENT],
  ["an offset that no place has", "2031-01-01T00:00:00+24:00", NO_MOMENT],
  ["a Unix time", "1924992000", NO_MOMENT],
];

export const badFlags: BadValue[] = [
  ["null", null, "must be true or false"],
  ["a text", "true", "must be true or false"],
  ["a number", 1, "must be true or false"],
];

/** A UUID that nothing has. */
export const NO_ID = "0197a1b2-0000-7000-8000-000000000000";
/** Ids in a path that are none: each is 404, whatever it is. */
export const badPathIds = ["x", "7", "%00", "%E0%A4%A", "%2e%2e%2fkeys", "x".repeat(5000), NO_ID];

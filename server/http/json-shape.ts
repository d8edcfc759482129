import { invalid } from "../lib/errors.ts";

const DEEPEST = 32;
/** Far beyond what 1,000 links take, the most that a request may have. */
const MOST_VALUES = 50_000;

export const badJson = (problem: string) => invalid({ body: [problem] }, `The body ${problem}.`);

/**
 * Takes the bytes of a body one chunk after another, and refuses it when its values are too many or nested too
 * deep: parsing and checking those take long. An empty object or list counts as two.
 */
export function createShapeGuard(): (chunk: Uint8Array) => void {
  let isInText = false;
  let isEscaped = false;
  let depth = 0;
  let values = 1;
  return (chunk) => {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OBJECT || byte === LIST) {
        depth += 1;
        values += 1;
      } else if (byte === OBJECT_END || byte === LIST_END) depth -= 1;
      else if (byte === COMMA) values += 1;
      if (depth > DEEPEST) throw badJson(`is nested deeper than ${DEEPEST} levels`);
      if (values > MOST_VALUES) {
        throw badJson(`has more than ${MOST_VALUES.toLocaleString("en")} values`);
      }
    }
  };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

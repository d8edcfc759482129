import { FORMATS, type Format } from "../../../../server/links/imports/formats.ts";
import { HEAD, newReading, type Reading } from "../../../../server/links/imports/reading.ts";
import { type Pace, STRIDE } from "./pace.ts";

export const MOST_ITEMS = 1_000_000;

/**
 * Reads a text in steps, of its links the first million.
 * @throws Unreadable
 */
export async function readList(format: Format, text: string, pace: Pace): Promise<Reading> {
  const reading = newReading();
  const reader = await FORMATS[format].open(reading, text.slice(0, HEAD));
  for (let at = 0; at < text.length && reading.items.length < MOST_ITEMS; at += STRIDE) {
    reader.write(text.slice(at, at + STRIDE));
    await pace.rest(Math.min(1, (at + STRIDE) / text.length));
  }
  if (reading.items.length < MOST_ITEMS) reader.end();
  reading.items.length = Math.min(reading.items.length, MOST_ITEMS);
  return reading;
}

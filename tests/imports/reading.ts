import { FORMATS, type Format, recognise } from "../../server/read/lists/formats.ts";
import { newReading, type Reading } from "../../server/read/lists/reading.ts";

/** Reads a text in pieces of so many characters. */
export async function readIn(
  text: string,
  {
    pieces = text.length || 1,
    format = recognise(text),
  }: { pieces?: number; format?: Format } = {},
): Promise<Reading> {
  const reading = newReading();
  const reader = await FORMATS[format].open(reading, text);
  for (let at = 0; at < text.length; at += pieces) reader.write(text.slice(at, at + pieces));
  await reader.end();
  return reading;
}

/** Each item's line, URL, group, frequency, title and tags, or why it is none. */
export const itemsAsText = ({ items }: Reading) =>
  items.map(({ line, url, group, frequency, problem, noted: { title, tags = [] } = {} }) => {
    const about = problem ? [problem] : [title && `"${title}"`, ...tags.map((tag) => `#${tag}`)];
    return [line, url, group && `in ${group}`, frequency, ...about].filter(Boolean).join(" ");
  });

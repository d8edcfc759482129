import type { Handler, ParserOptions } from "htmlparser2";
import type { Reader } from "./reading.ts";
import { refuseEndless } from "./unreadable.ts";

/** Reads HTML or XML, of which the parser keeps all that has not come to its end. */
export async function openMarkup(
  handler: Partial<Handler>,
  options: ParserOptions = {},
): Promise<Reader> {
  const { Parser } = await import("htmlparser2");
  const parser = new Parser(handler, options);
  let length = 0;
  return {
    write(text) {
      parser.write(text);
      length += text.length;
      refuseEndless(
        length - parser.endIndex,
        "A tag or a comment has no end. Is a quote opened and never closed?",
      );
    },
    end: () => parser.end(),
  };
}

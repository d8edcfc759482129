import type { Handler } from "htmlparser2";
import type { Reader } from "./reading.ts";
import { refuseEndless, Unreadable } from "./unreadable.ts";

type MarkupOptions = {
  /** Whether the handler needs the end of an element. The ends of all others are ignored. */
  hasEnd: (name: string) => boolean;
  xmlMode?: boolean;
};

/** Elements within elements. The parser looks through all open ones for some tags. */
const DEEPEST = 200;

/**
 * Reads HTML or XML. The parser keeps an element until its end comes, so it takes elements whose end the
 * handler does not need for empty ones. It also keeps any tag or comment that is not complete.
 */
export async function openMarkup(
  handler: Partial<Handler>,
  { hasEnd, xmlMode = false }: MarkupOptions,
): Promise<Reader> {
  const { Parser } = await import("htmlparser2");
  let depth = 0;
  const onopentagname = (name: string) => {
    if (hasEnd(name)) refuseDeep(++depth, name);
    handler.onopentagname?.(name);
  };
  const onclosetag = (name: string, isImplied: boolean) => {
    if (hasEnd(name)) depth -= 1;
    handler.onclosetag?.(name, isImplied);
  };
  class BoundedParser extends Parser {
    protected override isVoidElement(name: string): boolean {
      return !hasEnd(name);
    }
  }
  const parser = new BoundedParser({ ...handler, onopentagname, onclosetag }, { xmlMode });
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

function refuseDeep(depth: number, name: string) {
  if (depth <= DEEPEST) return;
  throw new Unreadable(
    `More than ${DEEPEST} <${name}> elements are nested. Is each of them closed?`,
  );
}

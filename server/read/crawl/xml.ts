import { SourceFailed } from "./fetching.ts";

/** What is read of XML. */
export type XmlHandler = {
  /** @param line of the tag, from 1 */
  open(name: string, line: number): void;
  text(text: string): void;
  close(name: string): void;
  attribute?(): void;
};

/** Nested elements of one name. The parser searches all open ones. */
const DEEPEST = 200;

/** Reads XML that arrives in pieces. */
export type XmlReader = {
  write(text: string): void;
  /** Returns the name of the first element, and whether only the end of the text closed it. */
  end(): { root: string | null; isCutOff: boolean };
};

/**
 * Opens a reader that follows some elements. The parser keeps an element until its end, so all others count as empty.
 * Names are in lower case.
 */
export async function openXml(
  handler: XmlHandler,
  isFollowed: (name: string, root: string) => boolean,
): Promise<XmlReader> {
  const { Parser } = await import("htmlparser2");
  const lines = createLineCounter();
  let root: string | null = null;
  let isCutOff = false;
  let isEnding = false;
  let depth = 0;
  const isOpen = (name: string) => name === root || (root !== null && isFollowed(name, root));
  class FollowingParser extends Parser {
    protected override isVoidElement(name: string): boolean {
      root ??= name;
      return !isOpen(name);
    }
  }
  const parser: InstanceType<typeof Parser> = new FollowingParser(
    {
      onopentagname(name) {
        if (isOpen(name) && ++depth > DEEPEST) {
          throw new SourceFailed("unreadable", `More than ${DEEPEST} elements are nested.`);
        }
        handler.open(name, lines.at(parser.startIndex));
      },
      ontext: handler.text,
      ...(handler.attribute && { onattribute: handler.attribute }),
      onclosetag(name, isImplied) {
        if (isOpen(name)) depth--;
        if (isImplied && isEnding && name === root) isCutOff = true;
        handler.close(name);
      },
    },
    { xmlMode: true, lowerCaseTags: true },
  );
  return {
    write(text) {
      lines.add(text);
      parser.write(text);
    },
    end() {
      isEnding = true;
      parser.end();
      return { root, isCutOff };
    },
  };
}

/** Counts lines up to offsets that only grow. */
function createLineCounter() {
  let ends: number[] = [];
  let passed = 0;
  let line = 1;
  let length = 0;
  return {
    add(text: string) {
      ends = ends.slice(passed);
      passed = 0;
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
        ends.push(length + at);
      }
      length += text.length;
    },
    at(offset: number): number {
      while (passed < ends.length && ends[passed]! < offset) {
        passed++;
        line++;
      }
      return line;
    },
  };
}

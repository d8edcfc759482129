/** The name of an element, in lower case where it is text. Short names are numbers, which compare faster. */
export type Name = number | string;

/** Where a name ends: at a space, `/` or `>`. The length of the text if it does not end in it. */
export function nameEnd(markup: string, from: number): number {
  let at = from;
  while (at < markup.length && !endsName(markup.charCodeAt(at))) at += 1;
  return at;
}

const endsName = (code: number) => code === 0x2f || code === 0x3e || isSpace(code);

/** HTML's whitespace: space, tab, line feed, form feed, carriage return. */
export const isSpace = (code: number) =>
  code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);

/** As many digits of base 37 fit into a number without loss. */
const PACKED_CHARS = 10;

export function nameIn(markup: string, from: number, to: number): Name {
  let packed = 0;
  for (let at = from; at < to; at++) {
    const digit = digitOf(markup.charCodeAt(at));
    if (digit === 0 || to - from > PACKED_CHARS) return markup.slice(from, to).toLowerCase();
    packed = packed * 37 + digit;
  }
  return packed;
}

/** From 1 for `a` and `A` to 36 for `9`; 0 for everything else. */
function digitOf(code: number): number {
  const small = code | 0x20;
  if (small >= 0x61 && small <= 0x7a) return small - 0x60;
  return code >= 0x30 && code <= 0x39 ? code - 0x15 : 0;
}

export const nameOf = (text: string): Name => nameIn(text, 0, text.length);

/** An element as it is known by its name, and how many of it are open. */
export type Elements<Kind> = { name: Name; kind: Kind | undefined; open: number };

/** Deeper elements close at once. Browsers stop at 512, but close some elements before they are told. */
const DEEPEST = 10_000;

/**
 * The elements that are open. As many steps as there are tags, however the tags are nested: an end tag whose
 * name is not open closes nothing, and what one end tag closes, no other one looks at.
 *
 * @param kinds what is special about elements, by their names
 */
export function createOpenElements<Kind>(kinds: ReadonlyMap<Name, Kind>) {
  const known = new Map<Name, Elements<Kind>>();
  const stack: Elements<Kind>[] = [];

  /** Names that are not open are forgotten when there are as many of them as there may be open ones. */
  function add(name: Name): Elements<Kind> {
    if (known.size > 2 * DEEPEST) {
      for (const one of known.values()) {
        if (one.open === 0 && one.kind === undefined) known.delete(one.name);
      }
    }
    const added = { name, kind: kinds.get(name), open: 0 };
    known.set(name, added);
    return added;
  }

  return {
    depth: () => stack.length,
    named: (name: Name) => known.get(name) ?? add(name),
    open(one: Elements<Kind>): void {
      if (stack.length === DEEPEST) return;
      stack.push(one);
      one.open += 1;
    },
    /** Closes the innermost one, with all that is open in it. */
    close(one: Elements<Kind>): void {
      if (one.open === 0) return;
      for (;;) {
        const innermost = stack.pop()!;
        innermost.open -= 1;
        if (innermost === one) return;
      }
    },
  };
}

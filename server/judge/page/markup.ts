/** Receives the parts of a page in order. Ranges are offsets into `markup`. */
export type Listener = {
  /** Text as written; also that of scripts. */
  text(markup: string, from: number, to: number): void;
  /**
   * A start tag, with the range of its attributes. If its only content is text, returns what to look for in
   * that text: the end tag, and for scripts `<!--`, `-->` and `<script`.
   */
  start(name: Name, markup: string, from: number, to: number): RegExp | null;
  end(name: Name): void;
  /** A comment, a declaration, or anything else in angle brackets that is not a tag. */
  other(): void;
  /** Whether the innermost element is SVG or MathML, which have CDATA sections. */
  isForeign(): boolean;
};

/** No sign is longer, including the character after it. */
const SIGN_CHARS = 16;
const COMMENT_END = /--!?>/g;
const CDATA = "<![CDATA[";

/**
 * Splits a page that arrives in pieces into tags and text (HTML §13.2.5). Takes linear time, also for hostile
 * pages, whatever is opened and never closed.
 */
export function createMarkupReader(listener: Listener) {
  let rest = "";
  /** How many characters must have arrived before an unfinished tag or comment is read again. */
  let needed = 0;
  let isEnd = false;
  /** A quote or comment never ends: from here on `>` ends whatever is open. */
  let isBroken = false;
  let signs: RegExp | null = null;
  /** 1 in a comment of a script, 2 in a script within that comment (HTML §13.2.5.4). */
  let scriptDepth = 0;

  function read(): void {
    for (let at = 0; ; ) {
      const next = at === rest.length ? at : signs ? readText(signs, at) : readMarkup(at);
      if (next > at) {
        at = next;
        continue;
      }
      rest = rest.slice(at);
      needed = 2 * rest.length;
      return;
    }
  }

  /** Reads the text or tag at the offset. Returns its end, or the offset if the end has not arrived. */
  function readMarkup(at: number): number {
    if (rest.charCodeAt(at) !== 0x3c) return emitText(at, rest.indexOf("<", at));
    const sign = rest.charCodeAt(at + 1);
    if (isLetter(sign)) return readStart(at);
    if (sign === 0x21) return readDeclaration(at);
    if (sign === 0x3f) return endOther(at, rest.indexOf(">", at));
    if (sign !== 0x2f) return at + 1 < rest.length || isEnd ? emitText(at, at + 1) : at;
    if (at + 2 === rest.length) return isEnd ? emitText(at, -1) : at;
    return isLetter(rest.charCodeAt(at + 2))
      ? readEndTag(at)
      : endOther(at, rest.indexOf(">", at + 2));
  }

  /** @param to -1 for the end */
  function emitText(from: number, to: number): number {
    const end = to < 0 ? rest.length : to;
    listener.text(rest, from, end);
    return end;
  }

  function readStart(at: number): number {
    const named = nameEnd(rest, at + 1);
    const end = tagEnd(named);
    if (end < 0) return giveUp(at);
    const name = nameIn(rest, at + 1, named);
    signs = listener.start(name, rest, named, end);
    scriptDepth = 0;
    return end + 1;
  }

  function readEndTag(at: number): number {
    const named = nameEnd(rest, at + 2);
    const end = tagEnd(named);
    if (end < 0) return giveUp(at);
    listener.end(nameIn(rest, at + 2, named));
    return end + 1;
  }

  const tagEnd = (from: number) => (isBroken ? rest.indexOf(">", from) : endOfTag(rest, from));

  function readDeclaration(at: number): number {
    if (isBroken) return endOther(at, rest.indexOf(">", at));
    if (rest.startsWith("<!--", at)) {
      COMMENT_END.lastIndex = at + 2;
      return endOther(at, COMMENT_END.test(rest) ? COMMENT_END.lastIndex - 1 : -1);
    }
    if (rest.length - at < CDATA.length && !isEnd) return at;
    if (!rest.startsWith(CDATA, at) || !listener.isForeign()) {
      return endOther(at, rest.indexOf(">", at));
    }
    const end = rest.indexOf("]]>", at);
    return endOther(at, end < 0 ? -1 : end + 2);
  }

  /** @param end the offset of its `>`, -1 if there is none */
  function endOther(at: number, end: number): number {
    if (end < 0) return giveUp(at);
    listener.other();
    return end + 1;
  }

  /** Handles a tag without an end: waits for more, or else ends it at the next `>`, or takes it as text. */
  function giveUp(at: number): number {
    if (!isEnd) return at;
    isBroken = true;
    const end = rest.indexOf(">", at);
    return end < 0 ? emitText(at, -1) : endOther(at, end);
  }

  /** Reads text up to the end tag. What may be the start of a sign waits for the rest. */
  function readText(these: RegExp, at: number): number {
    let seen = at;
    these.lastIndex = at;
    for (let sign = these.exec(rest); sign; sign = these.exec(rest)) {
      if (endsText(sign[0])) {
        signs = null;
        if (sign.index > at) listener.text(rest, at, sign.index);
        return sign.index > at ? sign.index : readMarkup(at);
      }
      // `<!-->` is a whole comment.
      if (sign[0] === "<!--") these.lastIndex -= 2;
      seen = these.lastIndex;
    }
    const to = isEnd ? rest.length : Math.max(seen, rest.length - SIGN_CHARS);
    return to > at ? emitText(at, to) : at;
  }

  function endsText(sign: string): boolean {
    if (sign === "<!--") scriptDepth = Math.max(1, scriptDepth);
    else if (sign === "-->") scriptDepth = 0;
    else if (sign[1] !== "/") scriptDepth = scriptDepth > 0 ? 2 : 0;
    else if (scriptDepth === 2) scriptDepth = 1;
    else return true;
    return false;
  }

  return {
    take(markup: string): void {
      rest += markup;
      if (rest.length >= needed) read();
    },
    /** Must be called once, after the last piece. */
    end(): void {
      isEnd = true;
      read();
    },
  };
}

const isLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

/** The offset of the `>` that ends a tag, not counting those in quoted values; -1 if there is none. */
function endOfTag(markup: string, from: number): number {
  let isNamed = false;
  for (let at = from; at < markup.length; at++) {
    const code = markup.charCodeAt(at);
    if (code === 0x3e) return at;
    if (code === 0x3d && isNamed) {
      isNamed = false;
      at = endOfValue(markup, at + 1) - 1;
      if (at < 0) return -1;
    } else if (code === 0x2f) isNamed = false;
    else if (!isSpace(code)) isNamed = true;
  }
  return -1;
}

/** The offset after the value of an attribute; -1 if its quote does not end. */
function endOfValue(markup: string, from: number): number {
  let at = from;
  while (isSpace(markup.charCodeAt(at))) at += 1;
  const code = markup.charCodeAt(at);
  if (code === 0x22 || code === 0x27)
    return markup.indexOf(code === 0x22 ? '"' : "'", at + 1) + 1 || -1;
  while (at < markup.length && !endsValue(markup.charCodeAt(at))) at += 1;
  return at;
}

const endsValue = (code: number) => code === 0x3e || isSpace(code);

const ATTRIBUTE = /([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))?)?/g;

/** The first value of each of the given attributes, as written; "" for those without a value. */
export function attributesIn(markup: string, wanted: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  ATTRIBUTE.lastIndex = 0;
  while (found.size < wanted.size) {
    const [, name, quoted, single, bare] = ATTRIBUTE.exec(markup) ?? [];
    if (name === undefined) break;
    const key = name.toLowerCase();
    if (wanted.has(key) && !found.has(key)) found.set(key, quoted ?? single ?? bare ?? "");
  }
  return found;
}

/** The name of an element. Short names are numbers, which compare faster; others are in lower case. */
export type Name = number | string;

/** The offset of the space, `/` or `>` that ends a name. */
function nameEnd(markup: string, from: number): number {
  let at = from;
  while (at < markup.length && !endsName(markup.charCodeAt(at))) at += 1;
  return at;
}

const endsName = (code: number) => code === 0x2f || code === 0x3e || isSpace(code);

/** HTML's whitespace: space, tab, line feed, form feed, carriage return. */
const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);

/** How many digits of base 37 fit into a number without loss. */
const PACKED_CHARS = 10;

function nameIn(markup: string, from: number, to: number): Name {
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

/** All elements of one name. */
type Elements<Kind> = { name: Name; kind: Kind | undefined; open: number };

/** Deeper elements close at once. Browsers stop at 512, but close some elements implicitly. */
const DEEPEST = 10_000;

/**
 * Tracks the open elements, in linear time however tags are nested: an end tag whose name is not open closes
 * nothing.
 */
export function createOpenElements<Kind>(kinds: ReadonlyMap<Name, Kind>) {
  const known = new Map<Name, Elements<Kind>>();
  const stack: Elements<Kind>[] = [];

  /** Forgets names that are not open when there are too many. */
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
    /** Closes the innermost one and everything open inside it. */
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

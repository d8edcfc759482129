/** Receives the parts of a page in their order. Ranges are offsets into `markup`. */
export type Listener = {
  /** Text as written; also that of scripts. */
  text(markup: string, from: number, to: number): void;
  /**
   * A start tag, with the range of its attributes. Returns null, or the signs that matter in the text that is
   * all of its content: the end tag, and for scripts `<!--`, `-->` and `<script`.
   */
  start(name: Name, markup: string, from: number, to: number): RegExp | null;
  end(name: Name): void;
  /** A comment, a declaration, or anything else in angle brackets that is not a tag. */
  other(): void;
  /** Whether the innermost element is of SVG or MathML, where the rules of XML hold for text. */
  isForeign(): boolean;
};

/** No sign of those that matter in text is longer, with the character behind it. */
const SIGN_CHARS = 16;
const COMMENT_END = /--!?>/g;
const CDATA = "<![CDATA[";

/**
 * Splits a page that comes in pieces into tags and text, by the rules of HTML §13.2.5. A page may be made to
 * be slow to read, so each character is looked at a few times at most, whatever is opened and never closed.
 */
export function createMarkupReader(listener: Listener) {
  let rest = "";
  /** So much must be there before an unfinished tag or comment is looked at again. */
  let wanted = 0;
  let isEnd = false;
  /** A quote or a comment does not end any more: from here on `>` ends whatever is open. */
  let isBroken = false;
  let signs: RegExp | null = null;
  /** How deep in a script: 1 in a comment, 2 in a script that is written there (HTML §13.2.5.4). */
  let scriptDepth = 0;

  function read(): void {
    for (let at = 0; ; ) {
      const next = at === rest.length ? at : signs ? readText(signs, at) : readMarkup(at);
      if (next > at) {
        at = next;
        continue;
      }
      rest = rest.slice(at);
      wanted = 2 * rest.length;
      return;
    }
  }

  /** Reads the text or the one tag at the offset. Returns where it ends, or the offset if it does not yet. */
  function readMarkup(at: number): number {
    if (rest.charCodeAt(at) !== 0x3c) return giveText(at, rest.indexOf("<", at));
    const sign = rest.charCodeAt(at + 1);
    if (isLetter(sign)) return readStart(at);
    if (sign === 0x21) return readDeclaration(at);
    if (sign === 0x3f) return endOther(at, rest.indexOf(">", at));
    if (sign !== 0x2f) return at + 1 < rest.length || isEnd ? giveText(at, at + 1) : at;
    if (at + 2 === rest.length) return isEnd ? giveText(at, -1) : at;
    return isLetter(rest.charCodeAt(at + 2))
      ? readEndTag(at)
      : endOther(at, rest.indexOf(">", at + 2));
  }

  /** To the end of all for -1. */
  function giveText(from: number, to: number): number {
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

  /** Nothing ends what begins here: more must come, or else the next `>` ends it, or it is text. */
  function giveUp(at: number): number {
    if (!isEnd) return at;
    isBroken = true;
    const end = rest.indexOf(">", at);
    return end < 0 ? giveText(at, -1) : endOther(at, end);
  }

  /** Reads text up to the end tag. What may be the beginning of a sign waits for the rest of it. */
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
    return to > at ? giveText(at, to) : at;
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
      if (rest.length >= wanted) read();
    },
    /** To be called once, after the last piece. */
    end(): void {
      isEnd = true;
      read();
    },
  };
}

const isLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

/** The offset of the `>` that ends a tag, which none in a quoted value does; -1 if there is none. */
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

/** The offset behind the value of an attribute; -1 if its quote does not end. */
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

/** The first value of each of the attributes that are asked for, as written; "" for those without one. */
export function attributesIn(markup: string, wanted: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", quoted, single, bare] of markup.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (wanted.has(key) && !found.has(key)) found.set(key, quoted ?? single ?? bare ?? "");
  }
  return found;
}

/** The name of an element, in lower case where it is text. Short names are numbers, which compare faster. */
export type Name = number | string;

/** Where a name ends: at a space, `/` or `>`. The length of the text if it does not end in it. */
function nameEnd(markup: string, from: number): number {
  let at = from;
  while (at < markup.length && !endsName(markup.charCodeAt(at))) at += 1;
  return at;
}

const endsName = (code: number) => code === 0x2f || code === 0x3e || isSpace(code);

/** HTML's whitespace: space, tab, line feed, form feed, carriage return. */
const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);

/** As many digits of base 37 fit into a number without loss. */
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

/** An element as it is known by its name, and how many of it are open. */
type Elements<Kind> = { name: Name; kind: Kind | undefined; open: number };

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

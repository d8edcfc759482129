import { isSpace, type Name, nameEnd, nameIn } from "./elements.ts";

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

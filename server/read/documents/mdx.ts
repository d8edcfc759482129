import { type BlockParser, parser } from "@lezer/markdown";
import { directiveIn, withoutDisabled } from "./directives.ts";
import { byPlace, type ReadDocument } from "./document.ts";
import { openMarkup } from "./html.ts";
import { GITHUB, readWith } from "./markdown.ts";
import { idsIn, ownIdIn } from "./own-ids.ts";

/** Code between fences, which a component may indent as it likes. */
const FENCED_CODE: BlockParser = {
  name: "FencedCode",
  parse(context, line) {
    const [fence] = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line.text.slice(line.pos)) ?? [];
    if (!fence) return false;
    const close = new RegExp(`^${fence}${fence[0]}*[ \\t]*$`);
    const { baseIndent: indent } = line;
    const from = context.lineStart + line.pos;
    // It ends with the list or the quotation that it is in, too.
    while (context.nextLine() && (line.baseIndent >= indent || line.text.trim() === "")) {
      if (!close.test(line.text.slice(line.pos))) continue;
      context.nextLine();
      break;
    }
    context.addElement(context.elt("FencedCode", from, context.prevLineEnd()));
    return true;
  },
};

/** Indented text is text, and what a tag holds is Markdown. */
const mdx = parser.configure([
  ...GITHUB,
  { remove: ["IndentedCode", "HTMLBlock"], parseBlock: [FENCED_CODE] },
]);

/**
 * Reads Markdown with components. JavaScript is passed over; of a component, `href`, `src` and a leading `to` count
 * where their values are literal.
 */
export const readMdx: ReadDocument = (given) => {
  const code = codeIn(given);
  const text = withoutExpressions(withoutModules(given, code), code);
  const tags = tagsIn(text, code);
  const read = readWith(withoutRanges(text, tags), mdx);
  const markup = readTags(text, tags);
  return {
    ...read,
    ...withoutDisabled([...read.links, ...markup.links].sort(byPlace), markup.directives),
    anchors: [...read.anchors, ...markup.anchors],
    ids: idsIn(withoutRanges(given, code), []),
  };
};

type Range = { from: number; to: number };

/** A tag on a line of its own, which is not a paragraph that goes on below. */
const TAG_LINE = /^[ \t]*<\/?[A-Za-z][^\n]*>[ \t]*$/gm;

/** Where code stands, in order. */
function codeIn(text: string): Range[] {
  const found: Range[] = [];
  mdx.parse(text.replace(/\r/g, " ").replace(TAG_LINE, blank)).iterate({
    enter({ name, from, to }) {
      if (name !== "FencedCode" && name !== "InlineCode") return;
      found.push({ from, to });
      return false;
    },
  });
  return found;
}

/** Tells whether an offset is in one of the ranges. Offsets must not decrease. */
function createIsIn(ranges: Range[]) {
  let next = 0;
  return (offset: number) => {
    while (next < ranges.length && ranges[next]!.to <= offset) next++;
    return next < ranges.length && ranges[next]!.from <= offset;
  };
}

const blank = (text: string) => text.replace(/[^\r\n]/g, " ");

/** An export may have blank lines in it, up to this number of lines in all. */
const LONGEST_MODULE = 200;

/** Blanks `import` and `export` at the beginning of a paragraph, up to a blank line that no bracket is open at. */
function withoutModules(text: string, code: Range[]): string {
  const isCode = createIsIn(code);
  const lines = text.split(/(?<=\n)/);
  const read: string[] = [];
  let offset = 0;
  for (let i = 0; i < lines.length; ) {
    const isStart = i === 0 || lines[i - 1]!.trim() === "";
    const isModule = isStart && /^\uFEFF?(?:import|export)\b/.test(lines[i]!) && !isCode(offset);
    const end = isModule ? i + moduleLength(lines, i) : i + 1;
    const part = lines.slice(i, end).join("");
    read.push(isModule ? blank(part) : part);
    offset += part.length;
    i = end;
  }
  return read.join("");
}

/** The number of lines of a module's statements, with the blank line after it. */
function moduleLength(lines: string[], first: number): number {
  let [open, short] = [0, 0];
  for (let i = first; i < lines.length && i < first + LONGEST_MODULE; i++) {
    if (lines[i]!.trim() === "") {
      short ||= i - first;
      if (open <= 0) return i - first;
    }
    for (const sign of lines[i]!.match(/[([{}\])]/g) ?? []) open += "([{".includes(sign) ? 1 : -1;
  }
  return short || Math.min(lines.length - first, LONGEST_MODULE);
}

/** Blanks `{…}`, with the equals sign of an attribute before it. A comment may be a directive. */
function withoutExpressions(text: string, code: Range[]): string {
  const isCode = createIsIn(code);
  const parts: string[] = [];
  let done = 0;
  for (const { index } of text.matchAll(/(?<!\\)\{/g)) {
    if (index < done || isCode(index)) continue;
    const end = endOfExpression(text, index);
    if (end < 0) break;
    if (isOwnId(text, index, end)) continue;
    const from = text[index - 1] === "=" ? index - 1 : index;
    parts.push(
      text.slice(done, from),
      asComment(text.slice(from, end)) ?? blank(text.slice(from, end)),
    );
    done = end;
  }
  return parts.join("") + text.slice(done);
}

/** Whether braces have the id of the heading before them, which Docusaurus takes out before MDX reads the text. */
function isOwnId(text: string, from: number, to: number): boolean {
  const line = text.lastIndexOf("\n", from) + 1;
  if (!/^[ >]*#{1,6} /.test(text.slice(line, line + 100))) return false;
  return (
    /^[ \t]*\r?(?:\n|$)/.test(text.slice(to, to + 10)) && ownIdIn(text.slice(from, to)) !== null
  );
}

function asComment(expression: string): string | null {
  const [, content] = /^\{\/\*\s([^*]*)\s\*\/\}$/.exec(expression) ?? [];
  if (!content || !directiveIn(content, 0)) return null;
  return `<!--${content}-->`.padEnd(expression.length);
}

/** The end of an expression, whose strings and comments may hold brackets; -1 for none. */
function endOfExpression(text: string, from: number): number {
  const sign =
    /[{}]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*(?:`|$)|\/\*[\s\S]*?(?:\*\/|$)|\/\/.*/g;
  sign.lastIndex = from;
  let open = 0;
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    if (match[0] === "{") open++;
    if (match[0] === "}" && --open === 0) return sign.lastIndex;
  }
  return -1;
}

const LONGEST_TAG = 10_000;
/** Not `<https://…>`, and not an address in angle brackets. */
const TAG = /(?<!\]\()<\/?(?!\w+:\/\/)[A-Za-z][\w.:-]*|<!--[^<>]*-->/g;

/** The tags and comments outside of code, which may go over lines. */
function tagsIn(text: string, code: Range[]): Range[] {
  const isCode = createIsIn(code);
  const tags: Range[] = [];
  for (const { 0: start, index: from } of text.matchAll(TAG)) {
    if (isCode(from)) continue;
    const to = start.endsWith("-->") ? from + start.length : endOfTag(text, from + start.length);
    if (to > 0) tags.push({ from, to });
  }
  return tags;
}

/** @returns -1 if it does not end */
function endOfTag(text: string, from: number): number {
  const part = /[^<>"']+|"[^"]*"|'[^']*'|>/y;
  part.lastIndex = from;
  for (let match = part.exec(text); match; match = part.exec(text)) {
    if (match[0] === ">") return part.lastIndex;
    if (part.lastIndex - from > LONGEST_TAG) break;
  }
  return -1;
}

function withoutRanges(text: string, ranges: Range[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of ranges) {
    parts.push(text.slice(done, from), blank(text.slice(from, to)));
    done = to;
  }
  return parts.join("") + text.slice(done);
}

/** Reads tags as those of HTML, each at its place. What is between them has no tags. */
function readTags(text: string, tags: Range[]) {
  const links = new Set<string>();
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of tags) {
    parts.push(text.slice(done, from).replaceAll("<", " "), asHtml(text.slice(from, to), links));
    done = to;
  }
  const reader = openMarkup();
  reader.take(parts.join("") + text.slice(done).replaceAll("<", " "));
  const markup = reader.end();
  for (const link of markup.links) if (link.element === "area") link.element = "link";
  return markup;
}

/**
 * Gives a component the name of the element with its attribute, at the same length.
 * @param links the components that are links, whose end is renamed too
 */
function asHtml(tag: string, links: Set<string>): string {
  const [start = "", slash = "", name = ""] = /^<(\/?)([A-Z][\w.]*)/.exec(tag) ?? [];
  if (!start) return tag;
  const named = (other: string, rest: string) => `<${slash}${other.padEnd(name.length)}${rest}`;
  const rest = tag.slice(start.length);
  if (slash) return links.has(name) ? named("a", rest) : tag;
  const [to = ""] = name.length > 2 ? (/^\s+to=/.exec(rest) ?? []) : [];
  if (!to && !/\shref=/.test(rest)) {
    return name.length > 2 && /\ssrc=/.test(rest) ? named("img", rest) : tag;
  }
  // An area has no words, and needs no end.
  const element = rest.endsWith("/>") && name.length > 3 ? "area" : "a";
  if (element === "a") links.add(name);
  if (!to) return named(element, rest);
  return `<${element.padEnd(start.length + to.length - "<href=".length)}href=${rest.slice(to.length)}`;
}

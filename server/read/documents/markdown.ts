import type { SyntaxNode } from "@lezer/common";
import {
  type InlineParser,
  type MarkdownConfig,
  type MarkdownParser,
  parser,
  Strikethrough,
  Table,
  TaskList,
} from "@lezer/markdown";
import { decodeHTMLStrict } from "entities/decode";
import { withoutDisabled } from "./directives.ts";
import {
  byPlace,
  type FoundLink,
  linesOf,
  type Read,
  type ReadDocument,
  shortText,
} from "./document.ts";
import { type Heading, type Markup, openMarkup } from "./html.ts";
import { idsIn, ownIdIn } from "./own-ids.ts";
import { type Definitions, labelOfDefinition, parseReferences, partsOf } from "./references.ts";
import { bareUrlsIn, withPlainPath } from "./text.ts";

/** As the parser's own, which looks at each space of a long run for the end of the line. */
const HARD_BREAK: InlineParser = {
  name: "HardBreak",
  parse(context, next, from) {
    let to = from + 1;
    if (next === SPACE && context.char(from - 1) !== SPACE) {
      while (context.char(to) === SPACE) to++;
      if (to < from + 2) return -1;
    } else if (next !== BACKSLASH) return -1;
    if (context.char(to) !== LINE_FEED) return -1;
    return context.addElement(context.elt("HardBreak", from, to + 1));
  },
};

const [LINE_FEED, SPACE, BACKSLASH] = [10, 32, 92];

/** Skips words that no other parser of inline text begins at, which would each be asked at every character. */
const WORDS: InlineParser = {
  name: "Words",
  before: "Escape",
  parse(context, _, from) {
    PLAIN.lastIndex = from - context.offset;
    return PLAIN.test(context.text) ? PLAIN.lastIndex + context.offset : -1;
  },
};

const PLAIN = /(?:[^\\&`<!*_~[\]\n ]| (?! ))+/y;

/** Markdown as GitHub has it. */
export const GITHUB: MarkdownConfig[] = [
  Table,
  TaskList,
  Strikethrough,
  { parseInline: [HARD_BREAK, WORDS] },
];

const markdown = parser.configure(GITHUB);

export const readMarkdown: ReadDocument = (text) => readWith(text, markdown);

/** @param language a parser of Markdown or of a language around it */
export function readWith(given: string, language: MarkdownParser): Read {
  const { source, front } = prepared(given);
  const { text, tree, definitions } = parseReferences(source, language);
  const walk = walkThrough(source, definitions);
  tree.iterate({ enter: (found) => !OF_INTEREST.has(found.name) || walk.enter(found.node) });
  const prose = blank(text, walk.notProse);
  const bare = [...bareUrlsIn(prose, "_~")].map((url) => ({
    ...url,
    text: "",
    element: "link" as const,
  }));
  const lines = linesOf(given);
  const links = [...walk.links, ...bare].map((link) => ({
    ...link,
    ...lines.placeOf(link.from, link.to),
    isNofollow: false,
  }));
  const markup = walk.markup.length > 0 ? markupIn(text, walk.markup) : NO_MARKUP;
  const headings = [...walk.headings, ...markup.headings].sort((a, b) => a.from - b.from);
  return {
    ...withoutDisabled([...links, ...markup.links].sort(byPlace), markup.directives),
    headings: headings.map((heading) => heading.text.slice(0, LONGEST_HEADING)),
    anchors: markup.anchors,
    notes: markup.notes,
    ids: idsIn(blank(source, walk.code), walk.directives),
    ...(front !== null && { front: { addresses: addressesInFront(front) } }),
    title: headings[0]?.text.trim() ?? null,
    base: null,
    canonical: null,
    isNofollow: false,
  };
}

const LONGEST_HEADING = 1000;

/** Before a blank line, `---` is a rule. */
const FRONT_MATTER =
  /^ ?(?:---[ \t]*\n(?![ \t]*\n).*?\n(?:---|\.\.\.)|\+\+\+[ \t]*\n.*?\n\+\+\+)[ \t]*(?:\n|$)/s;

/**
 * What begins a block to which the lines belong that are indented by four: an admonition (Python-Markdown), details and
 * a tab (PyMdown Extensions), the definition of a term, and a footnote (GitHub).
 */
const INDENTED_BLOCK =
  /^([ \t>]*)(!!! ?(?=\w)|\?{3}\+? ?(?=[\w"])|={3}[+!]{0,2} (?=".*" *$)|: {1,3}(?=\S)|\[\^[^\]\s]{1,999}\]: *)/gm;

/** Makes a list item of such a block, which has the same lines. No other block begins after a colon. */
function asItem(_: string, indent: string, mark: string): string {
  const spaces = / *$/.exec(indent)![0].length % 4;
  const width = Math.max(Math.min(4 - spaces, mark.length - 1), 2);
  return `${indent}${"-".padEnd(width)}${":".repeat(mark.length - width)}`;
}

/** After a reference, it would be taken for its label. */
const FOOTNOTE_CALL = /(?<=\])\[\^[^\]\s]{1,999}\](?!:)/g;

/** Returns a text of the same length with LF alone, and without a byte order mark and front matter, and that. */
function prepared(text: string): { source: string; front: string | null } {
  const source = text
    .replace(/^\uFEFF/, " ")
    .replace(/\r\n/g, " \n")
    .replace(/\r/g, "\n")
    .replace(INDENTED_BLOCK, asItem)
    .replace(FOOTNOTE_CALL, (call) => " ".repeat(call.length));
  const front = FRONT_MATTER.exec(source)?.[0];
  if (front === undefined) return { source, front: null };
  return { source: front.replace(/[^\n]/g, " ") + source.slice(front.length), front };
}

type Range = { from: number; to: number };
type MarkdownLink = Pick<FoundLink, "href" | "from" | "to" | "text" | "element">;

const CODE = ["FencedCode", "CodeBlock", "InlineCode"];
const MARKUP = ["HTMLBlock", "HTMLTag", "Comment", "CommentBlock"];
const OTHER = ["ProcessingInstruction", "ProcessingInstructionBlock", "TableDelimiter"];
const HEADINGS = [
  "SetextHeading1",
  "SetextHeading2",
  ...[1, 2, 3, 4, 5, 6].map((n) => `ATXHeading${n}`),
];
/** All others have only children that may be. */
const OF_INTEREST = new Set([
  ...CODE,
  ...MARKUP,
  ...OTHER,
  ...HEADINGS,
  "Paragraph",
  "LinkReference",
  "Autolink",
  "Link",
  "Image",
]);

function walkThrough(text: string, definitions: Definitions) {
  const links: MarkdownLink[] = [];
  const headings: Heading[] = [];
  const notProse: Range[] = [];
  const markup: Range[] = [];
  const code: Range[] = [];
  const directives: string[] = [];

  /** Returns false for a node whose children hold no links. */
  function enter(node: SyntaxNode): boolean {
    const { name, from, to } = node;
    if (HEADINGS.includes(name)) headings.push({ text: headingOf(text, node), from });
    if (CODE.includes(name)) addCode(node);
    if (CODE.includes(name) || OTHER.includes(name) || isMath(text, node)) {
      notProse.push({ from, to });
      return false;
    }
    if (MARKUP.includes(name)) {
      notProse.push({ from, to });
      markup.push({ from, to });
      return false;
    }
    if (name === "LinkReference") return addDefinition(node);
    if (name === "Autolink") return addAutolink(node);
    if (name !== "Link" && name !== "Image") return true;
    notProse.push({ from, to });
    addLink(node);
    // Links in the text of an image are only text.
    return name === "Link";
  }
  function addCode(node: SyntaxNode) {
    code.push({ from: node.from, to: node.to });
    const info = node.getChild("CodeInfo");
    // What MyST has between fences is a directive with options, and in other programs the fence has attributes.
    if (info && text[info.from] === "{") directives.push(text.slice(info.from, node.to));
  }
  function addDefinition(node: SyntaxNode): boolean {
    const label = labelOfDefinition(text, node);
    const url = node.getChild("URL");
    // What a footnote says is prose.
    if (label === null || !url) return true;
    notProse.push({ from: node.from, to: node.to });
    // Of equal labels the first counts.
    if (definitions.get(label)?.from === node.from) {
      const name = node.getChild("LinkLabel")!;
      const words = shortText(text.slice(name.from + 1, name.to - 1));
      add({ ...addressOf(text, url), text: words, element: "definition" });
    }
    return false;
  }
  function addAutolink(node: SyntaxNode): boolean {
    const { from, to } = node.getChild("URL")!;
    const address = text.slice(from, to);
    notProse.push({ from: node.from, to: node.to });
    const isMail = !/^[a-z][a-z\d+.-]{1,31}:/i.test(address);
    add({ href: isMail ? `mailto:${address}` : address, from, to, text: "", element: "link" });
    return false;
  }
  function addLink(node: SyntaxNode) {
    const { words, url, label } = partsOf(text, node);
    const defined = label && definitions.get(label.folded)?.getChild("URL");
    const address = url ?? defined;
    if (!address) return;
    const range = label && { from: label.from, to: label.to };
    const element = node.name === "Image" ? "image" : "link";
    const named = shortText(wordsOf(text, node, { ...words, hasAlternatives: true }));
    add({ ...addressOf(text, address), ...range, text: named, element });
  }
  function add(link: MarkdownLink) {
    if (link.href === "" || /^data:/i.test(link.href)) return;
    links.push({ ...link, href: withPlainPath(link.href) });
  }
  return { enter, links, headings, notProse, markup, code, directives };
}

/** The words of a heading, with the blanks around what has no words, and with an id behind them as `{#id}`. */
function headingOf(text: string, node: SyntaxNode): string {
  const marks = node.getChildren("HeaderMark").filter(({ from, to }) => from < to);
  const [first, last] = [marks[0], marks.at(-1)];
  const start = first?.from === node.from ? first.to : node.from;
  const end = last && last.from > start ? last.from : node.to;
  const raw = text.slice(start, end);
  const own = ownIdIn(raw);
  const words = (own ? raw.slice(0, own.from) : raw).trimEnd();
  const from = start + words.length - words.trimStart().length;
  const shown = wordsOf(text, node, { from, to: start + words.length, hasAlternatives: false });
  return own ? `${shown} {#${own.id}}` : shown;
}

/** A paragraph between `$$`. */
const isMath = (text: string, { name, from, to }: SyntaxNode) =>
  name === "Paragraph" &&
  text.startsWith("$$", from) &&
  text
    .slice(from + 2, to)
    .trimEnd()
    .endsWith("$$");

/** The address of a link, which may stand in `<…>`. */
function addressOf(text: string, { from, to }: SyntaxNode): MarkdownLink & Range {
  const cut = text[from] === "<" ? 1 : 0;
  const range = { from: from + cut, to: to - cut };
  return { href: unescaped(text.slice(range.from, range.to)), ...range, text: "", element: "link" };
}

/** Decodes backslashes before punctuation, and entities. */
const unescaped = (text: string) =>
  text.replace(
    /\\([!-/:-@[-`{-~])|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi,
    (found, sign: string | undefined) => sign ?? decodeHTMLStrict(found),
  );

const UNSEEN =
  /^(?:\w+Mark|LinkTitle|LinkLabel|URL|HTMLTag|Comment|ProcessingInstruction|TaskMarker)$/;

/** The words of a node without its markup. */
function wordsOf(
  text: string,
  node: SyntaxNode,
  {
    from = node.from,
    to = node.to,
    hasAlternatives,
  }: Partial<Range> & { hasAlternatives: boolean },
): string {
  let words = "";
  let done = from;
  for (let child = node.childAfter(from); child && child.from < to; child = child.nextSibling) {
    words += text.slice(done, child.from) + wordsOfChild(text, child, hasAlternatives);
    done = child.to;
  }
  return words + text.slice(Math.min(done, to), to);
}

function wordsOfChild(text: string, child: SyntaxNode, hasAlternatives: boolean): string {
  const { name, from, to } = child;
  if (name === "Escape" || name === "Entity") return unescaped(text.slice(from, to));
  if (name === "HardBreak") return " ";
  if (name === "Autolink") return text.slice(from + 1, to - 1);
  if (UNSEEN.test(name) || (name === "Image" && !hasAlternatives)) return "";
  const range = name === "Link" || name === "Image" ? partsOf(text, child).words : { from, to };
  return wordsOf(text, child, { ...range, hasAlternatives });
}

/** Returns the text with spaces for the ranges, which are in order and may hold each other. */
function blank(text: string, ranges: Range[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of ranges) {
    if (to <= done) continue;
    parts.push(text.slice(done, from), " ".repeat(to - Math.max(from, done)));
    done = to;
  }
  return parts.join("") + text.slice(done);
}

/** Reads the tags and comments of a document. What is not one keeps its place, and has no tags. */
function markupIn(text: string, ranges: Range[]): Markup {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of ranges) {
    parts.push(text.slice(done, from).replaceAll("<", " "), text.slice(from, to));
    done = to;
  }
  const reader = openMarkup();
  reader.take(parts.join("") + text.slice(done).replaceAll("<", " "));
  return reader.end();
}

const NO_MARKUP: Markup = {
  links: [],
  anchors: [],
  headings: [],
  directives: [],
  notes: [],
  title: null,
  base: null,
  canonical: null,
  isNofollow: false,
};

/** The keys under which programs look for the address of a page. */
const ADDRESS =
  /^(?:slug|url|permalink|alias(?:es)?|redirect_from|redirects?|path|id)\s*[:=]\s*(.*)$/;

const MOST = 100;

/**
 * Returns the addresses of a page in its front matter, which is YAML or TOML: of both, only the lines that matter are
 * read, texts and lists of texts.
 */
function addressesInFront(front: string): string[] {
  const found: string[] = [];
  let isList = false;
  for (const line of front.split("\n")) {
    const [, value] = ADDRESS.exec(line) ?? [];
    if (value !== undefined) {
      isList = value.trim() === "" || /^\[[^\]]*$/.test(value);
      found.push(...textsIn(value));
    } else if (isList && /^\s*(?:-\s|["'\]])/.test(line)) {
      found.push(...textsIn(line.replace(/^\s*-\s/, "")));
    } else if (/\S/.test(line)) isList = false;
  }
  return [...new Set(found)].slice(0, MOST);
}

/** The texts of `a`, `"a"`, `[a, 'b']` and of one line of a list. */
const textsIn = (value: string): string[] =>
  value
    .replace(/\s#\s.*$/, "")
    .trim()
    .replace(/^\[|\]?,?$/g, "")
    .split(",")
    .map((each) => each.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .filter((each) => each !== "" && each !== "]");

import type { FoundLink, Read } from "../../read/documents/document.ts";
import { textOf } from "../check/document-text.ts";
import type { CheckedDocument, Reader } from "../check/documents.ts";
import { NOT_REQUESTED } from "../check/findings.ts";
import { ESCAPES } from "./escape.ts";

/** A link of a document that gets another address. */
type Change = { link: FoundLink; address: string; written: string };

/** A document as it is and as it should be, or why it is left alone, in a sentence. */
export type Rewritten = Rewriting | { problem: string };

type Rewriting = {
  before: Buffer;
  after: Buffer;
  /** Whether a diff can show it. */
  isDiffable: boolean;
  /** Of all links that have another address, also by reference. */
  places: Set<string>;
};

export const placeOf = ({ line, column }: Pick<FoundLink, "line" | "column">) =>
  `${line}:${column}`;

export const NOT_WHOLE = "It stands there in a form that is not changed, such as a template.";

/** What programs fill in, such as `{{ … }}`, `{% … %}`, `<% … %>`, `${…}` and `{name}`. */
const FILLED = /[{}]|<%/;

/** Whether the address of a link is one that may be replaced: it is absolute, and what people follow or see. */
export const isReplaceable = ({ href, element, from, to }: FoundLink): boolean =>
  /^https?:\/\//i.test(href) &&
  !FILLED.test(href) &&
  !NOT_REQUESTED.has(element) &&
  !(href.startsWith(BARE) && to - from === href.length - SCHEME.length);

/** What stands there as `www.…` alone. */
const [BARE, SCHEME] = ["http://www.", "http://"];

/**
 * Puts other addresses in the places of those of a document, and reads the result again: it must have the same links but
 * for these addresses.
 * @param addressFor returns the new address of a URL
 */
export async function rewrite(
  document: CheckedDocument,
  reader: Reader,
  addressFor: (url: string) => string | undefined,
): Promise<Rewritten> {
  const { file, format } = document;
  const { bytes: before, text, encoding } = textOf(document);
  const read = await reader.text(file, text, format);
  if (!read) return { problem: "It takes too long to read." };
  const changes = read.links.flatMap((link): Change[] => {
    const address = isReplaceable(link) ? addressFor(URL.parse(link.href)?.href ?? "") : undefined;
    if (address === undefined || !isWritten(link, text, read)) return [];
    if (isInTemplate(text, link, format === "mdx" ? MDX_TEMPLATES : TEMPLATES)) return [];
    return [
      { link, address, written: ESCAPES[format](address, { text, from: link.from, to: link.to }) },
    ];
  });
  if (changes.length === 0) return { problem: NOT_WHOLE };
  const changed = withChanges(text, changes);
  const after = encoded(before, text, changes, encoding);
  if (!after) return { problem: `Files in ${encoding} are not changed.` };
  const isSame = new TextDecoder(encoding).decode(after) === changed;
  const again = isSame ? await reader.text(file, changed, format) : null;
  if (!again || !isProven(read, again, changes)) {
    return { problem: "Its other links would not stay the same." };
  }
  const moved = read.links.filter(({ href }, i) => href !== again.links[i]!.href);
  const places = new Set(moved.map(placeOf));
  return { before, after, isDiffable: !encoding.startsWith("utf-16"), places };
}

/** Whether the address stands at its place, and not the name of a definition that has it. */
function isWritten({ href, from, to }: FoundLink, text: string, { links }: Read): boolean {
  const raw = text.slice(from, to);
  // AsciiDoc passes on what is between `++`.
  if (!/^(?:\+\+)?https?:/i.test(raw) || FILLED.test(raw)) return false;
  const isLabel = text[from - 1] === "[" && text[to] === "]";
  return !(isLabel && links.some((each) => isDefinition(each, href, raw)));
}

const isDefinition = ({ element, href, text }: FoundLink, of: string, name: string) =>
  element === "definition" && href === of && text.toLowerCase() === name.toLowerCase();

/** The beginning and the end of what programs read, such as `{{ link("https://…") }}`. */
const TEMPLATES: [open: string, close: string][] = [
  ["{{", "}}"],
  ["{%", "%}"],
  ["<%", "%>"],
  ["${", "}"],
];
const MDX_TEMPLATES: typeof TEMPLATES = [...TEMPLATES, ["{", "}"]];
const LONGEST_TEMPLATE = 1000;

function isInTemplate(text: string, { from, to }: FoundLink, templates: typeof TEMPLATES): boolean {
  const before = text.slice(Math.max(0, from - LONGEST_TEMPLATE), from);
  const after = text.slice(to, to + LONGEST_TEMPLATE);
  return templates.some(
    ([open, close]) =>
      before.lastIndexOf(open) > before.lastIndexOf(close) && after.includes(close),
  );
}

function withChanges(text: string, changes: Change[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { link, written } of changes) {
    parts.push(text.slice(done, link.from), written);
    done = link.to;
  }
  return parts.join("") + text.slice(done);
}

/** Changes nothing but these characters, whatever else the bytes are. Null for an encoding whose characters vary in length. */
function encoded(bytes: Buffer, text: string, changes: Change[], encoding: string): Buffer | null {
  const isWide = encoding.startsWith("utf-16");
  if (encoding !== "utf-8" && !isWide && text.length !== bytes.length) return null;
  const lengthOf = (part: string) =>
    encoding === "utf-8" ? Buffer.byteLength(part) : part.length * (isWide ? 2 : 1);
  const parts: Buffer[] = [];
  // The text begins after a byte order mark.
  let [done, at] = [0, bytes.length - lengthOf(text)];
  let from = 0;
  for (const { link, written } of changes) {
    at += lengthOf(text.slice(done, link.from));
    parts.push(bytes.subarray(from, at), asciiIn(encoding, written));
    at += lengthOf(text.slice(link.from, link.to));
    [done, from] = [link.to, at];
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

/** An address as `URL` has it is ASCII. */
function asciiIn(encoding: string, text: string): Buffer {
  if (!encoding.startsWith("utf-16")) return Buffer.from(text, "latin1");
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

/** Whether the same links are there, and none has another address but those that were to get one. */
function isProven(before: Read, after: Read, changes: Change[]): boolean {
  const byLink = new Map(changes.map(({ link, address }) => [link, address]));
  // A link by reference changes with what it refers to.
  const byAddress = new Map(changes.map(({ link, address }) => [link.href, address]));
  return (
    before.links.length === after.links.length &&
    before.disabled === after.disabled &&
    before.links.every((link, i) => {
      const { href, element } = after.links[i]!;
      const own = byLink.get(link);
      const isRight = href === (own ?? link.href) || (!own && href === byAddress.get(link.href));
      return element === link.element && isRight;
    })
  );
}

/** The id behind the words of a heading, as in `{#id}`, `{: .class #id }` or `{ id="id" }`, or in a comment: see below. */
const BEHIND_HEADING =
  /\s*(?:\{:?(?:[^{}\n]*?\s)?(?:#([^\s{}]+)|id=["']?([^\s"'{}]+)["']?)[^{}\n]*\}|\{\/\*\s*#?([^\s*]+)\s*\*\/\}|<!--\s*#([^\s>]+)\s*-->)\s*$/;

/** Returns the id that the author wrote behind a heading, and where it begins; null for none. */
export function ownIdIn(heading: string): { id: string; from: number } | null {
  const start = Math.max(0, heading.length - LONGEST);
  const found = BEHIND_HEADING.exec(heading.slice(start));
  const id = found?.slice(1).find(Boolean);
  return found && id ? { id, from: start + found.index } : null;
}

/** A heading may be as long as a document, in which blanks would be looked at again and again. */
const LONGEST = 300;

/** An id in a comment of JavaScript in braces, or attributes in braces, behind anything. */
const ATTRIBUTES =
  /\{\/\*\s{0,9}#?([^\s*]{1,200})\s{0,9}\*\/\}|\{:?((?:[^{}\n"']|"[^"\n]{0,200}"|'[^'\n]{0,200}'){1,300})\}/g;

const IN_ATTRIBUTES = /(?:^|\s)(?:#([^\s{}#]+)|id=(?:"([^"]+)"|'([^']+)'|([^\s"']+)))/g;

/** A target of MyST: `(name)=` on a line of its own, and `(name)` after the formula that it names. */
const TARGETS = /^[ \t>]*(?:\(([^()\n]{1,200})\)=|\$\$[ \t]*\(([^()\n]{1,200})\))[ \t]*$/gm;

/** The names that directives of MyST give to what they show. */
const OPTIONS = /^[ \t>]*:?(?:name|label):[ \t]*(\S[^\n]{0,200})/gm;

/**
 * Returns the ids that authors wrote in forms which only some programs read.
 * @param prose a text with spaces for code
 * @param directives blocks between fences that are not code, such as `{figure}`
 */
export function idsIn(prose: string, directives: string[]): string[] {
  const ids: string[] = [];
  for (const [, comment, attributes = ""] of prose.matchAll(ATTRIBUTES)) {
    if (comment) ids.push(comment);
    for (const found of attributes.matchAll(IN_ATTRIBUTES)) ids.push(found.slice(1).find(Boolean)!);
  }
  for (const [, label, equation] of prose.matchAll(TARGETS)) ids.push((label ?? equation)!);
  for (const block of directives) {
    for (const [, name] of block.matchAll(OPTIONS))
      ids.push(name!.trim().replace(/^(["'])(.*)\1$/, "$2"));
    ids.push(...idsIn(block, []));
  }
  return [...new Set(ids)];
}

import type { Parser, SyntaxNode, Tree } from "@lezer/common";

/** The definitions of a Markdown document by their folded labels; of equal labels the first counts. */
export type Definitions = ReadonlyMap<string, SyntaxNode>;

/** Folds case and white space, as labels are compared. */
const folded = (label: string) => label.replace(/\s+/g, " ").trim().toLowerCase().toUpperCase();

/** `[^1]: https://…` is a footnote. */
const isFootnote = (label: string) => label.startsWith("^");

/** Returns the definition; null where it is a footnote. */
export function labelOfDefinition(text: string, node: SyntaxNode): string | null {
  const label = node.getChild("LinkLabel");
  const inner = label ? text.slice(label.from + 1, label.to - 1) : "";
  return inner === "" || isFootnote(inner) ? null : folded(inner);
}

/** The parts of a link or an image: its words, and its address or the label that names it. */
export type LinkParts = {
  words: { from: number; to: number };
  url: SyntaxNode | null;
  /** Null for a link with an address of its own, which may be empty. */
  label: { folded: string; from: number; to: number } | null;
};

export function partsOf(text: string, node: SyntaxNode): LinkParts {
  const [open, close, parenthesis] = node.getChildren("LinkMark");
  const words = { from: open!.to, to: close?.from ?? node.to };
  if (parenthesis) {
    // Between the brackets there may be addresses too.
    const url = node.getChildren("URL").find(({ from }) => from >= parenthesis.to) ?? null;
    return { words, url, label: null };
  }
  const label = node.getChild("LinkLabel");
  const isNamed = label !== null && label.to - label.from > 2;
  const range = isNamed ? { from: label.from + 1, to: label.to - 1 } : words;
  return {
    words,
    url: null,
    label: { folded: folded(text.slice(range.from, range.to)), ...range },
  };
}

const MOST_ROUNDS = 5;

/**
 * Parses Markdown in which the brackets of references without a definition are spaces. The parser takes any `[x]` for a
 * link, and a link holds no other links, so `[see [1]](https://…)` would lose the outer one.
 */
export function parseReferences(
  given: string,
  language: Parser,
): { text: string; tree: Tree; definitions: Definitions } {
  let text = given;
  let tree = language.parse(text);
  const { references, definitions } = referencesIn(text, tree);
  let brackets = undefinedOf(references, definitions);
  for (let round = 0; brackets.length > 0 && round < MOST_ROUNDS; round++) {
    text = withSpacesAt(text, brackets);
    tree = language.parse(text);
    // The definitions are those of the text as given: `[a[b]]: /c` would become one later.
    brackets = undefinedOf(referencesIn(text, tree).references, definitions);
  }
  return { text, tree, definitions };
}

function referencesIn(text: string, tree: Tree) {
  const references: LinkParts[] = [];
  const definitions = new Map<string, SyntaxNode>();
  tree.iterate({
    enter(found) {
      const { name } = found;
      if (name === "Link" || name === "Image") references.push(partsOf(text, found.node));
      if (name !== "LinkReference") return;
      const label = labelOfDefinition(text, found.node);
      if (label !== null && !definitions.has(label)) definitions.set(label, found.node);
    },
  });
  return { references, definitions };
}

/** The places of the brackets around the words of undefined references. */
const undefinedOf = (references: LinkParts[], definitions: Definitions): number[] =>
  references
    .flatMap(({ words, label }) =>
      label && !definitions.has(label.folded) ? [words.from - 1, words.to] : [],
    )
    .sort((a, b) => a - b);

function withSpacesAt(text: string, places: number[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const place of places) {
    parts.push(text.slice(done, place), " ");
    done = place + 1;
  }
  return parts.join("") + text.slice(done);
}

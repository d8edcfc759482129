import { type Directive, directiveIn, withoutDisabled } from "./directives.ts";
import {
  byPlace,
  type Element,
  type FoundLink,
  linesOf,
  type Read,
  shortText,
} from "./document.ts";

/** Gathers what a reader finds in a text, in any order. */
export type Collector = {
  add(link: {
    href: string;
    from: number;
    to: number;
    /** Where its part in the first line ends, if it goes on in a cell of the next one. */
    firstTo?: number;
    text?: string;
    element?: Element;
    isNofollow?: boolean | undefined;
  }): void;
  anchor(name: string): void;
  heading(text: string): void;
  /** @param comment the text of a comment, which may be a directive */
  comment(comment: string, from: number): void;
  note(text: string): void;
  end(): Read;
};

export function createCollector(text: string): Collector {
  const lines = linesOf(text);
  const links: FoundLink[] = [];
  const directives: Directive[] = [];
  const anchors = new Set<string>();
  const headings: string[] = [];
  const notes = new Set<string>();
  return {
    add({ href, from, to, firstTo = to, text: words = "", element = "link", isNofollow = false }) {
      const [first = ""] = text.slice(from, firstTo).split(/[\r\n]/, 1);
      const place = lines.placeOf(from, from + first.length);
      links.push({ href, ...place, from, to, text: shortText(words), element, isNofollow });
    },
    anchor: (name) => void anchors.add(name),
    heading: (title) => void headings.push(shortText(title)),
    comment(comment, from) {
      const found = directiveIn(comment, lines.placeOf(from, from).line);
      if (found) directives.push(found);
    },
    note: (sentence) => void notes.add(sentence),
    end: () => ({
      ...withoutDisabled(links.sort(byPlace), directives),
      anchors: [...anchors],
      headings,
      title: headings[0] ?? null,
      base: null,
      canonical: null,
      isNofollow: false,
      notes: [...notes],
    }),
  };
}

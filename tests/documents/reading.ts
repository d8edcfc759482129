import { Parser } from "htmlparser2";
import { normalizeUri } from "micromark-util-sanitize-uri";
import type { FoundLink, Read } from "../../server/read/documents/document.ts";

/** The addresses of a document, as a page rendered from it has them. */
export const addressesIn = ({ links }: Read): string[] =>
  links
    .filter(({ element }) => element !== "definition")
    .map(({ href }) => normalizeUri(href))
    .sort();

/** The addresses of links and images of rendered HTML. */
export function addressesOfHtml(html: string): string[] {
  const found: string[] = [];
  const parser = new Parser({
    onopentag(name, { href, src }) {
      if (name === "a" && href) found.push(href);
      if (name === "img" && src) found.push(src);
    },
  });
  parser.end(html);
  return found.map((address) => normalizeUri(address.trim())).sort();
}

/** Where a link stands and what it is, without its offsets: "3:5-9 link /a (words)". */
export const shown = ({ line, column, endColumn, element, href, text }: FoundLink) =>
  `${line}:${column}-${endColumn} ${element} ${href}${text === "" ? "" : ` (${text})`}`;

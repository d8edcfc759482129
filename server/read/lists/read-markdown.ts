import type { FoundLink, Read } from "../documents/document.ts";
import { itemOf, LONGEST, type OpenReader, type Reading, Unreadable } from "./reading.ts";

/** Longer than any document that people write by hand. A document is read as a whole. */
const LONGEST_DOCUMENT = 2 * 1024 * 1024;

/** Reads the links of a Markdown document, each URL once. */
export const readMarkdownLinks: OpenReader = async (into) => {
  const { readMarkdown } = await import("../documents/markdown.ts");
  return openDocument(
    into,
    "markdown",
    (text) => readMarkdown(text, { name: "" }),
    ({ links, notes }) => addLinks(into, links, notes, into.base),
  );
};

/** Reads the links of a page, each URL once, but not its pictures. */
export const readHtmlLinks: OpenReader = async (into) => {
  const { readHtml } = await import("../documents/html.ts");
  const take = ({ links, notes, base }: Read) => {
    const clicked = links
      .filter(({ element }) => element === "link" || element === "area")
      .map((link) => ({ ...link, href: into.addressOf(link.href) }));
    const from =
      base === null ? into.base : (URL.parse(base, into.base ?? undefined)?.href ?? null);
    addLinks(into, clicked, notes, from);
  };
  return openDocument(into, "html", (text) => readHtml(text, { name: "" }), take);
};

function openDocument(
  { readDocument }: Reading,
  format: "markdown" | "html",
  read: (text: string) => Read,
  take: (read: Read) => void,
) {
  let text = "";
  return {
    write(piece: string) {
      text += piece;
      if (text.length <= LONGEST_DOCUMENT) return;
      throw new Unreadable("The document is larger than 2 MiB. Split it into several.");
    },
    end: () => (readDocument ? readDocument(text, format).then(take) : take(read(text))),
  };
}

const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i;

function addLinks(
  { items, notes }: Reading,
  links: FoundLink[],
  remarks: string[],
  base: string | null,
): void {
  const seen = new Set<string>();
  const relative = new Set<string>();
  const others = new Set<string>();
  for (const { href, line, text } of links) {
    const url = ABSOLUTE.test(href) || base === null ? href : (URL.parse(href, base)?.href ?? href);
    if (!ABSOLUTE.test(url)) relative.add(url);
    else if (!/^https?:/i.test(url)) others.add(url);
    else if (!seen.has(url)) {
      seen.add(url);
      items.push({ ...itemOf("", line, { title: text }), url: url.slice(0, LONGEST) });
    }
  }
  notes.push(...remarks);
  if (relative.size > 0) notes.push(relativeLeftOut(relative.size));
  if (others.size > 0) notes.push(othersLeftOut(others.size));
}

const relativeLeftOut = (count: number) =>
  count === 1
    ? "1 relative link was left out, since it names no host."
    : `${count.toLocaleString("en")} relative links were left out, since they name no host.`;

const othersLeftOut = (count: number) =>
  count === 1
    ? "1 link was left out, since it is neither of http nor https."
    : `${count.toLocaleString("en")} links were left out, since they are neither of http nor https.`;

import { itemOf, LONGEST, type Reader, type Reading, Unreadable } from "./reading.ts";

/** Longer than any document that people write by hand. A document is read as a whole. */
const LONGEST_DOCUMENT = 2 * 1024 * 1024;

/** Reads the links of a document, each URL once. */
export async function readMarkdownLinks({ items, notes }: Reading): Promise<Reader> {
  const { readMarkdown } = await import("../documents/markdown.ts");
  let text = "";
  return {
    write(piece) {
      text += piece;
      if (text.length <= LONGEST_DOCUMENT) return;
      throw new Unreadable("The Markdown document is larger than 2 MiB. Split it into several.");
    },
    end() {
      const { links, ...read } = readMarkdown(text, { name: "" });
      const seen = new Set<string>();
      const relative = new Set<string>();
      for (const { href, line } of links) {
        const isPage = /^https?:/i.test(href);
        if (!isPage && !/^[a-z][a-z\d+.-]*:/i.test(href)) relative.add(href);
        if (!isPage || seen.has(href)) continue;
        seen.add(href);
        items.push({ ...itemOf("", line), url: href.slice(0, LONGEST) });
      }
      notes.push(...read.notes);
      if (relative.size > 0) notes.push(relativeLeftOut(relative.size));
    },
  };
}

const relativeLeftOut = (count: number) =>
  count === 1
    ? "1 relative link was left out, since it names no host."
    : `${count.toLocaleString("en")} relative links were left out, since they name no host.`;

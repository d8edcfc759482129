import type { ReadDocument } from "./document.ts";
import { readText } from "./text.ts";

type DocumentFormatRecord = {
  /** The endings of file names, in lower case. */
  endings: string[];
  load(): Promise<ReadDocument>;
};

/** The formats of documents. Their readers load when they are needed. */
export const DOCUMENT_FORMATS = {
  markdown: {
    endings: ["md", "markdown", "mdown", "mkd"],
    load: async () => (await import("./markdown.ts")).readMarkdown,
  },
  html: {
    endings: ["html", "htm", "xhtml"],
    load: async () => (await import("./html.ts")).readHtml,
  },
  mdx: {
    endings: ["mdx"],
    load: async () => (await import("./mdx.ts")).readMdx,
  },
  rst: {
    endings: ["rst"],
    load: async () => (await import("./rst.ts")).readRst,
  },
  asciidoc: {
    endings: ["adoc", "asciidoc", "asc"],
    load: async () => (await import("./asciidoc.ts")).readAsciidoc,
  },
  notebook: {
    endings: ["ipynb"],
    load: async () => (await import("./notebook.ts")).readNotebook,
  },
  text: {
    endings: ["txt"],
    load: async () => readText,
  },
} satisfies Record<string, DocumentFormatRecord>;

export type DocumentFormat = keyof typeof DOCUMENT_FORMATS;

const BY_ENDING = new Map(
  Object.entries(DOCUMENT_FORMATS).flatMap(([format, { endings }]) =>
    endings.map((ending) => [ending, format as DocumentFormat]),
  ),
);

/** Returns the format of a file by its ending, null for a file that is not read. */
export function formatOfName(name: string): DocumentFormat | null {
  const file = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  const dot = file.lastIndexOf(".");
  if (dot <= 0) return "text";
  return BY_ENDING.get(file.slice(dot + 1).toLowerCase()) ?? null;
}

/** The number of characters that decide the format. */
const HEAD = 64 * 1024;

/** Whether a text is Markdown: it has an address after `](`, or a fence. Lists have `#` too, for comments. */
export const isMarkdown = (text: string): boolean =>
  /\]\((?:https?:\/\/|[./#\w])|^ {0,3}(?:```|~~~)/m.test(text.slice(0, HEAD));

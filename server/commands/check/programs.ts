import { basename, join } from "node:path";
import { isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";
import {
  ANCHOR_KINDS,
  type AnchorKind,
  type Anchors,
  asciidoctorAnchors,
  mkdocsAnchors,
  pymdownxAnchors,
} from "../../read/documents/slugs.ts";

/** A folder of which a program makes a site. */
export type Site = {
  folder: string;
  /** How headings get their anchors: any of these. */
  anchors: Anchors[];
  /** The endings that addresses may omit. */
  extensions: string[];
  /** The folder of its pages below it, if a setting says so. */
  content: string | null;
  /**
   * Whether the anchors of headings are exactly these, or may be made in another way of the same words, or may also come
   * from what the documents do not say, such as code of the site.
   */
  anchorsAre: "exact" | "alike" | "open";
  /** The same of pages, even of those whose documents would be in the tree. */
  hasOtherPages: boolean;
  /** Whether links may name any label of the site, as those of MyST do. */
  hasLabels: boolean;
  /** Whether a relative address may also be relative to the folder of the content. */
  isFromContent: boolean;
  /** Whether a page is found by its name alone, in any folder. */
  isWiki: boolean;
  /** Addresses that the program gives a meaning of its own, or the targets of which it makes. */
  special: RegExp | null;
};

/** What a program changes of a plain site. */
type Program = Partial<Omit<Site, "folder" | "anchors">> & {
  anchors: readonly (AnchorKind | Anchors)[];
  /** Whether its pages are in folders of their own, so that `README.md` next to its settings is none of them. */
  isBelow?: boolean;
};

/** Reads a file of the folder; empty for one that is not there. */
type ReadFile = (name: string) => string;

type Mark = {
  mark: RegExp;
  program: Program | ((read: ReadFile, names: string[]) => Program | null);
};

/** All that programs in the hands of a site's own code are likely to make. */
const ANY: AnchorKind[] = ["docusaurus", "vitepress", "mkdocs", "mintlify", "pandoc", "kramdown"];

const COMPONENTS: Program = { anchors: ANY, anchorsAre: "open" };

/** Myst looks for labels in all documents of a project, and in those of others. */
const MYST: Program = {
  anchors: ["docusaurus", "docutils"],
  anchorsAre: "open",
  hasLabels: true,
};

/** Files and folders that say which program makes a site of their folder. The first that is there counts. */
const MARKS: Mark[] = [
  {
    mark: /^docusaurus\.config\./,
    program: { anchors: ["docusaurus"], isBelow: true, isFromContent: true },
  },
  { mark: /^mkdocs\.ya?ml$/, program: mkdocs },
  { mark: /^\.(?:vitepress|vuepress)$/, program: { anchors: ["vitepress"] } },
  {
    mark: /^_quarto\.ya?ml$/,
    program: { anchors: ["pandoc"], extensions: ["md", "qmd", "ipynb"] },
  },
  { mark: /^docfx\.json$/, program: { anchors: ["docusaurus"], special: /^#tab\/|\.yml$/ } },
  { mark: /^myst\.ya?ml$/, program: MYST },
  {
    mark: /^conf\.py$/,
    program: (read) => (/myst|recommonmark|sphinx/i.test(read("conf.py")) ? MYST : null),
  },
  { mark: /^_toc\.yml$/, program: (_, names) => (names.includes("_config.yml") ? MYST : null) },
  {
    mark: /^antora\.yml$/,
    program: { anchors: [asciidoctorAnchors("", "-"), "asciidoctor"], anchorsAre: "open" },
  },
  { mark: /^next\.config\./, program: { ...COMPONENTS, isBelow: true } },
  { mark: /^(?:nuxt\.|gatsby-)config\./, program: COMPONENTS },
  {
    mark: /^eleventy\.config\.|^\.eleventy\.c?js$/,
    program: { ...COMPONENTS, isFromContent: true },
  },
  { mark: /^(?:docs|mint)\.json$/, program: { anchors: ["mintlify"] } },
  {
    mark: /^\.gitbook(?:\.ya?ml)?$|^book\.json$/,
    program: { anchors: ["docusaurus", "mintlify"], anchorsAre: "alike" },
  },
  { mark: /^astro\.config\./, program: { anchors: ["docusaurus"], isBelow: true } },
  { mark: /^_config\.ya?ml$/, program: { anchors: ["docusaurus", "kramdown"] } },
  { mark: /^hugo\.(?:toml|ya?ml|json)$/, program: { anchors: ["docusaurus"], isBelow: true } },
  { mark: /^book\.toml$/, program: mdbook },
  { mark: /^_(?:book|toc|index)\.yaml$/, program: COMPONENTS },
  { mark: /^home\.\w+$/i, program: wiki },
];

const PLAIN: Omit<Site, "folder" | "anchors"> = {
  extensions: ["md", "mdx"],
  content: null,
  anchorsAre: "exact",
  isFromContent: false,
  hasOtherPages: false,
  hasLabels: false,
  isWiki: false,
  special: null,
};

/** Returns the site of a folder by the names in it; null for none. */
export function siteIn(
  folder: string,
  names: string[],
  readFile: (path: string) => string,
): (Site & { isBelow: boolean }) | null {
  const read: ReadFile = (name) => readFile(join(folder, name));
  for (const { mark, program } of MARKS) {
    if (!names.some((name) => mark.test(name))) continue;
    const found =
      typeof program === "function" ? program(read, [basename(folder), ...names]) : program;
    if (found) return siteOf(folder, found);
  }
  return null;
}

/** The site of a document that is a page of some program, as its front matter says. */
export const unknownSite = (folder: string): Site => siteOf(folder, COMPONENTS);

const siteOf = (folder: string, { isBelow = false, ...program }: Program) => ({
  ...PLAIN,
  ...program,
  anchors: program.anchors.map((each) => (typeof each === "string" ? ANCHOR_KINDS[each] : each)),
  folder,
  isBelow,
});

/** Plugins of MkDocs that make pages, and not only change them. */
const MAKES_PAGES = /gen-files|autoapi|api-autonav|mkdoxy|multirepo|monorepo|gallery|^simple$/;

function mkdocs(read: ReadFile): Program {
  const { contents } = parseDocument(read("mkdocs.yml") || read("mkdocs.yaml"), {
    logLevel: "silent",
  });
  const plugins = entriesOf(valueAt(contents, "plugins")).map(({ name }) => name);
  const hasHooks = valueAt(contents, "hooks") !== undefined;
  const toc = entriesOf(valueAt(contents, "markdown_extensions")).find(({ name }) =>
    /(?:^|\.)toc$/.test(name),
  );
  const slugs = slugsOf(toc?.options);
  return {
    anchors: slugs ?? ANY,
    isBelow: true,
    content: textOf(valueAt(contents, "docs_dir")) ?? "docs",
    anchorsAre: slugs === null || hasHooks || plugins.includes("macros") ? "open" : "exact",
    hasOtherPages: plugins.some((name) => MAKES_PAGES.test(name)),
  };
}

/** How the extension `toc` makes anchors; null for a function that is not known. */
function slugsOf(options: unknown): Anchors[] | null {
  const separator = textOf(valueAt(options, "separator")) ?? "-";
  const slugify = valueAt(options, "slugify");
  if (slugify === undefined) return [mkdocsAnchors({ separator })];
  // The function is in the tag: `!!python/name:pymdownx.slugs.uslugify`.
  const name = `${(slugify as Node).tag ?? ""} ${textOf(slugify) ?? ""}`;
  if (name.includes("slugify_unicode")) return [mkdocsAnchors({ separator, isUnicode: true })];
  return name.includes("pymdownx.slugs") ? [pymdownxAnchors({ separator })] : null;
}

/** A value of a map of YAML; undefined for none. */
const valueAt = (node: unknown, key: string): unknown =>
  isMap(node) ? node.get(key, true) : undefined;

const textOf = (node: unknown): string | undefined =>
  isScalar(node) && typeof node.value === "string" ? node.value : undefined;

/** The names in a list of texts and of maps with one key, or of a map. */
function entriesOf(node: unknown): { name: string; options: unknown }[] {
  if (isMap(node))
    return node.items.map(({ key, value }) => ({ name: String(key), options: value }));
  if (!isSeq(node)) return [];
  return node.items.flatMap((item) =>
    isMap(item) ? entriesOf(item) : [{ name: textOf(item) ?? "", options: undefined }],
  );
}

/** Preprocessors of mdBook that make neither pages nor anchors. */
const HARMLESS = /^(?:links|index|mermaid|katex|toc|pagetoc|open-on-gh|last-changed|emojicodes)$/;

function mdbook(read: ReadFile): Program {
  const text = read("book.toml");
  const names = text.matchAll(/^\s*\[preprocessor\.["']?([\w-]+)/gm);
  const isChanged = [...names].some(([, name]) => !HARMLESS.test(name!));
  return {
    anchors: ["docusaurus"],
    isBelow: true,
    content: /^\s*src\s*=\s*["']([^"'\n]+)/m.exec(text)?.[1] ?? "src",
    anchorsAre: isChanged ? "open" : "exact",
    hasOtherPages: isChanged,
  };
}

/** Endings of pages in the wikis of GitHub and GitLab. */
const WIKI = [
  "md",
  "markdown",
  "mdown",
  "mkd",
  "rst",
  "asciidoc",
  "adoc",
  "textile",
  "mediawiki",
  "org",
];

/** Of a wiki, its home and its side bar or footer are in the same folder. */
function wiki(_: ReadFile, names: string[]): Program | null {
  const isWiki =
    names.some((name) => /^_(?:sidebar|footer|header)\.\w+$/i.test(name)) ||
    /[.-]wiki$/i.test(names[0]!);
  return isWiki ? { anchors: ["github"], extensions: WIKI, isWiki: true } : null;
}

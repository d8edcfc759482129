import { describe, expect, test } from "bun:test";
import { createProgram, folderWith } from "../../tests/commands/program.ts";

const { run } = createProgram();

/** What is found of the links of one document in a folder, by their addresses. */
async function reasonsIn(files: Record<string, string>, document: string, args: string[] = []) {
  const folder = folderWith({ ".git/HEAD": "", ...files });
  const { out } = await run(["check", "--offline", "--json", ...args, folder]);
  const rows = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ places: [{ file }] }) => file === `${folder}/${document}`);
  return Object.fromEntries(rows.map(({ url, reason }) => [url, reason]));
}

/** A text that links to each address, by its outcome. */
const linksTo = (outcomes: Record<string, string>) =>
  Object.keys(outcomes)
    .map((address) => `[a](<${address}>)`)
    .join("\n");

type Tree = {
  files: Record<string, string>;
  /** The document with the links. */
  document: string;
  /** What it says before them. */
  text?: string;
  outcomes: Record<string, string>;
};

/** A tree for each program, with links that work on its site, that may work, and that cannot. */
const TREES: Record<string, Tree> = {
  Next: {
    files: {
      "next.config.mjs": "",
      "content/reference/hook.md": "---\ntitle: Hook\n---\n## Use {/*usage*/}\n",
      "public/images/a.png": "",
    },
    document: "content/learn/start.md",
    text: '## What is it? {/*what*/}\n\n<Member permalink="ada" />',
    outcomes: {
      "/reference/hook": "ok",
      "/reference/hook#usage": "ok",
      "../images/a.png": "ok",
      "#what": "ok",
      "#what-is-it": "outside_tree",
      "#ada": "outside_tree",
      "/blog/made": "outside_tree",
      "./made": "outside_tree",
      "./gone.md": "file_missing",
      "./gone.png": "file_missing",
    },
  },
  Nuxt: {
    files: { "nuxt.config.ts": "", "content/2.guide/1.use.md": "# How to use\n" },
    document: "content/1.start/2.install.md",
    outcomes: {
      "/guide/use#how-to-use": "ok",
      "../guide/use": "ok",
      "/guide/made": "outside_tree",
      "../2.guide/3.gone.md": "file_missing",
    },
  },
  VuePress: {
    files: { "docs/.vuepress/config.js": "", "docs/guide/README.md": "## What's new?\n" },
    document: "docs/index.md",
    outcomes: {
      "/guide/#what-s-new": "ok",
      "./guide/#whats-new": "anchor_missing",
      "./made.html": "outside_tree",
      "./gone.md": "file_missing",
    },
  },
  VitePress: {
    files: {
      "docs/.vitepress/config.ts": "",
      "docs/api.md": "<ApiIndex />\n",
      "docs/b.md": "# B\n\n<Badge />\n",
    },
    document: "docs/index.md",
    outcomes: {
      "/api#made": "outside_tree",
      "/b#gone": "anchor_missing",
      "b#b": "ok",
      "/gone.md": "outside_tree",
    },
  },
  Quarto: {
    files: { "_quarto.yml": "", "b.md": "## 2.0 A & b {#sec-b}\n\n## C. d\n", "c.qmd": "" },
    document: "a.md",
    outcomes: {
      "b.md#sec-b": "ok",
      "b.md#c.-d": "ok",
      "b.md#c-d": "anchor_missing",
      "c.html": "ok",
      "gone.qmd": "file_missing",
    },
  },
  "Quarto, in a part of pages,": {
    files: { "_quarto.yml": "" },
    document: "includes/_part.md",
    outcomes: { "made.qmd": "outside_tree", "#made": "outside_tree" },
  },
  DocFX: {
    files: { "docs/docfx.json": "{}", "docs/b.md": "# B\n" },
    document: "docs/sub/a.md",
    text: "# [Linux](#tab/linux)\n",
    outcomes: {
      "#tab/linux": "ok",
      "~/b.md#b": "ok",
      "../api/Some.Type.yml": "outside_tree",
      "../gone.md": "file_missing",
      "../b.md#gone": "anchor_missing",
    },
  },
  GitBook: {
    files: {
      ".gitbook.yaml": "",
      "b.md": "## 1. Azure AD\n\n<details><summary>More of it</summary></details>\n",
    },
    document: "SUMMARY.md",
    outcomes: {
      "b.md#id-1.-azure-a-d": "ok",
      "b.md#more-of-it": "ok",
      "b.md#gone": "anchor_missing",
      "gone.md": "file_missing",
    },
  },
  Eleventy: {
    files: {
      ".eleventy.js": "",
      "src/blog/b.md": '---\npermalink: "/news/b/"\n---\n# Foo, bar',
      "src/static/c.png": "",
    },
    document: "src/blog/a.md",
    outcomes: {
      "/news/b/": "ok",
      "/news/b/#foo-bar": "ok",
      "blog/b.md": "ok",
      "/made/": "outside_tree",
      "gone.md": "file_missing",
    },
  },
  Gatsby: {
    files: { "gatsby-config.ts": "", "content/blog/b/index.md": "" },
    document: "content/blog/a/index.md",
    outcomes: { "/blog/b": "ok", "../b": "ok", "../made": "outside_tree", "x.md": "file_missing" },
  },
  Docusaurus: {
    files: {
      "docusaurus.config.ts": "",
      "docs/02-guide/01-use.md": "---\nslug: /how\n---\n# Use it\n",
      "docs/02-guide/2020-01-01-news.md": "",
      "docs/d.md": "---\nid: called\n---\n",
    },
    document: "docs/01-start/01-install.md",
    outcomes: {
      "../guide/use#use-it": "ok",
      "/docs/how": "ok",
      "/how#gone": "anchor_missing",
      "../called": "ok",
      "02-guide/01-use.md": "ok",
      "../guide/2020-01-01-news": "ok",
      "../guide/made": "outside_tree",
      "../guide/use.md": "file_missing",
      "./gone.png": "file_missing",
    },
  },
  Hugo: {
    files: { "hugo.toml": "", "content/b.md": "+++\naliases = ['/old/b/', 'older']\n+++\n" },
    document: "content/a.md",
    outcomes: { "/old/b/": "ok", older: "ok", made: "outside_tree", "gone.md": "file_missing" },
  },
  Jekyll: {
    files: { "_config.yml": "", "b.md": "## 2. Über uns\n\nText\n{: #by-hand}\n" },
    document: "a.md",
    outcomes: {
      "b.html#ber-uns": "ok",
      "b.html#2-über-uns": "ok",
      "b.md#by-hand": "ok",
      "b.md#gone": "anchor_missing",
    },
  },
  Antora: {
    files: { "docs/antora.yml": "", "docs/modules/ROOT/pages/b.adoc": "= B\n\n== Two words\n" },
    document: "docs/modules/ROOT/pages/a.md",
    outcomes: {
      "b.adoc#two-words": "ok",
      "b.adoc#_two_words": "ok",
      "b.adoc#made": "outside_tree",
      "gone.adoc": "file_missing",
    },
  },
  "MyST in Sphinx": {
    files: {
      "docs/conf.py": 'extensions = ["myst_parser"]\n',
      "docs/b.md": "(Set-Up)=\n# Set up\n\n```{figure} x.png\n:name: fig\n```\n",
      "docs/b.rst": "[1]_ `a <#gone>`_\n",
    },
    document: "docs/a.md",
    outcomes: {
      "#set-up": "ok",
      "set-up": "ok",
      "#fig": "ok",
      "#from-elsewhere": "outside_tree",
      "from-elsewhere": "outside_tree",
      b: "ok",
      "gone.md": "file_missing",
    },
  },
  MyST: {
    files: { "myst.yml": "", "b.md": "$$\nx\n$$ (eq)\n" },
    document: "a.md",
    outcomes: { "#eq": "ok", "#made": "outside_tree", "gone.md": "file_missing" },
  },
  "A wiki of GitHub": {
    files: { "Home.md": "", "_Sidebar.md": "", "Set-Up.v2.md": "# Part\n", "deep/Other.md": "" },
    document: "Page.md",
    outcomes: {
      "Set-Up.v2#part": "ok",
      "Set-Up.v2#gone": "anchor_missing",
      other: "ok",
      "No-Page": "outside_tree",
      "gone.md": "file_missing",
    },
  },
  "mdBook with a preprocessor": {
    files: { "book.toml": '[book]\nsrc = "text"\n[preprocessor.listing]\n', "text/b.md": "" },
    document: "text/a.md",
    outcomes: { "/b.html": "ok", "made.md": "outside_tree", "b.md#made": "outside_tree" },
  },
  "mdBook with preprocessors that make nothing": {
    files: { "book.toml": "[preprocessor.toc]\n[preprocessor.links]\n", "src/b.md": "" },
    document: "src/a.md",
    outcomes: { "gone.md": "file_missing", "b.md#gone": "anchor_missing" },
  },
  "MkDocs with a separator": {
    files: { "mkdocs.yml": 'markdown_extensions:\n  - toc:\n      separator: "_"\n' },
    document: "docs/a.md",
    text: "## Two words\n",
    outcomes: { "#two_words": "ok", "#two-words": "anchor_missing" },
  },
  "MkDocs with anchors of Unicode": {
    files: {
      "mkdocs.yml":
        "markdown_extensions:\n  toc:\n    slugify: !!python/name:pymdownx.slugs.uslugify\n",
    },
    document: "docs/a.md",
    text: "## Обзор & системы\n",
    outcomes: { "#обзор--системы": "ok", "#gone": "anchor_missing" },
  },
  "MkDocs with a function that is not known": {
    files: { "mkdocs.yml": "markdown_extensions:\n  - toc: {slugify: !!python/name:own.slug }\n" },
    document: "docs/a.md",
    text: "## Two Words\n",
    outcomes: { "#two_words": "ok", "#made": "outside_tree" },
  },
  "MkDocs with pages that a plugin makes": {
    files: { "mkdocs.yml": "plugins:\n  - search\n  - gen-files:\n      scripts: [a.py]\n" },
    document: "docs/a.md",
    outcomes: { "made.md": "outside_tree", "#gone": "anchor_missing" },
  },
  "MkDocs with hooks": {
    files: { "mkdocs.yml": "hooks: [a.py]\nplugins: {search: {}}\n" },
    document: "docs/a.md",
    outcomes: { "#made": "outside_tree", "gone.md": "file_missing" },
  },
  "MkDocs with broken settings": {
    files: { "mkdocs.yml": "a: [b: {\n- c: !!x" },
    document: "docs/a.md",
    text: "# A b\n",
    outcomes: { "#a-b": "ok", "#gone": "anchor_missing", "gone.md": "file_missing" },
  },
  "MkDocs, with tabs and ids by hand,": {
    files: { "mkdocs.yml": "" },
    document: "docs/a.md",
    text: '# Top\n\n=== "Open me"\n\n    x\n\n=== "C++"\n\n    y\n\n[](){ #spot }\n\n### 9.7 { id="9.7" }\n',
    outcomes: {
      "#open-me": "ok",
      "#top--c": "ok",
      "#__tabbed_1_2": "ok",
      "#spot": "ok",
      "#9.7": "ok",
      "#closed": "anchor_missing",
    },
  },
  "A translation next to the site it is of": {
    files: { "docs/en/mkdocs.yml": "", "docs/en/docs/a.md": "" },
    document: "docs/pt-BR/docs/a.md",
    text: "## Два { #two }\n",
    outcomes: { "#two": "ok", "/img/a.png": "outside_tree", "gone.md": "file_missing" },
  },
  "A page of a program that is not known": {
    files: { "docs/b.md": "" },
    document: "docs/a.md",
    text: "---\ntitle: A\n---\n# It's here\n",
    outcomes: {
      "/docs/4.x/made": "outside_tree",
      "./made": "outside_tree",
      b: "ok",
      "#it-s-here": "ok",
      "#made": "outside_tree",
      "gone.md": "file_missing",
    },
  },
  "A document that no program is known for": {
    files: { "b.md": "" },
    document: "a.md",
    text: "## One {/*one*/}\n\n## Two { #two }\n",
    outcomes: {
      "#one": "ok",
      "#two": "ok",
      "#gone": "anchor_missing",
      b: "file_missing",
      "/made": "file_missing",
    },
  },
  "A document about the repository of a site": {
    files: { "mkdocs.yml": "", "docs/b.md": "" },
    document: "README.md",
    text: "## A & b\n",
    outcomes: { "#a--b": "ok", "/b.md": "file_missing", "docs/b": "file_missing" },
  },
};

describe("A link within a tree of", () => {
  test.each(Object.entries(TREES))(
    "%s is dead only where the tree proves it",
    async (_, { files, document, text = "", outcomes }) => {
      const page = `${text}\n\n${linksTo(outcomes)}\n`;

      expect(await reasonsIn({ ...files, [document]: page }, document)).toEqual(outcomes);
    },
  );
});

describe("Anchors", () => {
  test("of notebooks are those of Jupyter, and of other programs", async () => {
    const outcomes = {
      "#Aside:-Big-O": "ok",
      "#What's-new?": "ok",
      "#aside-big-o": "ok",
      "#aside_big_o": "ok",
      "#scrollTo=abc": "ok",
      "#Aside:-Nothing": "anchor_missing",
    };
    const source = `## Aside: Big O\n\n## What's new?\n\n${linksTo(outcomes)}`;
    const notebook = JSON.stringify({ cells: [{ cell_type: "markdown", source }] });

    expect(await reasonsIn({ "a.ipynb": notebook }, "a.ipynb")).toEqual(outcomes);
  });

  test("are looked for as they are written, and then decoded", async () => {
    const html =
      '<b id="a%2Fb"></b><b id="c/d"></b><a href="#a%2Fb"></a><a href="#c%2Fd"></a><a href="#a/b"></a>';

    expect(await reasonsIn({ "a.html": html }, "a.html")).toEqual({
      "#a%2Fb": "ok",
      "#c%2Fd": "ok",
      "#a/b": "anchor_missing",
    });
  });

  test("of a template may be in another part of the page", async () => {
    const html = '{% block a %}<a href="#a"></a><img src="b.png">';

    expect(await reasonsIn({ "_config.yml": "", "a.html": html }, "a.html")).toEqual({
      "#a": "outside_tree",
      "b.png": "outside_tree",
    });
  });

  test("of AsciiDoc have the prefix that the document sets", async () => {
    const text =
      "= A\n:idprefix:\n:idseparator: -\n\n== Two words\n\n<<two-words>> <<_two_words>>\n";

    expect(await reasonsIn({ "a.adoc": text }, "a.adoc")).toMatchObject({
      "#two-words": "ok",
      "#_two_words": "anchor_missing",
    });
  });

  test("are those of GitHub alone where the command line says so", async () => {
    const outcomes = { "#one": "anchor_missing", "#one-one": "ok" };
    const page = `# One {#one}\n\n${linksTo(outcomes)}`;

    expect(await reasonsIn({ "a.md": page }, "a.md", ["--anchors", "github"])).toEqual(outcomes);
  });
});

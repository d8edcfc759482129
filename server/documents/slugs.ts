import GithubSlugger from "github-slugger";

/** Returns the anchors that a program makes for headings, in their order. */
type Anchors = (headings: string[]) => string[];

/** An id that the author wrote behind a heading: `## Title {#id}`. */
const OWN_ID = /\s*\{:?\s*#([^\s}]+)[^}]*\}\s*$/;

const github: Anchors = (headings) => {
  const slugger = new GithubSlugger();
  return headings.map((heading) => slugger.slug(heading));
};

const mintlify = numbered("-", 2, (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, "-")
    .replace(/^-|-$/g, ""),
);

/** How programs make anchors from headings. For Mintlify there may be two, as its documents link to either. */
export const ANCHOR_KINDS = {
  github,
  gitlab: numbered("-", 1, (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-")
      .replace(/-{2,}/g, "-");
    return /^\d+$/.test(slug) ? `anchor-${slug}` : slug;
  }),
  mkdocs: withOwnIds(
    numbered("_", 1, (heading) =>
      heading
        .normalize("NFKD")
        .replace(/[^\w\s-]/g, "")
        .trim()
        .toLowerCase()
        .replace(/[-\s]+/g, "-"),
    ),
  ),
  docusaurus: withOwnIds(github),
  vitepress: withOwnIds(
    numbered("-", 1, (heading) =>
      heading
        .normalize("NFKD")
        .replace(/[\u0300-\u036F]|\p{Cc}/gu, "")
        .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, "-")
        .replace(/^-+|-+$/g, "")
        .replace(/^(\d)/, "_$1")
        .toLowerCase(),
    ),
  ),
  mintlify: (headings) => [...mintlify(headings), ...github(headings)],
  asciidoctor: numbered("_", 2, (heading) => {
    const words = heading
      .toLowerCase()
      .replace(/[^ \-.\p{L}\p{M}\p{N}\p{Pc}]/gu, "")
      .replace(/[ .-]+/g, "_");
    return `_${words.replace(/^_|_$/g, "")}`;
  }),
  docutils: numbered("-", 1, (heading) =>
    heading
      .toLowerCase()
      .normalize("NFKD")
      .replace(/[^\0-\x7F]/g, "")
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^[-\d]+|-+$/g, ""),
  ),
  none: () => [],
} satisfies Record<string, Anchors>;

export type AnchorKind = keyof typeof ANCHOR_KINDS;

/** Makes repeated anchors differ by a number after a separator. */
function numbered(separator: string, first: number, slugOf: (heading: string) => string): Anchors {
  return (headings) => {
    const used = new Set<string>();
    return headings.map((heading) => {
      const slug = slugOf(heading);
      let anchor = slug;
      for (let no = first; used.has(anchor); no++) anchor = `${slug}${separator}${no}`;
      used.add(anchor);
      return anchor;
    });
  };
}

function withOwnIds(anchorsOf: Anchors): Anchors {
  return (headings) => {
    const own = headings.map((heading) => OWN_ID.exec(heading)?.[1]);
    const made = anchorsOf(headings.filter((_, i) => own[i] === undefined));
    return own.map((id) => id ?? made.shift()!);
  };
}

import GithubSlugger from "github-slugger";
import { ownIdIn } from "./own-ids.ts";

/** Returns the anchors that a program makes for headings, in their order. */
export type Anchors = (headings: string[]) => string[];

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
  mkdocs: mkdocsAnchors(),
  docusaurus: withOwnIds((headings) => github(headings.map((heading) => heading.trim()))),
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
  asciidoctor: asciidoctorAnchors("_", "_"),
  docutils: numbered("-", 1, (heading) =>
    heading
      .toLowerCase()
      .normalize("NFKD")
      .replace(/[^\0-\x7F]/g, "")
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^[-\d]+|-+$/g, ""),
  ),
  jupyter: (headings) => headings.map((heading) => heading.replaceAll(" ", "-")),
  kramdown: withOwnIds(
    numbered("-", 1, (heading) => {
      const slug = heading
        .replace(/^[^a-zA-Z]+/, "")
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-");
      return slug.toLowerCase() || "section";
    }),
  ),
  pandoc: withOwnIds(
    numbered("-", 1, (heading) => {
      const slug = heading
        .toLowerCase()
        .replace(/[^\p{L}\p{M}\p{N}_.\s-]/gu, "")
        .trim()
        .replace(/\s+/g, "-")
        .replace(/^[^\p{L}]+/u, "");
      return slug || "section";
    }),
  ),
  none: () => [],
} satisfies Record<string, Anchors>;

export type AnchorKind = keyof typeof ANCHOR_KINDS;

/** Whether pages with anchors of a kind may have ids that authors write behind words, as in `{#id}`. */
export const hasOwnIds = (kind: AnchorKind): boolean => kind !== "github" && kind !== "jupyter";

/** As Python-Markdown makes them: `markdown.extensions.toc.slugify`, and `slugify_unicode`. */
export function mkdocsAnchors({ separator = "-", isUnicode = false } = {}): Anchors {
  const escaped = separator.replace(/[\\\]^-]/g, "\\$&");
  const between = separator === "" ? /(?:)/g : new RegExp(`[${escaped}\\s]+`, "g");
  return withOwnIds(
    numbered("_", 1, (heading) =>
      (isUnicode
        ? heading.replace(/[^\p{L}\p{N}_\s-]/gu, "")
        : heading.normalize("NFKD").replace(/[^\w\s-]/g, "")
      )
        .trim()
        .toLowerCase()
        .replace(between, separator),
    ),
  );
}

/** As `pymdownx.slugs` makes them. Whether it changes case is one of its options, so there are both. */
export function pymdownxAnchors({ separator = "-" } = {}): Anchors {
  const cased = (heading: string) =>
    heading
      .normalize("NFC")
      .trim()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", separator);
  const kept = withOwnIds(numbered("_", 1, cased));
  const lower = withOwnIds(numbered("_", 1, (heading) => cased(heading).toLowerCase()));
  return (headings) => [...lower(headings), ...kept(headings)];
}

/** As Asciidoctor makes them, with the values of its attributes `idprefix` and `idseparator`. */
export function asciidoctorAnchors(prefix: string, separator: string): Anchors {
  return numbered(separator, 2, (heading) => {
    const words = heading.toLowerCase().replace(/[^ \-.\p{L}\p{M}\p{N}\p{Pc}]/gu, "");
    if (separator === "") return prefix + words.replace(/[ .-]/g, "");
    const joined = words
      .replace(/[ .-]+/g, separator)
      .split(separator)
      .filter(Boolean);
    return prefix + joined.join(separator);
  });
}

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
    const own = headings.map((heading) => ownIdIn(heading)?.id);
    const made = anchorsOf(headings.filter((_, i) => own[i] === undefined));
    return own.map((id) => id ?? made.shift()!);
  };
}

import { anchorForms, decoded } from "../../judge/page/fragments.ts";
import type { Read } from "../../read/documents/document.ts";
import type { DocumentFormat } from "../../read/documents/formats.ts";
import {
  ANCHOR_KINDS,
  type AnchorKind,
  type Anchors,
  asciidoctorAnchors,
  hasOwnIds,
} from "../../read/documents/slugs.ts";
import type { Site } from "./programs.ts";

/** Whether a document has an anchor; `unknown` if its page may have one of which the document says nothing. */
export type HasAnchor = (fragment: string) => "there" | "missing" | "unknown";

type Document = { format: DocumentFormat; read: Read; text(): string };

/** @param kind how headings get their anchors, if the user says that */
export function anchorTest(document: Document, site: Site | null, kind?: AnchorKind): HasAnchor {
  const { format, read } = document;
  const anchors = new Set(read.anchors);
  const isThere = (fragment: string) => anchorForms(fragment).some((each) => anchors.has(each));
  if (format === "html") return (fragment) => htmlAnchor(document, isThere(fragment));
  for (const make of kindsFor(document, site, kind)) {
    for (const anchor of make(read.headings)) anchors.add(anchor);
  }
  if (kind === undefined || hasOwnIds(kind)) for (const id of read.ids ?? []) anchors.add(id);
  return (fragment) => {
    // GitHub puts a prefix before anchors, makes those of footnotes, and ignores case.
    const anchor = fragment.replace(/^user-content-/, "");
    if ([fragment, anchor, decoded(anchor).toLowerCase()].some(isThere)) return "there";
    if (/^fn(?:ref)?[-:]/.test(anchor)) return "there";
    return madeAnchor(document, decoded(anchor), site, kind);
  };
}

/** Whether HTML is a template, and so a part of pages. */
export const isTemplate = (html: string): boolean => /\{\{|\{%|<%|<\?php/.test(html);

const htmlAnchor = ({ text }: Document, isThere: boolean) =>
  isThere ? "there" : isTemplate(text()) ? "unknown" : "missing";

function kindsFor({ format, text }: Document, site: Site | null, kind?: AnchorKind): Anchors[] {
  if (format === "rst") return [ANCHOR_KINDS.docutils];
  if (format === "asciidoc") return [...(site?.anchors ?? []), asciidocAnchors(text())];
  if (kind !== undefined) return [ANCHOR_KINDS[kind]];
  const kinds = site?.anchors ?? [ANCHOR_KINDS.github];
  return format === "notebook" ? [...kinds, ANCHOR_KINDS.jupyter, ANCHOR_KINDS.github] : kinds;
}

/** A document may set the attributes by which Asciidoctor makes anchors. */
function asciidocAnchors(text: string): Anchors {
  const attribute = (name: string) =>
    new RegExp(`^:${name}:[ \\t]*(.*)`, "m").exec(text)?.[1]?.trim();
  return asciidoctorAnchors(attribute("idprefix") ?? "_", attribute("idseparator") ?? "_");
}

/** Parts that a site generator puts into a page when it makes it. */
const INCLUDES =
  /--8<--|\{!.*!\}|\{\{\s*#|\{\{[<%]|\{%-?\s*include|<!--\s*@include|^:::\s*[\w-]+|^include::/m;

/** Judges an anchor that neither a heading nor an id is. */
function madeAnchor(document: Document, anchor: string, site: Site | null, kind?: AnchorKind) {
  const { format, read } = document;
  const isByUser = kind !== undefined;
  if (format === "notebook" && (/^scrollTo=/.test(anchor) || isLike(read.headings, anchor)))
    return "there";
  if (!site && (format === "markdown" || isByUser)) return "missing";
  const text = document.text();
  if (INCLUDES.test(text) || (!isByUser && site?.special?.test(`#${anchor}`))) return "there";
  if (isByUser || !site) return "missing";
  if (site.anchorsAre !== "exact" && isLike([...read.headings, ...summariesIn(text)], anchor)) {
    return "there";
  }
  if (isTab(text, anchor, site.anchors)) return "there";
  // All of such a page is made by a component.
  const isMade = read.headings.length === 0 && COMPONENT.test(text);
  return site.anchorsAre === "open" || isMade || isValue(text, anchor) ? "unknown" : "missing";
}

const COMPONENT = /^\s*<[A-Z][\w.]*[\s/>]/m;

/** What all ways to make an anchor leave of words. */
const letters = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** What can be folded is like a heading in some programs. */
const summariesIn = (text: string) =>
  [...text.matchAll(/<summary>([^<\n]+)<\/summary>/g)].map(([, title]) => title!);

/**
 * Whether an anchor has the letters of a heading, without the number that tells equal ones apart and the `id-` that
 * GitBook puts before digits.
 */
function isLike(headings: string[], anchor: string): boolean {
  const name = anchor.replace(/^id-(?=\d)/, "");
  const forms = [name, name.replace(/[-_]\d+$/, "")].map(letters).filter(Boolean);
  return headings.some((heading) => forms.includes(letters(heading)));
}

/** The title of a tab of `pymdownx.tabbed`. */
const TAB = /^[ \t]*===[!+]*[ \t]+"([^"\n]+)"/gm;

/** Whether a tab has this anchor, which may have that of the heading above before it. */
function isTab(text: string, anchor: string, kinds: Anchors[]): boolean {
  const titles = [...text.matchAll(TAB)].map(([, title]) => title!);
  if (titles.length > 0 && /^__tabbed_\d+_\d+$/.test(anchor)) return true;
  const made = titles.flatMap((title) => kinds.flatMap((make) => make([title])));
  return made.some((each) => anchor.replace(/_\d+$/, "") === each || anchor.endsWith(`--${each}`));
}

/** Whether a component has it as the value of an attribute, of which it may make an id. */
const isValue = (text: string, anchor: string) =>
  [`"${anchor}"`, `'${anchor}'`].some(
    (value) => text.includes(`=${value}`) || text.includes(`={${value}`),
  );

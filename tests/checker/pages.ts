import { z } from "zod";
import { bare, LOGIN, site } from "./barrier-sites.ts";
import { layout, plain } from "./signals/living-pages.ts";
import * as missing from "./signals/missing-pages.ts";
import * as parked from "./signals/parked-pages.ts";
import * as walls from "./signals/wall-pages.ts";

/** HTML, or pieces of it one after another, of which some are pages themselves. */
export type Html = string | (string | PageFields)[];

/** One of the kinds below with its parts, or `html`. */
export type PageFields = {
  html?: Html | undefined;
  /** Texts of the page that are replaced where they first occur. */
  replace?: Record<string, string> | undefined;
  words?: number | undefined;
  links?: number | undefined;
} & { [name in TextField]?: Html | undefined };

type TextField = keyof typeof KINDS | (typeof PARTS)[number];

/** What a kind of page may say besides its title. */
export const PARTS = [
  "banner",
  "body",
  "domain",
  "footer",
  "head",
  "header",
  "heading",
  "lang",
  "main",
  "root",
  "text",
  "title",
] as const;

type Parts = { [part in (typeof PARTS)[number]]?: string } & { words?: number; links?: number };
type Kind = (name: string, parts: Parts) => string;

const PARKED: Record<string, (domain?: string) => string> = {
  Sedo: parked.sedo,
  Bodis: parked.bodis,
  "Bodis's script": parked.bodisScript,
  ParkingCrew: parked.parkingCrew,
  GoDaddy: parked.goDaddy,
  "GoDaddy's lander": parked.goDaddyLander,
  HugeDomains: parked.hugeDomains,
  "list of links": parked.linkList,
};

/** The kinds of pages that rows name, each by its title or what else it is called by. */
export const KINDS = {
  notice: (title, { heading, text }) => walls.notice(title, heading, text),
  page: (title, { main = "", ...around }) => walls.page(title, main, around),
  article: (heading, { words, ...around }) => walls.article(heading, words, around),
  login: (title, { heading = title }) => `<title>${title}</title><h1>${heading}</h1>${LOG_IN}`,
  titled: (title, { text = "" }) =>
    `<!doctype html><html><head><title>${title}</title></head><body><div>${text}</div></body></html>`,
  contents: (text) => `<html><body>${text}</body></html>`,
  headed: (title, { heading = title, ...parts }) => missing.page(title, heading, parts),
  story: (title, { words, head }) => missing.article(title, words, head),
  excuse: (words, parts) => missing.excuse(words, parts),
  shell: (name, { root }) => missing.shell(name, root),
  parked: (service, { domain }) => (PARKED[service] ?? unknown(service))(domain),
  escaped: (html) => Bun.escapeHTML(html),
  for_sale: (words, { text }) => parked.forSale(words, text),
  shop: (title, { main = "", ...parts }) => site(title, main, parts),
  bare: (title, { body = "", words }) => bare(title, body, words),
  store: (title, { heading = title, ...parts }) => layout(title, heading, parts),
  plain: (title, { heading, main, head }) => plain(title, heading, main, head),
} satisfies Record<string, Kind>;

const LOG_IN = `<form action="/login" method="post">${walls.PASSWORD}</form>`;

/** The page that a row describes; undefined if it describes none. */
export function pageOf(fields: PageFields): string | undefined {
  const made = "html" in fields ? htmlOf(fields.html) : ofKind(fields);
  const replacing = Object.entries(fields.replace ?? {});
  return replacing.reduce((page, [before, after]) => replaced(page, before, after), made);
}

function ofKind(fields: PageFields): string | undefined {
  const [kind, another] = Object.entries(KINDS).filter(([name]) => name in fields);
  if (!kind) return undefined;
  const [name, make] = kind as [keyof typeof KINDS, Kind];
  if (another) throw new Error(`A page is either a ${name} or a ${another[0]}.`);
  const parts = PARTS.filter((part) => part in fields).map((part) => [part, htmlOf(fields[part])]);
  const counts = (["words", "links"] as const).filter((count) => count in fields);
  const said = Object.fromEntries([...parts, ...counts.map((count) => [count, fields[count]])]);
  return withAllOf(said, name, (watched) => make(htmlOf(fields[name]), watched));
}

/** @throws Error for parts that a page of this kind does not have */
function withAllOf(said: Parts, kind: string, make: (parts: Parts) => string): string {
  const unread = new Set(Object.keys(said));
  const get = (parts: Parts, part: keyof Parts) => {
    unread.delete(part);
    return parts[part];
  };
  const page = make(new Proxy(said, { get } as ProxyHandler<Parts>));
  if (unread.size > 0) throw new Error(`A ${kind} has no ${[...unread].join(" and no ")}.`);
  return page;
}

function replaced(page: string | undefined, before: string, after: string): string {
  if (!page?.includes(before)) throw new Error(`The page does not contain ${before}.`);
  return page.replace(before, () => filled(after));
}

const htmlOf = (html: Html = ""): string =>
  typeof html === "string"
    ? filled(html)
    : html.map((piece) => (typeof piece === "string" ? filled(piece) : pageOf(piece))).join("");

const FILLERS: Record<string, (...sizes: number[]) => string> = {
  prose: (words = 0) => walls.prose(words),
  paragraph: (topic = 0, words = 0) => missing.paragraph(topic, words),
  words: (topic = 0, words = 0) => missing.story(topic, words),
};

/**
 * `{prose 60}` stands for so many words, `{paragraph 4 60}` for so many about the fourth topic, as `{words 4 60}` without
 * an element, and `{login}` for the form of a sign-in.
 */
const filled = (html: string) =>
  html
    .replaceAll("{login}", LOGIN)
    .replace(/\{(prose|paragraph|words)((?: \d+)+)\}/g, (_, name: string, sizes: string) =>
      FILLERS[name]!(...sizes.trim().split(" ").map(Number)),
    );

function unknown(name: string): never {
  throw new Error(`There is no page of this name: ${name}`);
}

const HtmlShape: z.ZodType<Html> = z.lazy(() =>
  z.union([z.string(), z.array(z.union([z.string(), z.strictObject(PageShape)]))]),
);

/** The fields of a page in a row. */
export const PageShape = {
  ...Object.fromEntries(
    [...Object.keys(KINDS), ...PARTS].map((name) => [name, HtmlShape.optional()] as const),
  ),
  html: HtmlShape.optional(),
  words: z.number().optional(),
  links: z.number().optional(),
  replace: z.record(z.string(), z.string()).optional(),
};

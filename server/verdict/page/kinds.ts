import { decodeHTML } from "entities";
import { type Name, nameOf } from "./elements.ts";
import { type Found, isNoindex } from "./found.ts";
import { parseRefresh } from "./refresh.ts";

/** What is special about an element. */
export type Kind = {
  /** It has no end tag. */
  isVoid?: true;
  isUnseen?: true;
  /** The signs that matter in the text that is all of its content (HTML §13.2.6.2, with scripts on). */
  signs?: RegExp;
  /** Its text is seen, and may have tags in it that are not the page's own. */
  hasTagsAsText?: true;
  /** The attributes that it is read for. */
  attributes?: ReadonlySet<string>;
  note?(found: Found, values: ReadonlyMap<string, string>): void;
};

const VOID: Kind = { isVoid: true };
const UNSEEN: Kind = { isUnseen: true };
const endOf = (name: string) => new RegExp(`</${name}(?=[\\s/>])`, "gi");
const unseenText = (name: string): Kind => ({ isUnseen: true, signs: endOf(name) });
const seenText = (name: string): Kind => ({ hasTagsAsText: true, signs: endOf(name) });

export const KINDS: ReadonlyMap<Name, Kind> = new Map(
  Object.entries<Kind>({
    ...Object.fromEntries(
      "area base basefont bgsound br col embed hr img keygen param source track wbr"
        .split(" ")
        .map((name) => [name, VOID]),
    ),
    meta: {
      isVoid: true,
      attributes: new Set(["name", "property", "content", "http-equiv"]),
      note: noteMeta,
    },
    link: {
      isVoid: true,
      attributes: new Set(["rel", "href"]),
      note(found, values) {
        if (isWord(values.get("rel"), "canonical")) found.canonical ??= values.get("href") ?? null;
      },
    },
    input: {
      isVoid: true,
      attributes: new Set(["type"]),
      note(found, values) {
        if (isWord(values.get("type"), "password")) found.passwordFields += 1;
      },
    },
    article: {
      note(found) {
        found.hasArticle = true;
      },
    },
    form: {
      note(found) {
        found.forms += 1;
      },
    },
    svg: UNSEEN,
    template: UNSEEN,
    script: {
      isUnseen: true,
      signs: /<!--|-->|<\/?script(?=[\s/>])/gi,
      attributes: new Set(["type"]),
    },
    ...Object.fromEntries(
      ["style", "noscript", "iframe", "title"].map((name) => [name, unseenText(name)]),
    ),
    ...Object.fromEntries(
      ["textarea", "xmp", "noembed", "noframes"].map((name) => [name, seenText(name)]),
    ),
    plaintext: { hasTagsAsText: true, signs: /(?!)/g },
  }).map(([name, kind]) => [nameOf(name), kind]),
);

export const isWord = (value: string | undefined, word: string) => value?.toLowerCase() === word;

function noteMeta(found: Found, values: ReadonlyMap<string, string>): void {
  const name = (values.get("name") ?? values.get("property"))?.toLowerCase();
  const content = values.get("content") ?? "";
  if (name === undefined) {
    if (isWord(values.get("http-equiv"), "refresh")) {
      found.refresh ??= parseRefresh(decodeHTML(content));
    }
  } else if (name === "robots" || name === "googlebot" || name === "bingbot") {
    found.isNoindex ||= isNoindex(content);
  } else if (name === "og:url") {
    found.ogUrl ??= content;
  } else if (name === "og:type") {
    found.ogType ??= content;
  }
}

/**
 * Types of schema.org that sites put on all of their pages, or that only describe a part of a page or of a thing. Every
 * other type is that of a thing that a page may be about.
 */
const FRAME = new Set(
  `website webpage webpageelement sitenavigationelement wpheader wpfooter wpsidebar wpadblock collectionpage
  searchresultspage checkoutpage blog breadcrumblist itemlist listitem offercatalog searchaction readaction entrypoint
  organization corporation newsmediaorganization onlinebusiness onlinestore ngo contactpoint postaladdress imageobject
  propertyvalue quantitativevalue offer aggregateoffer aggregaterating rating review brand country place geocoordinates
  openinghoursspecification webapi speakablespecification propertyvaluespecification thing`.split(
    /\s+/,
  ),
);

/** Properties whose value is what a page is about; an item that is another property only describes one. */
const MAIN_PROPERTY = /^(?:mainEntity|mainEntityOfPage|mainContentOfPage|blogPosts?|about)$/i;

/** Whether types name a thing. One of several that is of a frame makes it one: a person as the owner of a site. */
function nameThing(types: readonly string[]): boolean {
  const names = types.map((type) =>
    type
      .replace(/^.*[/:#]/, "")
      .trim()
      .toLowerCase(),
  );
  return names.length > 0 && names.every((name) => name !== "" && !FRAME.has(name));
}

const isOfSchema = (text: string) => /schema\.org|data-vocabulary\.org/i.test(text);

/** Whether the attributes of an element make it the main entity of its page: microdata or RDFa. */
export function isMainItem(attributes: ReadonlyMap<string, string>, usesSchema: boolean): boolean {
  const property = attributes.get("itemprop") ?? attributes.get("property") ?? null;
  if (property !== null && !property.split(/\s+/).some((name) => MAIN_PROPERTY.test(name))) {
    return false;
  }
  const itemTypes = wordsOf(attributes.get("itemtype"));
  if (itemTypes.length > 0) return itemTypes.every(isOfSchema) && nameThing(itemTypes);
  const types = wordsOf(attributes.get("typeof")).filter(
    (type) =>
      /^s(?:chema)?:/i.test(type) || isOfSchema(type) || (usesSchema && !type.includes(":")),
  );
  return nameThing(types);
}

/** Whether RDFa below an element is in schema.org's words, unless its types say otherwise. */
export const setsSchema = (attributes: ReadonlyMap<string, string>) =>
  isOfSchema(attributes.get("vocab") ?? "");

const wordsOf = (value: string | undefined): string[] => value?.match(/\S+/g) ?? [];

/** Attributes of microdata (HTML §5.2) and RDFa Lite. */
export const ITEM_ATTRIBUTES = new Set(["itemtype", "itemprop", "typeof", "property", "vocab"]);

/** Whether JSON-LD describes the thing that its page is about. `scripts` are as written. */
export const hasMainThing = (scripts: readonly string[]): boolean =>
  scripts.some((script) => {
    const node = parse(script);
    return node === undefined ? nameThing([FIRST_TYPE.exec(script)?.[1] ?? ""]) : isThing(node);
  });

function parse(script: string): unknown {
  try {
    return JSON.parse(script);
  } catch {
    return undefined;
  }
}

/** In JSON that has mistakes or is cut off. */
const FIRST_TYPE = /"@type"\s*:\s*(?:\[\s*)?"([^"]{1,100})"/;

/** Nested deeper, JSON-LD describes parts of things. */
const DEEPEST = 4;

function isThing(value: unknown, depth = 0): boolean {
  if (Array.isArray(value)) return value.some((node) => isThing(node, depth + 1));
  if (depth > DEEPEST || typeof value !== "object" || value === null) return false;
  const node = value as Record<string, unknown>;
  if (nameThing(typesOf(node))) return true;
  return [node["@graph"], node.mainEntity].some((inner) => isThing(inner, depth + 1));
}

const typesOf = ({ "@type": type }: Record<string, unknown>): string[] =>
  [type].flat().filter((each) => typeof each === "string");

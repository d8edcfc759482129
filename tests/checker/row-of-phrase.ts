import { z } from "zod";
import { missingIn, missingInHeading, startsMissing } from "../../server/judge/signals/phrases.ts";
import type { Promised } from "../each-row.ts";

const PhraseFields = z.strictObject({
  what: z.string(),
  phrase: z.string(),
  /** Where a page says it; in its title unless the row says otherwise. */
  in: z.array(z.enum(["title", "heading", "text"])).default(["title"]),
  /** How strongly it says that something is missing. A text begins so or not. */
  strength: z.union([z.string(), z.boolean(), z.null()]),
  /** Names of the site on which the title is. */
  site_names: z.array(z.string()).default([]),
  /** Words that the link's own address says. */
  named: z.string().optional(),
});

/** What a row says of words on a page. */
export function promiseOfPhrase(row: unknown): Promised {
  const { what: story, phrase, in: places, strength, site_names, named } = PhraseFields.parse(row);
  const isSiteName = (words: string) =>
    site_names.some((name) => name.toLowerCase() === words.toLowerCase());
  const context = { isSiteName, isNamed: (words: string) => words === named };
  const readers = {
    title: () => missingIn(phrase, context),
    heading: () => missingInHeading(phrase, context),
    text: () => startsMissing(phrase),
  };
  return {
    story,
    expected: Object.fromEntries(places.map((place) => [`as a ${place}`, strength])),
    seen: () => Object.fromEntries(places.map((place) => [`as a ${place}`, readers[place]()])),
  };
}

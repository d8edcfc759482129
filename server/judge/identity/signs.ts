import type { Look, Shown } from "../page/page-facts.ts";
import { bitsApart } from "../signals/same-page.ts";

/** What each sign says. None of them alone decides anything. */
export const SIGNS = {
  title_gone: "Hardly a word of the earlier title is left.",
  other_text: "The text is another one.",
  other_script: "The text is written in another script.",
  other_domain: "It leads to a domain that it did not lead to before.",
  registered_again: "Its domain was registered again after the page was first seen.",
  gap: "Its domain was missing or parked in between.",
  neighbors: "Other links to this site show something else as well, since about the same time.",
} as const;

export type Sign = keyof typeof SIGNS;

/**
 * Built pages of three public sites, first and last version up to eight years apart, kept at least 4 of 7 words of
 * their titles; of pages of other sites in the same field 95 % have less than this.
 */
const LEAST_TITLE = 2 / 5;
/** Pages that lived long differ by up to 39 bits, so this says something only together with the title. */
const MANY_BITS = 20;

/** Returns the signs in the content of a page that is compared with the remembered one. */
export function contentSigns(page: Shown, look: Look): Sign[] {
  const isGone = look.keptTitle !== null && look.keptTitle < LEAST_TITLE;
  const isOther = bitsApart(page.print, look.print) >= MANY_BITS;
  const isOtherScript = page.script !== null && look.script !== null && page.script !== look.script;
  return [
    ...(isGone ? (["title_gone"] as const) : []),
    ...(isOther ? (["other_text"] as const) : []),
    ...(isOtherScript ? (["other_script"] as const) : []),
  ];
}

/** Whether the content is that of another page: neither text nor title alone says so. */
export const isOtherContent = (signs: Sign[]): boolean =>
  signs.includes("title_gone") &&
  signs.some((sign) => sign === "other_text" || sign === "other_script");

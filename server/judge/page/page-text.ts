import * as z from "zod";
import type { Page } from "./page.ts";

/** What people read of a page, kept so that two of its versions can be compared. */
export const PageText = z.object({
  title: z.string().nullable().meta({ example: "A page" }),
  headings: z.array(z.string()).meta({ example: ["A page"] }),
  visible_text: z.string().nullable().meta({ example: "A page. There is a lot to say." }),
});
export type PageText = z.infer<typeof PageText>;

const TEXT_CHARS = 4096;

/** Of a response without a page. */
const NOTHING: PageText = { title: null, headings: [], visible_text: null };

/** Returns the title, the main headings, each once, and the first 4,096 characters of the text. */
export function pageTextOf(page: Page | null): PageText {
  if (!page) return NOTHING;
  const { title, heading, headings, subheading, text } = page;
  return {
    title: title || null,
    headings: [...new Set([heading, ...headings, subheading])].filter((each) => each !== ""),
    visible_text: beginningOf(text),
  };
}

/** Returns as much of a text as is kept. */
export const beginningOf = (text: string) => text.slice(0, TEXT_CHARS).toWellFormed();

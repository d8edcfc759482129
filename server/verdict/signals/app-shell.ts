import type { Page } from "../page/page.ts";

/** A page of less text than this shows its content only by scripts, or has none. */
export const LITTLE_TEXT = 300;

/**
 * Whether a page is an empty frame that scripts fill in a browser. Such a frame is the same for every
 * address, and says nothing about any.
 */
export const isAppShell = (page: Page) =>
  isFrame(page) || (page.text.length < LITTLE_TEXT && SCRIPT.test(page.markup));

/** Whether a page has the element that a framework fills. */
export const isFrame = (page: Page) => SHELL.test(page.markup);

const SHELL =
  /\bid=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|q-app)["'\s>]|\bng-version=|\bng-app\b|<app-root\b|\bdata-reactroot\b|\bdata-sveltekit/i;
const SCRIPT = /<script\b[^>]{0,300}\bsrc\s*=/i;

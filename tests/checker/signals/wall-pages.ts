import { expect, test } from "bun:test";
import { type Case, rulesOn, verdictOn } from "../seen.ts";

const WORDS =
  "the river runs slowly through an old town and every morning people cross its bridge on their way to work while boats carry stone timber and grain down to the harbour".split(
    " ",
  );

/** So many words of prose, in paragraphs. */
export function prose(words: number): string {
  const text = Array.from({ length: words }, (_, i) => WORDS[i % WORDS.length]);
  const paragraphs: string[] = [];
  while (text.length > 0) paragraphs.push(`<p>The ${text.splice(0, 60).join(" ")}.</p>`);
  return paragraphs.join("\n");
}

/** A page of some site, with its usual furniture around what it is about. */
export const page = (title: string, main: string, { head = "", header = "" } = {}) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head>
  <body><header><nav><a href="/">Home</a> <a href="/news">News</a> <a href="/about">About</a></nav>${header}</header>
  <main>${main}</main><footer>© The Harbour Gazette</footer></body></html>`;

/** An article of so many words under its heading, on a site with a name. */
export const article = (heading: string, words = 600, around = {}) =>
  page(
    `${heading} | The Harbour Gazette`,
    `<article><h1>${heading}</h1>${prose(words)}</article>`,
    around,
  );

/** A page with hardly more than its title and heading. */
export const notice = (title: string, heading = title, text = "") =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${heading}</h1><p>${text}</p></body></html>`;

export type Row = [story: string, given: Case, verdict: string, rule: string];

/** Told by a header or by an address that nobody else has, so that nothing else matters. */
const CERTAIN = new Set([
  "cloudflare_challenge",
  "vercel_challenge",
  "aws_waf_challenge",
  "siteground_challenge",
  "radware_redirect",
  "google_sorry",
  "filter_notice_address",
  "filter_product_address",
  "portal_uam",
  "portal_device",
  "portal_meraki",
]);

/** Known by what a page says, or by more than one mark, however much else is on the page. */
const WORDY = new Set([
  ...CERTAIN,
  "aws_waf_action",
  "datadome_header",
  "akamai_error",
  "kasada_header",
  "sucuri_block",
  "filter_server",
  "linkedin_999",
  "cloudflare_challenge_title",
  "cloudflare_challenge_page",
  "cloudflare_block_title",
  "cloudflare_block_page",
  "vercel_checkpoint",
  "perimeterx_block",
  "ddos_guard",
  "age_redirect",
  "consent_redirect",
  "consent_return",
  "geo_heading",
  "age_words",
  "login_title",
  "login_redirect",
  "login_landing",
]);

/**
 * Every row is a response that something else sent in the page's place, and the rule that tells. Each is
 * also told without one of its marks, and then it is something else.
 */
export function testWalls(rows: Row[]): void {
  test.each(rows)("%s", async (_, given, verdict, rule) => {
    expect([await verdictOn(given), await rulesOn(given)]).toEqual([`unknown ${verdict}`, [rule]]);
  });

  const uncertain = rows.filter(([, , , rule]) => !CERTAIN.has(rule));
  test.each(uncertain)("%s; but no missing page is a wall", async (_, given) => {
    expect(await verdictOn({ ...given, status: 404 })).toBe("dead http_404 C2");
  });

  const brief = rows.filter(([, , , rule]) => !WORDY.has(rule));
  test.each(brief)("%s; but not in a page with much to read", async (_, given, __, rule) => {
    expect(await rulesOn({ ...given, html: `${given.html}${prose(1200)}` })).not.toContain(rule);
  });

  const announced = rows.filter(([, { headers }]) => headers && !("Retry-After" in headers));
  if (announced.length > 0) {
    test.each(announced)("%s; but not without its headers", async (_, given, __, rule) => {
      expect(await rulesOn({ ...given, headers: {} })).not.toContain(rule);
    });
  }
}

/** Every row is a response that resembles a wall and is what the link leads to. */
export const testGuards = (rows: [story: string, given: Case, verdict: string][]) =>
  test.each(rows)("%s", async (_, given, verdict) => {
    expect(await verdictOn(given)).toBe(verdict);
  });

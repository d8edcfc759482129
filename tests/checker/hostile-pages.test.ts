import { expect, test } from "bun:test";
import { decoderFor } from "../../server/checker/page/charset.ts";
import { nothingYet, pageOf } from "../../server/checker/page/found.ts";
import { parseRefresh } from "../../server/checker/page/refresh.ts";
import { createVisibleText } from "../../server/checker/page/visible-text.ts";
import { missingInLine } from "../../server/checker/signals/clues.ts";
import { readPage } from "./read-page.ts";

/*
 * Whoever makes a page may make it to hold up whoever reads it. A reader that begins anew at each beginning
 * would still be busy with so much of it when the time of a test is long over.
 */
const CHARS = 1024 * 1024;
const muchOf = (piece: string) => piece.repeat(Math.ceil(CHARS / piece.length));

/** Text that is seen in a page that comes in chunks of so many characters. */
function seenIn(markup: string, size = markup.length): string {
  const text = createVisibleText();
  for (let at = 0; at < markup.length; at += size) text.take(markup.slice(at, at + size));
  return text.end();
}

test.each([
  ["comments that do not end", "<!--", ""],
  ["opening tags that do not end", "<a", ""],
  ["closing tags that do not end", "</", ""],
  ["declarations that do not end", "<!", ""],
  ["instructions that do not end", "<?", ""],
  ["tags within one that ends at last", "<a", ">"],
  ["tags with signs of their own, in one that ends at last", "<a/", ">"],
  ["declarations in one that ends at last", "<!", ">"],
  ["tags that do not end before a comment that does not either", "<a ", "<!-- >"],
  ["signs that open nothing", "< ", ""],
])("a page of %s shows what comes before", (_, piece, end) => {
  const text = seenIn(`<p>Before</p>${muchOf(piece)}${end}`);

  const isClosed = end === ">";
  expect(text.slice(0, 9)).toBe(isClosed ? "Before" : `Before ${piece}`.slice(0, 9));
  expect(text).toHaveLength(isClosed ? 6 : 16_384);
});

test("what is opened first and closed last is not seen, in however many pieces it comes", () => {
  const comment = `<p>One</p><!-- ${muchOf("<b> -- ")}--><p>Two</p>`;
  const tag = `<p>One</p><a title="${muchOf("<b -- ")}"><p>Two</p>`;

  for (const page of [comment, tag]) expect(seenIn(page, 16)).toBe("One Two");
});

test("what is behind a comment that never ends is read as if there were none", async () => {
  const page = await readPage(`<p>One</p>${muchOf("<!--")}<p>Two</p>`, "text/html");

  expect(page.text).toBe("One Two");
});

test("a delay of a million digits sends nobody anywhere", () => {
  expect(parseRefresh(muchOf("1"))).toBeNull();
  expect(parseRefresh(`1${muchOf(".1")}; url=/next`)).toEqual({ delayS: 1, url: "/next" });
});

test("a header may have a million spaces before its charset, and before none", () => {
  const none = new Uint8Array();

  expect(decoderFor(`text/html; charset=${muchOf(" ")}"gbk"`, none).encoding).toBe("gbk");
  expect(decoderFor(`text/html; charset=${muchOf(" ")}<`, none).encoding).toBe("utf-8");
});

test("a description may have a million spaces before its type, and before none", () => {
  const read = (jsonLd: string) => pageOf({ ...nothingYet(), jsonLd }, "").hasMainEntity;

  expect(read(`{"@type":${muchOf(" ")}["Product"]}`)).toBeTrue();
  expect(read(`{"@type":${muchOf(" ")}7}`)).toBeFalse();
});

test("signs that unfold into many are no words of an error page, whatever comes behind", async () => {
  const page = await readPage(`<p>Not found.</p><p>${"…".repeat(110)} not found.</p>`, "text/html");

  expect(missingInLine({ ...page, markup: page.markup.replace("<p>Not found.</p>", "") })).toEqual(
    [],
  );
  expect(missingInLine(page)).toHaveLength(1);
});

import { expect, test } from "bun:test";
import { HOSTILE_PAGES } from "../../tests/checker/hostile-pages.ts";
import { readPage } from "../../tests/checker/read-page.ts";
import { stepsOf } from "../../tests/checker/steps.ts";
import { agree } from "../../tests/each-row.ts";
import { nothingYet, pageOf, parseRefresh } from "./page/elements.ts";
import { createPageReader, decoderFor, type Page } from "./page/page.ts";
import { missingInLine } from "./signals/clues.ts";

/*
 * A page may be made to hold up its reader. Twice as much of it must take twice as many steps, not four times.
 */
const CHARS = 1024 * 1024;
const muchOf = (piece: string, chars = CHARS) => piece.repeat(Math.ceil(chars / piece.length));
const PIECE_BYTES = 1024;

function readInPieces(html: string): Page {
  const reader = createPageReader("text/html");
  const bytes = Buffer.from(html);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    reader.take(bytes.subarray(at, at + PIECE_BYTES));
  }
  return reader.end();
}

test("a page that is made to be slow takes a bounded number of steps a character", () =>
  agree(
    HOSTILE_PAGES.map(([story, page]) => ({
      story,
      expected: { growth: "less than 2.5", steps: "at most 60 a character" },
      seen() {
        const [short, long] = [40_000, 80_000].map((chars) =>
          stepsOf(() => readInPieces(page(chars))),
        );
        return {
          growth: long! / short! < 2.5 ? "less than 2.5" : long! / short!,
          steps: long! <= 80_000 * 60 ? "at most 60 a character" : long,
        };
      },
    })),
  ));

test("what is opened first and closed last is not seen", () => {
  const comment = `<p>One</p><!-- ${muchOf("<b> -- ")}--><p>Two</p>`;
  const tag = `<p>One</p><a title="${muchOf("<b -- ")}"><p>Two</p>`;

  for (const page of [comment, tag]) expect(readInPieces(page).text).toBe("One Two");
});

test("what is behind a comment that never ends is read as if there were none", () => {
  expect(readInPieces(`<p>One</p>${muchOf("<!--")}<p>Two</p>`).text).toBe("One Two");
});

test("elements deeper than anyone nests them are still read", () => {
  const page = readInPieces(
    `${muchOf("<b>", 60_000)}<p>One<h1>Two</h1><form></form>${muchOf("</b>")}Three`,
  );

  expect(page).toMatchObject({ text: "One Two Three", forms: 1 });
});

test("a delay of a million digits redirects to nowhere", () => {
  expect(parseRefresh(muchOf("1"))).toBeNull();
  expect(parseRefresh(`1${muchOf(".1")}; url=/next`)).toEqual({ delayS: 1, url: "/next" });
});

test("a header may have a million spaces before its charset, and before none", () => {
  const none = new Uint8Array();

  expect(decoderFor(`text/html; charset=${muchOf(" ")}"gbk"`, none).encoding).toBe("gbk");
  expect(decoderFor(`text/html; charset=${muchOf(" ")}<`, none).encoding).toBe("utf-8");
});

test("a description may have a million spaces before its type, and before none", () => {
  const read = (jsonLd: string) => pageOf({ ...nothingYet(), jsonLd: [jsonLd] }, "").hasMainEntity;

  expect(read(`{"@type":${muchOf(" ")}["Product"]}`)).toBeTrue();
  expect(read(`{"@type":${muchOf(" ")}["Product"`)).toBeTrue();
  expect(read(`{"@type":${muchOf(" ")}7}`)).toBeFalse();
});

test("signs that unfold into many are not words of an error page, whatever comes behind", () => {
  const page = readPage(`<p>Not found.</p><p>${"…".repeat(110)} not found.</p>`, "text/html");

  expect(missingInLine({ ...page, markup: page.markup.replace("<p>Not found.</p>", "") })).toEqual(
    [],
  );
  expect(missingInLine(page)).toHaveLength(1);
});

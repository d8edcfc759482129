import { expect, test } from "bun:test";
import { scriptOf } from "./scripts.ts";
import { contentSigns, isOtherContent } from "./signs.ts";
import { keptPart } from "./title-words.ts";
import { keptParameters, placeOf } from "./way.ts";

test.each([
  ["Growing tomatoes in raised beds", "How we grow TOMATOES: raised, and in pots", 0.5],
  ["Growing tomatoes in raised beds", "Slot gacor terpercaya", 0],
  ["Growing tomatoes", "Growingtomatoes, ungrowing", 0],
  ["機械学習の基礎", "機械学習を学ぶ", 0.5],
  ["สวนผัก ในเมือง", "สวนผัก ในเมือง", 1],
  ["한국 요리 만들기", "오늘의 한국 요리", 2 / 3],
  ["دليل زراعة الطماطم", "دليل زراعة الطماطم للمبتدئين", 1],
  ["Die lange Straße", "Eine lange Strasse", 0.5],
])("of %p the text %p keeps %p", (title, text, kept) => {
  expect(keptPart(title, text)).toBe(kept);
});

test.each([
  "Home",
  "Index of /pub/files",
  "Untitled document",
  "Login",
  "With your news",
  "Handbook",
  "2024 2025 2026",
  "",
])("the title %p says nothing about its page", (title) => {
  expect(keptPart(title, "anything")).toBeNull();
});

test.each([
  ["Words with ÄÖÜ", "Latn"],
  ["Слова и words", "Cyrl"],
  ["日本語の文章です。漢字も多い", "Jpan"],
  ["中文文章，没有别的", "Hani"],
  ["한국어 문장", "Kore"],
  ["123 – 456", null],
])("the script of %p is %p", (text, script) => {
  expect(scriptOf(text)).toBe(script);
});

test("neither a new text nor a new title alone is another page", () => {
  const page = { title: "", language: null, script: "Latn", print: "0".repeat(16) };
  const look = { script: "Latn", print: "f".repeat(16), keptTitle: 1 };
  const isOther = (more: Partial<typeof look>) =>
    isOtherContent(contentSigns(page, { ...look, ...more }));
  expect(isOther({})).toBe(false);
  expect(isOther({ print: page.print, keptTitle: 0 })).toBe(false);
  expect(isOther({ script: "Cyrl" })).toBe(false);
  expect(isOther({ keptTitle: 0 })).toBe(true);
  expect(isOther({ print: page.print, script: "Cyrl", keptTitle: 0 })).toBe(true);
});

test("places differ by host and path, not by what redirects change for no reason that matters", () => {
  const same = [
    "http://example.org/a",
    "https://www.example.org/a/",
    "https://example.org/de/a?x=1",
  ];
  expect(new Set([...same, "https://example.org/pt-br/a/index.html"].map(placeOf)).size).toBe(1);
  expect(placeOf("https://example.org/b")).not.toBe(placeOf(same[0]!));
  expect(keptParameters("https://a.org/?x=1&y=2", "https://b.org/?y=2&x=3")).toEqual(["y"]);
});

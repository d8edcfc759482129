import { expect, test } from "bun:test";
import { decodePunycode, displayUrl, shownUrl } from "../data/display-url.ts";

const shows = (url: string, shown: string) => expect(shownUrl(url)).toBe(shown);

test("A URL is shown without https, and with everything that makes it another one", () => {
  shows("https://example.org/a/b?c=d#e", "example.org/a/b?c=d#e");
  shows("https://example.org/", "example.org");
  shows("http://example.org:8080/", "http://example.org:8080");
  expect(displayUrl("https://example.org@evil.example/login")).toEqual({
    scheme: "https://example.org@",
    host: "evil.example",
    path: "/login",
  });
});

test("Letters of one script are shown as letters", () => {
  shows("https://xn--mnchen-3ya.example/stra%C3%9Fe", "münchen.example/straße");
  shows("https://ru.example/wiki/%D0%9C%D0%BE%D1%81%D0%BA%D0%B2%D0%B0", "ru.example/wiki/Москва");
  shows("https://xn--wgv71a119e.example/%E6%97%A5", "日本語.example/日");
});

test("What an address says when decoded is not shown if it could mislead", () => {
  const kept = [
    "example.org/%E2%80%AEgpj.exe",
    "example.org/%E2%80%8Bhidden",
    "example.org/%00%0A%7F",
    "example.org/%D0%B0pple",
    "example.org/%EF%BD%81%EF%BC%8Fb",
    "example.org/%D7%A9%D7%9C%D7%95%D7%9D/b",
    "example.org/%CC%81a",
    "example.org/a%2Fb%3Fc%25",
    "example.org/%FF%FE",
    "xn--80ak6aa92e.example",
    "xn--pple-43d.example",
    "xn--99999999.example",
  ];
  for (const shown of kept) shows(`https://${shown}`, shown);
});

test("Signs that stand in a URL as they are become visible", () => {
  shows("https://exam\u200Bple.org/", "exam%E2%80%8Bple.org");
  shows("\u202Ejavascript:alert(1)", "%E2%80%AEjavascript:alert(1)");
  shows("https://example.org/a b\u2028c", "example.org/a%20b%E2%80%A8c");
  shows("https://example.org/\uD800", "example.org/%EF%BF%BD");
});

test("Names with any letters are decoded as the standard says", () => {
  const names = [
    "bücher",
    "ليهمابتكلموشعربي؟",
    "他们为什么不说中文",
    "3年b組金八先生",
    "パフィーdeルンバ",
  ];
  const encoded = [
    "bcher-kva",
    "egbpdaj6bu4bxfgehfvwxn",
    "ihqwcrb4cv8a8dqg056pqjye",
    "3b-ww4c5e180e575a65lsy2b",
    "de-jg4avhby1noc0d",
  ];
  expect(encoded.map(decodePunycode)).toEqual(names);
});

import { describe, expect, test } from "bun:test";
import { shown } from "../../../tests/documents/reading.ts";
import type { Read } from "./document.ts";
import { openHtml, readHtml } from "./html.ts";
import { readText } from "./text.ts";

const read = (text: string) => readHtml(text, { name: "a.html" });
const linksIn = (text: string) => read(text).links.map(shown);

const PAGE = `<!DOCTYPE html>
<html><head><title>A &amp; B</title>
<meta name="robots" content="noindex, NoFollow">
<meta property="og:image" content="og.png"><meta name="description" content="/no">
<link rel="canonical" href="https://example.org/c"><link rel="preconnect" href="/no">
<link rel="shortcut icon" href=icon.ico><link rel="stylesheet" href="s.css">
<base href="/first/"><base href="/second/">
<script src="s.js">"<a href='/no'>"</script><style>a { b: url(/no) }</style>
</head><body id="top">
<a href=" /a?b&amp;c " rel="nofollow ugc">one <b>two</b> <img src="i.png" alt="three"></a>
<a name="here" title="Named" href='/d'></a><a href="">no</a><a href>no</a>
<img srcset="a.png 1x, b,c.png 2x,d.png, e.png" alt="Set" src="data:image/png;base64,xx">
<picture><source srcset="p.webp 100w"><source src="v.mp4"></picture>
<video src="v.mp4" poster="p.jpg"></video><audio src=a.ogg></audio><track src="t.vtt">
<iframe src="/f"></iframe><object data="/o"></object><embed src="/e">
<template><a href="/no" id="no">no</a></template><noscript><a href="/yes">yes</a></noscript>
<!-- <a href="/no">no</a> --><map><area href="/area" alt="Area"></map>
<svg><a xlink:href="/svg"><image href="svg.png"/></a></svg><input type=image src="in.png"><input src="/no">
<pre><code><a href="/code">code</a></code></pre><q cite="/cite">q</q>
<h2 id="&auml;">No anchor of its own</h2>
<a href="
   /line">cut</a>
<a href=/last>unclosed`;

describe("HTML", () => {
  test("has every element with an address, and nothing of scripts, templates and comments", () => {
    expect(linksIn(PAGE)).toEqual([
      "4:36-42 metadata og.png",
      "5:29-50 metadata https://example.org/c",
      "6:32-40 metadata icon.ico",
      "6:70-75 style s.css",
      "8:14-18 script s.js",
      "10:11-21 link /a?b&c (one two three)",
      "10:68-73 image i.png (three)",
      "11:36-38 link /d (Named)",
      "12:14-19 image a.png (Set)",
      "12:24-31 image b,c.png (Set)",
      "12:35-40 image d.png (Set)",
      "12:42-47 image e.png (Set)",
      "13:26-32 image p.webp",
      "13:52-57 media v.mp4",
      "14:13-18 media v.mp4",
      "14:28-33 media p.jpg",
      "14:54-59 media a.ogg",
      "14:80-85 media t.vtt",
      "15:14-16 frame /f",
      "15:41-43 frame /o",
      "15:66-68 frame /e",
      "16:69-73 link /yes (yes)",
      "17:47-52 area /area (Area)",
      "18:21-25 link /svg",
      "18:40-47 image svg.png",
      "18:83-89 image in.png",
      "19:21-26 link /code (code)",
      "19:58-63 metadata /cite",
      "22:4-9 link /line (cut)",
      "23:9-14 link /last (unclosed)",
    ]);
  });

  test("may send its visitors on, but for those without scripts", () => {
    const refresh = '<META HTTP-EQUIV="Refresh" content="0; url=/a?b&amp;c">';

    expect(read(refresh + refresh.replace("/a", "/no")).refresh).toBe("0; url=/a?b&c");
    expect(read(`<noscript>${refresh}</noscript>`).refresh).toBeUndefined();
    expect(read(`<noscript></noscript>${refresh}`).refresh).toBe("0; url=/a?b&c");
    expect(read(`<template>${refresh}</template>`).refresh).toBeUndefined();
  });

  test("is read however deep its elements are", () => {
    const deep = (count: number) =>
      `${"<div>".repeat(count)}<a href=/a>a</a>${"</div>".repeat(count)}`;
    const names = (text: string) =>
      read(text).links.map(({ href, text: words }) => `${href} ${words}`);

    expect(names(`${deep(10)}<a href=/b>b</a>`)).toEqual(["/a a", "/b b"]);
    expect(names(`${deep(5000)}<a href=/b>b</a>`)).toEqual(["/a ", "/b b"]);
  });

  test("has what the page says of itself", () => {
    const { links: _, ...page } = read(PAGE);

    expect(page).toEqual({
      title: "A & B",
      base: "/first/",
      canonical: "https://example.org/c",
      isNofollow: true,
      anchors: ["top", "here", "ä"],
      headings: [],
      disabled: 0,
      notes: [],
    });
    expect(read("<a rel='UGC' href=/a>a</a>").links[0]!.isNofollow).toBe(true);
    expect(read("<a rel='noopener' href=/a>a</a>").links[0]!.isNofollow).toBe(false);
  });

  test("is the same however it is cut into pieces", () => {
    const text = `\uFEFF${PAGE.replaceAll("\n", "\r\n")}`;
    const inPieces = (size: number): Read => {
      const reader = openHtml();
      for (let at = 0; at < text.length; at += size) reader.take(text.slice(at, at + size));
      return reader.end();
    };

    const whole = read(text);
    expect(whole.links.map(shown)).toEqual(linksIn(PAGE));
    for (const size of [1, 2, 3, 7, 100]) expect(inPieces(size)).toEqual(whole);
    for (const { from, to, href } of whole.links) {
      expect(text.slice(from, to).replace("&amp;", "&")).toBe(href);
    }
  });

  test("leaves out what comments say", () => {
    const { links, disabled } = read(
      "<!-- stillup-disable --><a href=/a>a</a>\n<a href=/b>b</a><!-- stillup-enable -->\n" +
        "<a href=/c>c</a>\n<a href=/d>d</a><!-- stillup-disable-line -->",
    );

    expect(links.map(({ href }) => href)).toEqual(["/c"]);
    expect(disabled).toBe(3);
  });

  test("with more links than anyone writes has the first of them, and says so", () => {
    const { links, notes } = read("<a href=/a>a</a>".repeat(100_002));

    expect(links.length).toBe(100_000);
    expect(notes).toEqual(["Only the first 100,000 links were read."]);
  });
});

test("Plain text has bare URLs, which words, wikis and tables around them do not lengthen", () => {
  const { links } = readText(
    [
      "See https://example.org/a, (https://example.org/(v2)/a) and www.example.org.",
      "[[https://example.org/wiki][words]] |https://example.org/b|https://example.org/c|",
      "http:// https://<host>/ https://... ftp://example.org 🎉https://example.org/ä",
    ].join("\r\n"),
    { name: "a.txt" },
  );

  expect(links.map(shown)).toEqual([
    "1:5-26 link https://example.org/a",
    "1:29-55 link https://example.org/(v2)/a",
    "1:61-76 link http://www.example.org",
    "2:3-27 link https://example.org/wiki",
    "2:38-59 link https://example.org/b",
    "2:60-81 link https://example.org/c",
    "3:57-78 link https://example.org/ä",
  ]);
});

test("A `srcset` has the addresses that browsers use", () => {
  const { links } = readHtml(
    '<source srcset="a - dark.svg"><img srcset="b.png 1.5x, c.png 300w, d e.png 2x,f.png -1x, g.png">',
    { name: "a.html" },
  );

  expect(links.map(({ href }) => href)).toEqual(["b.png", "c.png", "f.png", "g.png"]);
});

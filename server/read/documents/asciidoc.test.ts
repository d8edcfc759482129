import { describe, expect, test } from "bun:test";
import { shown } from "../../../tests/documents/reading.ts";
import { readAsciidoc } from "./asciidoc.ts";

const read = (...lines: string[]) => readAsciidoc(lines.join("\n"), { name: "docs/a.adoc" });
const linksIn = (...lines: string[]) => read(...lines).links.map(shown);

describe("A link in AsciiDoc", () => {
  test("has its line, its columns and its words", () => {
    expect(linksIn("😀 https://example.org/a[the guide], *https://example.org/b*.")).toEqual([
      "1:4-25 link https://example.org/a (the guide)",
      "1:39-60 link https://example.org/b",
    ]);
  });

  test("keeps its columns after tabs, in a list and in a cell", () => {
    expect(
      linksIn("*\tlink:a.html[a]", "", "|===", "|\tx |https://example.org/b[b]", "|==="),
    ).toEqual(["1:8-14 link a.html (a)", "4:6-27 link https://example.org/b (b)"]);
  });

  test("stands where an attribute gives its address", () => {
    expect(
      linksIn(
        ":base: https://example.org",
        "",
        "{base}[Home] and {base}/docs/a[docs] 😀 link:{base}/b[b]",
      ),
    ).toEqual([
      "3:1-7 link https://example.org (Home)",
      "3:18-31 link https://example.org/docs/a (docs)",
      "3:46-54 link https://example.org/b (b)",
    ]);
  });

  test("is left out with a note where the file does not define the attribute", () => {
    const { links, notes } = read("link:{docs}/a[a] and image::{docs}/b.png[] and {docs}.");

    expect(links).toEqual([]);
    expect(notes).toEqual([
      "Links with {docs} were left out: the file does not define this attribute.",
    ]);
  });

  test("may be an image, from the folder of images, that links to something", () => {
    expect(
      linksIn(
        ":imagesdir: img",
        "",
        "image::a.png[A map,link=/b]",
        "",
        "image:c.png[] and video::d.mp4[]",
      ),
    ).toEqual(["3:8-13 image img/a.png (A map)", "3:25-27 link /b", "5:7-12 image img/c.png"]);
    expect(linksIn("video::d.mp4[]")).toEqual(["1:8-13 media d.mp4"]);
  });

  test("may lead to another file, to an anchor or to a section by its title", () => {
    expect(linksIn("xref:b.adoc#c[B], <<d>> and <<My Title,words>>.", "", "== My Title")).toEqual([
      "1:6-14 link b.adoc#c (B)",
      "1:21-22 link #d",
      "1:31-39 link #_my_title (words)",
    ]);
  });

  test("asks not to be followed", () => {
    const { links } = read("https://example.org/a[a,opts=nofollow] https://example.org/b[b]");

    expect(links.map(({ isNofollow }) => isNofollow)).toEqual([true, false]);
  });
});

describe("A document of AsciiDoc", () => {
  test("has a title, headings and anchors", () => {
    const { title, headings, anchors } = read(
      ...["= First", "", "== `Second` part", "", "[#given]", "== Third", "", "[[block]]", "Text."],
    );

    expect({ title, headings }).toEqual({
      title: "First",
      headings: ["First", "Second part", "Third"],
    });
    const ofGithub = ["first", "second-part", "third"];
    expect(anchors).toEqual([...ofGithub, "_first", "_second_part", "given", "block"]);
  });

  test("has lines that comments leave out", () => {
    const { links, disabled } = read(
      ...["https://example.org/a", "// stillup-disable-next-line", "https://example.org/b"],
      ...[
        "https://example.org/c",
        "// stillup-disable",
        "https://example.org/d",
        "",
        "https://example.org/e",
      ],
      ...["// stillup-enable", "https://example.org/f"],
    );

    expect(links.map(({ href }) => href.at(-1))).toEqual(["a", "c", "f"]);
    expect(disabled).toBe(3);
  });

  test("has attributes before a delimiter of any length, which are not a title", () => {
    const { links, headings } = read(
      ...["= First", "", "[source,groovy]", "--------------", "x = 'https://example.org/no'"],
      ...["--------------", "", "See https://example.org/a[a], https://example.org/b，然后。"],
      ...["", "Some title", "----------"],
    );

    expect(links.map(({ href }) => href)).toEqual([
      "https://example.org/a",
      "https://example.org/b",
    ]);
    expect(headings).toEqual(["First", "Some title"]);
  });

  test("of Antora has references that only Antora resolves", () => {
    const page = "xref:other.adoc[a] image::b.png[] xref:ui:page.adoc[c] https://example.org/d";
    const [inAntora, inNav] = ["pages/a.adoc", "nav.adoc"].map((name) =>
      readAsciidoc(page, { name: `docs/modules/ROOT/${name}` }),
    );

    expect(inNav).toEqual(inAntora!);
    expect(inAntora!.links.map(({ href }) => href)).toEqual(["https://example.org/d"]);
    expect(inAntora!.notes).toEqual([
      "References between pages and to images were left out: Antora resolves them.",
    ]);
    expect(read(page).links.map(({ href }) => href)).toEqual([
      "other.adoc",
      "https://example.org/d",
    ]);
  });

  test("may be hostile", () => {
    const doubling = Array.from({ length: 60 }, (_, i) => `:a${i + 1}: {a${i}}{a${i}}`);

    expect(linksIn(":a0: x", ...doubling, "", "{a60} https://example.org/")).toHaveLength(1);
    expect(linksIn("|===\n|a".repeat(3000), "", "https://example.org/").length).toBeLessThan(2);
    expect(linksIn("`".repeat(100_000), "", "https://example.org/")).toHaveLength(1);
    expect(linksIn("https://example.org/[", "[[a,".repeat(50_000), "\0\uD800")).toHaveLength(1);
  });
});

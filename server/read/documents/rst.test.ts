import { describe, expect, test } from "bun:test";
import { shown } from "../../../tests/documents/reading.ts";
import { readRst } from "./rst.ts";

const read = (...lines: string[]) => readRst(lines.join("\n"), { name: "a.rst" });
const linksIn = (...lines: string[]) => read(...lines).links.map(shown);

describe("A link in reStructuredText", () => {
  test("has its line, its columns and its words", () => {
    expect(linksIn("😀 `the guide <https://example.org/a>`_, https://example.org/b.")).toEqual([
      "1:16-37 link https://example.org/a (the guide)",
      "1:42-63 link https://example.org/b (https://example.org/b)",
    ]);
  });

  test("keeps its columns after tabs and in a list", () => {
    expect(linksIn("-\thttps://example.org/a", "", "\t\t`b <c>`_")).toEqual([
      "1:3-24 link https://example.org/a (https://example.org/a)",
      "3:7-8 link c (b)",
    ]);
  });

  test("ends with its line where its address goes on in the next", () => {
    expect(linksIn("`a <https://example.org/", "b>`_")).toEqual([
      "1:5-25 link https://example.org/b (a)",
    ]);
  });

  test("ends with its cell where its address goes on below", () => {
    expect(
      linksIn("+---------+---+", "| `a <b/  | x |", "| c>`_    | y |", "+---------+---+"),
    ).toEqual(["2:7-9 link b/c (a)"]);
  });

  test("stands where it is used, and as a definition where its address is", () => {
    expect(
      linksIn("Read Python_ and `the docs`_.", "", ".. _python: /py", ".. _the docs: /d"),
    ).toEqual([
      "1:6-12 link /py (Python)",
      "1:19-27 link /d (the docs)",
      "3:13-16 definition /py",
      "4:15-17 definition /d",
    ]);
  });

  test("is a definition too if nothing uses it", () => {
    expect(linksIn(".. _a: /a", ".. _b:", "   /b", "", "Only a_.")).toEqual([
      "1:8-10 definition /a",
      "3:4-6 definition /b",
      "5:6-7 link /a (a)",
    ]);
  });

  test("may be an image that links to something", () => {
    expect(linksIn(".. image:: /a.png", "   :alt: A map", "   :target: /b")).toEqual([
      "1:12-18 image /a.png (A map)",
      "3:13-15 link /b (A map)",
    ]);
  });

  test("may be an option of an extension", () => {
    expect(
      linksIn(".. card:: Title", "   :link: https://example.org/a", "   :class: x", "", "   text"),
    ).toEqual(["2:11-32 link https://example.org/a"]);
  });

  test("is left to Sphinx in its roles, and in a pattern for an image", () => {
    expect(linksIn(":doc:`/a` :ref:`b <c>` :download:`d <e.zip>`", "", ".. image:: f.*")).toEqual(
      [],
    );
  });

  test("may be in a table of contents that Sphinx makes", () => {
    expect(linksIn(".. toctree::", "", "   intro", "   Title <https://example.org/a>")).toEqual([
      "4:11-32 link https://example.org/a (https://example.org/a)",
    ]);
  });
});

describe("A document of reStructuredText", () => {
  test("has a title, headings and anchors", () => {
    const { title, headings, anchors } = read(
      ...["=====", "First", "=====", "", "``Second`` part", "--------", "", ".. _Some Place:", ""],
      ...["Text with _`a target`."],
    );

    expect({ title, headings }).toEqual({ title: "First", headings: ["First", "Second part"] });
    expect(anchors).toEqual(["first", "second-part", "some-place", "Some Place", "a-target"]);
  });

  test("has lines that comments leave out", () => {
    const { links, disabled } = read(
      ...["https://example.org/a", "", ".. stillup-disable", "", "https://example.org/b", ""],
      ...[".. stillup-enable", "", "https://example.org/c", "", ".. stillup-disable-next-line"],
      ...["", "https://example.org/d"],
    );

    expect(links.map(({ href }) => href.at(-1))).toEqual(["a", "c", "d"]);
    expect(disabled).toBe(1);
  });

  test("may be hostile", () => {
    const nested = Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}* a`).join("\n");
    const name = `a${":a".repeat(100_000)}`;

    expect(linksIn(nested, "", "https://example.org/")).toHaveLength(1);
    expect(linksIn(`${name}_ https://example.org/`)).toHaveLength(1);
    expect(linksIn(".. _a: b_", ".. _b: a_", "", "a_ and b_")).toEqual([]);
    expect(linksIn("\0".repeat(10_000), "\uD800", "https://example.org/")).toHaveLength(1);
  });
});

import { describe, expect, test } from "bun:test";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import { crawlKeyOf, whyNotFollowed } from "./addresses.ts";
import { createFamilies, familyOf } from "./families.ts";
import { anchorIn, hasAnchor, packAnchors } from "./fragments.ts";
import { choose, compileFilePatterns, compileUrlPatterns, patternProblem } from "./patterns.ts";
import { createTreatment, foldsInto, type ScopeKind, scopeOf, type Treatment } from "./scope.ts";

const TABLES = yamlIn<{
  scopes: [ScopeKind, start: string, candidate: string, isInside: boolean][];
  moved: [string, ScopeKind, string, string, string, boolean | "moved_away"][];
  patterns: [pattern: string, target: string, matches: boolean][];
  keys: [string, string][];
  not_followed: [path: string, why: ReturnType<typeof whyNotFollowed>][];
  canonical: [page: string, canonical: string, folds: boolean][];
  families: [path: string, family: string | null][];
}>(import.meta.dir, "rules.yaml");

const url = (text: string) => new URL(text, "https://site.test");

describe("What a crawl does with an address", () => {
  const START = "https://a.test/docs/";
  const IN = "https://a.test/docs/x";
  const OLD = "https://a.test/docs/old/x";
  const EDIT = "https://a.test/docs/x?action=edit";
  const SIBLING = "https://a.test/blog/old/x";
  const SUB = "https://b.a.test/docs/x";
  const FAR = "https://far.test/docs/old/x";
  const OLDER = { exclude: ["/docs/old/", "/*?action=", "/blog/old/"] };
  const ONLY = { include: ["/docs/x"] };

  type Case = {
    scope?: ScopeKind;
    include?: string[];
    exclude?: string[];
    watch?: "external" | "all" | "internal";
  };
  const READ_IN: [string, Treatment][] = [
    [IN, "read"],
    [OLD, "read"],
  ];

  eachRow<[what: string, Case, [string, Treatment][]]>([
    ["a folder", {}, [...READ_IN, [SIBLING, "watch"], [SUB, "watch"], [FAR, "watch"]]],
    ["all of it watched", { watch: "all" }, [...READ_IN, [SIBLING, "watch"], [FAR, "watch"]]],
    [
      "only its own watched",
      { watch: "internal" },
      [...READ_IN, [SIBLING, "ignore"], [SUB, "ignore"], [FAR, "ignore"]],
    ],
    ["a host", { scope: "host" }, [...READ_IN, [SIBLING, "read"], [SUB, "watch"], [FAR, "watch"]]],
    [
      "a domain",
      { scope: "domain" },
      [
        [SIBLING, "read"],
        [SUB, "read"],
        [FAR, "watch"],
      ],
    ],
    [
      "less than a folder",
      OLDER,
      [
        [IN, "read"],
        [OLD, "ignore"],
        [EDIT, "ignore"],
        [SIBLING, "ignore"],
        [FAR, "watch"],
      ],
    ],
    [
      "less than a folder, all watched",
      { ...OLDER, watch: "all" },
      [
        [IN, "read"],
        [OLD, "ignore"],
        [EDIT, "ignore"],
        [SIBLING, "ignore"],
        [FAR, "watch"],
      ],
    ],
    [
      "less than a folder, its own watched",
      { ...OLDER, watch: "internal" },
      [
        [IN, "read"],
        [OLD, "ignore"],
        [SIBLING, "ignore"],
        [FAR, "ignore"],
      ],
    ],
    [
      "less than a domain",
      { ...OLDER, scope: "domain" },
      [
        [IN, "read"],
        [SUB, "read"],
        ["https://b.a.test/docs/old/", "ignore"],
        [FAR, "watch"],
      ],
    ],
    [
      "what is included",
      ONLY,
      [
        [IN, "read"],
        [EDIT, "read"],
        [OLD, "ignore"],
        [SIBLING, "watch"],
        [FAR, "watch"],
      ],
    ],
    [
      "what is included, its own watched",
      { ...ONLY, watch: "internal" },
      [
        [IN, "read"],
        [OLD, "ignore"],
        [SIBLING, "ignore"],
        [FAR, "ignore"],
      ],
    ],
    [
      "what is included and not left out",
      { ...ONLY, ...OLDER },
      [
        [IN, "read"],
        [EDIT, "ignore"],
        [OLD, "ignore"],
        [FAR, "watch"],
      ],
    ],
    [
      "not a foreign host",
      { exclude: ["https://far.test/"] },
      [
        [IN, "read"],
        [FAR, "ignore"],
        ["https://farther.test/", "watch"],
      ],
    ],
    [
      "not a host of its own domain",
      { scope: "domain", exclude: ["https://b.a.test/"] },
      [
        [IN, "read"],
        [SUB, "ignore"],
        ["http://b.a.test/", "read"],
      ],
    ],
  ])(
    "that is of each kind",
    (_, { scope = "path", include = [], exclude = [], watch = "external" }, cases) => {
      const rules = { scope, include, exclude, watch };
      const treat = createTreatment(rules, url(START), url(START));

      expect(cases.map(([address]) => [address, treat(url(address))])).toEqual(cases);
    },
  );

  test("that is of both hosts where the start page leads to another", () => {
    const rules = {
      scope: "path",
      include: [],
      exclude: ["/docs/old/"],
      watch: "external",
    } as const;
    const treat = createTreatment(rules, url("https://a.test/"), url("https://b.a.test/docs/"));

    expect([OLD, SUB, "https://b.a.test/docs/old/"].map((each) => treat(url(each)))).toEqual([
      "ignore",
      "read",
      "ignore",
    ]);
  });
});

describe("Scope", () => {
  const inside = (kind: ScopeKind, start: string, candidate: string, end = start) => {
    const scope = scopeOf(kind, url(start), url(end));
    return scope === "moved_away" ? scope : scope(url(candidate));
  };

  eachRow(TABLES.scopes)("decides what is inside", (kind, start, candidate, isInside) => {
    expect(inside(kind, start, candidate)).toBe(isInside);
  });

  eachRow(TABLES.moved)("may move after a redirect", (_, kind, start, end, candidate, isInside) => {
    expect(inside(kind, start, candidate, end)).toBe(isInside);
  });
});

describe("Patterns", () => {
  eachRow(TABLES.patterns)("match what they are like", (pattern, target, matches) => {
    expect(compileUrlPatterns([pattern])(url(target))).toBe(matches);
  });

  test("match files by their paths, with and without a slash in front", () => {
    const isMatch = compileFilePatterns(["docs/", "/*.rst$"]);

    expect(["docs/a.md", "a/docs/b.md", "a/b.rst", "b.rst.md"].map(isMatch)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test("exclude what they also include", () => {
    const chosen = choose({ include: ["/docs/"], exclude: ["/docs/old/"] }, compileUrlPatterns);

    expect(["/docs/a", "/docs/old/a", "/shop"].map((path) => chosen(url(path)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(choose({ include: [], exclude: [] }, compileUrlPatterns)(url("/shop"))).toBe(true);
  });

  test("that can never match have a problem", () => {
    expect(["archive", "\n", "", `/${"a".repeat(2048)}`].map(patternProblem)).not.toContain(null);
    expect(["/", "*.pdf$", "https://a.test/", "http*://a"].map(patternProblem)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test("are compared at once, whatever they are", () => {
    const hostile = Array.from({ length: 200 }, (_, i) => `/${"*a".repeat(1000)}*b${i}$`);

    expect(compileUrlPatterns(hostile)(url(`/${"a".repeat(2000)}`))).toBe(false);
  });
});

describe("The key of a page", () => {
  eachRow(TABLES.keys)("leaves out what does not change the page", (from, key) => {
    expect(crawlKeyOf(url(from))).toBe(url(key).href);
  });

  test("leaves the URL as it is", () => {
    const given = url("/a;jsessionid=1?utm_source=x#y");
    crawlKeyOf(given);

    expect(given.href).toBe("https://site.test/a;jsessionid=1?utm_source=x#y");
  });
});

describe("A crawl does not follow", () => {
  eachRow(TABLES.not_followed)("what does something or never ends", (path, why) => {
    expect(whyNotFollowed(url(path))).toBe(why);
  });
});

describe("A canonical URL", () => {
  eachRow(TABLES.canonical)("folds pages that are the same", (page, canonical, folds) => {
    expect(foldsInto(url(page), url(canonical))).toBe(folds);
  });
});

describe("The family of a page", () => {
  eachRow(TABLES.families)("leaves out what counts up", (path, family) => {
    expect(familyOf(url(path))).toBe(family && `site.test${family}`);
  });

  test("is the same with www, and another on another host", () => {
    expect(familyOf(url("https://www.site.test/1"))).toBe("site.test/<number>");
    expect(familyOf(url("https://b.site.test/1"))).toBe("b.site.test/<number>");
  });
});

describe("A family", () => {
  const read = (families: ReturnType<typeof createFamilies>, path: string, times: number) =>
    Array.from({ length: times }, () => families.note(familyOf(url(path)), "nothing"));
  const isDry = (families: ReturnType<typeof createFamilies>, path: string) =>
    families.isDry(familyOf(url(path)));

  eachRow([
    ["/cal/2031/05", 50],
    ["/list?color=red", 50],
    ["/questions/17", 1000],
  ])("is dry after enough pages that bring nothing", (path, limit) => {
    const families = createFamilies();

    expect(read(families, path, limit - 1)).not.toContain(true);
    expect(isDry(families, path)).toBe(false);
    expect(read(families, path, 3)).toEqual([true, false, false]);
    expect(isDry(families, path)).toBe(true);
  });

  test("that brings something is not", () => {
    const families = createFamilies();
    read(families, "/list?page=1", 49);
    families.note(familyOf(url("/list?page=2")), "new");
    read(families, "/list?page=3", 49);

    expect(isDry(families, "/list?page=4")).toBe(false);
  });

  test("with one page never is", () => {
    const families = createFamilies();

    expect(read(families, "/about", 2000)).not.toContain(true);
    expect(families.save()).toEqual([]);
  });

  test("goes on after a stop where it was", () => {
    const families = createFamilies();
    read(families, "/cal/2031/05", 49);
    read(families, "/list?a", 50);
    const later = createFamilies(JSON.parse(JSON.stringify(families.save())));

    expect(isDry(later, "/list?b")).toBe(true);
    expect(read(later, "/cal/2032/01", 1)).toEqual([true]);
  });

  test("that is dry is not forgotten for others, of which only so many are kept", () => {
    const families = createFamilies();
    read(families, "/cal/2031/05", 50);
    for (let i = 0; i < 20_000; i++)
      read(families, `/${"x".repeat(1 + (i % 100))}${"y".repeat(i / 100)}?z`, 1);

    expect(families.save().length).toBe(10_000);
    expect(isDry(families, "/cal/2031/05")).toBe(true);
  });
});

describe("Fragments", () => {
  eachRow(["", "top", "TOP", ":~:text=words", "/route/1", "!route"])(
    "that name no place are not judged",
    (fragment) => {
      expect(anchorIn(fragment)).toBeNull();
      expect(hasAnchor(packAnchors([]), fragment)).toBe(true);
    },
  );

  test("are looked for among the anchors of the page, as written and decoded", () => {
    const anchors = packAnchors(["setup", "größe", "100%", "a%20b"]);

    expect(
      ["setup", "gr%C3%B6%C3%9Fe", "größe", "100%", "a%20b", "setup:~:text=x"].map((each) =>
        hasAnchor(anchors, each),
      ),
    ).not.toContain(false);
    expect(["Setup", "set", "gr%zz"].map((each) => hasAnchor(anchors, each))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("are not judged where a page has too many anchors", () => {
    const many = Array.from({ length: 2001 }, (_, i) => `a${i}`);

    expect(hasAnchor(packAnchors(many), "other")).toBe(true);
    expect(hasAnchor(packAnchors(many.slice(1)), "other")).toBe(false);
  });
});

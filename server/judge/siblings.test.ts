import { describe, expect, test } from "bun:test";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { homeOf, rootOf, siblingOf, subdomainOf } from "./surroundings.ts";

const TABLES = yamlIn<{
  paths: [url: string, sibling: string][];
  queries: [url: string, sibling: string][];
  both: [url: string, sibling: string][];
  none: string[];
}>(import.meta.dir, "siblings.yaml");

const NAME = "qzkxvbnmwrtplkjh";
const sibling = (url: string) => siblingOf(new URL(url), NAME)?.href ?? null;

describe("an address at which nothing can be", () => {
  eachRow(TABLES.paths)("has a name like those around it", (url, expected) =>
    expect(sibling(url)).toBe(expected),
  );

  eachRow(TABLES.queries)(
    "keeps the path where the query says which thing it is",
    (url, expected) => expect(sibling(url)).toBe(expected),
  );

  eachRow(TABLES.both)(
    "changes the path that names a thing, and the parameter too",
    (url, expected) => expect(sibling(url)).toBe(expected),
  );

  test("replaces the path where the query holds nothing", () => {
    expect(sibling("https://a.test/index.php?&")).toBe(`https://a.test/${NAME}.php`);
  });

  eachRow(TABLES.none)("is not made up where the path names nothing", (url) =>
    expect(sibling(url)).toBeNull(),
  );

  test("can be at the root, or at the root of a name that does not exist", () => {
    const url = new URL("https://www.shop.example.co.uk/a/b?c#d");

    expect(rootOf(url, NAME).href).toBe(`https://www.shop.example.co.uk/${NAME}`);
    expect(homeOf(url).href).toBe("https://www.shop.example.co.uk/");
    expect(subdomainOf(url, NAME)?.href).toBe(`https://${NAME}.example.co.uk/`);
  });

  eachRow(["http://127.0.0.1/x", "http://[::1]/x", "http://localhost/x"])(
    "has no neighbour where there are no names",
    (url) => expect(subdomainOf(new URL(url), NAME)).toBeNull(),
  );
});

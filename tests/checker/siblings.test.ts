import { describe, expect, test } from "bun:test";
import { homeOf, rootOf, siblingOf, subdomainOf } from "../../server/verdict/surroundings.ts";
import { eachRow } from "../each-row.ts";

const NAME = "qzkxvbnmwrtplkjh";
const sibling = (url: string) => siblingOf(new URL(url), NAME)?.href ?? null;

describe("an address at which nothing can be", () => {
  eachRow([
    ["https://a.test/blog/my-post", `https://a.test/blog/${NAME}`],
    ["https://a.test/blog/my-post/", `https://a.test/blog/${NAME}/`],
    ["https://a.test/files/report.PDF", `https://a.test/files/${NAME}.PDF`],
    ["https://a.test/v2.0/page#part", `https://a.test/v2.0/${NAME}`],
    ["https://a.test/docs/release-2.0", `https://a.test/docs/${NAME}`],
    ["https://a.test/post?utm_source=x", `https://a.test/${NAME}`],
    ["https://a.test:8443/x", `https://a.test:8443/${NAME}`],
  ])("has a name like those around it", (url, expected) => expect(sibling(url)).toBe(expected));

  eachRow([
    [
      "https://a.test/article.php?id=12345&lang=en",
      "https://a.test/article.php?id=1327088099&lang=en",
    ],
    ["https://a.test/watch?v=abcdef&t=1", `https://a.test/watch?v=${NAME}&t=1`],
    [
      "https://a.test/index.php?title=Main_Page_of_the_wiki&oldid=99",
      "https://a.test/index.php?title=Main_Page_of_the_wiki&oldid=1327088099",
    ],
    [
      "https://a.test/viewtopic.php?f=12&t=4711&start=20",
      "https://a.test/viewtopic.php?f=12&t=1327088099&start=20",
    ],
    [
      "https://a.test/index.php?option=com_content&id=5&Itemid=10",
      "https://a.test/index.php?option=com_content&id=1327088099&Itemid=10",
    ],
    [
      "https://a.test/story.php?title=a-long-title&session_id=17",
      `https://a.test/story.php?title=${NAME}&session_id=17`,
    ],
    ["https://a.test/doku.php?id=wiki:old", `https://a.test/doku.php?id=${NAME}`],
    [
      "https://a.test/showthread?tid=5&pid=17&page=3",
      "https://a.test/showthread?tid=5&pid=1327088099&page=3",
    ],
    [
      "https://a.test/list.php?category=lamps&page=3",
      `https://a.test/list.php?category=${NAME}&page=3`,
    ],
  ])("keeps the path where the query says which thing it is", (url, expected) =>
    expect(sibling(url)).toBe(expected),
  );

  eachRow([
    [
      "https://a.test/shop/lamp?item=17&lang=de",
      `https://a.test/shop/${NAME}?item=1327088099&lang=de`,
    ],
    ["https://a.test/shop/lamp?lang=de", `https://a.test/shop/${NAME}`],
    ["https://a.test/news/?page=7", `https://a.test/${NAME}/`],
    ["https://a.test/view?utm_source=x&fbclid=y", `https://a.test/${NAME}`],
  ])("changes the path that names a thing, and the parameter too", (url, expected) =>
    expect(sibling(url)).toBe(expected),
  );

  test("replaces the path where the query holds nothing", () => {
    expect(sibling("https://a.test/index.php?&")).toBe(`https://a.test/${NAME}.php`);
  });

  eachRow(["https://a.test/", "https://a.test/?p=123", "https://a.test"])(
    "is not made up where the path names nothing",
    (url) => expect(sibling(url)).toBeNull(),
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

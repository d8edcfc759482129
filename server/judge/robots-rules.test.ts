import { describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { isAllowed, rulesForUs } from "./robots.ts";

const allows = (robots: string, path = "/a/b") =>
  isAllowed(rulesForUs(robots), new URL(path, "https://site.test"));

describe("A robots.txt", () => {
  eachRow<[what: string, robots: string, allowed: boolean]>([
    ["is empty", "", true],
    ["is not a robots.txt", "<html><body>Not found", true],
    ["closes the site to all", "User-agent: *\nDisallow: /", false],
    ["closes the folder", "user-agent:*\r\ndisallow:/a/ # drafts\r\n", false],
    ["closes another folder", "User-agent: *\nDisallow: /b/", true],
    ["closes it to others", "User-agent: OtherBot\nDisallow: /", true],
    ["closes it to us by name", "User-agent: STILLUP/1.0\nDisallow: /", false],
    [
      "closes it to all but us",
      "User-agent: *\nDisallow: /\n\nUser-agent: Stillup\nDisallow:",
      true,
    ],
    ["names us among others", "User-agent: a\nUser-agent: Stillup\nDisallow: /", false],
    [
      "names us in two places",
      "User-agent: Stillup\nAllow: /x\n\nUser-agent: Stillup\nDisallow: /",
      false,
    ],
    ["allows more precisely", "User-agent: *\nDisallow: /\nAllow: /a/", true],
    ["names a site map between", "User-agent: *\nSitemap: /s.xml\nDisallow: /", false],
    ["allows and closes by equal rules", "User-agent: *\nDisallow: /a\nAllow: /a", true],
    ["closes what ends in a way", "User-agent: *\nDisallow: /*b$", false],
    ["closes what ends in another way", "User-agent: *\nDisallow: /a$", true],
    ["closes by escapes", "User-agent: *\nDisallow: /%61/b", false],
    ["closes nothing", "User-agent: *\nDisallow:", true],
    [
      "names us across a delay",
      "User-agent: Stillup\nCrawl-delay: 2\nUser-agent: a\nDisallow: /",
      false,
    ],
    ["begins with a mark", "\ufeffUser-agent: *\nDisallow: /", false],
    ["has hostile rules", `User-agent: *\nDisallow: /${"*a".repeat(9000)}$`, true],
    [
      "has more rules for us than can be followed",
      `User-agent: *\n${"Disallow: /x*y\n".repeat(3000)}`,
      false,
    ],
  ])("closes what its rules close to us", (_, robots, allowed) => {
    expect(allows(robots)).toBe(allowed);
  });

  test("takes no more room for other robots that it names", () => {
    const others = Array.from({ length: 2000 }, (_, i) => `User-agent: bot-${i}`).join("\n");
    const theirs = "Disallow: /theirs\n".repeat(2000);
    const ours = "User-agent: *\nDisallow: /ours";

    expect(rulesForUs(`${others}\n${theirs}\n${ours}`)).toBe("User-agent: *\ndisallow: /ours");
  });
});

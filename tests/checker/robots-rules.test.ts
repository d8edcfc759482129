import { describe, expect, test } from "bun:test";
import { isAllowed, rulesForUs } from "../../server/verdict/robots.ts";
import { eachRow, yamlIn } from "../each-row.ts";

const TABLES = yamlIn<{ rules: [what: string, robots: string, allowed: boolean][] }>(
  import.meta.dir,
  "robots-rules.yaml",
);

const allows = (robots: string, path = "/a/b") =>
  isAllowed(rulesForUs(robots), new URL(path, "https://site.test"));

describe("A robots.txt", () => {
  eachRow(TABLES.rules)("closes what its rules close to us", (_, robots, allowed) => {
    expect(allows(robots)).toBe(allowed);
  });

  test("takes no more room for those whom it names beside us", () => {
    const others = Array.from({ length: 2000 }, (_, i) => `User-agent: bot-${i}`).join("\n");
    const theirs = "Disallow: /theirs\n".repeat(2000);
    const ours = "User-agent: *\nDisallow: /ours";

    expect(rulesForUs(`${others}\n${theirs}\n${ours}`)).toBe("User-agent: *\ndisallow: /ours");
  });
});

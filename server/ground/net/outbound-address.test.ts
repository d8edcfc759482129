import { describe, expect, test } from "bun:test";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import { readConfig } from "../config/config.ts";
import { mayConnect, parseHostList, parseTarget, type TargetPolicy } from "./policy.ts";

const TABLES = yamlIn<{
  accepted: string[];
  no_url: [what: string, url: string][];
  schemes: string[];
  forbidden: string[];
  external: string[];
  internal: string[];
  allowed: [allowed: string, address: string, isAllowed: boolean][];
  bad_entries: string[];
  near_keywords: [entry: string, keyword: string][];
  names: string[];
}>(import.meta.dir, "outbound-address.yaml");

const policy = (allowed: string, blocked = ""): TargetPolicy => ({
  allowed: parseHostList(allowed),
  blocked: parseHostList(blocked),
});
const usual = policy("external");
const lab = policy("external,loopback");

const problemOf = (raw: string, rules = usual) => {
  const target = parseTarget(raw, rules);
  return target.ok ? null : target.reason;
};

describe("the text of a URL", () => {
  eachRow(TABLES.accepted)("is accepted", (raw) => expect(problemOf(raw)).toBeNull());

  eachRow(TABLES.no_url)("is refused as no URL", (_, raw) =>
    expect(problemOf(raw)).toBe("url_invalid"),
  );

  eachRow(TABLES.schemes)("is refused for its scheme", (raw) =>
    expect(problemOf(raw)).toBe("scheme_unsupported"),
  );

  eachRow(TABLES.forbidden)("is refused for where it leads", (raw) =>
    expect(problemOf(raw)).toBe("target_forbidden"),
  );

  test("may name this machine when loopback is allowed", () => {
    expect(problemOf("http://localhost:8080/", lab)).toBeNull();
    expect(problemOf("http://127.0.0.1:8080/", lab)).toBeNull();
    expect(problemOf("http://10.0.0.1/", lab)).toBe("target_forbidden");
    expect(problemOf("http://metadata.google.internal/", lab)).toBe("target_forbidden");
  });

  test("is refused with the name of the setting that would allow it", () => {
    const target = parseTarget("http://10.0.0.1/", usual, "STILLUP_CHECK_ALLOWED_HOSTS");

    expect(!target.ok && target.problem).toBe(
      "must not lead to 10.0.0.1, which this server is not allowed to reach (see STILLUP_CHECK_ALLOWED_HOSTS)",
    );
  });

  test("may not name a blocked host", () => {
    const rules = policy("external", "*.ads.example, 8.8.8.0/24");

    expect(problemOf("http://x.ads.example/", rules)).toBe("target_forbidden");
    expect(problemOf("http://8.8.8.8/", rules)).toBe("target_forbidden");
    expect(problemOf("http://ads.example/", rules)).toBeNull();
  });

  test("comes back in standard form, its percent signs untouched", () => {
    const target = parseTarget("HTTP://Example.ORG:80/%F6%2526;+%28", usual);

    expect(target.ok && target.url.href).toBe("http://example.org/%F6%2526;+%28");
  });
});

describe("an address", () => {
  eachRow(TABLES.external)("is external", (address) =>
    expect(mayConnect(usual, "example.org", address)).toBe(true),
  );

  eachRow(TABLES.internal)("is not external where it is of a network of its own", (address) =>
    expect(mayConnect(usual, "example.org", address)).toBe(false),
  );

  eachRow(TABLES.allowed)(
    "is let through by what the operator allows",
    (allowed, address, expected) =>
      expect(mayConnect(policy(allowed), "wiki.corp.example", address)).toBe(expected),
  );

  test("that is both allowed and blocked is blocked, also when wrapped", () => {
    const rules = policy("external,private", "8.8.8.0/24,private");

    expect(mayConnect(rules, "example.org", "8.8.8.8")).toBe(false);
    expect(mayConnect(rules, "example.org", "::ffff:8.8.8.8")).toBe(false);
    expect(mayConnect(rules, "example.org", "10.0.0.1")).toBe(false);
    expect(mayConnect(rules, "example.org", "9.9.9.9")).toBe(true);
  });
});

describe("a list of hosts", () => {
  eachRow(TABLES.bad_entries)("refuses by name what cannot be in it", (entry) =>
    expect(() => parseHostList(`external, ${entry}`)).toThrow(`"${entry}"`),
  );

  eachRow(TABLES.near_keywords)("refuses what may be meant as a keyword", (entry, keyword) => {
    const problem = `"${entry.toLowerCase()}" is not a keyword; did you mean "${keyword}"?`;

    expect(() => parseHostList(`10.0.0.0/8, ${entry}`)).toThrow(problem);
    expect(() => readConfig({ STILLUP_WEBHOOK_BLOCKED_HOSTS: entry })).toThrow(
      `STILLUP_WEBHOOK_BLOCKED_HOSTS (${entry}): ${problem}`,
    );
  });

  eachRow(TABLES.names)("may hold names that are only like keywords", (entry) => {
    expect(parseHostList(`private,${entry}`).patterns).toEqual([entry]);
  });

  test("may be empty, and ignores case and spaces", () => {
    expect(parseHostList("").ranges.size).toBe(0);
    expect(parseHostList(" External ,, *.Corp.Example ")).toMatchObject({
      patterns: ["*.corp.example"],
    });
  });
});

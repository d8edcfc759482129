import { describe, expect, test } from "bun:test";
import { readConfig } from "../../server/config/config.ts";
import {
  mayConnect,
  parseHostList,
  parseTarget,
  type TargetPolicy,
} from "../../server/net/policy.ts";
import { eachRow } from "../each-row.ts";

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
  eachRow([
    "https://example.org/a%F6%2526;+%28?q=1#part",
    "HTTP://Example.ORG",
    "http://example.org.:8080/",
    "http://пример.рф/",
    "http://8.8.8.8/",
    "http://[2606:4700::1111]/",
    "http://intranet/",
    "http://never-registered.invalid/",
  ])("is accepted", (raw) => expect(problemOf(raw)).toBeNull());

  eachRow([
    ["a relative URL", "example.org/x"],
    ["nothing", ""],
    ["no slashes", "http:example.org"],
    ["one slash", "https:/example.org"],
    ["three slashes", "https:///example.org"],
    ["no host", "http://?x"],
    ["an empty host before a port", "http://:80/"],
    ["a space", "http://example.org/a b"],
    ["a leading space", " http://example.org/"],
    ["a tab", "http://exam\tple.org/"],
    ["a line end", "http://example.org/\r\nX: 1"],
    ["a backslash", "http://example.org\\@10.0.0.1/"],
    ["a user", "http://user@example.org/"],
    ["a user and a password", "http://user:pass@example.org/"],
    ["an empty user", "http://@example.org/"],
    ["port 0", "http://example.org:0/"],
    ["the mail port", "http://example.org:25/"],
    ["a port beyond the last", "http://example.org:65536/"],
    ["an empty label", "http://a..example.org/"],
    ["two dots at the end", "http://example.org../"],
    ["a label of 64 letters", `http://${"a".repeat(64)}.org/`],
    ["a name of 254 letters", `http://${"a.".repeat(126)}aa/`],
    ["a quote in the host", 'http://"/'],
    ["more than 2048 characters", `http://example.org/${"a".repeat(2048)}`],
    ["more than 2048 characters once encoded", `http://example.org/${"é".repeat(1000)}`],
  ])("is refused as no URL", (_, raw) => expect(problemOf(raw)).toBe("url_invalid"));

  eachRow([
    "ftp://example.org/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:,x",
    "mailto:a@b.c",
    "s3://b/k",
  ])("is refused for its scheme", (raw) => expect(problemOf(raw)).toBe("scheme_unsupported"));

  eachRow([
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://0/",
    "http://10.1.2.3/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "http://metadata/",
  ])("is refused for where it leads", (raw) => expect(problemOf(raw)).toBe("target_forbidden"));

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
  eachRow([
    "8.8.8.8",
    "93.184.216.34",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2001:4860:4860::8888",
  ])("is external", (address) => expect(mayConnect(usual, "example.org", address)).toBe(true));

  eachRow([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "100.100.100.200",
    "::",
    "::1",
    "::2",
    "::7f00:1",
    "::a9fe:a9fe",
    "::ffff:10.0.0.1",
    "::ffff:0:8.8.8.8",
    "64:ff9b::a00:1",
    "64:ff9b:1::808:808",
    "64:ff9b:2::1",
    "100::1",
    "100:0:0:1::1",
    "2001::1",
    "2001:db8::1",
    "2002:808:808::1",
    "2620:4f:8000::1",
    "3fff::1",
    "4000::1",
    "fc00::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe00::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "127.1",
    "8.8.8.8.8",
    "",
    "example.org",
  ])("is not external where it is of a network of its own", (address) =>
    expect(mayConnect(usual, "example.org", address)).toBe(false),
  );

  eachRow([
    ["private", "10.0.0.1", true],
    ["private", "100.64.0.1", true],
    ["private", "fd12::1", true],
    ["private", "127.0.0.1", false],
    ["private", "8.8.8.8", false],
    ["private", "100.100.100.200", false],
    ["private", "fd00:ec2::254", false],
    ["loopback", "127.8.8.8", true],
    ["loopback", "::1", true],
    ["loopback", "10.0.0.1", false],
    ["loopback", "0.0.0.0", false],
    ["10.1.0.0/16", "10.1.2.3", true],
    ["10.1.0.0/16", "10.2.2.3", false],
    ["10.1.2.3", "10.1.2.3", true],
    ["fd12::/16", "fd12::1", true],
    ["169.254.0.0/16", "169.254.169.254", false],
    ["0.0.0.0/0", "169.254.169.254", false],
    ["169.254.169.254/32", "169.254.169.254", true],
    ["169.254.169.254", "169.254.169.253", false],
    ["wiki.corp.example", "10.0.0.1", true],
    ["*.corp.example", "127.0.0.1", true],
    ["*.corp.example", "169.254.169.254", false],
    ["corp.example", "10.0.0.1", false],
    ["198.18.0.0/15", "198.18.0.1", true],
    ["*", "8.8.8.8", true],
  ])("is let through by what the operator allows", (allowed, address, expected) =>
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
  eachRow([
    "http://example.org",
    "10.0.0.0/33",
    "10.0.0",
    "example.org:80",
    "a b",
    "[::1]",
    "10.0.0.1/8/8",
    "::1%lo",
  ])("refuses by name what cannot be in it", (entry) =>
    expect(() => parseHostList(`external, ${entry}`)).toThrow(`"${entry}"`),
  );

  eachRow([
    ["privat", "private"],
    ["Privates", "private"],
    ["pirvate", "private"],
    ["primate", "private"],
    ["externl", "external"],
    ["extrenal", "external"],
    ["externals", "external"],
    ["internal", "external"],
    ["loopbak", "loopback"],
    ["loop-back", "loopback"],
    ["lopback", "loopback"],
  ])("refuses what may be meant as a keyword", (entry, keyword) => {
    const problem = `"${entry.toLowerCase()}" is not a keyword; did you mean "${keyword}"?`;

    expect(() => parseHostList(`10.0.0.0/8, ${entry}`)).toThrow(problem);
    expect(() => readConfig({ STILLUP_WEBHOOK_BLOCKED_HOSTS: entry })).toThrow(
      `STILLUP_WEBHOOK_BLOCKED_HOSTS (${entry}): ${problem}`,
    );
  });

  eachRow([
    "intranet",
    "localhost",
    "wiki",
    "privat.example",
    "*.privat",
    "privat*",
    "external-api",
    "loop",
    "private-cloud",
    "pirates",
    "intern",
  ])("may hold names that are only like keywords", (entry) => {
    expect(parseHostList(`private,${entry}`).patterns).toEqual([entry]);
  });

  test("may be empty, and ignores case and spaces", () => {
    expect(parseHostList("").ranges.size).toBe(0);
    expect(parseHostList(" External ,, *.Corp.Example ")).toMatchObject({
      patterns: ["*.corp.example"],
    });
  });
});

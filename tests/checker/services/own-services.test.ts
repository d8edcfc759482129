import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../server/config/config.ts";
import { serviceIdOf } from "../../../server/verdict/services/catalogue.ts";
import type { Service } from "../../../server/verdict/services/record.ts";
import { catalogueWith } from "../../../server/verdict/services/records/built-in.ts";
import { agree } from "../../each-row.ts";
import { json, page } from "./played-web.ts";
import { prove } from "./prove.ts";

const WIKI = {
  id: "wiki",
  name: "Our wiki",
  hosts: ["wiki.example.org"],
  kinds: [
    {
      kind: "article",
      path: "^/a/(?<id>\\d+)$",
      ask: {
        url: "https://wiki.example.org/api/{id}",
        rules: [
          { json: { state: "open" }, means: "ok_service" },
          { json: { state: "locked" }, means: "ok_service_protected" },
          { json: { state: "deleted" }, means: "service_deleted", class: "C1" },
        ],
      },
    },
  ],
} satisfies Service;

function fileWith(records: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), "stillup-test-")), "services.json");
  writeFileSync(path, typeof records === "string" ? records : JSON.stringify(records));
  return path;
}

const read = (records: unknown) =>
  readConfig({ STILLUP_SERVICES_FILE: fileWith(records) }).ownServices;

/** The wiki with one thing changed, by the path to it. */
function changed(path: string, value: unknown): unknown {
  const record = structuredClone(WIKI) as Record<string, unknown>;
  const steps = path.split(".");
  const last = steps.pop()!;
  let at = record;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  at[last] = value;
  return [record];
}

const API = "wiki.example.org/api/7";
const URL_OF_7 = "https://wiki.example.org/a/7";

prove(
  [
    [
      "wiki",
      {
        urls: [URL_OF_7, "https://wiki.example.org/", "https://en.wiki.example.org/help"],
        rows: [
          {
            what: "an open article",
            url: URL_OF_7,
            web: { [API]: json({ state: "open" }) },
            seen: "active ok_service",
            asked: ["GET https://wiki.example.org/api/7"],
          },
          {
            what: "deleted",
            url: URL_OF_7,
            web: { [API]: json({ state: "deleted" }) },
            seen: "dead service_deleted C1",
          },
          {
            what: "locked",
            url: URL_OF_7,
            web: { [API]: json({ state: "locked" }) },
            seen: "active ok_service_protected",
          },
          {
            what: "failing",
            url: URL_OF_7,
            web: { [API]: 500, "wiki.example.org/a/7": page("<title>Wiki</title>") },
            seen: "unknown service_probe_failed",
          },
        ],
      },
    ],
  ],
  catalogueWith(read([WIKI])),
);

describe("own services", () => {
  test("are as their page says", () => {
    const [, example = ""] =
      /```json\n([\s\S]*?)```/.exec(readFileSync("docs/services.md", "utf8")) ?? [];

    expect(read(example).map(({ id }) => id)).toEqual(["wiki"]);
  });

  test("own names of a single label, as in a private network", () => {
    const catalogue = catalogueWith(read([{ ...WIKI, hosts: ["intranet"] }]));

    expect(serviceIdOf(catalogue, new URL("http://wiki.intranet/a"))).toBe("wiki");
    expect(serviceIdOf(catalogue, new URL("http://intranet/a"))).toBe("wiki");
    expect(serviceIdOf(catalogue, new URL("http://intranet.example.org/a"))).toBe("generic");
  });

  test("replace a service with the same id, and take over the hosts that they name", () => {
    const own = read([
      { id: "youtube", name: "Our YouTube", hosts: ["tube.example.org"] },
      { ...WIKI, hosts: ["youtu.be"] },
    ]);

    const catalogue = catalogueWith(own);

    const idOf = (url: string) => serviceIdOf(catalogue, new URL(url));
    expect(idOf("https://tube.example.org/")).toBe("youtube");
    expect(idOf("https://youtube.com/")).toBe("generic");
    expect(idOf("https://youtu.be/x")).toBe("wiki");
    expect(catalogue.services.filter(({ id }) => id === "youtube")).toHaveLength(1);
  });

  const REFUSED: [what: string, records: unknown, problem: RegExp][] = [
    ["invalid JSON", "[{", /not valid JSON: /],
    ["no list", { id: "wiki" }, /: must be a list of records: /],
    ["no record", [WIKI, 7], /Record 2: .*expected object/],
    [
      "an invalid id",
      changed("id", "Our Wiki"),
      /Service "Our Wiki", id: must be an id: a-z, 0-9 and -/,
    ],
    ["the id of everything else", changed("id", "generic"), /Service "generic", id: is reserved/],
    ["no name", changed("name", undefined), /Service "wiki", name: /],
    [
      "a host that is a URL",
      changed("hosts", ["https://wiki.example.org"]),
      /Service "wiki", hosts\[0\]: must be host names in lower case/,
    ],
    [
      "an unclosed brace",
      changed("hosts", ["wiki.{example.org"]),
      /Service "wiki", hosts\[0\]: must be host names in lower case/,
    ],
    [
      "an encoding that does not exist",
      changed("kinds.0.ask.url", "https://wiki.example.org/{id|toString}"),
      /Service "wiki", kinds\[0\]\.ask\[0\]: \{id\|toString\} is not a known encoding/,
    ],
    [
      "a pattern with a slot where none is filled",
      changed("kinds.0.path", "^/(?<{id}>a)$"),
      /Service "wiki", kinds\[0\]\.path: must be a regular expression/,
    ],
    [
      "credentials in a URL",
      changed("kinds.0.ask.url", "https://me:secret@wiki.example.org/"),
      /Service "wiki", kinds\[0\]\.ask\.url: must be an http or https URL without a user/,
    ],
    [
      "an invalid header",
      changed("kinds.0.ask.headers", { "X Key": "a" }),
      /Service "wiki", kinds\[0\]\.ask\.headers\.X Key: /,
    ],
    [
      "a batch for many hosts",
      changed("kinds.0.ask", {
        url: "https://{host}/api",
        batch: { most: 9, answers: { by: "position" } },
      }),
      /Service "wiki", kinds\[0\]\.ask\[0\]: a batch must have a fixed host/,
    ],
    [
      "a canary that cannot be requested",
      changed("canary", ["ftp://wiki.example.org/a/7"]),
      /Service "wiki", canary\[0\]: must be an http or https URL/,
    ],
    ["no hosts", changed("hosts", []), /Service "wiki", hosts: must name a host/],
    ["a field that does not exist", changed("kind", []), /Service "wiki": .*"kind"/],
    [
      "an invalid pattern",
      changed("kinds.0.path", "^/(a$"),
      /Service "wiki", kinds\[0\]\.path: must be a regular expression/,
    ],
    [
      "a template without its group",
      changed("kinds.0.ask.url", "https://wiki.example.org/{name}"),
      /Service "wiki", kinds\[0\]\.ask\[0\]: \{name\} is not a named group/,
    ],
    [
      "a verdict that does not exist",
      changed("kinds.0.ask.rules.0.means", "fine"),
      /Service "wiki", kinds\[0\]\.ask\.rules\[0\]\.means: /,
    ],
    [
      "a dead verdict without a class",
      changed("kinds.0.ask.rules.2.class", undefined),
      /Service "wiki", kinds\[0\]\.ask\.rules\[2\]\.class: is required with a dead verdict/,
    ],
    [
      "an active verdict with a class",
      changed("kinds.0.ask.rules.0.class", "C1"),
      /Service "wiki", kinds\[0\]\.ask\.rules\[0\]\.class: is required with a dead verdict, and not allowed with any other/,
    ],
    [
      "undecided without page",
      changed("kinds.0.ask.rules.0.undecided", "service_private"),
      /Service "wiki", kinds\[0\]\.ask\.rules\[0\]\.undecided: is only allowed with "page"/,
    ],
    [
      "a page that is never read, and no request",
      changed("kinds.0", { kind: "article", page: "never" }),
      /Service "wiki", kinds\[0\]\.page: must not be "never" without a request/,
    ],
    [
      "a canary of another service",
      changed("canary", ["https://example.org/a/7"]),
      /Service "wiki", canary\[0\]: must be an address of one of its kinds/,
    ],
    [
      "retained values that depend on the link",
      changed("kinds.0.ask.keepMinutes", 5),
      /Service "wiki", kinds\[0\]\.ask\[0\]: a request with keepMinutes must not depend on the link/,
    ],
    [
      "the same id twice",
      [WIKI, { ...WIKI, hosts: ["b.example.org"] }],
      /Service "wiki": the id is used twice/,
    ],
    [
      "the same host twice",
      [WIKI, { ...WIKI, id: "other" }],
      /Service "other", hosts: "wiki.example.org" also belongs to "wiki"/,
    ],
  ];
  test("are refused with what is not a record, and the file and the field are named", () =>
    agree(
      REFUSED.map(([what, records, problem]) => ({
        story: what,
        expected: { setting: "STILLUP_SERVICES_FILE (", problem: String(problem) },
        seen: () => refusalOf(records, problem),
      })),
    ));

  /** The start of the error, and the pattern if the error fits it, or all of the error. */
  function refusalOf(records: unknown, problem: RegExp) {
    try {
      return { services: read(records) };
    } catch (error) {
      const { message } = error as Error;
      const [setting] = /^STILLUP_SERVICES_FILE \(/.exec(message) ?? [];
      return { setting, problem: problem.test(message) ? String(problem) : message };
    }
  }

  test("are none where the setting is empty", () => {
    expect(readConfig({ STILLUP_SERVICES_FILE: "" }).ownServices).toEqual([]);
  });

  test("are refused when the file is not there", () => {
    const settings = { STILLUP_SERVICES_FILE: "/nowhere/services.json" };

    expect(() => readConfig(settings)).toThrow(
      'STILLUP_SERVICES_FILE must be a JSON file of services; got "/nowhere/services.json".',
    );
  });
});

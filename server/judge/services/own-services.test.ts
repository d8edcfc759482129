import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, page } from "../../../tests/checker/services/played-web.ts";
import { prove } from "../../../tests/checker/services/prove.ts";
import { agree, yamlIn } from "../../../tests/each-row.ts";
import { readConfig } from "../../ground/config/config.ts";
import { serviceIdOf } from "./catalogue.ts";
import { ownServicesOf } from "./own-services.ts";
import type { Service } from "./record.ts";
import { catalogueWith } from "./records/built-in.ts";

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

/** A file of records, or a change of the wiki by the path to what is another value, and the error. */
type Refused = { what: string; problem: string } & (
  | { change: string; to?: unknown }
  | { records: unknown }
);
const TABLES = yamlIn<{ refused: Refused[] }>(import.meta.dir, "own-services.yaml");

function recordsOf(row: Refused): unknown {
  if ("change" in row) return changed(row.change, row.to);
  if (!Array.isArray(row.records)) return row.records;
  return row.records.map((record) => (record.wiki ? { ...WIKI, ...record.wiki } : record));
}

function fileWith(records: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), "stillup-test-")), "services.json");
  writeFileSync(path, typeof records === "string" ? records : JSON.stringify(records));
  return path;
}

const read = (records: unknown) =>
  ownServicesOf(readConfig({ STILLUP_SERVICES_FILE: fileWith(records) }));

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

  test("are refused with what is not a record, and the file and the field are named", () =>
    agree(
      TABLES.refused.map((row) => ({
        story: row.what,
        expected: { setting: "STILLUP_SERVICES_FILE (", problem: row.problem },
        seen: () => refusalOf(recordsOf(row), row.problem),
      })),
    ));

  /** The start of the error, and the pattern if the error fits it, or all of the error. */
  function refusalOf(records: unknown, problem: string) {
    try {
      return { services: read(records) };
    } catch (error) {
      const { message } = error as Error;
      const [setting] = /^STILLUP_SERVICES_FILE \(/.exec(message) ?? [];
      return { setting, problem: new RegExp(problem).test(message) ? problem : message };
    }
  }

  test("are none where the setting is empty", () => {
    expect(ownServicesOf(readConfig({ STILLUP_SERVICES_FILE: "" }))).toEqual([]);
  });

  test("are refused when the file is not there", () => {
    const settings = { STILLUP_SERVICES_FILE: "/nowhere/services.json" };

    expect(() => readConfig(settings)).toThrow(
      'STILLUP_SERVICES_FILE must be a JSON file of services; got "/nowhere/services.json".',
    );
  });
});

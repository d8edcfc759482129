import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eachRow } from "../../tests/each-row.ts";
import { PUBLISHED, pathOf } from "../../tests/events/published-receiver.ts";
import { printConfig, readConfig } from "../ground/config/config.ts";
import {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  EVENT_TYPES,
  type EventType,
  FORMATS,
} from "../ground/lib/vocabulary.ts";
import { EVENT_DEFINITIONS } from "./event-types.ts";

const DOCS = join(import.meta.dir, "../../docs");
const page = readFileSync(join(DOCS, "webhooks.md"), "utf8");

const blocksOf = (language: string) =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, text]) =>
    of === language ? [text!] : [],
  );

const sectionOf = (heading: string) =>
  page.split(/^##+ /m).find((section) => section.startsWith(`${heading}\n`)) ?? "";

/** The words that stand as code in the first column of the section's tables. */
const namedIn = (heading: string) =>
  [...sectionOf(heading).matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, word]) => word!);

describe("The page about webhooks", () => {
  eachRow(PUBLISHED)("shows how $file verifies, as the file has it", (which) => {
    const blocks = blocksOf(which.language);

    expect(blocks).toHaveLength(1);
    expect(blocks[0]).toContain("verify(");
    expect(readFileSync(pathOf(which), "utf8")).toContain(blocks[0]!);
  });

  test("shows every event with the fields that it has, and no others", () => {
    const samples = blocksOf("json").map((text) => JSON.parse(text));

    for (const { event, data } of samples)
      EVENT_DEFINITIONS[event as EventType].data.strict().parse(data);
    expect(samples.map(({ event }) => event)).toEqual(
      EVENT_TYPES.filter((type) => type !== "link.alive"),
    );
    expect(EVENT_DEFINITIONS["link.alive"].data.shape).toBe(
      EVENT_DEFINITIONS["link.dead"].data.shape,
    );
  });

  test("tells when a message is tried again", () => {
    const waits = [...sectionOf("Retries").matchAll(/^\| \d+ \| (\d+) (s|min|h) \|/gm)];

    const seconds = waits.map(
      ([, count, unit]) => Number(count) * { s: 1, min: 60, h: 3600 }[unit!]!,
    );
    expect(seconds).toEqual(readConfig({}).webhookRetrySeconds);
    expect(sectionOf("Settings")).toContain(`\`${seconds.join(",")}\``);
  });

  test("explains each status of a delivery, each format and each reason to be off", () => {
    expect(namedIn("The delivery log").sort()).toEqual([...DELIVERY_STATUSES].sort());
    expect(namedIn("Messages for people").sort()).toEqual([...FORMATS].sort());
    expect(namedIn("Disabled webhooks").sort()).toEqual([...DISABLED_REASONS].sort());
  });

  test("names every setting of webhooks", () => {
    const settings = printConfig({}, {}).match(/^STILLUP_WEBHOOK_\w+/gm) ?? [];

    expect(settings.length).toBeGreaterThan(4);
    expect(settings.filter((name) => !sectionOf("Settings").includes(`\`${name}\``))).toEqual([]);
  });

  test("leads nowhere that is not there", () => {
    const targets = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!);
    const anchors = [...page.matchAll(/^##+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!));

    const [inside, others] = [/^#/, /^(?!#|https:)/].map((kind) =>
      targets.filter((t) => kind.test(t)),
    );
    expect(inside!.filter((target) => !anchors.includes(target))).toEqual([]);
    expect(others!.filter((target) => !existsSync(join(DOCS, target.replace(/#.*/, ""))))).toEqual(
      [],
    );
    expect(others!.length).toBeGreaterThan(6);
  });
});

const anchorOf = (heading: string) =>
  `#${heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replaceAll(" ", "-")}`;

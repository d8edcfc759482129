import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { type Parsed, startServer, type TestServer } from "../../../tests/harness.ts";
import { METRICS_TOKEN, metricsText } from "../../../tests/metrics/reading.ts";
import { READINGS } from "./readings.ts";

const page = readFileSync("docs/monitoring.md", "utf8");
const dashboard: Parsed = JSON.parse(readFileSync("docs/grafana.json", "utf8"));
const alerts: Parsed = parse(readFileSync("docs/alerts.yaml", "utf8"));

/** What PromQL knows on its own, and labels. */
const METRIC = /\b(stillup|process)_[a-z_]+/g;
/** A metric and what it is picked by. */
const SELECTOR = /\b((?:stillup|process)_[a-z_]+)\{([^}]*)\}/g;
const LABEL = /(\w+)(?:=|!=|=~|!~)"/g;
/** Labels that Prometheus adds. */
const BY_PROMETHEUS = new Set(["job", "instance"]);
/** Of the series of a histogram. */
const PART = /_(bucket|sum|count)$/;

describe("Of the metrics", () => {
  let server: TestServer;
  let text: string;
  let names: string[];
  beforeAll(async () => {
    server = await startServer("sqlite", { STILLUP_METRICS_TOKEN: METRICS_TOKEN });
    text = await metricsText(server);
    const now = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!);
    // Some readings are missing until there is something to tell.
    names = [
      ...new Set([...now, ...Object.keys(READINGS).map((name) => `stillup_${name}`)]),
    ].sort();
  });
  afterAll(() => server.stop());

  const explained = () =>
    [...page.matchAll(/^\| `((?:stillup|process)_\w+)` \| .+ \| (.+) \|$/gm)].map(
      ([, name]) => name!,
    );

  test("each is explained in the documentation, and no other", () => {
    expect(explained().sort()).toEqual(names);
  });

  test("every one that the dashboard for Grafana asks for is there, and it asks for all of them", () => {
    const asked = metricsIn(expressionsOf(dashboard));

    expect(asked.filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !asked.includes(name))).toEqual([]);
  });

  test("alerts and the dashboard pick them by labels that they have", () => {
    const rules: Parsed[] = alerts.groups.flatMap((group: Parsed) => group.rules);
    const expressions = [...rules.map(({ expr }) => expr), ...expressionsOf(dashboard)];
    const labelsOf = (name: string) =>
      new Set(
        text
          .split("\n")
          .filter((line) => line.startsWith(`${name}{`))
          .flatMap((line) => [...line.matchAll(LABEL)].map(([, label]) => label)),
      );
    const unknown = expressions
      .flatMap((each) => [...each.matchAll(SELECTOR)])
      .flatMap(([, name, picked]) =>
        [...picked!.matchAll(LABEL)].map(([, label]) => ({ name: name!, label: label! })),
      )
      .filter(({ label }) => !BY_PROMETHEUS.has(label))
      // Some have nothing to tell yet.
      .filter(({ name, label }) => labelsOf(name).size > 0 && !labelsOf(name).has(label));

    expect(unknown).toEqual([]);
  });

  test("every one that an alert asks for is there, and each alert says what it is about", async () => {
    const rules: Parsed[] = alerts.groups.flatMap((group: Parsed) => group.rules);
    const asked = metricsIn(rules.map(({ expr }) => expr));

    expect(rules.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !names.includes(name))).toEqual([]);
    for (const { alert, annotations, labels } of rules) {
      expect([alert, annotations.summary, labels.severity]).toEqual([
        expect.stringMatching(/^Stillup/),
        expect.stringMatching(/\.$/),
        expect.stringMatching(/^(page|warn)$/),
      ]);
    }
  });
});

describe("The dashboard for Grafana", () => {
  test("takes its data from wherever is chosen at its top", () => {
    const sources = dashboard.panels.flatMap(({ datasource, targets = [] }: Parsed) => [
      datasource,
      ...targets.map((target: Parsed) => target.datasource),
    ]);

    expect(dashboard.templating.list[0]).toMatchObject({ name: "datasource", query: "prometheus" });
    for (const source of sources.filter(Boolean)) expect(source.uid).toEndWith("{datasource}");
  });

  test("has no panel over another", () => {
    const taken = new Set<string>();
    for (const { gridPos, title } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, taken.has(`${x} ${y}`), x < 24]).toEqual([title, false, true]);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});

const expressionsOf = ({ panels }: Parsed): string[] =>
  panels.flatMap(({ targets = [] }: Parsed) => targets.map(({ expr }: Parsed) => expr));

const metricsIn = (expressions: string[]) => [
  ...new Set(
    expressions.flatMap((each) => each.match(METRIC) ?? []).map((name) => name.replace(PART, "")),
  ),
];

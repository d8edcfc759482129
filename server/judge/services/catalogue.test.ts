import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { servicePages } from "../../../.ci/write-services.ts";
import { readRows, rowsFiles } from "../../../tests/checker/services/read-rows.ts";
import { fingerprintOf } from "./catalogue.ts";
import { FAMILY_RULES } from "./families.ts";
import { problemsOf } from "./own-services.ts";
import type { Service } from "./record.ts";
import { BUILT_IN, catalogueWith } from "./records/built-in.ts";
import { createSchemas } from "./schema.ts";

/** What a pattern repeats without end, other than white space, which is folded before it is read. */
const ENDLESS = /(?:\](?<!\[\\s\])|\\[^s\\]|(?<!\\)\.|\))(?:[*+]|\{\d+,\})/;

/** All that are held against bodies. */
const patterns = (): string[] =>
  [...JSON.stringify([BUILT_IN, FAMILY_RULES]).matchAll(/"matches":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text]) => JSON.parse(text!),
  );

describe("The catalogue", () => {
  test("is as an operator's own file would have to be", () => {
    const checked = z
      .array(createSchemas().Service)
      .safeParse(JSON.parse(JSON.stringify(BUILT_IN)));

    expect(checked.error?.issues ?? []).toEqual([]);
    expect(problemsOf(catalogueWith([]))).toEqual([]);
  });

  test("knows at least 120 services that are there, and how sure it is of each", () => {
    const running = BUILT_IN.filter(({ shutDown }) => !shutDown);

    expect(running.length).toBeGreaterThanOrEqual(120);
    expect(running.filter(({ confidence }) => !confidence).map(({ id }) => id)).toEqual([]);
    expect(
      running
        .filter(({ kinds = [], shortens }) => kinds.length === 0 && !shortens)
        .map(({ id }) => id),
    ).toEqual([]);
    expect(new Set(BUILT_IN.map(({ name }) => name)).size).toBe(BUILT_IN.length);
  });

  test("reads pages by patterns that no page can make slow", () => {
    const endless = patterns().filter((pattern) => ENDLESS.test(pattern));

    expect(patterns().length).toBeGreaterThan(200);
    expect(endless).toEqual([]);
    // A million of ">" would be looked through again from each of them.
    expect(patterns().filter((pattern) => /(?:^|\|)>\[\^<\]\{/.test(pattern))).toEqual([]);
  });

  test("has rows for each service", () => {
    const proved = new Set(rowsFiles().flatMap((path) => readRows(path).map(([id]) => id)));

    expect(BUILT_IN.filter(({ id }) => !proved.has(id)).map(({ id }) => id)).toEqual([]);
  });

  test("has a fingerprint that shows whether links must be classified again", () => {
    const wiki = { id: "wiki", name: "Wiki", hosts: ["wiki.example.org"] };
    const of = (own: Service[]) => fingerprintOf(catalogueWith(own));

    expect(of([])).toBe(of([]));
    expect(of([wiki])).not.toBe(of([]));
    expect(of([{ ...wiki, hosts: ["wiki.example.net"] }])).not.toBe(of([wiki]));
    expect(of([{ ...wiki, name: "Our wiki" }])).toBe(of([wiki]));
  });

  test("is what the pages for people say (npm run services)", async () => {
    for (const { before, after } of await servicePages()) expect(after).toBe(before);
  });
});

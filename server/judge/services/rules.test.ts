import { describe, expect, test } from "bun:test";
import { answerOf } from "../../../tests/checker/seen.ts";
import { agree, yamlIn } from "../../../tests/each-row.ts";
import { firstRule, replyTo } from "./decide.ts";
import type { When } from "./record.ts";
import { prepare } from "./requests.ts";
import { toPattern, toText, toUrl } from "./templates.ts";

const TABLES = yamlIn<{
  by_answer: [when: When, does: boolean][];
  by_place: [when: When, does: boolean][];
  templates: [template: string, url: string][];
}>(import.meta.dir, "rules.yaml");

const VALUES = {
  id: "a%2Fb",
  name: "AbC%20D",
  url: encodeURIComponent("https://files.test/a%2Fb?x=1"),
};

const FILE = JSON.stringify({
  file: { name: "A", size: 0, tags: [], owner: null, state: "open" },
  parts: [{ id: 7 }],
});

/** Whether a rule with this condition holds for an answer. */
async function holds(when: When, given: Parameters<typeof answerOf>[0] = {}, text = FILE) {
  const answer = await answerOf({ headers: { "Content-Type": "application/json" }, ...given });
  const reply = replyTo({ ...answer, text });
  return firstRule({ rules: [{ ...when, means: "ok_service" }] }, reply, VALUES) !== null;
}

const ruleRow = (when: When, does: boolean, given: Parameters<typeof answerOf>[0] = {}) => ({
  story: JSON.stringify(when),
  expected: { holds: does },
  seen: async () => ({ holds: await holds(when, given) }),
});

describe("A rule holds", () => {
  test("by what is answered", () =>
    agree(TABLES.by_answer.map(([when, does]) => ruleRow(when, does))));

  test("by where and how long the answer is", () => {
    const given = { at: "https://files.test/f/a%2Fb", bodyBytes: 5 };
    return agree(TABLES.by_place.map(([when, does]) => ruleRow(when, does, given)));
  });

  test("by a page's title", async () => {
    const given = { headers: {}, html: "<title>File not found</title>" };

    expect(await holds({ title: "^file NOT" }, given)).toBeTrue();
    expect(await holds({ title: "^page" }, given)).toBeFalse();
  });

  test("not by JSON where there is none", async () => {
    expect(await holds({ json: { "": { exists: true } } }, {}, "<p>Sorry.</p>")).toBeFalse();
    expect(await holds({ json: { "": { exists: false } } }, {}, "<p>Sorry.</p>")).toBeTrue();
  });

  test("before those after it, and not where its exception does", async () => {
    const reply = replyTo({ ...(await answerOf({})), text: "gone, but not really" });
    const rules = [
      {
        text: "gone",
        unless: { text: "not really" },
        means: "service_deleted" as const,
        class: "C1" as const,
      },
      { text: "but", means: "service_private" as const },
      { text: "gone", means: "ok_service" as const },
    ];

    expect(firstRule({ rules }, reply, VALUES)?.means).toBe("service_private");
  });

  test("before those of its family", async () => {
    const answer = await answerOf({ status: 401, headers: { "Content-Type": "text/plain" } });
    const reply = replyTo({ ...answer, text: "" });
    const rules = [{ status: 401, means: "ok_service" as const }];

    expect(firstRule({ family: "oembed" }, reply, VALUES)?.means).toBe("service_private");
    expect(firstRule({ rules, family: "oembed" }, reply, VALUES)?.means).toBe("ok_service");
  });
});

describe("A template", () => {
  test("of a URL is filled in", () =>
    agree(
      TABLES.templates.map(([template, url]) => ({
        story: template,
        expected: { url },
        seen: () => ({ url: toUrl(template, VALUES) }),
      })),
    ));

  test("of a text holds what an address packs, and of a pattern what it says", () => {
    expect(toText("{id} {url}", VALUES)).toBe("a/b https://files.test/a%2Fb?x=1");
    expect(toText("{id}", { id: "100%" })).toBe("100%");
    expect(new RegExp(toPattern("^{id}$", { id: "a.b*[c]" })).test("a.b*[c]")).toBeTrue();
  });
});

describe("A request", () => {
  const two = [{ id: "a" }, { id: "b" }];
  const batch = { most: 10, answers: { by: "line" as const, has: "{id}" } };

  test("for one thing sends what the record says", () => {
    const { url, headers, body } = prepare(
      {
        url: "https://api.test/{random}",
        json: { ids: ["{id}", "x"], deep: { flag: true } },
        headers: { "X-Id": "{id}" },
      },
      [{ id: "a" }],
      "42",
    );

    expect(url).toBe("https://api.test/42");
    expect(headers).toMatchObject({ "Content-Type": "application/json", "X-Id": "a" });
    expect(body).toBe('{"ids":["a","x"],"deep":{"flag":true}}');
  });

  test("carries nothing in its headers that ends them", () => {
    const ask = { url: "https://api.test/", headers: { "X-Id": "{id}" } };

    expect(prepare(ask, [{ id: "a%0D%0AX-Evil:%201%C3%BC" }], "1").headers["X-Id"]).toBe(
      "aX-Evil: 1",
    );
  });

  test("for many joins them in the URL, and repeats what a list holds one of", () => {
    expect(prepare({ url: "https://api.test/{id}", batch }, two, "1").url).toBe(
      "https://api.test/a%2Cb",
    );
    expect(
      prepare({ url: "https://api.test/", json: [{ p: "{id}", g: 1 }], batch }, two, "1").body,
    ).toBe('[{"p":"a","g":1},{"p":"b","g":1}]');
    expect(
      prepare({ url: "https://api.test/", form: { "ids[]": ["{id}"], v: "1" }, batch }, two, "1")
        .body,
    ).toBe("ids%5B%5D=a&ids%5B%5D=b&v=1");
    expect(
      prepare(
        { url: "https://api.test/", form: { ids: "{id}" }, batch: { ...batch, join: "\n" } },
        two,
        "1",
      ).body,
    ).toBe("ids=a%0Ab");
  });
});

import { describe, expect, test } from "bun:test";
import { firstRule, replyTo } from "../../../server/verdict/services/decide.ts";
import { toPattern, toText, toUrl, type When } from "../../../server/verdict/services/record.ts";
import { prepare } from "../../../server/verdict/services/requests.ts";
import { agree } from "../../each-row.ts";
import { answerOf } from "../seen.ts";

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
async function holds(when: When, told: Parameters<typeof answerOf>[0] = {}, text = FILE) {
  const answer = await answerOf({ headers: { "Content-Type": "application/json" }, ...told });
  const reply = replyTo({ ...answer, text });
  return firstRule({ rules: [{ ...when, means: "ok_service" }] }, reply, VALUES) !== null;
}

const ruleRow = (when: When, does: boolean, told: Parameters<typeof answerOf>[0] = {}) => ({
  story: JSON.stringify(when),
  expected: { holds: does },
  seen: async () => ({ holds: await holds(when, told) }),
});

describe("A rule holds", () => {
  const BY_ANSWER: [when: When, does: boolean][] = [
    [{}, true],
    [{ status: 200 }, true],
    [{ status: [200, 410] }, true],
    [{ status: 404 }, false],
    [{ header: { "content-type": "^application/JSON" } }, true],
    [{ header: { "content-type": "^text" } }, false],
    [{ header: { "x-none": "." } }, false],
    [{ type: "json$" }, true],
    [{ type: "html" }, false],
    [{ text: '"NAME"' }, true],
    [{ text: ["none", '"state"'] }, true],
    [{ text: "none" }, false],
    [{ matches: '"name":"[A-Z]"' }, true],
    [{ matches: '^"name"' }, false],
    [{ json: { "file.state": "open" } }, true],
    [{ json: { "file.state": ["shut", "open"] } }, true],
    [{ json: { "file.state": "shut" } }, false],
    [{ json: { "file.size": 0 } }, true],
    [{ json: { "file.size": "0" } }, false],
    [{ json: { "file.owner": null } }, true],
    [{ json: { "parts.0.id": 7 } }, true],
    [{ json: { "parts.1.id": 7 } }, false],
    [{ json: { "file.state": { exists: true } } }, true],
    [{ json: { "file.owner": { exists: true } } }, false],
    [{ json: { "file.none": { exists: false } } }, true],
    [{ json: { "file.tags": { empty: true } } }, true],
    [{ json: { "file.owner": { empty: true } } }, true],
    [{ json: { "file.name": { empty: false } } }, true],
    [{ json: { "file.none": { empty: true } } }, false],
    [{ json: { "file.none": { empty: false } } }, false],
    [{ json: { "file.state": { matches: "^OP" } } }, true],
    [{ json: { "parts.0.id": { matches: "^7$" } } }, true],
    [{ json: { "file.tags": { matches: "." } } }, false],
    [{ json: { "file.state": { not: ["shut", "gone"] } } }, true],
    [{ json: { "file.state": { not: "open" } } }, false],
    [{ json: { "file.none": { not: "open" } } }, false],
    [{ json: { "": { exists: true } } }, true],
    [{ json: { constructor: { exists: true } } }, false],
    [{ json: { "file.state": "open", "file.size": 1 } }, false],
    [{ status: 200, text: "none" }, false],
    [{ missing: true }, false],
  ];
  test("by what is answered", () => agree(BY_ANSWER.map(([when, does]) => ruleRow(when, does))));

  const BY_PLACE: [when: When, does: boolean][] = [
    [{ url: "/b/{id}$" }, false],
    [{ url: "^https://files\\.test/f/{id}$" }, true],
    [{ url: "^https://files\\.test/F/" }, true],
    [{ bytes: { min: 5, max: 5 } }, true],
    [{ bytes: { min: 6 } }, false],
    [{ bytes: { max: 4 } }, false],
  ];
  test("by where and how long the answer is", () => {
    const told = { at: "https://files.test/f/a%2Fb", bodyBytes: 5 };
    return agree(BY_PLACE.map(([when, does]) => ruleRow(when, does, told)));
  });

  test("by a page's title", async () => {
    const told = { headers: {}, html: "<title>File not found</title>" };

    expect(await holds({ title: "^file NOT" }, told)).toBeTrue();
    expect(await holds({ title: "^page" }, told)).toBeFalse();
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
  const TEMPLATES = [
    ["https://api.test/{id}", "https://api.test/a%2Fb"],
    ["https://api.test/{id|raw}", "https://api.test/a%2Fb"],
    [
      "https://api.test/?url={url}",
      "https://api.test/?url=https%3A%2F%2Ffiles.test%2Fa%252Fb%3Fx%3D1",
    ],
    [
      "https://api.test/u!{url|base64url}",
      "https://api.test/u!aHR0cHM6Ly9maWxlcy50ZXN0L2ElMkZiP3g9MQ",
    ],
    ["https://api.test/{name|lower}", "https://api.test/abc%20d"],
    ["https://api.test/{none}", "https://api.test/"],
  ] as const;
  test("of a URL is filled in", () =>
    agree(
      TEMPLATES.map(([template, url]) => ({
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

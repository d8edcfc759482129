import { describe, expect, test } from "bun:test";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { randomFrom } from "../../tests/random.ts";
import type { FragmentState } from "../ground/lib/vocabulary.ts";
import { fragmentsAfter, lookForFragments, newFragment } from "./fragments.ts";
import { anchorsWantedBy } from "./page/fragments.ts";
import { createPageReader } from "./page/page.ts";
import type { Answer } from "./probe/probe.ts";

const MIB = 1024 * 1024;
const PROSE = Array.from({ length: 60 }, (_, n) => `<p>Sentence ${n} says a few words.</p>`).join(
  "",
);

type Body = string | Uint8Array;

/** What a check sees of fragments in a page, of which it reads a MiB. */
function look(body: Body, fragments: string[], about: Partial<Answer> & { type?: string } = {}) {
  const { type = "text/html; charset=utf-8", ...rest } = about;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const reader = createPageReader(type, anchorsWantedBy(fragments));
  reader.take(bytes.subarray(0, MIB));
  const answer: Answer = {
    kind: "answered",
    status: 200,
    headers: new Headers({ "content-type": type }),
    page: reader.end(),
    text: null,
    bodyBytes: Math.min(bytes.length, MIB),
    truncated: bytes.length > MIB,
    bodyProblem: null,
    responseTimeMs: 1,
    hops: [],
    finalUrl: "https://a.test/",
    fragment: "",
    address: null,
    tlsExpiresAt: null,
    dnsMs: null,
    elapsedMs: 1,
    waitedMs: 0,
    ...rest,
  };
  const reason = answer.truncated ? "ok_truncated" : "ok";
  return lookForFragments(fragments, { probe: answer, reason });
}

const stateOf = (...seen: Parameters<typeof look>) => look(...seen)[0]!.state;

const TABLES = yamlIn<{
  judged: [html: string, fragment: string, state: FragmentState][];
  texts: [words: string, fragment: string, state: FragmentState][];
}>(import.meta.dir, "fragments.yaml");

describe("A fragment", () => {
  eachRow(TABLES.judged)("in %s: %s is %s", (html, fragment, state) => {
    expect(stateOf(html + PROSE, [fragment])).toBe(state);
  });

  eachRow(TABLES.texts)("of the text %s: %s is %s", (words, fragment, state) => {
    expect(stateOf(`<p>${words}</p>${PROSE}`, [fragment])).toBe(state);
  });

  test("is not called missing where a browser may find it", () => {
    const here = ["there", "gone", "top"];
    const states = (...seen: Parameters<typeof look>) => look(...seen).map(({ state }) => state);
    const page = `<h2 id="there">There</h2>${PROSE}`;
    expect(states(page, here)).toEqual(["found", "missing", "found"]);

    expect(states('<h2 id="there">There</h2><p>Loading</p>', here)[1]).toBe("unknown");
    expect(states(page + " ".repeat(MIB), here)[1]).toBe("unknown");
    expect(states(page, here, { bodyProblem: "body_incomplete" })[1]).toBe("unknown");
    expect(states(page, here, { status: 206 })[1]).toBe("unknown");
    // The redirect says where to go on its page.
    expect(states(page, here, { fragment: "other" })).toEqual(["unknown", "unknown", "found"]);
    expect(states(page, here, { page: null })).toEqual(["unknown", "unknown", "found"]);
  });

  test("that is missing has the ids that look like it", () => {
    const ids = ["installation", "Install_ation", "usage", "install", "license", "instal-2"];
    const page = ids.map((id) => `<h2 id="${id}">x</h2>`).join("") + PROSE;

    expect(
      look(page, ["instalation", "installing", "licence", "zebra"]).map(({ alike }) => alike),
    ).toEqual([["installation", "Install_ation"], ["install"], ["license"], []]);
  });
});

const HOUR = 3_600_000;

describe("What is known of a fragment", () => {
  /** The states and notices after checks at these hours. */
  function after(...checks: [hours: number, seen: FragmentState | "same" | "not active"][]) {
    let known = [newFragment("x", true)];
    const said: [hours: number, kind: string, firstSeenHours: number][] = [];
    for (const [hours, state] of checks) {
      const seen = state === "not active" ? [] : [{ fragment: "x", state: state as FragmentState }];
      const next = fragmentsAfter(known, state === "same" ? null : seen, hours * HOUR);
      known = next.known;
      for (const { kind, firstSeenAt } of next.notices)
        said.push([hours, kind, firstSeenAt / HOUR]);
    }
    return { state: known[0]!.state, since: known[0]!.missingSince, said };
  }

  test("is reported when it was found, and then missing in two checks 20 hours apart", () => {
    const gone: Parameters<typeof after> = [
      [1, "found"],
      [2, "missing"],
      [3, "missing"],
    ];
    expect(after(...gone)).toEqual({ state: "found", since: null, said: [] });

    const missing: Parameters<typeof after> = [...gone, [21.9, "missing"], [22, "missing"]];
    const said = [[22, "fragment_missing", 2]];
    expect(after(...missing)).toEqual({ state: "missing", since: 2 * HOUR, said } as never);
    expect(after(...missing, [80, "missing"], [90, "unknown"]).said).toEqual(said as never);
    expect(after(...missing, [80, "found"])).toEqual({
      state: "found",
      since: null,
      said: [...said, [80, "fragment_found", 80]],
    } as never);
  });

  test("is never reported when no check has found it", () => {
    expect(after([1, "missing"], [30, "missing"], [60, "missing"])).toEqual({
      state: "missing",
      since: null,
      said: [],
    });
  });

  test("begins again when it is found in between", () => {
    expect(after([1, "found"], [2, "missing"], [20, "found"], [30, "missing"]).said).toEqual([]);
  });

  test("stays where a check could say nothing, or was not active", () => {
    expect(after([1, "found"], [2, "not active"], [40, "not active"]).state).toBe("found");
    expect(after([1, "found"], [2, "unknown"], [40, "unknown"]).state).toBe("unknown");
    expect(after([1, "found"], [2, "missing"], [9, "unknown"], [22, "missing"]).said).toHaveLength(
      1,
    );
  });

  test("is missing a second time in a page that has not changed since the first", () => {
    expect(after([1, "found"], [2, "missing"], [10, "same"], [23, "same"]).said).toHaveLength(1);
    expect(after([1, "found"], [2, "missing"], [9, "unknown"], [30, "same"]).said).toEqual([]);
    expect(after([1, "found"], [30, "same"], [60, "same"]).state).toBe("found");
  });
});

/** A page, a fragment, and whether a browser finds it there. */
type Case = {
  what: string;
  body: Body;
  fragment: string;
  isThere: boolean;
  about?: Parameters<typeof look>[2];
};

const WORDS =
  "river stone garden window paper silver morning bridge letter orange forest button".split(" ");
const LATIN = "größe façade señal über naïve crème".split(" ");
const OTHERS = "установка 설치 安装 설명서 الفصل ενότητα".split(" ");

/** One kind of page each, by their numbers; each is made with other words. */
const KINDS: ((word: string, n: number) => Omit<Case, "what">)[] = [
  (id) => ({ body: `<h2 id="${id}">x</h2>`, fragment: id, isThere: true }),
  (id) => ({ body: `<H2 CLASS=a ID='${id}'>x</H2>`, fragment: id, isThere: true }),
  (id) => ({ body: `<section data-x="a>b" id=${id}>x</section>`, fragment: id, isThere: true }),
  (id) => ({ body: `<a name="${id}"></a>`, fragment: id, isThere: true }),
  (id) => ({ body: `<h2 id="a&amp;${id}">x</h2>`, fragment: `a&${id}`, isThere: true }),
  (id) => ({ body: `<h2 id="${id}.1(b)">x</h2>`, fragment: `${id}.1%28b%29`, isThere: true }),
  (id) => ({ body: `<h2 id="${id}%20b">x</h2>`, fragment: `${id}%20b`, isThere: true }),
  (id) => ({ body: `<a id="user-content-${id}" href="#${id}">x</a>`, fragment: id, isThere: true }),
  (id) => ({ body: `<a id="user-content-${id}">x</a>`, fragment: id.toUpperCase(), isThere: true }),
  (id) => ({ body: `<h2 id="${id}">x</h2>`, fragment: `user-content-${id}`, isThere: true }),
  (_, n) => {
    const id = OTHERS[n % OTHERS.length]!;
    return { body: `<h2 id="${id}">x</h2>`, fragment: encodeURIComponent(id), isThere: true };
  },
  (_, n) => {
    const id = LATIN[n % LATIN.length]!;
    const body = Buffer.from(`<h2 id="${id}">x</h2>${PROSE}`, "latin1");
    const about = { type: "text/html; charset=iso-8859-1" };
    return { body, fragment: encodeURIComponent(id), isThere: true, about };
  },
  (id) => ({ body: `<svg><g id="${id}"/></svg>`, fragment: id, isThere: true }),
  (id) => ({ body: `${PROSE.repeat(200)}<i id="${id}">x</i>`, fragment: id, isThere: true }),
  // What only looks like it.
  (id) => ({ body: `<h2 data-id="${id}">x</h2>`, fragment: id, isThere: false }),
  (id) => ({ body: `<h2 class="${id}">${id}</h2>`, fragment: id, isThere: false }),
  (id) => ({ body: `<h2 id="${id}-2">x</h2>`, fragment: id, isThere: false }),
  (id) => ({ body: `<h2 id="${id.toUpperCase()}">x</h2>`, fragment: id, isThere: false }),
  (id) => ({ body: `<!-- <h2 id="${id}">x</h2> -->`, fragment: id, isThere: false }),
  (id) => ({ body: `<p title='<b id="${id}">'>x</p>`, fragment: id, isThere: false }),
  (id) => ({ body: `<textarea><b id="${id}"></textarea>`, fragment: id, isThere: false }),
  (id) => ({ body: `<template><b id="${id}">x</b></template>`, fragment: id, isThere: false }),
  (id) => ({ body: `<a href="#${id}">x</a>`, fragment: id, isThere: false }),
  (id) => ({ body: `<input name="${id}">`, fragment: id, isThere: false }),
  (id) => ({ body: `<label for="${id}">x</label>`, fragment: id, isThere: false }),
  // Made by scripts, which a browser runs.
  (id) => ({
    body: `<script>for (const id of ["${id}"]) add(id)</script>`,
    fragment: id,
    isThere: true,
  }),
  (id) => ({
    body: `<script type="application/json">{"html":"<h2 id=\\"${id}\\">"}</script>`,
    fragment: id,
    isThere: true,
  }),
  // Texts.
  (word) => ({ body: `<p>One ${word} two</p>`, fragment: `:~:text=${word}`, isThere: true }),
  (word) => ({
    body: `<p>One <b>${word}</b>, two</p>`,
    fragment: `:~:text=one%20${word}%2C%20two`,
    isThere: true,
  }),
  (word) => ({
    body: `<p>A ${word}</p><p>to its end.</p>`,
    fragment: `:~:text=${word},end`,
    isThere: true,
  }),
  (word) => ({
    body: `<p>big ${word} small</p>`,
    fragment: `:~:text=big-,${word},-small`,
    isThere: true,
  }),
  (word) => ({ body: `<p>“${word}’s”</p>`, fragment: `:~:text=%22${word}'s%22`, isThere: true }),
  (word) => ({
    body: `<p>${word}\n  &amp;\tco</p>`,
    fragment: `:~:text=${word}%20%26%20co`,
    isThere: true,
  }),
  (word) => ({ body: `<p id="a">A ${word}</p>`, fragment: `a:~:text=${word}`, isThere: true }),
  (word) => ({ body: "<p>吾輩は猫である</p>", fragment: `:~:text=猫&text=${word}`, isThere: true }),
  (word) => ({ body: `<p>un${word}ed</p>`, fragment: `:~:text=${word}`, isThere: false }),
  (word) => ({
    body: `<p>the end of a ${word}</p>`,
    fragment: `:~:text=${word},end`,
    isThere: false,
  }),
  (word) => ({ body: `<p>big red ${word}</p>`, fragment: `:~:text=big-,${word}`, isThere: false }),
  (word) => ({
    body: `<p hidden></p><script>"a ${word}"</script>`,
    fragment: `:~:text=${word}`,
    isThere: false,
  }),
  (word) => ({
    body: `${PROSE.repeat(15)}<p>${word}</p>`,
    fragment: `:~:text=${word}`,
    isThere: true,
  }),
  // Cuts, shells and what only programs know.
  (id) => ({ body: `<p>${"x".repeat(MIB)}</p><h2 id="${id}">x</h2>`, fragment: id, isThere: true }),
  (id) => ({
    body: `<h2 id="a">x</h2>`,
    fragment: id,
    isThere: true,
    about: { bodyProblem: "body_incomplete" },
  }),
  (id) => ({ body: `<h2 id="a">x</h2>`, fragment: id, isThere: true, about: { fragment: "a" } }),
  (id) => ({ body: `<p>x</p>`, fragment: `/${id}`, isThere: true }),
  (id) => ({ body: `<p>x</p>`, fragment: `!${id}`, isThere: true }),
  (_, n) => ({ body: `<p>x</p>`, fragment: `L${n + 1}`, isThere: true }),
  (_, n) => ({ body: `<p>x</p>`, fragment: `page=${n + 1}`, isThere: true }),
  (id) => ({ body: `<p>x</p>`, fragment: `t=12&v=${id}`, isThere: true }),
  () => ({ body: `<p>x</p>`, fragment: "Top", isThere: true }),
];

const SHELLS: ((id: string) => string)[] = [
  () => `<div id="root"></div><script src="/app.js"></script>`,
  () => `<p>Loading, please wait …</p><script src="/app.js"></script>`,
];

/** Five hundred pages, in which each word differs. */
function corpus(): Case[] {
  const random = randomFrom(6);
  return Array.from({ length: 500 }, (_, n) => {
    const word = `${WORDS[random(WORDS.length)]}${WORDS[random(WORDS.length)]}${n}`;
    const shell = n % 25 === 0 ? SHELLS[(n / 25) % SHELLS.length] : undefined;
    if (shell) return { what: `shell ${n}`, body: shell(word), fragment: word, isThere: true };
    const kind = n % KINDS.length;
    const made = KINDS[kind]!(word, n);
    const isText = typeof made.body === "string";
    return { ...made, what: `kind ${kind}`, body: isText ? `${made.body}${PROSE}` : made.body };
  });
}

test("In 500 pages no fragment is wrongly missing, and two at most are wrongly found", () => {
  const seen = corpus().map((each) => ({
    ...each,
    state: stateOf(each.body, [each.fragment], each.about),
  }));
  const wrongly = (state: FragmentState, isThere: boolean) =>
    seen.filter((each) => each.state === state && each.isThere === isThere).map(({ what }) => what);

  expect(wrongly("missing", true)).toEqual([]);
  expect(wrongly("found", false).length).toBeLessThanOrEqual(2);
  // It would be easy to say nothing at all.
  const said = seen.filter(({ state }) => state !== "unknown");
  expect(said.length).toBeGreaterThan(350);
  expect(said.filter(({ state }) => state === "missing").length).toBeGreaterThan(120);
});

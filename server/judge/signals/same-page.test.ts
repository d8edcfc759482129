import { describe, expect, test } from "bun:test";
import { answerOf } from "../../../tests/checker/seen.ts";
import {
  article,
  page,
  paragraph,
  shell,
  story,
} from "../../../tests/checker/signals/missing-pages.ts";
import { agree } from "../../../tests/each-row.ts";
import { fingerprintOf, isNear, isSamePage } from "./same-page.ts";

const STORY = "http://site.test/articles/some-story";
const RANDOM = "http://site.test/articles/qwertzuiopasdfgh";

type Sides = [what: string, ours: string, theirs: string];

async function isSame(ours: string, theirs: string, at: [string, string] = [STORY, RANDOM]) {
  return isSamePage(
    await answerOf({ html: ours, at: at[0] }),
    await answerOf({ html: theirs, at: at[1] }),
  );
}

async function areNear(ours: string, theirs: string) {
  const [one, other] = [
    { html: ours, at: STORY },
    { html: theirs, at: RANDOM },
  ];
  return isNear(fingerprintOf(await answerOf(one)), fingerprintOf(await answerOf(other)));
}

const excuse = (main: string, title = "Page not found") =>
  page(title, "Oops", { main: `${paragraph(3, 120)}${main}` });

const sameButFor: Sides[] = [
  ["nothing", excuse(""), excuse("")],
  [
    "the address that was asked for",
    excuse("<p>/articles/some-story</p>"),
    excuse("<p>/articles/qwertzuiopasdfgh</p>"),
  ],
  [
    "the words of the address",
    excuse("<p>No story? Try “some story”.</p>"),
    excuse("<p>No story? Try “qwertzuiopasdfgh”.</p>"),
  ],
  [
    "the address in the title",
    excuse("", "Some Story | Gazette"),
    excuse("", "Qwertzuiopasdfgh | Gazette"),
  ],
  ["random keys", excuse("<p>Request 7f3a9c2e1b</p>"), excuse("<p>Request 0d4b8e6a5c</p>")],
  ["dates and times", excuse("<p>2030-01-01 12:00:00</p>"), excuse("<p>2030-01-02 13:37:42</p>")],
  [
    "counters",
    excuse("<p>You are visitor 1,234 of 99</p>"),
    excuse("<p>You are visitor 987,654 of 3</p>"),
  ],
  [
    "scripts and styles",
    excuse("<script>let nonce = 'abc'</script>"),
    excuse("<style>p { color: red }</style>"),
  ],
  ["one word of many", excuse("<p>Sunshine</p>"), excuse("<p>Rain</p>")],
];

describe("two answers show the same page if they differ by nothing but", () => {
  const SAME: Sides[] = [
    ...sameButFor,
    ["one word of few", paragraph(3, 60), `${paragraph(3, 60)}Monday`],
    [
      "little next to a line that is said a hundred times",
      `${"Nothing is here. ".repeat(100)} river harbour bridge lantern`,
      `${"Nothing is here. ".repeat(100)} window garden winter copper`,
    ],
    ["the slug in another alphabet", excuse("<p>мост</p>"), excuse("<p>qwertzuiopasdfgh</p>")],
  ];
  test("what is not part of the page", () =>
    agree(
      SAME.map(([story, ours, theirs]) => ({
        story,
        expected: { isSame: true },
        async seen() {
          const isOther = story.includes("alphabet");
          const at = isOther ? encodeURI("http://site.test/articles/мост") : STORY;
          return { isSame: await isSame(ours, theirs, [at, RANDOM]) };
        },
      })),
    ));

  test("the redirects", async () => {
    const led = await answerOf({
      from: [RANDOM],
      at: "https://www.site.test/Articles/Some-Story/",
      html: excuse(""),
    });

    expect(isSamePage(await answerOf({ at: STORY, html: article("Some story") }), led)).toBe(true);
  });
});

describe("two answers show different pages if they have", () => {
  const OTHERS: Sides[] = [
    ["other texts", article("A bridge"), article("A harbour at night")],
    [
      "other titles over the same furniture",
      page("Bridge", "Oops", { main: paragraph(3, 900) }),
      page("Harbour", "Oops", { main: paragraph(3, 900) }),
    ],
    [
      "other headings over the same furniture",
      page("Gazette", "Bridge", { main: paragraph(3, 900) }),
      page("Gazette", "Harbour", { main: paragraph(3, 900) }),
    ],
    [
      "other short texts",
      page("Gazette", "News", { main: paragraph(4, 12) }),
      page("Gazette", "News", { main: paragraph(5, 12) }),
    ],
    [
      "the same furniture and other stories",
      page("Gazette", "News", { main: paragraph(3, 200) + paragraph(4, 100) }),
      page("Gazette", "News", { main: paragraph(3, 200) + paragraph(5, 100) }),
    ],
    ["the same story, one with an excuse before it", excuse(""), excuse(paragraph(8, 60))],
    [
      "nothing to read, of apps that differ",
      shell("", '<div id="root" class="board"></div>'),
      shell(
        "",
        '<div id="app"></div><link href="/shop.css"><div class="cart"></div><div class="menu"></div>',
      ),
    ],
    [
      "other sentences in a language without spaces next to a counter",
      "今日は晴れです。訪問者は123人です。",
      "橋が壊れました。訪問者は456人です。",
    ],
    [
      "other sentences in a language without spaces",
      "<h1>報せ</h1><p>今日は晴れです。川は静かです。</p>",
      "<h1>報せ</h1><p>橋が壊れました。船は来ません。</p>",
    ],
  ];
  test("other words or another frame", () =>
    agree(
      OTHERS.map(([story, ours, theirs]) => ({
        story,
        expected: { isSame: false },
        seen: async () => ({ isSame: await isSame(ours, theirs) }),
      })),
    ));

  test("nothing that is a page", async () => {
    const file = await answerOf({ headers: { "Content-Type": "application/pdf" } });

    expect(isSamePage(file, file)).toBe(false);
  });
});

describe("a fingerprint shows that a page is the same, apart from", () => {
  test("what changes at each reading", () =>
    agree(
      sameButFor
        .filter(([what]) => !/words of|one word|in the title/.test(what))
        .map(([story, ours, theirs]) => ({
          story,
          expected: { areNear: true },
          seen: async () => ({ areNear: await areNear(ours, theirs) }),
        })),
    ));

  test("an address in another folder", async () => {
    const at = (path: string) =>
      answerOf({ html: excuse(`<p>There is no ${path}.</p>`), at: `http://site.test${path}` });
    const [one, other] = [await at("/articles/bridge"), await at("/mnbvcxylkjhgfdsa")];

    expect(fingerprintOf(one)).toBe(fingerprintOf(other));
  });

  test("a slug that it repeats as words", async () => {
    const asked = (name: string) => excuse(`<p>Did you mean ${name}?</p>`);

    expect(await areNear(asked("Some Story"), asked("qwertzuiopasdfgh"))).toBe(true);
  });
});

describe("a fingerprint", () => {
  test("is sixteen hexadecimal digits", async () => {
    for (const html of ["", shell(), article("A bridge")]) {
      expect(fingerprintOf(await answerOf({ html }))).toMatch(/^[0-9a-f]{16}$/);
    }
  });

  test("is another for another page", async () => {
    expect(await areNear(article("A bridge"), article("A harbour at night"))).toBe(false);
    expect(await areNear(shell("Board"), shell("", "<main></main><aside></aside>"))).toBe(false);
    expect(await areNear("", shell())).toBe(false);
  });

  test("may differ by three bits and no more", () => {
    expect(isNear("00000000000000ff", "00000000000000f8")).toBe(true);
    expect(isNear("80000000000000ff", "00000000000000fc")).toBe(true);
    expect(isNear("00000000000000ff", "00000000000000f0")).toBe(false);
    expect(isNear("ffffffff00000000", "fffffff000000000")).toBe(false);
  });

  test("is near to no other that is none", () => {
    expect(isNear("0000000000000000", "")).toBe(false);
  });

  test("of a long page is made from what the page says", async () => {
    const long = (end: string) => `<p>${story(1, 1500)} ${end}</p>`;

    expect(await areNear(long("of winter"), long("of summer"))).toBe(true);
    expect(await areNear(long("bridge"), `<p>${story(2, 1500)}</p>`)).toBe(false);
  });
});

import { expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { changeOf, learnRules, type Pair } from "./learn.ts";

const OLD = "https://docs.old.example/";
const NEW = "https://docs.new.example/guide/";

/** Pages that keep their path. */
const moves = (count: number, from = OLD, to = NEW): Pair[] =>
  Array.from({ length: count }, (_, n) => ({ from: `${from}page/${n}`, to: `${to}page/${n}` }));

eachRow<[string, string, [string, string, string] | null]>([
  [`${OLD}a/b`, `${NEW}a/b`, [OLD, NEW, "a/b"]],
  [`${OLD}v1/a`, `${NEW}v2/a`, [`${OLD}v1/`, `${NEW}v2/`, "a"]],
  [`${OLD}a/`, `${NEW}a/`, [OLD, NEW, "a/"]],
  [`${OLD}?p=1`, `${NEW}?p=1`, [OLD, NEW, "?p=1"]],
  [`${OLD}a?q=/x/y`, `${NEW}a?q=/x/y`, [OLD, NEW, "a?q=/x/y"]],
  [`${OLD}a#top`, `${NEW}a#top`, [OLD, NEW, "a"]],
  [`${OLD}x/a`, `${OLD.replace("https", "http")}x/a`, [OLD, "http://docs.old.example/", "x/a"]],
  // Of a segment, or of a query, nothing is cut.
  [`${OLD}setup.html`, `${NEW}my-setup.html`, null],
  [`${OLD}a?q=/x/y`, `${NEW}b?q=/x/y`, null],
  [`${OLD}a?q=1`, `${NEW}a`, null],
  [`${OLD}a`, `${NEW}a/`, null],
  [OLD, NEW, null],
  ["https://me:secret@docs.old.example/a", `${NEW}a`, null],
])("what has changed is what comes before the common tail", (from, to, wanted) => {
  const change = changeOf({ from, to });

  expect(change && [change.from, change.to, change.tail]).toEqual(wanted);
});

test("a rule is learned from five pairs with different tails", async () => {
  const same = Array.from({ length: 9 }, () => moves(1)[0]!);

  expect(await learnRules(moves(5))).toEqual([{ from: OLD, to: NEW, pairs: 5 }]);
  expect(await learnRules(moves(4))).toEqual([]);
  expect(await learnRules(same)).toEqual([]);
});

test("nine of ten pairs under a prefix must agree with a rule", async () => {
  const others = [1, 2, 3].map((n) => ({
    from: `${OLD}blog/${n}`,
    to: `https://blog.example/${n}`,
  }));

  expect(await learnRules([...moves(18), ...others.slice(0, 2)])).toMatchObject([{ from: OLD }]);
  expect(await learnRules([...moves(18), ...others])).toEqual([]);
});

test("pairs below a prefix may prove their own rule, and contradict that of the prefix", async () => {
  const blog = moves(6, `${OLD}blog/`, "https://blog.example/");

  expect(await learnRules([...moves(20), ...blog])).toEqual([
    { from: `${OLD}blog/`, to: "https://blog.example/", pairs: 6 },
  ]);
});

test("rules that contradict each other are not learned", async () => {
  const elsewhere = moves(10, OLD, "https://other.example/");

  expect(await learnRules([...moves(10), ...elsewhere])).toEqual([]);
});

test("pairs agree if the rule leads from one to the other, though they have more in common", async () => {
  const pairs = [...moves(5), { from: `${OLD}guide/x`, to: `${NEW}guide/x` }];

  expect(await learnRules(pairs)).toEqual([{ from: OLD, to: NEW, pairs: 6 }]);
});

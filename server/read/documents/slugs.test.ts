import { expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { readMarkdown } from "./markdown.ts";
import {
  ANCHOR_KINDS,
  type AnchorKind,
  asciidoctorAnchors,
  mkdocsAnchors,
  pymdownxAnchors,
} from "./slugs.ts";

const DOCUMENT = [
  "# Maximum likelihood estimator (MLE)",
  "## `code()` and *emphasis*, __twice__",
  "## What's new in 2.0?",
  "## What's new in 2.0?",
  "## What's new in 2.0?",
  "## [Link](/a) — a dash",
  "## Ünïcode 日本語 🎉 emoji",
  "## A  B - C--D_E",
  "## 2024",
  "## <b>Tags</b> &amp; entities",
  "## Named {#own-id}",
].join("\n\n");

const GITHUB = [
  ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "whats-new-in-20"],
  ...["whats-new-in-20-1", "whats-new-in-20-2", "link--a-dash", "ünïcode-日本語--emoji"],
  ...["a--b---c--d_e", "2024", "tags--entities", "named-own-id"],
];

/** By the rules that each program documents. */
const ANCHORS: Record<AnchorKind, string[]> = {
  github: GITHUB,
  gitlab: [
    ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "whats-new-in-20"],
    ...["whats-new-in-20-1", "whats-new-in-20-2", "link-a-dash", "ünïcode-日本語-emoji"],
    ...["a-b-c-d_e", "anchor-2024", "tags-entities", "named-own-id"],
  ],
  mkdocs: [
    ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "whats-new-in-20"],
    ...["whats-new-in-20_1", "whats-new-in-20_2", "link-a-dash", "unicode-emoji"],
    ...["a-b-c-d_e", "2024", "tags-entities", "own-id"],
  ],
  docusaurus: [
    ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "whats-new-in-20"],
    ...["whats-new-in-20-1", "whats-new-in-20-2", "link--a-dash", "ünïcode-日本語--emoji"],
    ...["a--b---c--d_e", "2024", "tags--entities", "own-id"],
  ],
  vitepress: [
    ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "what-s-new-in-2-0"],
    ...["what-s-new-in-2-0-1", "what-s-new-in-2-0-2", "link-—-a-dash", "unicode-日本語-🎉-emoji"],
    ...["a-b-c-d-e", "_2024", "tags-entities", "own-id"],
  ],
  mintlify: [
    ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "what-s-new-in-2-0"],
    ...["what-s-new-in-2-0-2", "what-s-new-in-2-0-3", "link-a-dash", "ünïcode-日本語-emoji"],
    ...["a-b-c-d_e", "2024", "tags-entities", "named-own-id"],
    ...GITHUB,
  ],
  asciidoctor: [
    ...["_maximum_likelihood_estimator_mle", "_code_and_emphasis_twice", "_whats_new_in_2_0"],
    ...["_whats_new_in_2_0_2", "_whats_new_in_2_0_3", "_link_a_dash", "_ünïcode_日本語_emoji"],
    ...["_a_b_c_d_e", "_2024", "_tags_entities", "_named_own_id"],
  ],
  docutils: [
    ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "what-s-new-in-2-0"],
    ...["what-s-new-in-2-0-1", "what-s-new-in-2-0-2", "link-a-dash", "unicode-emoji"],
    ...["a-b-c-d-e", "", "tags-entities", "named-own-id"],
  ],
  jupyter: [
    ...["Maximum-likelihood-estimator-(MLE)", "code()-and-emphasis,-twice", "What's-new-in-2.0?"],
    ...["What's-new-in-2.0?", "What's-new-in-2.0?", "Link-—-a-dash", "Ünïcode-日本語-🎉-emoji"],
    ...["A--B---C--D_E", "2024", "Tags-&-entities", "Named-{#own-id}"],
  ],
  kramdown: [
    ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "whats-new-in-20"],
    ...["whats-new-in-20-1", "whats-new-in-20-2", "link--a-dash", "ncode---emoji"],
    ...["a--b---c--d_e", "section", "tags--entities", "own-id"],
  ],
  pandoc: [
    ...["maximum-likelihood-estimator-mle", "code-and-emphasis-twice", "whats-new-in-2.0"],
    ...["whats-new-in-2.0-1", "whats-new-in-2.0-2", "link-a-dash", "ünïcode-日本語-emoji"],
    ...["a-b---c--d_e", "section", "tags-entities", "own-id"],
  ],
  none: [],
};

eachRow(Object.keys(ANCHOR_KINDS) as AnchorKind[])(
  "headings get the anchors that each kind of site makes",
  (kind) => {
    const { headings } = readMarkdown(DOCUMENT, { name: "a.md" });

    expect(ANCHOR_KINDS[kind](headings)).toEqual(ANCHORS[kind]);
  },
);

test("Headings keep the blanks around images and tags on GitHub, and lose them elsewhere", () => {
  const { headings } = readMarkdown(
    "## Buy ![Icon](i.png)\n\n## ![Logo](i.png) Install ##\n\n## a [![b](b.png)](c) [![d](d.png)](e)\n\n## New <a id=n></a>",
    { name: "a.md" },
  );

  expect(ANCHOR_KINDS.github(headings)).toEqual(["buy-", "-install", "a--", "new-"]);
  expect(ANCHOR_KINDS.mkdocs(headings)).toEqual(["buy", "install", "a", "new"]);
  expect(ANCHOR_KINDS.docusaurus(headings)).toEqual(["buy", "install", "a", "new"]);
});

test("Headings have ids of their own in each form that programs read", () => {
  const text = [
    ...'A {#a}|B { #b }|C {: .x #c .y}|D { id=d }|E {.x id="e"}|F {/*f_f*/}|G {/* #g */}'.split(
      "|",
    ),
    ..."H <!-- #h -->|I *it* {#i}|J {#j} ##|No {x}|No {/* two words */}".split("|"),
  ];
  const { headings } = readMarkdown(text.map((each) => `## ${each}`).join("\n\n"), {
    name: "a.md",
  });

  expect(ANCHOR_KINDS.docusaurus(headings)).toEqual([
    ...["a", "b", "c", "d", "e", "f_f", "g", "h", "i", "j", "no-x", "no--two-words-"],
  ]);
});

eachRow([
  ["Обзор системы — 2", mkdocsAnchors({ isUnicode: true }), ["обзор-системы-2"]],
  ["A_b  c", mkdocsAnchors({ separator: "_" }), ["a_b_c"]],
  ["A & b", mkdocsAnchors({ separator: "" }), ["a  b"]],
  ["Обзор & B", pymdownxAnchors(), ["обзор--b", "Обзор--B"]],
  ["A b", pymdownxAnchors({ separator: "_" }), ["a_b", "A_b"]],
  ["A b_c. D!", asciidoctorAnchors("", "-"), ["a-b_c-d"]],
  ["A b", asciidoctorAnchors("x-", ""), ["x-ab"]],
])("headings get the anchors that settings say", (heading, make, anchors) => {
  expect(make([heading])).toEqual(anchors);
});

import { type Random, randomFrom } from "../random.ts";

/** What is easily broken on its way from one language to another. */
const PIECES = [
  ..."aZ09 /<&%+",
  ...['"', "\\", "\b", "\f", "\n", "\r", "\t", "\0", "\u0001", "\u007f", "%C3%A9", "\\u00e9"],
  ...["é", "e\u0301", "ß", "例え", "عربي", "\u202e", "☃", "\u00a0", "\u2028", "\ufeff", "\uffff"],
  ...["💀", "👩‍👩‍👧", "🇳🇱", "𝒳", "\u{10ffff}"],
];

/** Messages of made-up events, the same ones for a seed: some of their letters are escaped, and some are not. */
export function randomBodies(seed: number, count: number): string[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => escapeSome(random, JSON.stringify(anEvent(random))));
}

const anEvent = (random: Random) => ({
  event: "link.dead",
  timestamp: new Date(random(2 ** 31) * 1000).toISOString(),
  webhookId: words(random),
  data: {
    url: `https://example.org/${words(random)}`,
    statusCode: random(2) ? random(600) : null,
    statusChanged: random(2) === 0,
    share: random(1000) / 1000,
    list: Array.from({ length: random(4) }, () => words(random)),
    nothing: {},
  },
});

const words = (random: Random) =>
  Array.from({ length: random(30) }, () => PIECES[random(PIECES.length)]).join("");

const escapeSome = (random: Random, json: string) =>
  json.replace(/\P{ASCII}/gu, (letter) => (random(3) ? letter : escaped(letter)));

const escaped = (letter: string) =>
  letter
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

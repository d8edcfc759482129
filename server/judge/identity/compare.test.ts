import { expect, test } from "bun:test";
import { DAY, HOUR } from "../../../tests/checker/ended.ts";
import type { PageFacts } from "../page/page-facts.ts";
import { begin, type Compared, compareWith, type Sight } from "./compare.ts";
import type { Memory } from "./memory.ts";
import { type DomainFacts, UNASKED } from "./registry.ts";

const URL = "https://example.org/handbook?ref=me";
const START = Date.UTC(2030, 0, 1);
const KNOWN: DomainFacts = {
  ...UNASKED,
  state: "known",
  registeredAt: Date.UTC(2009, 0, 1),
  registrationConfirmedAt: Date.UTC(2029, 11, 1),
  checkedAt: START,
};
const NO_REGISTRY: DomainFacts = { ...UNASKED, state: "not_available" };

type Page = { print: string; keptTitle: number; hash: number; title: string; script?: string };
const OURS: Page = { title: "The handbook", print: "0".repeat(16), keptTitle: 1, hash: 1 };
const THEIRS: Page = { title: "Free spins", print: "f".repeat(16), keptTitle: 0, hash: 2 };
/** The same page years later: many bits differ, but its title is still there. */
const AGED: Page = {
  title: "Our handbook",
  print: "f".repeat(8) + "0".repeat(8),
  keptTitle: 1,
  hash: 3,
};

const factsOf = ({ title, print, keptTitle, hash, script = "Latn" }: Page): PageFacts => ({
  title,
  language: "en",
  textHash: hash,
  look: { script, print, keptTitle },
});

/** A link whose page is looked at again and again. */
function remembering(registration: () => DomainFacts = () => KNOWN) {
  let at = START;
  let memory: Memory | null = null;
  const said: string[] = [];
  const look = (
    page: Page | null,
    more: Partial<Sight> & { days?: number; neighbors?: boolean } = {},
  ): Compared | null => {
    const { days = 1, neighbors = false, ...sight } = more;
    at += memory ? days * DAY : 0;
    const seen: Sight = {
      at,
      url: URL,
      finalUrl: URL,
      isPermanent: false,
      facts: page && factsOf(page),
      isUnchanged: false,
      wasMissing: false,
      ...sight,
    };
    if (!memory) {
      memory = begin(seen);
      return null;
    }
    const around = { registration: registration(), areNeighborsOther: neighbors };
    const found = compareWith(memory, seen, around);
    memory = found?.memory ?? memory;
    said.push(...(found?.notices ?? []).map(({ kind }) => kind));
    return found;
  };
  look(OURS);
  look(OURS);
  return {
    look,
    said,
    memory: () => memory!,
    isDead: () => memory!.past.isDead === true,
    wait: (days: number) => {
      at += days * DAY;
    },
    now: () => at,
  };
}

test("a page is known when its second look, a day later, shows it again", () => {
  const { memory } = remembering();
  expect(memory()).toMatchObject({ state: "known", since: START, page: { title: "The handbook" } });
});

test("a page that lived long, or shows a paywall, is still the same", () => {
  const { look, said, memory } = remembering();

  for (let n = 0; n < 30; n++) look(n % 2 === 0 ? AGED : { ...AGED, hash: 100 + n });

  expect(said).toEqual([]);
  expect(memory()).toMatchObject({ state: "known", doubts: {}, now: { title: "Our handbook" } });
});

test("another page at a domain that its registry calls new is dead after three looks in three days", () => {
  let registration = KNOWN;
  const { look, said, isDead, wait, now } = remembering(() => registration);
  wait(20);

  registration = {
    ...KNOWN,
    registeredAt: now() - DAY,
    registrationConfirmedAt: null,
    checkedAt: now(),
  };
  const first = look(THEIRS);
  expect(first?.lookAgainMs).toBe(DAY);
  look(THEIRS);
  look(THEIRS);
  look(THEIRS);
  expect(isDead()).toBe(false);
  expect(said).toEqual(["identity_lost"]);

  registration = { ...registration, registrationConfirmedAt: now() };
  look(THEIRS);

  expect(isDead()).toBe(true);
  expect(said).toEqual(["identity_lost"]);
  look({ ...THEIRS, hash: 9 });
  expect(isDead()).toBe(true);
  look({ ...OURS, hash: 10 });
  expect(isDead()).toBe(false);
});

test.each([
  ["a memory that is younger than two weeks", 0, DAY],
  ["a registration that is older than the memory", 20, -400 * DAY],
  ["a registration within two days of the memory", 20, 40 * HOUR - 22 * DAY],
])("no link dies with %s", (_, waits, registeredAfterMs) => {
  let registration = KNOWN;
  const { look, isDead, wait, now } = remembering(() => registration);
  wait(waits);
  const registeredAt = now() + registeredAfterMs;
  registration = { ...KNOWN, registeredAt, registrationConfirmedAt: now() + DAY, checkedAt: now() };

  for (let n = 0; n < 5; n++) look(THEIRS);

  expect(isDead()).toBe(false);
});

test("without a registry, only a gap and the whole site together kill a link", () => {
  for (const [gap, neighbors] of [
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    const { look, isDead, wait } = remembering(() => NO_REGISTRY);
    wait(20);
    look(THEIRS, { wasMissing: gap, neighbors });
    for (let n = 0; n < 4; n++) look(THEIRS, { neighbors });
    expect([gap, neighbors, isDead()]).toEqual([gap, neighbors, gap && neighbors]);
  }
});

test("a gap says nothing where the registry knows the domain since before", () => {
  const { look, said, isDead, wait } = remembering();
  wait(20);

  look(THEIRS, { wasMissing: true, neighbors: true });
  for (let n = 0; n < 5; n++) look(THEIRS, { neighbors: true });

  expect(isDead()).toBe(false);
  expect(said).toEqual(["identity_lost"]);
});

test("another page on a known domain is changed, once its registry has been heard, and then the remembered one", () => {
  let registration = { ...KNOWN };
  const { look, said, memory, wait, now } = remembering(() => registration);
  wait(20);

  look(THEIRS);
  look(THEIRS);
  expect(said).toEqual([]);
  registration = { ...KNOWN, checkedAt: now() };
  look(THEIRS);

  expect(said).toEqual(["content_changed"]);
  expect(memory()).toMatchObject({
    state: "changed",
    page: { title: "Free spins" },
    firstTitle: "The handbook",
  });
});

test("a doubt that the next look does not confirm is over, and after three the page is not compared for 90 days", () => {
  const { look, said, memory } = remembering();

  for (let n = 0; n < 3; n++) {
    look({ ...THEIRS, hash: 20 + n });
    expect(memory().state).toBe("doubted");
    look({ ...OURS, hash: 30 + n });
  }
  expect(memory().state).toBe("variable");
  for (let n = 0; n < 10; n++) look({ ...THEIRS, hash: 40 + n });

  expect(said).toEqual([]);
  look({ ...OURS, hash: 60 }, { days: 90 });
  expect(memory().state).toBe("known");
});

test("a look within 20 hours of the last one does not count", () => {
  const { look, memory } = remembering();
  look(THEIRS);
  look(THEIRS, { days: 0.1 });
  look(THEIRS, { days: 0.5 });
  expect(memory().doubts.page?.seen).toBe(1);
});

test("the memory begins again while the first looks differ, and a page that alternates is not compared", () => {
  let at = START;
  let memory = begin(sight(at, OURS));
  for (let n = 0; n < 6; n++) {
    at += DAY;
    const page = n % 2 === 0 ? THEIRS : { ...OURS, keptTitle: 0, hash: 70 + n };
    memory = compareWith(memory, sight(at, page), NOTHING_AROUND)?.memory ?? memory;
  }
  expect(memory.state).toBe("thin");
});

const NOTHING_AROUND = { registration: UNASKED, areNeighborsOther: false };
const sight = (at: number, page: Page): Sight => ({
  at,
  url: URL,
  finalUrl: URL,
  isPermanent: false,
  facts: factsOf(page),
  isUnchanged: false,
  wasMissing: false,
});

test("a redirect that leads elsewhere for two days is said once, one that alternates never", () => {
  const { look, said, memory } = remembering();
  const [there, back] = [{ finalUrl: "https://example.org/new" }, {}];

  for (let n = 0; n < 6; n++) look(null, n % 2 === 0 ? there : back);
  expect(said).toEqual([]);
  for (const finalUrl of [
    "http://www.example.org/handbook/",
    "https://example.org/en/handbook?a=1",
  ]) {
    for (let n = 0; n < 4; n++) look(null, { finalUrl });
  }
  expect(said).toEqual([]);
  for (let n = 0; n < 4; n++) look(null, { ...there, isPermanent: true });

  expect(said).toEqual(["redirect_changed"]);
  expect(memory()).toMatchObject({
    state: "changed",
    way: "https://example.org/new",
    isWayPermanent: true,
  });
});

test.each([
  ["is lost", "https://example.org/handbook/page", ["parameters_lost"]],
  ["has another value", "https://example.org/handbook/page?ref=you", ["parameters_changed"]],
  ["stays", "https://example.org/handbook/page?ref=me&x=1", []],
])("a parameter that %s on the way", (_, finalUrl, wanted) => {
  const { look, said } = remembering();
  const usual = { finalUrl: "https://example.org/handbook/page?ref=me" };
  for (let n = 0; n < 4; n++) look(null, usual);
  said.length = 0;

  for (let n = 0; n < 4; n++) look(null, { finalUrl });

  expect(said).toEqual(wanted as string[]);
});

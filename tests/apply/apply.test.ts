import { expect, test } from "bun:test";
import type { Caller } from "../../server/api/caller.ts";
import { diffOf, summaryOf } from "../../server/commands/apply.ts";
import { carryOut, declaredLinks, planOf } from "../../server/ops/apply/plan.ts";
import { readDeclaration } from "../../server/ops/apply/read.ts";
import { callerOf } from "../exports/read-csv.ts";
import { onBothEngines } from "../harness.ts";

const FIRST = `
groups:
  - name: Docs
    color: "#0055aa"
    frequency: weekly
    links:
      - https://example.org/a
      - { url: https://example.org/b, frequency: hourly }
links:
  - https://example.org/c
`;

onBothEngines("A file of links", (server) => {
  const newCaller = async () => callerOf(await server().account());

  const plan = (caller: Caller, text: string) =>
    planOf(server().deps, caller, readDeclaration(text));

  const shown = async (caller: Caller, text: string, options: { prune?: true } = {}) => {
    const planned = await plan(caller, text);
    return [...diffOf(planned, options, false), summaryOf(planned, options)].join("").split("\n");
  };

  const apply = async (caller: Caller, text: string, { prune = false } = {}) =>
    carryOut(server().deps, caller, await plan(caller, text), { prune });

  const stateOf = async (caller: Caller) =>
    (await Array.fromAsync(declaredLinks(server().deps, caller))).join("");

  test("says what it would make, makes it, and then nothing more", async () => {
    const caller = await newCaller();

    expect(await shown(caller, FIRST)).toEqual([
      "+ group Docs",
      "+ https://example.org/a  in Docs, weekly",
      "+ https://example.org/b  in Docs, hourly",
      "+ https://example.org/c  in no group, daily",
      "4 to create, 0 to change, 0 to delete.",
      "",
    ]);
    expect(await apply(caller, FIRST)).toEqual([]);
    expect(await shown(caller, FIRST)).toEqual(["Everything matches the file.", ""]);
    expect(await stateOf(caller)).toContain('- name: "Docs"\n    color: "#0055AA"\n');
  });

  test("moves and changes links and groups, and leaves what it does not say as it is", async () => {
    const caller = await newCaller();
    await apply(caller, FIRST);
    const changed = `
groups:
  - name: docs
    description: Ours
    links: [https://example.org/b, { url: https://example.org/c, frequency: monthly }]
links:
  - url: https://example.org/a`;

    expect((await shown(caller, changed)).sort()).toEqual([
      "",
      "0 to create, 3 to change, 0 to delete.",
      "~ group Docs  description Ours",
      "~ https://example.org/a  Docs → no group",
      "~ https://example.org/c  no group → Docs, daily → monthly",
    ]);
    expect(await apply(caller, changed)).toEqual([]);
    expect(await shown(caller, changed)).toEqual(["Everything matches the file.", ""]);
    expect(await stateOf(caller)).toContain(
      'color: "#0055AA"\n    links:\n      - url: "https://example.org/c"\n        frequency: monthly\n',
    );
  });

  test("deletes links only when it is told to, and only of the groups that it names", async () => {
    const caller = await newCaller();
    await apply(caller, FIRST);
    const fewer = "groups: [{ name: Docs, links: [https://example.org/a] }]";

    expect(await shown(caller, fewer)).toEqual([
      "1 link of these groups is not in the file; --prune deletes it.",
      "Everything matches the file.",
      "",
    ]);
    await apply(caller, fewer);
    expect(await stateOf(caller)).toContain("https://example.org/b");
    expect(await shown(caller, fewer, { prune: true })).toEqual([
      "- https://example.org/b  in Docs",
      "0 to create, 0 to change, 1 to delete.",
      "",
    ]);
    await apply(caller, fewer, { prune: true });
    const left = await stateOf(caller);
    expect(left).not.toContain("https://example.org/b");
    expect(left).toContain("https://example.org/c");
    expect(await shown(caller, "links: []", { prune: true })).toContain(
      "- https://example.org/c  in no group",
    );
  });

  test("that was exported changes nothing where it comes from, and makes the same elsewhere", async () => {
    const [one, other] = [await newCaller(), await newCaller()];
    await apply(one, FIRST);
    const odd =
      'groups: [{ name: "a: \\"b\\" # 夜", description: "two\\nlines", links: [https://example.org/x?y=z#f] }]';
    await apply(one, odd);

    const exported = await stateOf(one);
    await apply(other, exported);

    expect(await shown(one, exported, { prune: true })).toEqual([
      "Everything matches the file.",
      "",
    ]);
    expect((await stateOf(other)).split("\n").sort()).toEqual(exported.split("\n").sort());
  });

  test.each([
    ["groups:\n  - name: A\n    lnks: []", "Line 2: groups has an unknown field: lnks."],
    [
      "links:\n  - https://a.example\n  - url: nope",
      "Line 3: The URL must be an http or https URL.",
    ],
    [
      "links:\n  - https://a.example\ngroups:\n- name: A\n  links:\n  - https://a.example/#b",
      "This link is already on line",
    ],
    ["groups:\n  - name: A\n  - name: a", 'Line 3: The group "a" is already on line 2.'],
    [
      "links:\n  - url: https://a.example\n    frequency: often",
      "Line 3: frequency must be one of",
    ],
    ["links:\n\n  - 3", "Line 3: links must have named fields."],
    ["links: [", "Line 1: "],
    ["groups:\n  - &own\n    name: A\nlinks:\n  - *own\n  - *none", "Line 6: Unresolved alias"],
    ["- a", "Line 1: the file must have named fields."],
  ])("that makes no sense does nothing, and says on which line: %p", async (text, said) => {
    const caller = await newCaller();

    expect((async () => plan(caller, text))()).rejects.toThrow(said);
  });

  test("is refused where a group that it names is there twice", async () => {
    const me = await server().account();
    for (const name of ["Docs", "docs"]) await me.post("/api/v1/groups", { name });

    expect(plan(callerOf(me), FIRST)).rejects.toThrow('There are several groups "Docs"');
  });

  test("touches nothing of a stranger's", async () => {
    const [mine, strangers] = [await newCaller(), await newCaller()];
    await apply(strangers, FIRST);
    const before = await stateOf(strangers);

    await apply(mine, FIRST);
    await apply(mine, "groups: [{ name: Docs, links: [] }]\nlinks: []", { prune: true });

    expect(await stateOf(strangers)).toBe(before);
    expect(await stateOf(mine)).not.toContain("example.org");
  });

  test("that brings more links than the account may have is refused before anything is done", async () => {
    const caller = callerOf(await server().account("free"));
    const free = { ...caller, tier: "free" as const };
    const urls = Array.from({ length: 51 }, (_, n) => `https://example.org/${n}`);

    expect(plan(free, JSON.stringify({ links: urls }))).rejects.toThrow(
      "Line 1: Your account can have 50 links",
    );
  });
});

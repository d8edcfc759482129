import { expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { callerOf } from "../../../tests/exports/read-csv.ts";
import { type Asker, onServer } from "../../../tests/harness.ts";
import { LINKS, read } from "../../../tests/triage/playing.ts";
import { diffOf, summaryOf } from "../../commands/apply.ts";
import type { Caller } from "../../http/caller.ts";
import { declaredLinks } from "./declare.ts";
import { carryOut, planOf } from "./plan.ts";
import { readDeclaration } from "./read.ts";

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

onServer("A file of links", (server) => {
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

  test("deletes links only on request, and only in the groups that it names", async () => {
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

  const NOTED = `
groups:
  - name: Docs
    check_schedule: { cron: 0 6 * * 1-5, time_zone: Europe/Berlin }
    links:
      - url: https://example.org/a
        title: "=1+1: # 'a' \\"b\\", 🎉"
        note: |
          - line
            other, line
        tags: [Press, docs]
        external_id: "+p-17"
        metadata: { a.b: "1", c: "x, y" }
        check_schedule: { cron: 30 7 1 * * }
        expect: { must_contain: [Handbook], accepted_status_codes: ["200-299", "404"] }
      - https://example.org/b
`;

  const detailOf = async (me: Asker, url: string) => {
    const { items } = (await me.get(`${LINKS}?search=${url}`)).body.data;
    return read(me, `${LINKS}/${items[0].id}`);
  };

  test("has what is known of links and when they are checked, and changes nothing when applied twice", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const caller = callerOf(me);

    expect(await apply(caller, NOTED)).toEqual([]);
    expect(await shown(caller, NOTED)).toEqual(["Everything matches the file.", ""]);
    expect(await detailOf(me, "org/a")).toMatchObject({
      title: "=1+1: # 'a' \"b\", 🎉",
      note: "- line\n  other, line",
      tags: ["docs", "press"],
      external_id: "+p-17",
      metadata: { "a.b": "1", c: "x, y" },
      check_schedule: { cron: "30 7 1 * *", time_zone: "UTC", from: "link" },
      expect: { must_contain: ["Handbook"], accepted_status_codes: ["200-299", "404"] },
    });
    expect(await detailOf(me, "org/b")).toMatchObject({
      check_schedule: { cron: "0 6 * * 1-5", from: "group" },
    });
    const exported = await stateOf(caller);
    expect(await shown(caller, exported)).toEqual(["Everything matches the file.", ""]);
    expect(await apply(callerOf(other), exported)).toEqual([]);
    expect((await stateOf(callerOf(other))).split("\n").sort()).toEqual(
      exported.split("\n").sort(),
    );
  });

  test("changes only the fields that it names, and removes those that it says are null", async () => {
    const me = await server().account();
    const caller = callerOf(me);
    await apply(caller, NOTED);
    const changed = `
groups:
  - name: Docs
    check_schedule: null
    links:
      - { url: https://example.org/a, title: null, tags: [docs], metadata: { c: null, d: "2" }, expect: null }
      - { url: https://example.org/b, note: New }
      - { url: https://example.org/c, metadata: { c: null, d: "2" } }
`;
    const silent =
      "groups: [{ name: Docs, links: [https://example.org/a, https://example.org/b] }]";
    expect(await shown(caller, silent)).toEqual(["Everything matches the file.", ""]);

    expect((await shown(caller, changed)).slice(0, 4).sort()).toEqual([
      "+ https://example.org/c  in Docs, daily",
      "~ group Docs  check_schedule none",
      "~ https://example.org/a  title, tags, metadata, expect",
      "~ https://example.org/b  note",
    ]);
    expect(await apply(caller, changed)).toEqual([]);
    expect(await shown(caller, changed)).toEqual(["Everything matches the file.", ""]);
    expect(await detailOf(me, "org/a")).toMatchObject({
      title: null,
      tags: ["docs"],
      metadata: { "a.b": "1", d: "2" },
      expect: null,
      note: "- line\n  other, line",
      external_id: "+p-17",
      check_schedule: { cron: "30 7 1 * *" },
    });
    expect(await detailOf(me, "org/b")).toMatchObject({ note: "New", check_schedule: null });
    expect((await detailOf(me, "org/c")).metadata).toEqual({ d: "2" });
  });

  test("leaves what people decided alone", async () => {
    const me = await server().account();
    const caller = callerOf(me);
    await apply(caller, NOTED);
    const { id } = await detailOf(me, "org/a");
    const until = new Date(server().clock.now() + 86_400_000).toISOString();
    await me.patch(`${LINKS}/${id}`, { handling: "muted", muted_until: until });

    const exported = await stateOf(caller);
    await apply(caller, NOTED.replace("Handbook", "Manual"));

    expect(exported).not.toMatch(/handling|muted|assignee|override/);
    const { handling, muted_until, expect: expected } = await detailOf(me, "org/a");
    expect([handling, muted_until, expected.must_contain]).toEqual(["muted", until, ["Manual"]]);
  });

  eachRow([
    ["- { url: https://example.org/b, external_id: +p-17 }", "Another link has this external_id."],
    [
      "- { url: https://example.org/new, external_id: +p-17 }",
      "Another link has this external_id.",
    ],
    [
      "- { url: https://example.org/1, external_id: x }\n- { url: https://example.org/2, external_id: x }",
      "Line 4: This external_id is already on line 3.",
    ],
  ])("that gives a link the id of another does nothing: %s", async (links, said) => {
    const caller = await newCaller();
    await apply(caller, NOTED);

    expect(plan(caller, `links:\n\n${links}`)).rejects.toThrow(said);
  });

  eachRow([
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
    [
      "links:\n- https://a.example\n- url: https://b.example\n  tags: [a, 'b,c']",
      "Line 4: tags must not have a comma",
    ],
    ["links:\n- url: https://b.example\n  handling: muted", "has an unknown field: handling"],
    [
      "groups:\n- name: A\n  check_schedule:\n    cron: '* * * * *'",
      "Line 4: cron must name one minute",
    ],
    [
      "links:\n- { url: https://b.example, check_schedule: { cron: 0 6 * * *, zone: UTC } }",
      "has an unknown field: zone",
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

import { expect, test } from "bun:test";
import { and, eq, like } from "drizzle-orm";
import { eachRow } from "../../../tests/each-row.ts";
import { callerOf } from "../../../tests/exports/read-csv.ts";
import { type Asker, onServer, type Parsed } from "../../../tests/harness.ts";
import { diffOf, summaryOf } from "../../commands/apply.ts";
import { sources as allOf, audit } from "../../ground/db/tables.ts";
import type { Caller } from "../../http/caller.ts";
import { eraseStep } from "../../sources/erase.ts";
import { openCredential } from "../../sources/sources.ts";
import { declaredLinks } from "./declare.ts";
import { carryOut, planOf } from "./plan.ts";
import { readDeclaration } from "./read.ts";
import { allSources } from "./sources.ts";

const NONE = "groups: [{ name: Docs, links: [] }]\nlinks: []";

onServer("Links that a source has made", (server) => {
  async function withSource() {
    const me = await server().account();
    const caller = await callerOf(me);
    const group = (await me.post("/api/v1/groups", { name: "Docs" })).body.data;
    const source = { kind: "push", name: "Blog", group_id: group.id };
    const { id } = (await me.post("/api/v1/sources", source)).body.data;
    const links = ["https://a.test/", "https://b.test/"].map((url) => ({ url }));
    const items = [{ page_url: "https://blog.test/1", links }];
    await me.post(`/api/v1/sources/${id}/items`, { items });
    const apply = async (text: string) => {
      const plan = await planOf(server().deps, caller, readDeclaration(text));
      await carryOut(server().deps, caller, plan, { prune: true });
    };
    const pinned = async () =>
      Object.fromEntries(
        (await me.get("/api/v1/links")).body.data.items.map((link: Parsed) => [
          link.url,
          link.pinned,
        ]),
      );
    const exported = async () =>
      (await Array.fromAsync(declaredLinks(server().deps, caller))).join("");
    return { apply, pinned, exported };
  }

  test("are not in the file that is exported, and are not deleted by one without them", async () => {
    const { apply, pinned, exported } = await withSource();

    expect(await exported()).not.toContain(".test");
    await apply(NONE);

    expect(await pinned()).toEqual({ "https://a.test/": false, "https://b.test/": false });
  });

  test("are pinned by a file that names them, and then are its own", async () => {
    const { apply, pinned, exported } = await withSource();

    await apply("groups: [{ name: Docs, links: [https://a.test/] }]\nlinks: []");

    expect(await pinned()).toEqual({ "https://a.test/": true, "https://b.test/": false });
    expect(await exported()).toContain("https://a.test/");
    await apply(NONE);
    expect(await pinned()).toEqual({ "https://b.test/": false });
  });
});

const FILE = `
sources:
  - name: Docs
    kind: site
    url: https://docs.test/manual/
    settings: { exclude: [/archive/], depth: 3 }
    group: Manual
    check_frequency: weekly
    schedule: 0 4 * * *
    time_zone: Europe/Berlin
    paused: true
  - name: "Marks: # \\"夜\\""
    kind: linkding
    url: https://marks.test/api/bookmarks/
    credential: { type: token, value_env: MARKS_TOKEN }
    paused: true
  - { name: CI, kind: push }
groups: [{ name: Manual }]
`;
const ENV = { MARKS_TOKEN: "token-0123456789" };
const SAME = ["Everything matches the file.", ""];

onServer("The sources in a file", (server) => {
  type More = { env?: Record<string, string>; prune?: true };

  const plan = async (caller: Caller, text: string, env: More["env"] = ENV) =>
    planOf(server().deps, caller, readDeclaration(text, env));

  const shown = async (caller: Caller, text: string, { env, ...options }: More = {}) => {
    const planned = await plan(caller, text, env);
    return [...diffOf(planned, options, false), summaryOf(planned, options)].join("").split("\n");
  };

  const apply = async (caller: Caller, text: string, { env, prune }: More = {}) =>
    carryOut(server().deps, caller, await plan(caller, text, env), { prune: prune === true });

  const stateOf = async (caller: Caller) =>
    (await Array.fromAsync(declaredLinks(server().deps, caller))).join("");

  const sources = async (me: Asker): Promise<Parsed[]> =>
    (await me.get("/api/v1/sources")).body.data.items;

  const credentialOf = async (caller: Caller, name: string) => {
    const found = await allSources(server().deps, caller);
    return openCredential(server().deps, found.find((source) => source.name === name)!);
  };

  /** What the audit log says of sources, oldest first. */
  const recorded = async ({ accountId }: Caller) => {
    const isOurs = and(eq(audit.accountId, accountId), like(audit.action, "source.%"));
    const rows = await server().deps.store.select().from(audit).where(isOurs).orderBy(audit.id);
    return rows.map(({ action, fields }) => [action, ...JSON.parse(fields)]);
  };

  test("are added with the values of variables, and stay as they are when the file is applied again", async () => {
    const me = await server().account();
    const caller = callerOf(me);

    expect(await shown(caller, FILE)).toEqual([
      "+ group Manual",
      "+ source Docs  site https://docs.test/manual/",
      '+ source Marks: # "夜"  linkding https://marks.test/api/bookmarks/  with MARKS_TOKEN',
      "+ source CI  push",
      "4 to create, 0 to change, 0 to delete.",
      "",
    ]);
    expect(await apply(caller, FILE)).toEqual([]);
    const [group] = (await me.get("/api/v1/groups")).body.data.items;
    expect((await sources(me)).find(({ name }) => name === "Docs")).toMatchObject({
      kind: "site",
      url: "https://docs.test/manual/",
      group_id: group.id,
      paused: true,
      check_frequency: "weekly",
      schedule: "0 4 * * *",
      time_zone: "Europe/Berlin",
      settings: { exclude: ["/archive/"], depth: 3, scope: "path" },
    });
    expect(await credentialOf(caller, 'Marks: # "夜"')).toEqual({
      type: "token",
      name: null,
      user: null,
      value: ENV.MARKS_TOKEN,
    });

    const before = await recorded(caller);
    expect(await shown(caller, FILE)).toEqual(SAME);
    expect(await apply(caller, FILE)).toEqual([]);
    expect(await recorded(caller)).toEqual(before);
  });

  test("are exported without credentials, and make the same elsewhere", async () => {
    const [caller, other] = [
      callerOf(await server().account()),
      callerOf(await server().account()),
    ];
    await apply(caller, FILE);

    const exported = await stateOf(caller);
    expect(exported).toStartWith(`sources:
  - name: "CI"
    kind: "push"
    check_frequency: "daily"
  - name: "Docs"
    kind: "site"
    url: "https://docs.test/manual/"
    settings: {"depth":3,"exclude":["/archive/"]}
    group: "Manual"
    check_frequency: "weekly"
    schedule: "0 4 * * *"
    time_zone: "Europe/Berlin"
    paused: true
  - name: "Marks: # \\"夜\\""
    kind: "linkding"
    url: "https://marks.test/api/bookmarks/"
    credential: {"type":"token"}
    check_frequency: "daily"
    paused: true
groups:
`);
    expect(exported).not.toContain(ENV.MARKS_TOKEN);
    expect(await shown(caller, exported, { env: {}, prune: true })).toEqual(SAME);
    expect(plan(other, exported)).rejects.toThrow(
      "Line 17: credential has no value that it could keep; add value_env with the name of a variable.",
    );
    const named = exported.replace('{"type":"token"}', "{ type: token, value_env: MARKS_TOKEN }");
    expect(await apply(other, named)).toEqual([]);
    expect(await stateOf(other)).toBe(exported);
  });

  test("change in what the file says, and keep the rest", async () => {
    const caller = callerOf(await server().account());
    await apply(caller, FILE);
    const changed = `
sources:
  - { name: Docs, kind: site, settings: { depth: null, max_pages: 50 }, group: null, schedule: null }
  - { name: "Marks: # \\"夜\\"", kind: linkding, credential: { type: bearer } }
`;
    expect(await shown(caller, changed)).toEqual([
      "~ source Docs  settings, schedule, group",
      '~ source Marks: # "夜"  credential',
      "1 source is not in the file; --prune deletes it.",
      "0 to create, 2 to change, 0 to delete.",
      "",
    ]);
    expect(await apply(caller, changed)).toEqual([]);
    expect(await shown(caller, changed)).toContain("Everything matches the file.");
    const state = await stateOf(caller);
    expect(state).toContain('settings: {"max_pages":50,"exclude":["/archive/"]}');
    expect(state).toContain('check_frequency: "weekly"\n    time_zone: "Europe/Berlin"');
    expect(await credentialOf(caller, 'Marks: # "夜"')).toMatchObject({
      type: "bearer",
      value: ENV.MARKS_TOKEN,
    });

    await apply(caller, changed.replace("{ type: bearer }", "null"));
    expect(await credentialOf(caller, 'Marks: # "夜"')).toBeNull();
    expect((await recorded(caller)).slice(-3)).toEqual([
      ["source.changed", "settings", "group_id", "schedule"],
      ["source.changed", "credential"],
      ["source.changed", "credential"],
    ]);
  });

  test("are deleted only when it is asked for and the file has sources, and their links stay", async () => {
    const me = await server().account();
    const caller = callerOf(me);
    await apply(caller, "sources: [{ name: CI, kind: push }, { name: Blog, kind: push }]");
    const names = async () => (await sources(me)).map(({ name }) => name);
    const { id } = (await sources(me)).find(({ name }) => name === "CI")!;
    const items = [{ page_url: "https://blog.test/1", links: [{ url: "https://a.test/" }] }];
    await me.post(`/api/v1/sources/${id}/items`, { items });
    const fewer = "sources: [{ name: Blog, kind: push }]";

    expect(await shown(caller, "links: []", { prune: true })).toEqual(SAME);
    await apply(caller, fewer);
    expect(await names()).toEqual(["Blog", "CI"]);
    expect(await shown(caller, fewer, { prune: true })).toEqual([
      "- source CI",
      "0 to create, 0 to change, 1 to delete.",
      "",
    ]);
    expect(await apply(caller, fewer, { prune: true })).toEqual([]);
    expect(await names()).toEqual(["Blog"]);
    const [deleted] = await server().deps.store.select().from(allOf).where(eq(allOf.id, id));
    while (!(await eraseStep(server().deps, deleted!)));
    const [link] = (await me.get("/api/v1/links")).body.data.items;
    expect(link).toMatchObject({ url: "https://a.test/", sources: 0, pinned: true });
  });

  eachRow([
    ["- name: A\n  kind: crawl", "Line 3: kind must be one of"],
    ["- { kind: push }", "Line 2: name is required."],
    [
      "- { name: A, kind: push }\n- { name: A, kind: push }",
      'Line 3: The source "A" is already on line 2.',
    ],
    ["- { name: A, kind: site }", "Line 2: url is required."],
    ["- name: A\n  kind: site\n  url: ftp://a.test/", "Line 4: url must be an http"],
    [
      "- name: A\n  kind: site\n  url: https://a.test/\n  settings:\n    depth: -1",
      "Line 6: depth must be",
    ],
    [
      "- name: A\n  kind: feed\n  url: https://a.test/\n  settings: { depth: 1 }",
      "Line 5: settings ",
    ],
    ["- name: A\n  kind: push\n  schedule: daily", "Line 4: schedule "],
    ["- name: A\n  kind: push\n  group: None", 'Line 4: There is no group "None".'],
    [
      "- name: A\n  kind: feed\n  url: https://a.test/\n  credential: { type: bearer, value: x }",
      "has an unknown field: value",
    ],
    [
      "- name: A\n  kind: feed\n  url: https://a.test/\n  credential:\n    type: bearer\n    value_env: NONE",
      "Line 7: The variable NONE is not set.",
    ],
    [
      "- name: A\n  kind: feed\n  url: https://a.test/\n  credential:\n    type: bearer\n    value_env: STILLUP_SECRET_KEY",
      "Line 7: value_env must not be a setting of Stillup.",
    ],
    [
      "- name: A\n  kind: feed\n  url: https://a.test/\n  credential:\n    type: bearer\n    value_env: LONG",
      "Line 7: the value of LONG must be at most 4096 characters.",
    ],
    [
      "- name: A\n  kind: site\n  url: https://a.test/\n  credential: { type: bearer, value_env: MARKS_TOKEN }",
      "Line 5: credential must be left out for the kind site.",
    ],
    [
      "- name: A\n  kind: feed\n  url: http://docs.example.org/\n  credential: { type: bearer, value_env: MARKS_TOKEN }",
      "Line 5: credential is sent over https only",
    ],
    ["- name: Old\n  kind: feed\n  url: https://a.test/", "Line 3: kind cannot be changed"],
    ["- name: Old\n  kind: push\n  url: https://a.test/", "Line 4: url must be left out"],
    ["- name: Web\n  kind: feed\n  url: https://other.test/", "Line 4: url cannot be changed"],
    ["- A", "Line 2: sources must have named fields."],
  ])("are refused as a whole, with the line: %j", async (given, said) => {
    const me = await server().account();
    for (const more of [
      { kind: "push", name: "Old" },
      { kind: "feed", name: "Web", url: "https://web.test/", paused: true },
    ]) {
      await me.post("/api/v1/sources", more);
    }
    const env = { ...ENV, LONG: "x".repeat(5000) };

    const message = await plan(
      callerOf(me),
      `sources:\n${given}\nlinks: [https://example.org/]`,
      env,
    )
      .then(() => "nothing")
      .catch(({ message }: Error) => message);
    expect(message).toContain(said);
    expect(message).not.toContain(ENV.MARKS_TOKEN);
  });

  test("are refused beyond what an account may have, and made where the others can be", async () => {
    const me = await server().account();
    const caller = callerOf(me);
    const many = Array.from({ length: 4 }, (_, n) => ({ name: `S${n}`, kind: "push" }));
    const free = { ...caller, tier: "free" as const };
    expect(plan(free, JSON.stringify({ sources: many }))).rejects.toThrow(
      "Line 1: Your account can have 3 sources",
    );

    const planned = await plan(caller, JSON.stringify({ sources: many }));
    await me.post("/api/v1/sources", { name: "S1", kind: "push" });
    expect(await carryOut(server().deps, caller, planned, { prune: false })).toEqual([
      { what: "S1", why: "There is a source with this name already." },
    ]);
    expect(await sources(me)).toHaveLength(4);
  });
});

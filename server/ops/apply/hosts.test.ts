import { expect, test } from "bun:test";
import { and, eq, like } from "drizzle-orm";
import { eachRow } from "../../../tests/each-row.ts";
import { callerOf } from "../../../tests/exports/read-csv.ts";
import { onServer, type Parsed } from "../../../tests/harness.ts";
import { diffOf, summaryOf } from "../../commands/apply.ts";
import { audit } from "../../ground/db/tables.ts";
import { hostSettingFor } from "../../hosts/lookup.ts";
import type { Caller } from "../../http/caller.ts";
import { declaredLinks } from "./declare.ts";
import { carryOut, planOf } from "./plan.ts";
import { readDeclaration } from "./read.ts";

const PATH = "/api/v1/host-settings";

const FILE = `
hosts:
  - host: "*.Docs.example.org"
    headers:
      - { name: X-Api-Key, value_env: DOCS_TOKEN }
      - name: X-Team
        value_env: DOCS_TEAM
    auth: { type: basic, user: monitor, password_env: DOCS_PASSWORD }
    user_agent: ExampleCheck/1.0
  - host: wiki.internal
    allow_http: true
    auth: { type: bearer, token_env: DOCS_TOKEN }
links: [https://a.docs.example.org/]
`;
const ENV = {
  DOCS_TOKEN: "token-0123456789",
  DOCS_TEAM: "the press",
  DOCS_PASSWORD: "pass word:# 'x\"",
};
const SAME = ["Everything matches the file.", ""];

onServer("The hosts in a file of links", (server) => {
  type More = { env?: Record<string, string>; prune?: true };

  const plan = async (caller: Caller, text: string, env = {}) =>
    planOf(server().deps, caller, readDeclaration(text, env));

  const shown = async (caller: Caller, text: string, { env = ENV, ...options }: More = {}) => {
    const planned = await plan(caller, text, env);
    return [...diffOf(planned, options, false), summaryOf(planned, options)].join("").split("\n");
  };

  const apply = async (
    caller: Caller,
    text: string,
    { env = ENV, prune = false }: { env?: object; prune?: boolean } = {},
  ) => carryOut(server().deps, caller, await plan(caller, text, env), { prune });

  const stateOf = async (caller: Caller) =>
    (await Array.fromAsync(declaredLinks(server().deps, caller))).join("");

  const sentTo = (caller: Caller, host: string) =>
    hostSettingFor(server().deps, caller.accountId, `https://${host}/`);

  /** What the audit log says of settings, oldest first. */
  const settingsOf = async ({ accountId }: Caller) => {
    const isOurs = and(eq(audit.accountId, accountId), like(audit.action, "host_setting.%"));
    const rows = await server().deps.store.select().from(audit).where(isOurs).orderBy(audit.id);
    return rows.map(({ action, fields }) => [action, ...JSON.parse(fields)]);
  };

  test("get the values of variables, and nothing more when the file is applied again", async () => {
    const me = await server().account();
    const caller = callerOf(me);

    expect(await shown(caller, FILE)).toEqual([
      "+ host *.docs.example.org  with DOCS_TOKEN, DOCS_TEAM, DOCS_PASSWORD",
      "+ host wiki.internal  with DOCS_TOKEN",
      "+ https://a.docs.example.org/  in no group, daily",
      "3 to create, 0 to change, 0 to delete.",
      "",
    ]);
    expect(await apply(caller, FILE)).toEqual([]);
    expect(await sentTo(caller, "a.docs.example.org")).toMatchObject({
      headers: [
        ["X-Api-Key", ENV.DOCS_TOKEN],
        ["X-Team", ENV.DOCS_TEAM],
      ],
      auth: { type: "basic", user: "monitor", password: ENV.DOCS_PASSWORD },
      userAgent: "ExampleCheck/1.0",
      allowHttp: false,
    });
    expect(await sentTo(caller, "wiki.internal")).toMatchObject({
      allowHttp: true,
      headers: [],
      auth: { type: "bearer", token: ENV.DOCS_TOKEN },
    });

    const before = await settingsOf(caller);
    expect(before).toHaveLength(2);
    expect(await shown(caller, FILE)).toEqual(SAME);
    expect(await apply(caller, FILE)).toEqual([]);
    expect(await settingsOf(caller)).toEqual(before);
  });

  test("are exported without values, which stay where there are some and are missed elsewhere", async () => {
    const [caller, other] = [
      callerOf(await server().account()),
      callerOf(await server().account()),
    ];
    await apply(caller, FILE);

    const exported = await stateOf(caller);
    expect(exported).toStartWith(`hosts:
  - host: "*.docs.example.org"
    user_agent: "ExampleCheck/1.0"
    headers: [{"name":"X-Api-Key"},{"name":"X-Team"}]
    auth: {"type":"basic","user":"monitor"}
  - host: "wiki.internal"
    auth: {"type":"bearer"}
    allow_http: true
groups: []
`);
    for (const value of Object.values(ENV)) expect(exported).not.toContain(value);
    expect(await shown(caller, exported, { env: {}, prune: true })).toEqual(SAME);
    expect(plan(other, exported)).rejects.toThrow(
      "Line 4: X-Api-Key has no value that it could keep; add value_env with the name of a variable.",
    );
    expect(plan(other, exported.replace(/ {4}headers.*\n/, ""))).rejects.toThrow(
      "Line 4: The sign-in has no value that it could keep; add password_env with the name of a variable.",
    );
  });

  test("change in what the file names, and lose what it says is null or lists no more", async () => {
    const caller = callerOf(await server().account());
    await apply(caller, FILE);
    const changed = `
hosts:
  - { host: wiki.internal, auth: null }
  - host: "*.docs.example.org"
    headers: [{ name: X-Team }, { name: X-New, value_env: DOCS_TOKEN }]
    user_agent: null
`;

    expect(await shown(caller, changed)).toEqual([
      "~ host wiki.internal  auth",
      "~ host *.docs.example.org  headers, user_agent",
      "0 to create, 2 to change, 0 to delete.",
      "",
    ]);
    expect(await apply(caller, changed)).toEqual([]);
    expect(await shown(caller, changed)).toEqual(SAME);
    expect(await sentTo(caller, "a.docs.example.org")).toMatchObject({
      headers: [
        ["X-Team", ENV.DOCS_TEAM],
        ["X-New", ENV.DOCS_TOKEN],
      ],
      auth: { user: "monitor", password: ENV.DOCS_PASSWORD },
      userAgent: null,
    });
    expect(await sentTo(caller, "wiki.internal")).toMatchObject({ auth: null, allowHttp: true });

    const rotated = { ...ENV, DOCS_TOKEN: "token-9876543210" };
    expect(await shown(caller, changed, { env: rotated })).toContain(
      "~ host *.docs.example.org  headers",
    );
    await apply(caller, changed, { env: rotated });
    expect((await settingsOf(caller)).slice(-3)).toEqual([
      ["host_setting.changed", "auth"],
      ["host_setting.changed", "headers", "user_agent"],
      ["host_setting.changed", "headers"],
    ]);
  });

  test("are deleted only when it is asked for, and the file has hosts", async () => {
    const me = await server().account();
    const caller = callerOf(me);
    await apply(caller, FILE);
    const hosts = async () =>
      (await me.get(PATH)).body.data.items.map(({ host }: Parsed) => host as string);
    const fewer = "hosts: [{ host: wiki.internal }]";

    expect(await shown(caller, "links: []", { prune: true })).not.toContain("- host wiki.internal");
    expect(await shown(caller, fewer)).toEqual([
      "1 host is not in the file; --prune deletes it.",
      ...SAME,
    ]);
    await apply(caller, fewer);
    expect(await hosts()).toHaveLength(2);
    expect(await shown(caller, fewer, { prune: true })).toEqual([
      "- host *.docs.example.org",
      "0 to create, 0 to change, 1 to delete.",
      "",
    ]);
    expect(await apply(caller, fewer, { prune: true })).toEqual([]);
    expect(await hosts()).toEqual(["wiki.internal"]);
    expect(await apply(caller, "hosts: []", { prune: true })).toEqual([]);
    expect(await hosts()).toEqual([]);
  });

  eachRow([
    [
      "- host: a.example\n  headers: [{ name: X, value_env: NONE }]",
      "Line 3: The variable NONE is not set.",
    ],
    [
      "- host: a.example\n  auth:\n    type: bearer\n    token_env: EMPTY",
      "Line 5: The variable EMPTY is not set.",
    ],
    [
      "- host: a.example\n  headers:\n  - name: X\n    value_env: STILLUP_SMTP_PASSWORD",
      "Line 5: value_env must not be a setting of Stillup.",
    ],
    [
      "- host: a.example\n  headers: [{ name: X, value_env: $A }]",
      "Line 3: value_env must be the name of an environment variable.",
    ],
    [
      "- host: a.example\n  headers:\n  - name: X\n    value_env: SHORT",
      "Line 5: the value of SHORT must be at least 6 characters.",
    ],
    [
      "- host: a.example\n  headers:\n  - name: X\n    value_env: LINES",
      "Line 5: the value of LINES must be visible ASCII characters.",
    ],
    [
      "- host: a.example\n  headers: [{ name: X, value: token-0123456789 }]",
      "has an unknown field: value.",
    ],
    ["- host: a.example\n  headers: [{ name: X }]", "Line 3: X has no value that it could keep"],
    [
      "- host: a.example\n  headers: [{ name: Host, value_env: GOOD }]",
      "Line 3: name cannot be set.",
    ],
    [
      "- host: a.example\n  headers:\n  - { name: X, value_env: GOOD }\n  - { name: x, value_env: GOOD }",
      "Line 5: name is given twice.",
    ],
    ["- host: a.example\n  auth: { type: digest }", "Line 3: type must be basic or bearer."],
    [
      "- host: a.example\n  auth: { type: bearer, token_env: GOOD }\n  headers: [{ name: Authorization, value_env: GOOD }]",
      "Line 4: headers Authorization must not be set with auth.",
    ],
    ['- host: "*.com"', "Line 2: host must name more than a suffix"],
    [
      "- host: docs.example.com\n  allow_http: true",
      "Line 3: allow_http must be false, except for hosts",
    ],
    ["- host: a.example\n- host: A.example", "Line 3: The host a.example is already on line 2."],
    ["- hots: a.example", "Line 2: host is required"],
    ["- a.example", "Line 2: hosts must have named fields."],
  ])("are refused as a whole, with the line: %j", async (hosts, said) => {
    const me = await server().account();
    const env = { GOOD: "token-0123456789", SHORT: "short", EMPTY: "", LINES: "two\nlines" };
    const text = `hosts:\n${hosts}\nlinks: [https://example.org/]`;

    const message = await plan(callerOf(me), text, env).catch(({ message }: Error) => message);
    expect(message).toContain(said);
    for (const value of [env.GOOD, "two"]) expect(message).not.toContain(value);
  });

  test("are refused beyond what an account may have, before any is made", async () => {
    const me = await server().account();
    const hosts = Array.from({ length: 101 }, (_, n) => ({ host: `h${n}.example` }));

    expect(plan(callerOf(me), JSON.stringify({ hosts }))).rejects.toThrow(
      "Line 1: Your account can have 100 host settings",
    );
  });

  test("are made where the others can be, when someone else makes the same meanwhile", async () => {
    const me = await server().account();
    const caller = callerOf(me);
    const planned = await plan(caller, FILE, ENV);
    await me.post(PATH, { host: "wiki.internal" });

    expect(await carryOut(server().deps, caller, planned, { prune: false })).toEqual([
      { what: "wiki.internal", why: "There is a setting for wiki.internal already." },
    ]);
    expect(await shown(caller, FILE)).toContain("~ host wiki.internal  auth, allow_http");
  });
});

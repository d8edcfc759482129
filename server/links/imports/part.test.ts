import { expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { callerOf } from "../../../tests/exports/read-csv.ts";
import { type Asker, onServer, type TestServer } from "../../../tests/harness.ts";
import { readIn } from "../../../tests/imports/reading.ts";
import { LINKS, read, URL_A } from "../../../tests/triage/playing.ts";
import { asLine } from "../../commands/import.ts";
import { users } from "../../ground/db/tables.ts";
import { newId } from "../../ground/lib/ids.ts";
import type { Caller } from "../../http/caller.ts";
import type { Item } from "../../read/lists/reading.ts";
import { openGroupBook } from "../groups/groups.ts";
import { addPart, type ImportOptions, previewPart, type Work } from "./part.ts";

type Playing = Work & { isDry: boolean; lines: Map<string, number> };

/** As the command line imports. */
const OPTIONS: ImportOptions = {
  group: null,
  frequency: null,
  overrides: true,
  usesGroups: true,
  updates: true,
  withState: false,
};

onServer("Importing a list", (server) => {
  async function workFor(
    me: Asker,
    more: Partial<ImportOptions> & {
      caller?: Caller;
      isDry?: boolean;
      people?: Work["people"];
    } = {},
  ): Promise<Playing> {
    const { deps } = server();
    const { caller = callerOf(me), isDry = false, people = null, ...options } = more;
    const groups = await openGroupBook(deps, caller);
    const lines = new Map<string, number>();
    return { deps, caller, people, isDry, lines, groups, options: { ...OPTIONS, ...options } };
  }

  async function importPart(work: Playing, items: Item[]) {
    if (!work.isDry) return addPart(work, items, async () => {});
    const { lines } = work;
    const results = await previewPart(work, items, {
      count: lines.size,
      linesOf: async () => lines,
    });
    for (const { urlHash, item } of results) if (urlHash !== null) lines.set(urlHash, item.line);
    return results;
  }

  const importText = async (work: Playing, text: string) =>
    (await importPart(work, (await readIn(text)).items)).map(({ outcome, detail }) =>
      outcome === "refused" ? detail : outcome,
    );

  const groupsOf = async (me: Asker): Promise<[string, number][]> =>
    (await me.get("/api/v1/groups?per_page=100")).body.data.items
      .map((group: { name: string; link_count: number }) => [group.name, group.link_count])
      .sort();

  test("makes the groups that its links need, and none for a link that is refused", async () => {
    const me = await server().account();
    await me.post("/api/v1/groups", { name: "Docs" });
    const list = `url,group,frequency
https://example.org/a,docs,weekly
https://example.org/b,Blog,
nope,Never,
https://example.org/a,Twice,
https://example.org/c,"a\tb",
https://example.org/d,,often`;

    const work = await workFor(me);

    expect(await importText(work, list)).toEqual([
      "created",
      "created",
      "The URL must be an http or https URL.",
      "duplicate",
      "The group's name must not have control characters.",
      "The frequency must be one of: hourly, daily, weekly, monthly.",
    ]);
    expect(await groupsOf(me)).toEqual([
      ["Blog", 1],
      ["Docs", 1],
    ]);
  });

  test("puts all into one group at one frequency when that is said", async () => {
    const me = await server().account();
    const work = await workFor(me, { group: "All", frequency: "monthly" });

    await importText(work, "url,group,frequency\nhttps://example.org/a,Docs,weekly\n");

    expect(await groupsOf(me)).toEqual([["All", 1]]);
    const { items } = (await me.get("/api/v1/links")).body.data;
    expect(items[0].check_frequency).toBe("monthly");
  });

  test("without writing tells what would be, over all parts of the list", async () => {
    const me = await server().account();
    const work = await workFor(me, { isDry: true });

    expect(await importText(work, "https://example.org/a\nhttps://example.org/b")).toEqual([
      "new",
      "new",
    ]);
    expect(await importText(work, "https://example.org/b#x\nhttps://example.org/c")).toEqual([
      "duplicate",
      "new",
    ]);
    expect((await me.get("/api/v1/links")).body.data.items).toEqual([]);
  });

  test("stops at the limit of the account, and says so", async () => {
    const me = await server().account("free");
    const work = await workFor(me, { caller: { ...callerOf(me), tier: "free" } });
    const urls = Array.from({ length: 51 }, (_, n) => `https://example.org/${n}`);

    const outcomes = await importText(work, urls.join("\n"));

    expect(outcomes.slice(49)).toEqual(["created", "Your account can have 50 links; 50 are used."]);
  });

  /** As lines of the report, without their numbers. */
  const report = async (work: Playing, records: object[]) => {
    const { items } = await readIn(JSON.stringify(records));
    return (await importPart(work, items)).map((result) =>
      asLine(result, work.isDry).replace(/ +line \d+ {2}https:\/\/example.org/, " "),
    );
  };

  const linksOf = async (me: Asker) => {
    const { items } = (await me.get(`${LINKS}?per_page=100`)).body.data;
    const details = items.map(({ id }: { id: string }) => read(me, `${LINKS}/${id}`));
    return (await Promise.all(details)).sort((a, b) => a.url.localeCompare(b.url));
  };

  async function newPerson({ deps }: TestServer, { accountId }: Asker): Promise<string> {
    const id = newId();
    const email = `${id}@example.org`;
    const person = { id, accountId, email, role: "editor" as const, isAdmin: false };
    await deps.store.insert(users).values({ ...person, createdAt: deps.clock.now() });
    return id;
  }

  const A = { url: URL_A };
  const NOTED = {
    title: "Handbook",
    note: "line\nline 🎉",
    tags: ["docs", "press"],
    metadata: { cms: "1" },
    check_schedule: { cron: "0 6 * * 1-5", time_zone: "Europe/Berlin" },
  };

  test("keeps what the list says of its links", async () => {
    const me = await server().account();

    expect(await report(await workFor(me), [{ ...A, ...NOTED }])).toEqual(["created /a"]);

    const schedule = { ...NOTED.check_schedule, from: "link" };
    expect(await linksOf(me)).toMatchObject([{ ...A, ...NOTED, check_schedule: schedule }]);
  });

  eachRow([false, true])(
    "says what it cannot keep, and keeps the rest (only says: %p)",
    async (isDry) => {
      const me = await server().account();
      const work = await workFor(me, { isDry });
      const created = isDry ? "would create" : "created";

      expect(
        await report(work, [
          { ...A, title: "x".repeat(201), tags: ["docs", "a,b"], metadata: { n: 1, cms: "1" } },
          { url: "https://example.org/b", check_schedule: "* * * * *", handling: "muted" },
          { ...A, title: "Twice" },
          { url: "nope", title: "x".repeat(201) },
        ]),
      ).toEqual([
        `${created} /a  not kept: title must be at most 200 characters, tags "a,b" must not have a comma or a semicolon, metadata "n" must be a text`,
        `${created} /b  not kept: check_schedule cron must name one minute; nothing is checked oftener than hourly, handling is only taken with --with-state`,
        "already there /a  not kept: title is that of the same link further up",
        "refused        line 1  nope  The URL must be an http or https URL.",
      ]);
      const kept = { title: null, tags: ["docs"], metadata: { cms: "1" } };
      expect(await linksOf(me)).toMatchObject(isDry ? [] : [kept, { handling: "open" }]);
    },
  );

  test("leaves links that are there as they are, and says what is not kept of the list", async () => {
    const me = await server().account();
    await me.post(LINKS, { ...A, title: "Mine", tags: ["docs"] });
    const list = [{ ...A, title: "Theirs", tags: ["Docs"], group: "New", frequency: "daily" }];

    for (const isDry of [true, false]) {
      expect(await report(await workFor(me, { isDry }), list)).toEqual([
        "already there /a  not kept: title stays as it is",
      ]);
    }
    expect(await linksOf(me)).toMatchObject([{ title: "Mine", group_id: null }]);
  });

  test("changes the links that have the external ids of the list, and says so before", async () => {
    const me = await server().account();
    const list = (title: string, url = URL_A) => [
      { url, external_id: "p-1", title, tags: "docs" },
      { url: "https://example.org/b", ref: "p-2" },
    ];
    const both = async (records: object[]) => {
      const dry = await report(await workFor(me, { isDry: true }), records);
      return [dry, await report(await workFor(me), records)];
    };

    expect(await both(list("One"))).toEqual([
      ["would create /a", "would create /b"],
      ["created /a", "created /b"],
    ]);
    const same = ["already there /a", "already there /b"];
    expect(await both(list("One"))).toEqual([same, same]);
    expect(await both(list("Two", "https://example.org/c"))).toEqual([
      ["would change /c", "already there /b"],
      ["changed /c", "already there /b"],
    ]);
    const taken = "refused /b  This URL is already monitored.";
    expect(await both([{ url: "https://example.org/b", external_id: "p-1" }])).toEqual([
      [taken],
      [taken],
    ]);
    expect(await both([{ url: "https://example.org/b", external_id: "p-3" }])).toEqual([
      [taken],
      [taken],
    ]);
    expect(await linksOf(me)).toMatchObject([
      { url: "https://example.org/b", external_id: "p-2" },
      { url: "https://example.org/c", title: "Two", tags: ["docs"], previous_urls: [A] },
    ]);
  });

  test("adds a link that the list has twice with its id, and all in order", async () => {
    const me = await server().account();
    const list = [A, { ...A, ref: "p-1" }, { url: "https://example.org/b" }];

    for (const isDry of [true, false]) {
      const created = isDry ? "would create" : "created";
      expect(await report(await workFor(me, { isDry }), list)).toEqual([
        "already there /a",
        `${created} /a`,
        `${created} /b`,
      ]);
    }
    expect(await linksOf(me)).toMatchObject([{ external_id: "p-1" }, { external_id: null }]);
  });

  test("makes the group that a link of an external id moves to", async () => {
    const me = await server().account();
    await importText(await workFor(me), "url,ref\nhttps://example.org/a,p-1\n");

    await importText(await workFor(me), "url,ref,group\nhttps://example.org/a,p-1,Docs\n");

    expect(await groupsOf(me)).toEqual([["Docs", 1]]);
  });

  test("takes what people decided only when that is said, and says what of it is not possible", async () => {
    const me = await server().account();
    const ada = await newPerson(server(), me);
    const people = new Map([["ada@example.org", ada]]);
    const until = new Date(server().clock.now() + 86_400_000).toISOString();
    const list = [
      { ...A, handling: "muted", muted_until: until, assignee: "Ada@Example.org", ref: "p-1" },
      { url: "https://example.org/b", handling: "acknowledged", muted_until: until },
      { url: "https://example.org/c", handling: "Acknowledged", assignee: "eve@example.org" },
      { url: "https://example.org/d", handling: "open" },
    ];
    await me.post(LINKS, { url: "https://example.org/e", external_id: "p-2" });

    const only = "is only taken with --with-state";
    expect(await report(await workFor(me), list)).toEqual([
      `created /a  not kept: handling ${only}, muted_until ${only}, assignee ${only}`,
      `created /b  not kept: handling ${only}, muted_until ${only}`,
      `created /c  not kept: handling ${only}, assignee ${only}`,
      "created /d",
    ]);
    const stays =
      "already there /c  not kept: assignee is not the e-mail of a person of this account, handling stays as it is";
    expect(await report(await workFor(me, { people }), list)).toEqual([
      "changed /a",
      "already there /b  not kept: muted_until is only for `handling: muted`",
      stays,
      "already there /d",
    ]);
    const own = [{ url: "https://example.org/e", ref: "p-2", handling: "acknowledged" }];
    expect(await report(await workFor(me, { people }), own)).toEqual(["changed /e"]);
    expect(await report(await workFor(me, { people }), own)).toEqual(["already there /e"]);
    const [muted, ...others] = await linksOf(me);
    expect(muted).toMatchObject({
      handling: "muted",
      muted_until: until,
      assignee: { id: ada },
    });
    expect(others.map(({ handling }) => handling)).toEqual([
      "open",
      "open",
      "open",
      "acknowledged",
    ]);

    const other = await server().account();
    expect(await report(await workFor(other, { people: new Map() }), list.slice(2))).toHaveLength(
      2,
    );
    expect((await linksOf(other)).map(({ handling }) => handling)).toEqual([
      "acknowledged",
      "open",
    ]);
  });
});

import { expect, test } from "bun:test";
import { type Import, importPart } from "../../server/commands/import-part.ts";
import { openGroupBook } from "../../server/links/groups/groups.ts";
import { callerOf } from "../exports/read-csv.ts";
import { type Asker, onBothEngines } from "../harness.ts";
import { readIn } from "./reading.ts";

onBothEngines("Importing a list", (server) => {
  async function workFor(me: Asker, more: Partial<Import> = {}): Promise<Import> {
    const { deps } = server();
    const caller = callerOf(me);
    return {
      ...{ deps, caller, group: null, frequency: null, isDry: false },
      groups: await openGroupBook(deps, caller),
      newGroups: new Set(),
      wouldAdd: new Set(),
      ...more,
    };
  }

  const importText = async (work: Import, text: string) =>
    (await importPart(work, (await readIn(text)).items)).map(({ outcome, why }) => why ?? outcome);

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
      "known",
      "The group's name must not have control characters.",
      "The frequency must be one of: hourly, daily, weekly, monthly.",
    ]);
    expect([...work.newGroups]).toEqual(["Blog"]);
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
      "created",
      "created",
    ]);
    expect(await importText(work, "https://example.org/b#x\nhttps://example.org/c")).toEqual([
      "known",
      "created",
    ]);
    expect((await me.get("/api/v1/links")).body.data.items).toEqual([]);
  });

  test("stops at the limit of the account, and says so", async () => {
    const me = await server().account("free");
    const work = await workFor(me, { caller: { ...callerOf(me), tier: "free" } });
    const urls = Array.from({ length: 51 }, (_, n) => `https://example.org/${n}`);

    const told = await importText(work, urls.join("\n"));

    expect(told.slice(49)).toEqual(["created", "Your account can have 50 links; 50 are used."]);
  });
});

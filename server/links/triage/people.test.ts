import { expect, test } from "bun:test";
import { onServer, type Parsed } from "../../../tests/harness.ts";
import { newColleague, newOwner, openBrowser } from "../../../tests/session/browser.ts";

onServer("links that are assigned", (server) => {
  const links = Array.from({ length: 300 }, (_, i) => ({ url: `https://example.org/${i}` }));

  async function team() {
    const owner = await newOwner(server());
    const colleague = await newColleague(server(), owner, "editor");
    const browser = openBrowser(server());
    await browser.signIn(owner.owner.email);
    const people = (await browser.get("/people")).body.data.items as Parsed[];
    const idOf = (email: string) => people.find((person) => person.email === email).id as string;
    await browser.post("/links/batch", { links });
    const mine = idOf(owner.owner.email);
    const theirs = idOf(colleague.email);
    const assign = (assignee_id: string) =>
      browser.post("/links/batch-change", { filter: {}, change: { assignee_id } });
    const count = async (assignee: string) =>
      (await browser.get(`/links?assignee=${assignee}`)).body.data.pagination.total as number;
    return { browser, mine, theirs, assign, count };
  }

  test("are found by person, also as one's own, and go to another when the person is removed", async () => {
    const { browser, mine, theirs, assign, count } = await team();
    expect((await assign(theirs)).body.data.summary.changed).toBe(300);
    expect([await count(theirs), await count("me"), await count("none")]).toEqual([300, 0, 0]);
    const people = (await browser.get("/people")).body.data.items;
    expect(people.find(({ id }: Parsed) => id === theirs).links_assigned).toBe(300);

    const wrong = await browser.delete(`/people/${theirs}?assign_to=${theirs}`);
    expect(wrong.body.error.details.fields).toEqual({ assign_to: ["no such person"] });
    expect((await browser.delete(`/people/${theirs}?assign_to=${mine}`)).status).toBe(204);
    expect([await count("me"), await count(theirs)]).toEqual([300, 0]);
  });

  test("are open to all when the person is removed and no other is named", async () => {
    const { browser, theirs, assign, count } = await team();
    await assign(theirs);
    await browser.delete(`/people/${theirs}`);
    expect(await count("none")).toBe(300);
    expect((await browser.get("/links")).body.data.items[0].assignee).toBeNull();
  });

  test("go to the person who is signed in as `me`", async () => {
    const { mine, assign, count } = await team();
    await assign("me");
    expect([await count("me"), await count(mine)]).toEqual([300, 300]);
  });
});

import { expect, test } from "bun:test";
import { check } from "../../tests/checked.ts";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { deliveriesOf } from "../../tests/receiver.ts";
import { addGroup, addLink } from "../../tests/rows.ts";
import { newColleague, newOwner, openBrowser } from "../../tests/session/browser.ts";
import { completeBatches } from "../links/complete-batches.ts";

const EVENTS = ["link.dead", "link.alive", "link.created", "link.deleted", "check.complete"];
const PATH = "/api/v1/webhooks";

type Filter = Partial<Record<"group_ids" | "services" | "reasons" | "tags", string[] | null>> & {
  assignee?: string | null;
};
const NONE = {
  group_ids: null,
  services: null,
  reasons: null,
  tags: null,
  assignee: null,
  kinds: null,
};

async function withFilter(me: Asker, filter: Filter | null, events = EVENTS) {
  const { body } = await me.post(PATH, {
    url: "https://hooks.example.com/",
    events,
    filter,
    first_verdicts: false,
  });
  return body.data as { id: string; filter: Filter | null };
}

/** What the webhook hears of, oldest first. */
const heard = async (server: TestServer, { id }: { id: string }) =>
  (await deliveriesOf(server, id)).map(({ type }) => type.replace("link.", ""));

/** Each filter, and what it lets through of the life of one link, see below. "A" is its group, "B" another. */
const LIFE: [name: string, filter: Filter | null, heard: string[]][] = [
  ["none", null, ["created", "dead", "alive", "dead", "deleted"]],
  [
    "fields that are null",
    { group_ids: null, services: null },
    ["created", "dead", "alive", "dead", "deleted"],
  ],
  ["its group", { group_ids: ["A"] }, ["created", "dead", "alive", "dead", "deleted"]],
  ["another group", { group_ids: ["B"] }, []],
  ["either group", { group_ids: ["B", "A"] }, ["created", "dead", "alive", "dead", "deleted"]],
  ["no group", { group_ids: ["none"] }, []],
  ["its service", { services: ["generic"] }, ["created", "dead", "alive", "dead", "deleted"]],
  ["another service", { services: ["youtube"] }, []],
  [
    "the reason of its first death, and so the recovery from it",
    { reasons: ["http_404"] },
    ["dead", "alive"],
  ],
  ["the reason of its second death", { reasons: ["soft404_body"] }, ["dead", "deleted"]],
  ["a family", { reasons: ["http_*"] }, ["dead", "alive"]],
  ["two families", { reasons: ["http_*", "soft404_*"] }, ["dead", "alive", "dead", "deleted"]],
  ["another reason", { reasons: ["dns_nxdomain"] }, []],
  ["a reason that only the recovery has", { reasons: ["ok"] }, []],
  ["two fields that match", { group_ids: ["A"], reasons: ["http_404"] }, ["dead", "alive"]],
  ["two fields of which one matches", { group_ids: ["B"], reasons: ["http_404"] }, []],
  [
    "three fields",
    { group_ids: ["A"], services: ["generic"], reasons: ["http_*"] },
    ["dead", "alive"],
  ],
];

onServer("the filter of a webhook", (server) => {
  test("lets through what all of its fields name", async () => {
    const me = await server().account();
    const ids = { A: await addGroup(me, "A"), B: await addGroup(me, "B") };
    const named = (filter: Filter | null) =>
      JSON.parse(
        JSON.stringify(filter).replace(/"([AB])"/g, (_, name: "A" | "B") => `"${ids[name]}"`),
      );
    const changes = EVENTS.filter((type) => type !== "check.complete");
    const hooks: { id: string }[] = [];
    for (const [, filter] of LIFE) hooks.push(await withFilter(me, named(filter), changes));

    const link = await addLink(me, { url: "https://example.com/life", group_id: ids.A });
    for (const reason of ["ok", "http_404", "ok", "soft404_body"] as const) {
      await check(server(), [link], reason);
    }
    await me.delete(`/api/v1/links/${link}`);

    const all = await Promise.all(hooks.map((hook) => heard(server(), hook)));
    const table = LIFE.map(([name], n) => [name, all[n]]);
    expect(table).toEqual(LIFE.map(([name, , types]) => [name, types]));
  });

  test("follows a link into another group, and matches nothing when the group is gone", async () => {
    const me = await server().account();
    const [a, b] = [await addGroup(me, "A"), await addGroup(me, "B")];
    const [ofA, ofB, ofNone] = [
      await withFilter(me, { group_ids: [a] }, ["link.dead"]),
      await withFilter(me, { group_ids: [b] }, ["link.dead"]),
      await withFilter(me, { group_ids: ["none"] }, ["link.dead"]),
    ];
    const link = await addLink(me, { url: "https://example.com/moving", group_id: a });
    await check(server(), [link], "ok");
    const dies = async () => {
      await check(server(), [link], "http_404");
      await check(server(), [link], "ok");
    };

    await dies();
    await me.patch(`/api/v1/links/${link}`, { group_id: b });
    await dies();
    await me.delete(`/api/v1/groups/${b}`);
    await dies();

    expect(await heard(server(), ofA)).toEqual(["dead"]);
    expect(await heard(server(), ofB)).toEqual(["dead"]);
    expect(await heard(server(), ofNone)).toEqual(["dead"]);
    const shown = (await me.get(`${PATH}/${ofB.id}`)).body.data.filter;
    expect(shown).toEqual({ ...NONE, group_ids: [b] });
    const narrower = { filter: { group_ids: [a, b], tags: ["docs"] } };
    const [kept, named] = [
      await me.patch(`${PATH}/${ofB.id}`, narrower),
      await me.patch(`${PATH}/${ofA.id}`, narrower),
    ];
    expect(kept.body.data.filter).toEqual({ ...NONE, ...narrower.filter });
    expect(named.body.error.details.fields).toEqual({
      "filter.group_ids": [`has no such group: ${b}`],
    });
  });

  test("judges a finished check by its own reason, and lets through what is about no link", async () => {
    const me = await server().account();
    const checks = await withFilter(me, { reasons: ["http_*"] }, ["check.complete"]);
    const batches = await withFilter(me, { reasons: ["http_*"] }, ["batch.complete"]);
    await me.post("/api/v1/links/batch", { links: [{ url: "https://example.com/batch" }] });
    const { items } = (await me.get("/api/v1/links")).body.data;
    for (const reason of ["ok", "http_404", "http_404"] as const) {
      await check(server(), [items[0].id], reason);
    }
    await completeBatches(server().deps);

    expect(await heard(server(), checks)).toHaveLength(2);
    expect(await heard(server(), batches)).toEqual(["batch.complete"]);
  });

  test("can be changed and removed", async () => {
    const me = await server().account();
    const hook = await withFilter(me, { reasons: ["http_404"] }, ["link.created"]);
    const created = () => addLink(me, { url: `https://example.com/${crypto.randomUUID()}` });
    await created();
    const changed = await me.patch(`${PATH}/${hook.id}`, { filter: { services: ["generic"] } });
    await created();
    const removed = await me.patch(`${PATH}/${hook.id}`, { filter: null });
    await created();

    expect(await heard(server(), hook)).toHaveLength(2);
    expect(changed.body.data.filter).toMatchObject({ services: ["generic"], reasons: null });
    expect(removed.body.data.filter).toBeNull();
  });

  test("is counted before it is used", async () => {
    const me = await server().account();
    const group = await addGroup(me, "A");
    const [a, b] = [
      await addLink(me, { url: "https://example.com/a", group_id: group }),
      await addLink(me, { url: "https://example.com/b" }),
    ];
    await check(server(), [a], "http_404");
    await check(server(), [b], "soft404_body");
    const matches = async (filter: Filter) =>
      (await me.post(`${PATH}/matches`, { filter })).body.data;

    expect(await matches({})).toEqual({ links: 2, total: 2 });
    expect(await matches({ group_ids: [group] })).toEqual({ links: 1, total: 2 });
    expect(await matches({ group_ids: ["none"], reasons: ["soft404_*"] })).toEqual({
      links: 1,
      total: 2,
    });
    expect(await matches({ services: ["youtube"] })).toEqual({ links: 0, total: 2 });
  });

  test("follows tags and people, and matches nothing when the person is gone", async () => {
    const owner = await newOwner(server());
    const colleague = await newColleague(server(), owner, "editor");
    const browser = openBrowser(server());
    await browser.signIn(owner.owner.email);
    const people = (await browser.get("/people")).body.data.items as Parsed[];
    const [mine, theirs] = [owner.owner.email, colleague.email].map(
      (email) => people.find((person) => person.email === email).id as string,
    );
    const filters: Filter[] = [
      { tags: ["Docs", "blog"] },
      { assignee: "me" },
      { assignee: theirs! },
      { assignee: "none" },
      { tags: ["docs"], assignee: "me" },
    ];
    const hooks: Parsed[] = [];
    for (const filter of filters) {
      const hook = { url: "https://hooks.example.com/", events: ["link.dead", "link.deleted"] };
      hooks.push((await browser.post("/webhooks", { ...hook, filter })).body.data);
    }
    const add = async (more: object) => {
      const url = `https://example.com/${crypto.randomUUID()}`;
      const { body } = await browser.post("/links", { url, ...more });
      await check(server(), [body.data.id], "http_404");
      return body.data.id as string;
    };
    const all = async () => Promise.all(hooks.map(async (hook) => heard(server(), hook)));

    expect(hooks[1].filter).toEqual({ ...NONE, assignee: mine });
    await add({ tags: ["docs"], assignee_id: mine });
    const link = await add({ assignee_id: theirs });
    const matches = await browser.post("/webhooks/matches", { filter: filters[2] });
    expect(matches.body.data).toEqual({ links: 1, total: 2 });
    expect(await all()).toEqual([["dead"], ["dead"], ["dead"], [], ["dead"]]);

    await browser.delete(`/links/${link}`);
    await browser.delete(`/people/${theirs}`);
    await add({});
    expect(await all()).toEqual([["dead"], ["dead"], ["dead", "deleted"], ["dead"], ["dead"]]);
    const narrower = { filter: { assignee: theirs, tags: ["docs"] } };
    const [kept, named] = [
      await browser.patch(`/webhooks/${hooks[2].id}`, narrower),
      await browser.patch(`/webhooks/${hooks[1].id}`, narrower),
    ];
    expect(kept.body.data.filter).toEqual({ ...NONE, ...narrower.filter });
    expect(named.body.error.details.fields).toEqual({ "filter.assignee": ["no such person"] });
  });

  test("may name only groups of the account", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const group = await addGroup(other, "A");
    const body = { url: "https://hooks.example.com/", events: ["link.dead"] };
    const refused = await me.post(PATH, { ...body, filter: { group_ids: [group] } });
    expect(refused.body.error.details.fields).toEqual({
      "filter.group_ids": [`has no such group: ${group}`],
    });
  });
});

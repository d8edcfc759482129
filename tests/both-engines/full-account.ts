import { inArray } from "drizzle-orm";
import { links as linkTable } from "../../server/ground/db/tables.ts";
import { runImports } from "../../server/links/imports/steps.ts";
import { toRow, writeSuggestions } from "../../server/links/suggestions/rows.ts";
import { type Administrator, newAdministrator } from "../audit/looking.ts";
import { DAY, saw } from "../checker/ended.ts";
import type { Parsed, TestServer } from "../harness.ts";
import { remember } from "../lookups.ts";
import { addPatterns } from "../patterns.ts";
import { startReceiver } from "../receiver.ts";
import { checkDueLinks, deliverDue } from "../rounds.ts";
import { addGroup, setLink } from "../rows.ts";
import { newColleague } from "../session/browser.ts";
import { startSite } from "../site.ts";
import { SOURCES, startReading } from "../sources/reading.ts";

/** An account in which everything that can be read is there, with the id of one of each. */
export type FullAccount = Administrator & { ids: Record<string, string> };

const LINKS = "/api/v1/links";

/** What a check finds, by the first word of the path, and by the round. */
const FOUND: Record<string, Parameters<typeof saw>[]> = {
  alive: [["ok", { statusCode: 200, responseTimeMs: 20 }]],
  gone: [["http_404", { statusCode: 404, responseTimeMs: 7 }]],
  closed: [["http_403", { statusCode: 403 }]],
  dies: [
    ["ok", { statusCode: 200, responseTimeMs: 30 }],
    ["http_404", { statusCode: 404, responseTimeMs: 9 }],
  ],
  returns: [
    ["http_404", { statusCode: 404, responseTimeMs: 9 }],
    ["ok", { statusCode: 200, responseTimeMs: 30 }],
  ],
};

const urlOf = (what: string, n: number) => `https://${what}.example.com/${what}/${n}`;

/** Checks the links one after another, since what happens in one moment has no order. */
async function checkRound(server: TestServer, round: number, links: string[]) {
  const { deps, clock } = server;
  clock.moveBy(2 * DAY);
  const check = async ({ url }: { url: string }) => {
    const rounds = FOUND[url.split("/")[3]!] ?? FOUND.alive!;
    return saw(...rounds[Math.min(round, rounds.length - 1)]!);
  };
  const config = { ...deps.config, checkConcurrency: 1 };
  for (const id of links) {
    await setLink(server, id, { nextCheckAt: 0 });
    await checkDueLinks({ ...deps, config, check });
    clock.moveBy(1000);
  }
}

export async function fillAccount(server: TestServer): Promise<FullAccount> {
  const admin = await newAdministrator(server);
  const { me, browser } = admin;
  const person = await newColleague(server, admin, "editor");
  const receiver = startReceiver(({ body }) => new Response(null, { status: answerTo(body) }));
  const group = await addGroup(me, "Docs");
  const webhook = (
    await me.post("/api/v1/webhooks", {
      url: receiver.url,
      events: ["link.dead", "link.alive"],
      first_verdicts: true,
    })
  ).body.data.id;
  const host = (
    await me.post("/api/v1/host-settings", { host: "gone.example.com", user_agent: "Test" })
  ).body.data.id;
  await addPatterns(server, me, 5);
  const links = await addLinks(me, group, person.id);
  const { batch_id: batch } = (await me.post(`${LINKS}/check`, { link_ids: links })).body.data;
  for (const round of [0, 1, 2]) {
    await checkRound(server, round, links);
    while ((await deliverDue(server.deps)) > 0);
  }
  await decide(me, links);
  await suggestFor(server, links);
  const view = await me.post("/api/v1/views", {
    name: "Press",
    filter: { tag: "press" },
    is_shared: true,
  });
  await browser.post("/visit");
  const read = await readSource(server, admin);
  const imported = await importList(server, me);
  await me.post(`${LINKS}/${links[2]}/replace`, { url: "https://new.example.com/gone" });
  const rule = { from: "https://dies.example.com/", to: "https://new.example.com/" };
  const replacement = (await me.post("/api/v1/replacements", rule)).body.data.id;
  const delivery = (await me.get(`/api/v1/webhooks/${webhook}/deliveries`)).body.data.items[0].id;
  const key = admin.keyId;
  const ids = { links: links[0]!, last: links.at(-1)!, groups: group, webhooks: webhook, key };
  return {
    ...admin,
    ids: {
      ...ids,
      ...read,
      delivery,
      host,
      view: view.body.data.id,
      batch,
      site: "example.com",
      imported,
      replacement,
      person: person.id,
    },
  };
}

/** A list of which one link is added, one is there and one is refused, and a title is not kept. */
async function importList(server: TestServer, me: Administrator["me"]): Promise<string> {
  const rows = [`https://new.example.com/1,${"x".repeat(201)}`, `${urlOf("gone", 1)},`, "nope,"];
  const { id } = (await me.post("/api/v1/imports", ["url,title", ...rows].join("\n"))).body.data;
  await me.post(`/api/v1/imports/${id}/start`);
  await runImports(server.deps);
  return id;
}

/** Some messages fail. */
const answerTo = (body: Buffer) => (body.includes("gone/2") ? 500 : 204);

async function addLinks(
  me: Administrator["me"],
  group: string,
  assignee: string,
): Promise<string[]> {
  const links = Object.keys(FOUND).flatMap((what, n) => [
    {
      url: urlOf(what, 1),
      group_id: group,
      tags: ["press", what],
      title: `Title ${n}`,
      note: "A note",
    },
    {
      url: urlOf(what, 2),
      external_id: `p-${n}`,
      metadata: { a: "1" },
      check_frequency: "weekly",
      assignee,
    },
  ]);
  const { results } = (await me.post(`${LINKS}/batch`, { links })).body.data;
  return results.map(({ link }: Parsed) => link.id);
}

/** Other pages and copies for the links that are dead, and where one that is alive has moved. */
async function suggestFor(server: TestServer, ids: string[]): Promise<void> {
  const { store } = server.deps;
  const rows = await store.select().from(linkTable).where(inArray(linkTable.id, ids));
  const dead = rows.filter(({ status }) => status === "dead");
  const found = {
    matches: "yes" as const,
    title: "A page",
    patternId: null,
    evidence: ["It was found."],
  };
  const at = server.clock.now();
  await writeSuggestions(
    store,
    dead.flatMap((link, n) => {
      const variant = { kind: "variant", confidence: "likely", capturedAt: null } as const;
      const archive = { kind: "archive", confidence: "copy", capturedAt: at } as const;
      const copy = { ...found, ...archive, url: `https://archive.example.com/${n}`, checkedAt: at };
      const other = { ...found, ...variant, url: `${link.url}/`, checkedAt: at };
      return [toRow(link, copy), ...(n % 2 === 0 ? [toRow(link, other)] : [])];
    }),
  );
  const alive = rows.find(({ status }) => status === "active");
  const way = "https://moved.example.com/page";
  if (alive) await remember(server, alive.id, { title: "Moved", way, moved: "likely" });
}

/** What people decide about links that are dead. */
async function decide(me: Administrator["me"], links: string[]): Promise<void> {
  const of = (what: string, n: 1 | 2) =>
    `${LINKS}/${links[Object.keys(FOUND).indexOf(what) * 2 + n - 1]}`;
  await me.patch(of("gone", 1), { handling: "acknowledged" });
  await me.patch(of("dies", 1), { handling: "muted", muted_until: "2030-02-01T00:00:00Z" });
  await me.post(`${of("dies", 2)}/override`, { note: "It works in a browser." });
  await me.post(`${of("alive", 2)}/url`, { url: urlOf("alive", 3) });
}

/** A source that was read, and one that was pushed to. */
async function readSource(
  server: TestServer,
  { me }: Administrator,
): Promise<Record<string, string>> {
  const reading = startReading(server);
  const site = startSite({
    "/list.txt": `${urlOf("gone", 1)}\n${urlOf("alive", 4)}#part\nhttps://alive.example.com/alive/5\n`,
  });
  const { id, run } = await reading.add(me, { kind: "list", url: `${site.url}/list.txt` });
  await reading.again(me, id);
  const pushed = (await me.post(SOURCES, { kind: "push", name: "Blog" })).body.data.id;
  const items = [
    {
      page_url: "https://blog.example.com/1",
      title: "One",
      links: [{ url: urlOf("gone", 1), text: "a", line: 1 }],
    },
  ];
  await me.post(`${SOURCES}/${pushed}/items`, { items });
  const page = (await me.get(`${SOURCES}/${pushed}/pages`)).body.data.items[0].id;
  await Promise.all([reading.stop(), site.stop()]);
  return { sources: id, run: run.id, pushed, page };
}

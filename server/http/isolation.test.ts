import { expect, test } from "bun:test";
import { type Asker, onServer, type Reply } from "../../tests/harness.ts";
import { addKey } from "../../tests/keys/asking.ts";
import { addCheck, addGroup, addLink } from "../../tests/rows.ts";

const YESTERDAY = { since: "2029-12-31" };

onServer("Two accounts", (server) => {
  /** One of everything that an account can have. */
  async function furnished() {
    const me = await server().account();
    const group = await addGroup(me, "secret group of mine");
    const link = await addLink(me, {
      url: `https://mine.example/${me.accountId}`,
      group_id: group,
    });
    const check = await addCheck(server(), me, link);
    const { id: key } = await addKey(server(), me, { name: "secret key of mine" });
    const hook = await me.post("/api/v1/webhooks", {
      url: "https://mine.example/hook",
      events: ["link.dead"],
    });
    const webhook = hook.body.data.id as string;
    await me.post(`/api/v1/webhooks/${webhook}/test`);
    const log = await me.get(`/api/v1/webhooks/${webhook}/deliveries`);
    const delivery = log.body.data.items[0].id as string;
    const started = await me.post("/api/v1/links/check", { link_ids: [link] });
    const batch = started.body.data.batch_id as string;
    const list = await me.post("/api/v1/imports", "https://mine.example/list");
    const imported = list.body.data.id as string;
    return { me, group, link, check, key, webhook, delivery, batch, imported };
  }

  type Things = Awaited<ReturnType<typeof furnished>>;
  const pathsOf = ({
    group,
    link,
    key,
    webhook,
    delivery,
    batch,
    imported,
  }: Things): [string, string][] => [
    ["GET", `/keys/${key}`],
    ["PATCH", `/keys/${key}`],
    ["POST", `/keys/${key}/rotate`],
    ["DELETE", `/keys/${key}`],
    ["GET", `/links/${link}`],
    ["GET", `/links/${link}/history`],
    ["GET", `/links/${link}/events`],
    ["GET", `/links/${link}/stats`],
    ["POST", `/links/${link}/check`],
    ["PATCH", `/links/${link}`],
    ["DELETE", `/links/${link}`],
    ["GET", `/groups/${group}`],
    ["GET", `/groups/${group}/links`],
    ["PATCH", `/groups/${group}`],
    ["DELETE", `/groups/${group}`],
    ["GET", `/webhooks/${webhook}`],
    ["POST", `/webhooks/${webhook}/test`],
    ["POST", `/webhooks/${webhook}/rotate-secret`],
    ["POST", `/webhooks/${webhook}/redeliver-failed`],
    ["GET", `/webhooks/${webhook}/deliveries`],
    ["GET", `/webhooks/${webhook}/deliveries/${delivery}`],
    ["POST", `/webhooks/${webhook}/deliveries/${delivery}/redeliver`],
    ["GET", `/batches/${batch}`],
    ["GET", `/imports/${imported}`],
    ["GET", `/imports/${imported}/items`],
    ["POST", `/imports/${imported}/start`],
    ["POST", `/imports/${imported}/stop`],
    ["POST", `/imports/${imported}/undo`],
    ["DELETE", `/imports/${imported}`],
    ["PATCH", `/webhooks/${webhook}`],
    ["DELETE", `/webhooks/${webhook}`],
  ];
  const ask = (asker: Asker, method: string, path: string, body?: unknown): Promise<Reply> =>
    asker[method.toLowerCase() as "post"](`/api/v1${path}`, body);
  const snapshot = async ({ me }: Things) =>
    JSON.stringify(
      await Promise.all(
        ["account", "keys", "links", "groups", "history", "history/stats", "webhooks"].map(
          async (list) => (await me.get(`/api/v1/${list}`)).body,
        ),
      ),
    );

  test("every record of one is forbidden to the other, which changes nothing", async () => {
    const mine = await furnished();
    const before = await snapshot(mine);
    const other = await server().account();

    for (const [method, path] of pathsOf(mine)) {
      const body = method === "PATCH" ? {} : path.endsWith("-failed") ? YESTERDAY : undefined;
      const reply = await ask(other, method, path, body);
      expect([method, path, reply.status, reply.body.error.code]).toEqual([
        method,
        path,
        403,
        "FORBIDDEN",
      ]);
    }
    expect(await snapshot(mine)).toBe(before);
  });

  test("no reply to one contains anything of the other", async () => {
    const mine = await furnished();
    const other = await furnished();
    const replies: Reply[] = [];
    for (const path of [
      "/account",
      "/usage",
      "/keys",
      "/links",
      "/links?search=mine.example",
      `/links?group_id=${mine.group}`,
      "/groups",
      "/groups/none",
      "/links/export",
      `/links/export?group_id=${mine.group}`,
      "/history/export",
      "/history",
      `/history?link_id=${mine.link}`,
      `/history/export?link_id=${mine.link}`,
      `/links/export?ids=${mine.link}`,
      "/history/stats",
      `/history/stats?link_id=${mine.link}`,
      "/history/series?bucket=day",
      `/history/series?bucket=day&group_id=${mine.group}`,
      "/overview",
      "/overview/services",
      "/webhooks",
      `/webhooks/${other.webhook}/deliveries/${mine.delivery}`,
    ])
      replies.push(await ask(other.me, "GET", path));
    for (const [method, path] of pathsOf(mine)) replies.push(await ask(other.me, method, path));
    const ids = { link_ids: [mine.link] };
    replies.push(await ask(other.me, "POST", `/groups/${other.group}/links`, ids));
    replies.push(await ask(other.me, "POST", "/links/batch-delete", ids));
    replies.push(await ask(other.me, "POST", "/links/check", ids));
    const change = { ...ids, change: { group_id: null } };
    replies.push(await ask(other.me, "POST", "/links/batch-change", change));
    replies.push(
      await ask(other.me, "POST", "/links/check", { filter: { search: "mine.example" } }),
    );

    const text = replies.map(({ body }) => JSON.stringify(body)).join("\n");
    const { check, key, group, webhook, delivery, batch } = mine;
    const secrets = [mine.me.accountId, check, key, group, webhook, delivery, batch];
    for (const secret of secrets) expect(text).not.toContain(secret);
    // Only what it asked for by name.
    expect(text.split(mine.link)).toHaveLength(5);
  });

  test("a filter reaches one's own links only, and a preview knows no others", async () => {
    const mine = await furnished();
    const other = await server().account();
    const before = await snapshot(mine);
    const url = `https://mine.example/${mine.me.accountId}`;

    for (const filter of [{ group_id: mine.group }, { search: "mine.example" }]) {
      const change = { check_frequency: "hourly" };
      const replies = [
        await ask(other, "POST", "/links/batch-delete", { filter }),
        await ask(other, "POST", "/links/batch-change", { filter, change }),
        await ask(other, "POST", "/links/check", { filter }),
      ];
      for (const { body } of replies) expect(JSON.stringify(body)).not.toContain(mine.link);
    }
    const preview = await ask(other, "POST", "/links/preview", { links: [{ url }] });

    expect(JSON.stringify(preview.body)).not.toContain(mine.link);
    expect(preview.body.data.results[0]).not.toHaveProperty("error");
    expect(await snapshot(mine)).toBe(before);
  });

  test("neither can put anything into the other's groups", async () => {
    const mine = await furnished();
    const other = await furnished();
    const before = await snapshot(mine);

    const url = "https://example.org/guest";
    const replies = [
      await ask(other.me, "POST", "/links", { url, group_id: mine.group }),
      await ask(other.me, "PATCH", `/links/${other.link}`, { group_id: mine.group }),
    ];
    const batch = await ask(other.me, "POST", "/links/batch", {
      links: [{ url, group_id: mine.group }],
    });
    const moved = await ask(other.me, "POST", `/groups/${mine.group}/links`, {
      link_ids: [other.link],
    });

    for (const { status, body } of replies)
      expect([status, body.error.details.fields]).toEqual([400, { group_id: ["no such group"] }]);
    expect(batch.body.data.summary.created).toBe(0);
    expect(moved.status).toBe(403);
    expect(await snapshot(mine)).toBe(before);
  });
});

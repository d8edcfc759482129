import { expect } from "bun:test";
import { addMany } from "../../../tests/exports/add-many.ts";
import { callerOf, lineOf, rowsIn } from "../../../tests/exports/read-csv.ts";
import { type Asker, onServer } from "../../../tests/harness.ts";
import { addresses } from "../../../tests/imports/addresses.ts";
import { readIn } from "../../../tests/imports/reading.ts";
import { addKey } from "../../../tests/keys/asking.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";
import { createStore, type Engine } from "../../ground/db/store.ts";
import type { Deps } from "../../work/deps.ts";
import { exportedLinks } from "./export-rows.ts";

const PATH = "/api/v1/links/export";
const HEAD = lineOf(
  ...["id", "url", "status", "reason", "message", "status_changed_at", "last_checked_at"],
  ...["status_code", "response_time_ms", "service", "group", "check_frequency", "created_at"],
  ...["title", "note", "tags", "external_id", "assignee", "handling", "muted_until"],
  ...["check_schedule", "time_zone", "metadata", "accepted_url"],
  ...["suggestion", "suggestion_kind", "previous_url"],
);

/** The same, and how many long selects it was asked for. */
function countingSelects(deps: Deps) {
  let selects = 0;
  const { engine } = deps.store;
  const runInReadPool: Engine["runInReadPool"] = (query) => {
    selects++;
    return engine.runInReadPool(query);
  };
  const store = createStore({ ...engine, runInReadPool });
  return { deps: { ...deps, store }, selects: () => selects };
}

onServer("GET /links/export", (server, { test, testOnBoth }) => {
  test("is a file to be saved, with a date in its name and all that a link tells", async () => {
    const me = await server().account();
    const group = await addGroup(me, "Docs");
    const url = "https://example.org/whole";
    const id = await addLink(me, { url, group_id: group, check_frequency: "weekly" });
    const at = server().clock.now();
    const schedule = { cron: "0 6 * * 1-5", time_zone: "Europe/Berlin" };
    await me.patch(`/api/v1/links/${id}`, {
      title: "Handbook",
      note: "=1+1",
      tags: ["press", "docs"],
      external_id: "p-17",
      metadata: { cms_id: "1" },
      check_schedule: schedule,
      handling: "muted",
      muted_until: "2030-06-01",
    });
    await setLink(server(), id, {
      status: "dead",
      reason: "http_404",
      statusChangedAt: at,
      lastStatus: "dead",
      lastReason: "http_404",
      lastStatusCode: 404,
      lastResponseTimeMs: 87,
      lastCheckedAt: at,
      createdAt: at,
    });

    const { status, headers, body } = await me.get(PATH);

    const moment = new Date(at).toISOString();
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="links-${moment.slice(0, 10)}.csv"`,
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(body).toBe(
      HEAD +
        lineOf(
          ...[id, url, "dead", "http_404", "The server returned 404: there is no such page."],
          ...[moment, moment, 404, 87, "generic", "Docs", "weekly", moment],
          ...["Handbook", "'=1+1", "docs;press", "p-17", "", "muted", "2030-06-01T00:00:00.000Z"],
          ...[schedule.cron, schedule.time_zone, '{"cms_id":"1"}', "", "", "", ""],
        ),
    );
  });

  test("has its head alone when there are no links", async () => {
    const me = await server().account();

    expect((await me.get(PATH)).body).toBe(HEAD);
  });

  test("tells HEAD what it is, without making it", async () => {
    const me = await server().account();

    const response = await fetch(server().url + PATH, {
      method: "HEAD",
      headers: { authorization: `Bearer ${me.key}` },
    });

    expect(response.status).toBe(200);
    expect(response.headers.get("content-disposition")).toContain("attachment");
    expect(await response.text()).toBe("");
  });

  testOnBoth("has every one of 2,500 links once, newest first, over several steps", async () => {
    const me = await server().account();
    await addMany(me, 2500);

    const urls = rowsIn(await me.get(PATH)).map(({ url }) => url);

    const numbers = urls.map((url) => Number(/\d+$/.exec(url!)![0]));
    expect(numbers).toHaveLength(2500);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => b - a));
  });

  testOnBoth("neither skips nor repeats a link while others are deleted and added", async () => {
    const me = await server().account();
    await addMany(me, 1500);
    const steps = exportedLinks(server().deps, callerOf(me), {});
    const first = (await steps.next()).value!;
    const last = (await me.get("/api/v1/links?page=15&per_page=100")).body.data.items[0].id;

    await me.delete(`/api/v1/links/${first.at(-1)!.id}`);
    await me.delete(`/api/v1/links/${last}`);
    await addLink(me);
    const rest = (await Array.fromAsync(steps)).flat();

    const ids = [...first, ...rest].map(({ id }) => id);
    expect(ids).not.toContain(last);
    expect([ids.length, new Set(ids).size]).toEqual([1499, 1499]);
  });

  testOnBoth("finds the few that fit, however far apart they are", async () => {
    const me = await server().account();
    await addMany(me, 60);
    const { items } = (await me.get("/api/v1/links?per_page=100")).body.data;
    const far = [0, 1, 2, 29, 30, 59].map((i) => items[i].id);
    for (const id of far) await setLink(server(), id, { status: "dead" });

    for (const walkedAtOnce of [1, 7, 30, 60, 100]) {
      const size = { rowsAtOnce: 2, walkedAtOnce };
      const query = { status: "dead" } as const;
      const steps = await Array.fromAsync(exportedLinks(server().deps, callerOf(me), query, size));
      expect(steps.flat().map(({ id }) => id)).toEqual(far);
      expect(Math.max(...steps.map(({ length }) => length))).toBeLessThanOrEqual(2);
    }
  });

  test("of a group looks at no other links of the account", async () => {
    const me = await server().account();
    await addMany(me, 60);
    const group = await addGroup(me);
    const ids = [await addLink(me, { group_id: group }), await addLink(me, { group_id: group })];
    await addMany(me, 60);
    const { deps, selects } = countingSelects(server().deps);

    const size = { rowsAtOnce: 10, walkedAtOnce: 10 };
    const steps = exportedLinks(deps, callerOf(me), { group_id: group }, size);

    expect((await Array.fromAsync(steps)).flat().map(({ id }) => id)).toEqual(ids.reverse());
    expect(selects()).toBe(2);
  });

  test("is narrowed as the list is: by status, service, group, search and frequency", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const url = "https://youtu.be/jNQXAC9IVRw";
    const video = await addLink(me, { url, check_frequency: "hourly" });
    const grouped = await addLink(me, { group_id: group });
    const dead = await addLink(me, { url: "https://example.org/Findable" });
    await setLink(server(), dead, { status: "dead" });

    const found = async (query: string) =>
      rowsIn(await me.get(`${PATH}?${query}`)).map(({ id }) => id);

    expect(await found("status=dead")).toEqual([dead]);
    expect(await found("service=youtube")).toEqual([video]);
    expect(await found(`group_id=${group}`)).toEqual([grouped]);
    expect(await found("group_id=none")).toEqual([dead, video]);
    expect(await found("search=findABLE")).toEqual([dead]);
    expect(await found("check_frequency=hourly")).toEqual([video]);
    expect(await found("status=dead&service=youtube")).toEqual([]);
    expect(await found(`ids=${video},${grouped.toUpperCase()}`)).toEqual([grouped, video]);
  });

  test("quotes every cell, also what is not there", async () => {
    const me = await server().account();
    const id = await addLink(me, { url: "https://example.org/new" });

    const { body } = await me.get(PATH);

    const moment = new Date(server().clock.now()).toISOString();
    const unchecked = [id, "https://example.org/new", "unknown", "", "", moment, "", "", ""];
    const unnoted = ["", "", "", "", "", "open", "", "", "", "", "", "", "", ""];
    expect(body).toBe(HEAD + lineOf(...unchecked, "generic", "", "daily", moment, ...unnoted));
  });

  test("shows a link that is being checked as the list does", async () => {
    const me = await server().account();
    const id = await addLink(me);
    await setLink(server(), id, { checkingUntil: server().clock.now() + 60_000 });

    expect(rowsIn(await me.get(`${PATH}?status=checking`))[0]).toMatchObject({
      id,
      status: "checking",
    });
  });

  test("runs as a formula nowhere, and keeps whatever a name is written in", async () => {
    const me = await server().account();
    const names = ["=1+1", "+1", "-1", "@SUM(A1)", "\uFF1D1+1", 'a "b", c', "ночь 夜 🌙", "plain"];
    for (const name of names) await addLink(me, { group_id: await addGroup(me, name) });

    const reply = await me.get(PATH);

    const exported = rowsIn(reply).map(({ group }) => group);
    const [formulas, others] = [names.slice(0, 5), names.slice(5)];
    expect(exported.reverse()).toEqual([...formulas.map((name) => `'${name}`), ...others]);
    expect(reply.body).toContain(`"a ""b"", c"`);
  });

  test("has every address that was added as an import reads it, and as another account takes it", async () => {
    const add = async (me: Asker, urls: string[]) => {
      const { body } = await me.post("/api/v1/links/batch", {
        links: urls.map((url) => ({ url })),
      });
      return body.data.summary;
    };
    const [me, other] = [
      await server().account("enterprise"),
      await server().account("enterprise"),
    ];
    const { created } = await add(me, addresses(500));
    const { items } = await readIn((await me.get(PATH)).body);
    const urls = items.map(({ url }) => url);

    expect(urls.length).toBe(created);
    expect(urls.length).toBeGreaterThan(500);
    expect(await add(other, urls.toReversed())).toMatchObject({ created, failed: 0 });
    expect(rowsIn(await other.get(PATH)).map(({ url }) => url)).toEqual(urls);
  });

  test("has nothing of a stranger's, by ids neither", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const theirs = await addLink(stranger, { group_id: await addGroup(stranger) });

    expect(rowsIn(await me.get(PATH))).toEqual([]);
    expect(rowsIn(await me.get(`${PATH}?ids=${theirs}`))).toEqual([]);
  });

  test("needs no more than a key that may read", async () => {
    const me = await server().account();
    const reader = await addKey(server(), me, { permissions: { read: true, write: false } });

    expect((await reader.get(PATH)).status).toBe(200);
  });
});

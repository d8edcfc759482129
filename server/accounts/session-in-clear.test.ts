import { describe, expect, test } from "bun:test";
import { getTableColumns, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { Secret, TOTP } from "otpauth";
import { ENGINES, startServer, type TestServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import {
  BEHIND_PROXY,
  newColleague,
  newOwner,
  openBrowser,
  PASSWORD,
} from "../../tests/session/browser.ts";
import * as tables from "../ground/db/tables.ts";

const NEXT_PASSWORD = "another one, quite as long";

describe("a copy of the database and of the log", () => {
  async function dump({ deps: { store } }: TestServer): Promise<string> {
    const all = Object.values(tables).filter((each) => is(each, SQLiteTable)) as SQLiteTable[];
    const rows = all.map((table) => store.select(getTableColumns(table)).from(table));
    return JSON.stringify(await Promise.all(rows));
  }

  test.each(ENGINES)("on %s holds nothing that would let anybody in", async (engine) => {
    // Before the server, which looks once whether requests are logged.
    const lines = await logLines("debug");
    const server = await startServer(engine, BEHIND_PROXY);
    const fresh = await newOwner(server);
    const editor = await newColleague(server, fresh, "editor");
    const browser = openBrowser(server);
    const used: string[] = [PASSWORD, NEXT_PASSWORD];
    await browser.signIn(fresh.owner.email);
    const change = { current: PASSWORD, new: NEXT_PASSWORD };
    await browser.patch("/session/password", change);
    const begun = await browser.post("/session/two-factor", { password: NEXT_PASSWORD });
    const { secret } = begun.body.data;
    const timestamp = server.clock.now();
    const code = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp });
    const on = await browser.post("/session/two-factor/confirm", { code });
    const link = await browser.post(`/people/${editor.id}/password-link`);
    const key = await browser.post("/keys", { name: "mine" });
    const hook = await browser.post("/webhooks", {
      url: "https://example.org/hook",
      events: ["link.dead"],
    });
    used.push(secret, ...on.body.data.recovery_codes, browser.cookie()!.split("=")[1]!);
    used.push(link.body.data.token, key.body.data.key, hook.body.data.signing_secret);

    const kept = await dump(server);

    for (const each of used) expect(each).toMatch(/^.{8,}$/);
    expect(kept).toContain(fresh.owner.email);
    expect(used.filter((each) => kept.includes(each))).toEqual([]);
    const log = lines.join("\n");
    expect(log).toContain("/dashboard/api/session");
    expect(used.filter((each) => log.includes(each))).toEqual([]);
    await server.stop();
  });
});

import { describe, test } from "bun:test";
import { entriesOf, newAdministrator } from "../audit/looking.ts";
import { SETUP, STORIES } from "../audit/stories.ts";
import { BEHIND_PROXY } from "../session/browser.ts";
import { compareEngines } from "./comparing.ts";

/** Backups of PostgreSQL are made by its own program. */
const ROUTES = Object.entries(STORIES).filter(([route]) => !route.includes("/admin/backups"));

describe("What a request changes is the same on both databases", () => {
  const same = compareEngines(BEHIND_PROXY);

  test(
    "POST /setup",
    same(async (server) => {
      const { result, entries } = await entriesOf(server, () => SETUP(server));
      return { status: result.status, body: result.body, entries };
    }),
  );

  test.each(ROUTES)("%s", (_, story) =>
    same(async (server) => {
      const prepared = await story(server, await newAdministrator(server));
      if (!prepared) return null;
      const { result, entries } = await entriesOf(server, prepared.ask);
      return { status: result.status, body: result.body, entries };
    })(),
  );
});

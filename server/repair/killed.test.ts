import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { KINDS } from "../../tests/checker/pages.ts";
import { executable, type Installed, install, newFolder, SETTINGS } from "../../tests/installed.ts";
import { sized } from "../../tests/long.ts";
import { type Site, startSite } from "../../tests/site.ts";
import { until } from "../../tests/until.ts";

/** One preview may have 1,000. */
const LINKS = sized(500, 1000);
const KILLED_AFTER = 200;

let installed: Installed;
let site: Site;
const folder = newFolder();
let key = "";

beforeAll(async () => {
  const program = await executable();
  const page = KINDS.article("How to grow tomatoes", { words: 400 });
  const headers = { "content-type": "text/html" };
  site = startSite(
    {},
    {
      otherwise: ({ url }) =>
        /\/new\/\d+$/.test(url)
          ? new Response(page, { headers })
          : new Response("", { status: 404 }),
    },
  );
  const env = { ...SETTINGS, STILLUP_DATA_DIR: join(folder, "data") };
  await $`${program} user create --email killed@example.org --tier business`.env(env).quiet();
  key = (await $`${program} key create --email killed@example.org --name k`.env(env).text()).trim();
  installed = await install(folder, {
    STILLUP_RATE_LIMIT_PER_MINUTE: "0",
    STILLUP_RATE_LIMIT_PER_HOUR: "0",
    STILLUP_CHECK_ALLOWED_HOSTS: "loopback",
    STILLUP_HOST_GAP_MS: "0",
  });
});
afterAll(() => Promise.all([installed.remove(), site.stop()]));

async function ask(method: string, path: string, body?: object) {
  const reply = await fetch(`${installed.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return (await reply.json()).data;
}

test("A server that is killed while it replaces links, and asked again, replaces each once", async () => {
  const [from, to] = [`${site.url}/old/`, `${site.url}/new/`];
  const links = Array.from({ length: LINKS }, (_, n) => ({ url: `${from}${n}` }));
  await ask("POST", "/links/batch", { links });
  const { id } = await ask("POST", "/replacements", { from, to });
  const read = () => ask("GET", `/replacements/${id}`);
  await until("the preview", async () => (await read()).state === "ready");
  expect((await read()).counts).toMatchObject({ checked: LINKS, selected: LINKS });

  const cut = ask("POST", `/replacements/${id}/apply`, { selected: true }).catch(() => null);
  await until("some links", async () => (await read()).counts.replaced >= KILLED_AFTER, {
    everyMs: 1,
  });
  await installed.stop("SIGKILL");
  await cut;
  await installed.start();
  const { state, counts } = await read();
  const done = await ask("POST", `/replacements/${id}/apply`, { selected: true });

  expect([state, counts.replaced < LINKS]).toEqual(["applying", true]);
  expect(done).toMatchObject({ state: "applied", counts: { replaced: LINKS, failed: 0 } });
  const { items } = await read();
  const changed = await Promise.all(
    items
      .slice(0, 100)
      .map(async ({ link_id }: { link_id: string }) => ask("GET", `/links/${link_id}`)),
  );
  for (const { url, previous_urls } of changed)
    expect([url.startsWith(to), previous_urls.length]).toEqual([true, 1]);
}, 600_000);

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { $ } from "bun";
import { executable, type Installed, install, SETTINGS } from "./installed.ts";
import { type Site, startSite } from "./site.ts";

const PAGE = "docs/from-deadlinkradar.md";
const REQUEST = /^(GET|POST|PATCH|DELETE) +(\/api\/v1\/\S+)(?: (\{.*\}))? +(\d{3})$/gm;

/** Method and path of each endpoint that the API had from the beginning, with ids as `{…}`. */
const ENDPOINTS = 31;

/** The records that later requests name, by the path that creates them. */
const CREATED: Record<string, string> = {
  "/api/v1/keys": "key",
  "/api/v1/groups": "group",
  "/api/v1/links": "link",
  "/api/v1/webhooks": "webhook",
};

type Reply = { data?: { id: string } };

let site: Site;
let server: Installed;
let apiKey: string;

beforeAll(async () => {
  site = startSite({}, { otherwise: "<h1>Here</h1>" });
  server = await install();
  const program = await executable();
  const env = { ...SETTINGS, STILLUP_DATA_DIR: `${server.folder}/data` };
  await $`${program} user create --email me@example.org`.env(env).quiet();
  apiKey = (
    await $`${program} key create --email me@example.org --name move`.env(env).text()
  ).trim();
});

afterAll(() => Promise.all([server.remove(), site.stop()]));

test("the executable answers every request of the page for people who move here as the page says", async () => {
  const requests = [...readFileSync(PAGE, "utf8").matchAll(REQUEST)];
  const ids: Record<string, string> = {};
  const fillIn = (text: string) =>
    text
      .replace(/\{(\w+)\}/g, (all, name) => ids[name] ?? all)
      .replaceAll("https://example.org", site.url);
  const answered: string[] = [];

  for (const [, method, path, body] of requests) {
    const response = await fetch(server.url + fillIn(path!), {
      method: method!,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body && { body: fillIn(body) }),
    });
    const name = method === "POST" && CREATED[path!];
    const reply = response.status === 204 ? null : ((await response.json()) as Reply);
    if (name && reply?.data) ids[name] = reply.data.id;
    answered.push(`${method} ${path} ${response.status}`);
  }

  expect(answered).toEqual(
    requests.map(([, method, path, , status]) => `${method} ${path} ${status}`),
  );
  const endpoints = new Set(requests.map(([, method, path]) => `${method} ${path!.split("?")[0]}`));
  expect(endpoints.size).toBe(ENDPOINTS);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import {
  executable,
  type Installed,
  install,
  newFolder,
  SETTINGS,
} from "../../../tests/installed.ts";
import { sized } from "../../../tests/long.ts";
import { randomFrom } from "../../../tests/random.ts";
import { until } from "../../../tests/until.ts";

/** A plan of an account has 50,000. */
const LINKS = sized(20_000, 45_000);
const KILLS = sized(2, 10);

let installed: Installed;
const folder = newFolder();
let key = "";

beforeAll(async () => {
  const program = await executable();
  const env = { ...SETTINGS, STILLUP_DATA_DIR: join(folder, "data") };
  await $`${program} user create --email killed@example.org --tier business`.env(env).quiet();
  key = (await $`${program} key create --email killed@example.org --name k`.env(env).text()).trim();
  const limits = { STILLUP_RATE_LIMIT_PER_MINUTE: "0", STILLUP_RATE_LIMIT_PER_HOUR: "0" };
  installed = await install(folder, { ...limits, STILLUP_CHECK_CONCURRENCY: "1" });
});
afterAll(() => installed.remove());

async function ask(method: string, path: string, body?: string) {
  const reply = await fetch(`${installed.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return (await reply.json()).data;
}

test("A list is added by a server that is killed again and again, each link once, and each row is accounted for", async () => {
  const random = randomFrom(20_300_103);
  const list = Array.from({ length: LINKS }, (_, n) => `https://example.org/${n}\n`).join("");
  const { id } = await ask("POST", "/imports", list);
  const read = () => ask("GET", `/imports/${id}`);
  await until("the preview", async () => (await read()).status === "ready");
  await ask("POST", `/imports/${id}/start`);

  for (let kill = 1; kill <= KILLS; kill++) {
    const target = Math.floor((LINKS * (kill - random(100) / 100)) / (KILLS + 1));
    await until(`${target} links`, async () => (await read()).counts.created >= target);
    await installed.stop("SIGKILL");
    await installed.start();
  }
  const done = await until("the end of the import", async () => {
    const now = await read();
    return now.status === "complete" && now;
  });

  expect(done.counts).toMatchObject({ total: LINKS, created: LINKS, already_there: 0, refused: 0 });
  expect((await ask("GET", "/links?per_page=1")).pagination.total).toBe(LINKS);
}, 600_000);

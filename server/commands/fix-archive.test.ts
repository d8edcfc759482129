import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type PlayedArchive, stampOf, startArchive } from "../../tests/archive.ts";
import { KINDS } from "../../tests/checker/pages.ts";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { type PlayedNameServer, startNameServer } from "../../tests/name-server.ts";
import { startSite } from "../../tests/site.ts";

const AT = "2025-03-01T12:00:00.000Z";
const ARTICLE = KINDS.article("How to grow tomatoes in small gardens", { words: 400 });

describe("stillup fix --archive", () => {
  const archive: PlayedArchive = startArchive();
  const site = startSite({}, { otherwise: 410 });
  let names: PlayedNameServer;
  beforeAll(async () => {
    names = await startNameServer({});
  });
  afterAll(() => Promise.all([archive.stop(), site.stop(), names.stop()]));
  const { run } = createProgram({
    STILLUP_ARCHIVE_URL: archive.url,
    STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
    STILLUP_CONFIRM_DELAYS_MS: "0",
    STILLUP_HOST_GAP_MS: "0",
  });
  async function fix(text: string, cache: string, env: Record<string, string> = {}) {
    const folder = folderWith({ "a.md": text });
    const more = { STILLUP_DNS_SERVERS: names.address, XDG_CACHE_HOME: cache, ...env };
    const { code, err } = await run(["fix", folder, "--archive", "--write"], more);
    return {
      code,
      err: err.replaceAll(folder, ""),
      text: readFileSync(join(folder, "a.md"), "utf8"),
    };
  }

  test("puts copies in place of dead links, after a line that says who learns of them", async () => {
    const cache = folderWith({});
    const url = "https://gone.garden.com/tomatoes";
    const copy = `${archive.url}/web/${stampOf(AT)}/${url}`;
    archive.kept.push({ url, at: AT, body: `${ARTICLE}<h2 id="soil">Soil</h2>` });
    const text = `[a](${url}) [a](${url}#soil) [b](https://gone.garden.com/?token=1234) [c](${site.url}/inside)`;

    const first = await fix(text, cache);
    const asked = archive.asked();
    archive.requests.length = 0;
    const second = await fix(text, cache);

    expect(first.text).toBe(text.replaceAll(url, copy));
    expect(first.code).toBe(0);
    expect(first.err.split("\n")[0]).toBe(
      `Asking ${archive.url} for copies of 4 dead links, 10 a minute. It learns their addresses.`,
    );
    expect(asked.join("\n")).not.toMatch(/token|inside/);
    expect(second).toEqual(first);
    expect(archive.asked()).toEqual([`/web/${stampOf(AT)}id_/${url}`]);
  });

  test("asks no more once the archive refuses, also not in the next run", async () => {
    const cache = folderWith({});
    archive.forget();
    archive.first = () => new Response(null, { status: 429 });
    const text = "[a](https://a.garden.com/) [b](https://b.garden.com/)";

    const first = await fix(text, cache);
    const second = await fix(text, cache);

    expect([first.code, first.text]).toEqual([2, text]);
    expect(first.err).toMatch(/The archive is not to be asked before .*, so not all copies/);
    expect([second.code, archive.asked().length]).toEqual([2, 1]);
  });

  test("is refused where the settings forbid archives", async () => {
    const { code, err } = await fix("", folderWith({}), { STILLUP_ARCHIVE: "off" });

    expect([code, err]).toEqual([64, "STILLUP_ARCHIVE=off forbids --archive.\n"]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { and, eq } from "drizzle-orm";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { freePort } from "../../tests/free-port.ts";
import { type Asker, startServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { type Routes, startSite } from "../../tests/site.ts";
import { ALIVE, GONE } from "../../tests/triage/playing.ts";
import { links } from "../ground/db/tables.ts";
import { toRow, writeSuggestions } from "../links/suggestions/rows.ts";

const PAGE = `<title>A page</title><h1 id="part">A page</h1><p>${"Some words. ".repeat(60)}</p>`;
const html = () => new Response(PAGE, { headers: { "content-type": "text/html" } });

const NAMES = ["alive", "gone", "repaired", "moved", "copied", "accepted"];

describe("stillup fix --server", () => {
  const routes: Routes = { "/alive": html, "/repaired": html, "/new": html, "/new/accepted": html };
  const site = startSite(routes, { otherwise: 410 });
  const at = (name: string) => `${site.url}/${name}`;
  const copy = "https://web.archive.org/web/20290101000000/https://example.org/copied";
  const { run } = createProgram({
    STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
    STILLUP_CONFIRM_DELAYS_MS: "0",
    STILLUP_HOST_GAP_MS: "0",
  });
  let server: Awaited<ReturnType<typeof startServer>>;
  let me: Asker;
  let key: string;
  beforeAll(async () => {
    server = await startServer("sqlite");
    me = await server.account();
    const body = { name: "CI", permissions: { read: true, write: false } };
    key = (await me.post("/api/v1/keys", body)).body.data.key;
    const { id } = (await me.post("/api/v1/sources", { kind: "push", name: "Docs" })).body.data;
    const pages = [{ page_url: "https://docs.test/", links: NAMES.map((n) => ({ url: at(n) })) }];
    await me.post(`/api/v1/sources/${id}/items`, { items: pages });
    for (let round = 0; round < 2; round++) {
      const check = async ({ url }: { url: string }) => (url === at("alive") ? ALIVE : GONE);
      await checkDueLinks({ ...server.deps, check });
      server.clock.moveBy(86_400_000);
    }
    await suggest("gone", { kind: "variant", url: at("new") });
    await suggest("repaired", { kind: "variant", url: at("new") });
    await suggest("moved", { kind: "moved", url: at("new") });
    await suggest("copied", { kind: "archive", url: copy });
    const accepted = (await me.get(`/api/v1/links?search=accepted`)).body.data.items[0].id;
    await suggest("accepted", { kind: "moved", url: at("new") });
    await me.post(`/api/v1/links/${accepted}/replace`, { url: at("new/accepted") });
  });
  afterAll(() => Promise.all([server.stop(), site.stop()]));

  async function suggest(
    name: string,
    { kind, url }: { kind: "variant" | "moved" | "archive"; url: string },
  ) {
    const { store } = server.deps;
    const isIt = and(eq(links.accountNo, me.accountNo), eq(links.url, at(name)));
    const [link] = await store.select().from(links).where(isIt);
    const found = {
      kind,
      url,
      confidence: kind === "archive" ? ("copy" as const) : ("likely" as const),
      matches: "yes" as const,
      capturedAt: kind === "archive" ? 0 : null,
      checkedAt: server.clock.now(),
      patternId: null,
      title: null,
      evidence: [],
    };
    await writeSuggestions(store, [toRow(link!, found)]);
  }
  const linkTo = (name: string) => `[${name}](${at(name)})\n`;
  const fix = async (text: string, env: Record<string, string>, ...more: string[]) => {
    const folder = folderWith({ "a.md": text });
    const { code, out, err } = await run(["fix", folder, "--write", ...more], env);
    return {
      code,
      out,
      // The server of this test logs there too.
      err: err
        .replace(/^\{.*\n/gm, "")
        .replaceAll(folder, "")
        .replaceAll(site.url, ""),
      text: readFileSync(join(folder, "a.md"), "utf8").replaceAll(site.url, ""),
    };
  };
  const env = () => ({ STILLUP_SERVER: server.url, STILLUP_API_KEY: key });

  test("takes what people accepted, then suggestions, and leaves alone what it finds alive", async () => {
    routes["/accepted"] = html;
    site.requests.length = 0;

    const { code, err, text } = await fix(
      [...NAMES, "other", "copied#part"].map(linkTo).join(""),
      env(),
    );

    expect(text.trim().split("\n")).toEqual([
      "[alive](/alive)",
      "[gone](/new)",
      "[repaired](/repaired)",
      "[moved](/new)",
      `[copied](${copy})`,
      "[accepted](/new/accepted)",
      "[other](/other)",
      "[copied#part](/copied#part)",
    ]);
    expect([code, err.split("\n")[0]]).toEqual([
      2,
      "/a.md:7:9  /other  no suggestion: The server returned 410: the page is gone for good.",
    ]);
    expect(err).toContain(`/copied#part  left alone: ${copy} has no place #part.`);
    const asked = site.requests.map(({ url }) => new URL(url).pathname);
    for (const path of ["/alive", "/accepted"]) expect(asked).not.toContain(path);
  });

  test("takes only the kinds that are wanted, but always what people accepted", async () => {
    const { code, text } = await fix(
      ["gone", "moved", "copied", "accepted"].map(linkTo).join(""),
      env(),
      ...["--kinds", "variant"],
    );

    expect(code).toBe(0);
    expect(text.match(/\(.*\)/g)).toEqual(["(/new)", "(/moved)", "(/copied)", "(/new/accepted)"]);
  });

  test("carries a fragment over to what was accepted or suggested", async () => {
    const { code, text } = await fix(linkTo("gone#part") + linkTo("accepted#none"), env());

    expect(code).toBe(2);
    expect(text).toBe("[gone#part](/new#part)\n[accepted#none](/accepted#none)\n");
  });

  test.each<[string, () => Record<string, string>, number, string]>([
    [
      "has a wrong key",
      () => ({ ...env(), STILLUP_API_KEY: "su_no" }),
      64,
      "does not accept the API key (401)",
    ],
    [
      "has no key, as on a fork",
      () => ({ ...env(), STILLUP_API_KEY: "" }),
      2,
      "There is no API key, so the server is not asked.",
    ],
    [
      "does not answer",
      () => ({ ...env(), STILLUP_SERVER: "http://127.0.0.1:1" }),
      2,
      "does not answer, so not all that it suggests is used.",
    ],
    [
      "is none",
      () => ({ ...env(), STILLUP_SERVER: site.url }),
      2,
      "answered 410, so not all that it suggests is used.",
    ],
  ])("changes nothing where the server %s", async (_, given, wanted, problem) => {
    const { code, err, text } = await fix(linkTo("gone"), given());

    expect([code, text]).toEqual([wanted, "[gone](/gone)\n"]);
    expect(err).toContain(problem);
  });

  test("changes nothing while this machine is offline", async () => {
    const closed = `127.0.0.1:${freePort()}`;
    const given = { ...env(), STILLUP_SENTINELS: closed, STILLUP_DNS_SERVERS: closed };
    const link = "[a](https://garden.com/tomatoes)";

    const { code, err, text } = await fix(link, given);

    expect(text).toBe(link);
    expect([code, err]).toEqual([
      2,
      "This machine is offline, so not all links could be checked.\n",
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgram } from "../../tests/commands/program.ts";

const PAGE = "<!doctype html><title>Here</title><p>A page with something on it.";
const LONG = `<h2 id="setup">Setup</h2><p>${"Many words that say how. ".repeat(20)}</p>`;
const MADE = `${LONG}<script>tabs("windows", "linux")</script>`;

const html = (body: string) => new Response(body, { headers: { "content-type": "text/html" } });

describe("stillup check", () => {
  const { run, start, dataDir } = createProgram({
    STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
    STILLUP_CONFIRM_DELAYS_MS: "0",
    STILLUP_HOST_GAP_MS: "0",
  });
  let site: ReturnType<typeof Bun.serve>;
  let base: string;
  const asked: string[] = [];
  beforeAll(() => {
    site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        const { pathname } = new URL(url);
        asked.push(pathname);
        if (pathname === "/long") return html(LONG);
        if (pathname === "/made") return html(MADE);
        if (pathname === "/moved") return Response.redirect("/here", 301);
        if (pathname !== "/here") return new Response("gone", { status: 410 });
        return html(PAGE);
      },
    });
    base = `http://127.0.0.1:${site.port}`;
  });
  afterAll(() => site.stop(true));

  test("reports each URL in the given order, and that one of them is dead", async () => {
    const { code, out, err } = await run(["check", `${base}/gone`, `${base}/here`]);

    expect(code).toBe(1);
    expect(err).toBe("");
    const lines = out.split("\n");
    expect(lines[0]).toBe(`dead     ${base}/gone`);
    expect(lines[1]).toBe("         The server returned 410: the page is gone for good.");
    expect(out).toContain(`active   ${base}/here\n`);
  });

  test("is content with what is there, and shows the way", async () => {
    const { code, out } = await run(["check", `${base}/moved`]);

    expect(code).toBe(0);
    expect(out).toContain(`301 redirect from ${base}/moved`);
    expect(out).toContain(`final URL ${base}/here`);
  });

  test("is undecided about what it may not see", async () => {
    const closed = await run(["check", "--json", `${base}/here`], {
      STILLUP_CHECK_ALLOWED_HOSTS: "external",
    });

    expect(closed.code).toBe(2);
    expect(JSON.parse(closed.out)).toMatchObject({ status: "unknown", reason: "target_forbidden" });
  });

  test("says which anchors pages lack, asks for each page once, and fails for none", async () => {
    const urls = ["/long#setup", "/long", "/long#set-up", "/long#:~:text=all%20words"];
    const others = ["/made#linux", "/made#mac", "/here#any"];
    const before = asked.length;

    const { code, out } = await run([
      ...["check", "--output", "json", "--allow-unknown"],
      ...[...urls, ...others].map((path) => base + path),
    ]);

    expect(code).toBe(0);
    expect(asked.slice(before).filter((path) => path === "/long")).toHaveLength(1);
    const found = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(found.map(({ status }) => status)).toEqual(Array(7).fill("active"));
    expect(found.map(({ reason }) => reason)).toEqual([
      ...["ok", "ok", "anchor_missing", "anchor_missing", "ok", "anchor_missing", "ok"],
    ]);
    expect(found[2].message).toBe(
      "The page is there, but does not have the anchor “set-up”. It has “setup”.",
    );
  });

  test("shows missing anchors of other sites with their places", async () => {
    const file = join(tmpdir(), "stillup-anchors.md");
    writeFileSync(file, `[a](${base}/long#setup) [b](${base}/long#gone)\n`);

    const { code, out } = await run(["check", file, "--output", "github"]);

    expect(code).toBe(0);
    expect(out).toContain(
      `active  ${base}/long#gone  "b"  The page is there, but does not have the anchor “gone”.`,
    );
    expect(out).toMatch(/^::notice file=.*title=Missing anchor::/m);
    expect(out).toContain("2 active, 1 without their anchor");
  });

  test("asks services in their own way, those of the operator too", async () => {
    const records = [
      {
        id: "shelf",
        name: "Our shelf",
        hosts: ["localhost"],
        kinds: [
          {
            kind: "book",
            path: "^/here$",
            page: { rules: [{ text: "something on it", means: "service_private" }] },
          },
        ],
      },
    ];
    const file = join(mkdtempSync(join(tmpdir(), "stillup-test-")), "services.json");
    writeFileSync(file, JSON.stringify(records));

    const { out } = await run(["check", "--json", `http://localhost:${site.port}/here`], {
      STILLUP_SERVICES_FILE: file,
    });

    expect(JSON.parse(out)).toMatchObject({ service: "shelf", reason: "service_private" });
  });

  test("prints one JSON object a line, and needs no data folder", async () => {
    const { code, out } = await run(["check", "--json", `${base}/moved`, `${base}/here`]);

    expect(code).toBe(0);
    const [first, second] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(Object.keys(first)).toEqual([
      "url",
      "status",
      "reason",
      "message",
      "status_code",
      "final_url",
      "response_time_ms",
      "service",
      "evidence",
      "places",
      "via",
    ]);
    expect(first).toMatchObject({ url: `${base}/moved`, status: "active", status_code: 200 });
    expect(first.final_url).toBe(`${base}/here`);
    expect(second).toMatchObject({ url: `${base}/here`, reason: "ok", places: [], via: "check" });
    expect(existsSync(dataDir)).toBe(false);
  });

  test("checks the links of a list once each, and prints only what is not there", async () => {
    const list = `# ours\n${base}/here\n${base}/gone\n${base}/here\n`;

    const { code, out, err } = await run(["check", "-f", "-", "--quiet"], {}, list);

    expect([code, err]).toEqual([1, ""]);
    expect(out).toStartWith(`dead     ${base}/gone\n`);
    expect(out).not.toContain("/here");
    expect(out).toEndWith("\n1 active, 1 dead, 0 unknown.\n");
  });

  test("ends quietly when its reader closes the pipe, and reports what was found until then", async () => {
    const urls = Array.from({ length: 300 }, (_, n) => `${base}/gone/${n}`);

    const child = start(["check", "-f", "-"], {}, urls.join("\n"));
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();

    expect(await new Response(child.stderr).text()).toBe("");
    expect(await child.exited).toBe(1);
  });

  test("says on which line of a list no URL is, before it checks anything", async () => {
    const { code, out, err } = await run(["check", "-f", "-"], {}, `${base}/here\nnothing\n`);

    expect([code, out]).toEqual([64, ""]);
    expect(err).toBe('Line 2: "nothing" must be an http or https URL.\n');
  });

  test("writes a report that CI shows, and lets pass what it could not see if that is allowed", async () => {
    const junit = join(mkdtempSync(join(tmpdir(), "stillup-test-")), "report.xml");
    const closed = { STILLUP_CHECK_ALLOWED_HOSTS: "external" };
    const args = ["check", `${base}/gone?a=1&b=<2>`, `${base}/here`, "--junit", junit];

    const open = await run(args);
    const report = readFileSync(junit, "utf8");
    const unseen = await run([...args, "--allow-unknown"], closed);

    expect(open.code).toBe(1);
    expect(report).toContain(
      '<testsuite name="links" tests="2" failures="1" errors="0" skipped="0">',
    );
    expect(report).toContain(`name="${base}/gone?a=1&amp;b=&lt;2&gt;"`);
    expect(report).toContain(
      '<failure message="The server returned 410: the page is gone for good."',
    );
    expect(unseen.code).toBe(0);
    expect(readFileSync(junit, "utf8")).toContain('tests="2" failures="0" errors="0" skipped="2"');
  });
});

/** A network of its own, in which nothing leads anywhere. */
const ALONE = ["unshare", "--user", "--map-root-user", "--net"];
const mayLeave = Bun.which("unshare") !== null && Bun.spawnSync([...ALONE, "true"]).exitCode === 0;

test("stillup check says that it is offline when no network leads to a name server", async () => {
  // Without namespaces: to this address nothing may be sent either.
  const nowhere = "255.255.255.255:53";
  const { command, env } = createProgram({
    STILLUP_DNS_SERVERS: mayLeave ? "9.9.9.9:53" : nowhere,
    STILLUP_SENTINELS: mayLeave ? "1.1.1.1:53,8.8.8.8:53" : nowhere,
    STILLUP_CONFIRM_DELAYS_MS: "0",
  });
  const words = [...(mayLeave ? ALONE : []), ...command, "check", "http://example.org/"];

  const child = Bun.spawn(words, { env, stdout: "pipe", stderr: "pipe" });

  expect(await new Response(child.stdout).text()).toContain("This monitor was offline.");
  expect(await new Response(child.stderr).text()).not.toContain("Port should be");
  expect(await child.exited).toBe(2);
});

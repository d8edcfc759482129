import { describe, expect, onTestFinished, test } from "bun:test";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createProgram } from "../../tests/commands/program.ts";
import { addresses } from "../../tests/imports/addresses.ts";
import { outputOf } from "../../tests/output.ts";

const folder = mkdtempSync(join(tmpdir(), "stillup-test-"));

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

let prepared: Promise<string> | undefined;

/** The program with one account, in a copy of a data folder that has it. */
async function withAccount() {
  prepared ??= prepare();
  const program = createProgram();
  cpSync(await prepared, program.dataDir, { recursive: true });
  return program;
}

async function prepare(): Promise<string> {
  const { dataDir, run } = createProgram();
  await run(["user", "create", "--email", "me@example.org"]);
  return dataDir;
}

const linesOf = ({ out }: { out: string }) => out.trimEnd().split("\n");

describe("stillup import", () => {
  test("reports the outcome of each line, and the second time that all is there", async () => {
    const { run } = await withAccount();
    const list = "https://example.org/a\nlink\nhttps://example.org/b\nhttps://example.org/a#x\n";

    const first = await run(["import", "-", "--group", "New"], {}, list);
    const second = await run(["import", "-", "--json"], {}, "https://example.org/b");

    expect([first.code, first.err]).toEqual([1, ""]);
    expect(linesOf(first)).toEqual([
      "created        line 1  https://example.org/a",
      "refused        line 2  link  The URL must be an http or https URL.",
      "created        line 3  https://example.org/b",
      "already there  line 4  https://example.org/a#x",
      "Groups made: New.",
      "2 created, 1 already there, 1 refused.",
    ]);
    expect(second.code).toBe(0);
    const [outcome, summary] = linesOf(second).map((line) => JSON.parse(line));
    expect(outcome).toMatchObject({ line: 1, outcome: "already_there", reason: null });
    expect(summary.summary).toMatchObject({ created: 0, already_there: 1, refused: 0 });
  });

  test("says in its report what the list has and is not kept", async () => {
    const { run } = await withAccount();
    const list = `url,name,owner\nhttps://example.org/a,${"x".repeat(201)},me\n`;

    const ran = await run(["import", "-"], {}, list);
    const [line, summary] = linesOf(await run(["import", "-", "--json", "--dry-run"], {}, list));

    expect([ran.code, ran.err]).toEqual([0, "Column not used: owner.\n"]);
    expect(linesOf(ran)).toEqual([
      "created        line 2  https://example.org/a  not kept: title must be at most 200 characters",
      "Not kept: title of 1 link.",
      "1 created, 0 already there, 0 refused.",
    ]);
    expect(JSON.parse(line!).not_kept).toEqual([
      { field: "title", reason: "must be at most 200 characters" },
    ]);
    expect(JSON.parse(summary!).summary).toMatchObject({
      already_there: 1,
      not_kept: { title: 1 },
    });
  });

  test("does nothing when it is only to say what it would do", async () => {
    const { run } = await withAccount();
    const file = fileOf(
      "dry.csv",
      "url,group\nhttps://example.org/a,Docs\nhttps://example.org/a,\n",
    );

    const { code, out } = await run(["import", file, "--dry-run"]);

    expect(code).toBe(0);
    expect(linesOf({ out })).toEqual([
      "would create   line 2  https://example.org/a",
      "already there  line 3  https://example.org/a",
      "Groups that would be made: Docs.",
      "1 would be created, 1 already there, 0 refused.",
    ]);
    expect(linesOf(await run(["export", "links"]))).toHaveLength(1);
    expect((await run(["export", "links", "--format", "yaml"])).out).toStartWith("groups: []");
  });

  test("reads compressed lists and UTF-16, and says what it cannot read", async () => {
    const { run } = await withAccount();
    const sitemap = "<urlset><url><loc>https://example.org/packed</loc></url></urlset>";
    const wide = Buffer.from("\ufeffhttps://example.org/wide\n", "utf16le");

    const imported = async (name: string, content: string | Uint8Array) => {
      const { code, out, err } = await run(["import", fileOf(name, content), "-q"]);
      return [code, out + err];
    };

    const one = "1 created, 0 already there, 0 refused.\n";
    expect(await imported("map.xml.gz", gzipSync(sitemap))).toEqual([0, one]);
    expect(await imported("wide.txt", wide)).toEqual([0, one]);
    const cut = gzipSync(sitemap).subarray(0, 40);
    expect((await imported("cut.gz", cut))[1]).toContain("is a damaged gzip file.");
    expect((await imported("a.pdf", "%PDF-1.7"))[1]).toContain("is a PDF.");
    expect((await imported("latin.txt", Buffer.from("http://\xe4", "latin1")))[1]).toContain(
      "iconv",
    );
    expect((await run(["import", folder])).err).toBe("The list cannot be read: it is a folder.\n");
  });

  test("adds what came before a place that cannot be read, and says both", async () => {
    const { run } = await withAccount();
    const urls = Array.from(
      { length: 1500 },
      (_, n) => `"https://example.org/${n}/${"x".repeat(80)}"`,
    );
    const file = fileOf("broken.json", `[${urls.join(",\n")},\nnothing,\n"https://example.org/z"]`);

    const { code, out, err } = await run(["import", file, "-q"]);

    const [, created] = /^([\d,]+) created, 0 already there, 0 refused\.\n$/.exec(out)!;
    expect(Number(created!.replace(",", ""))).toBeGreaterThan(1000);
    expect([code, err]).toEqual([1, expect.stringContaining("could not be read as JSON")]);
    expect(linesOf(await run(["export", "links"]))).toHaveLength(
      1 + Number(created!.replace(",", "")),
    );
  });

  test("adds the records of the lines before one that is none", async () => {
    const { run } = await withAccount();
    const list = '{"url": "https://example.org/a"}\n{"url": "https://example.org/b"}\n{"url": }\n';

    const { code, out } = await run(["import", "-", "-q"], {}, list);

    expect([code, out]).toEqual([1, "2 created, 0 already there, 0 refused.\n"]);
  });

  test("says nothing of links where a list cannot be read at all", async () => {
    const { run } = await withAccount();

    const { code, out } = await run(["import", "-", "--format", "json"], {}, "[nothing]");

    expect([code, out]).toEqual([1, ""]);
  });

  test("leads from an index of sitemaps to its parts", async () => {
    const { run } = await withAccount();
    const index =
      "<sitemapindex><sitemap><loc>https://example.org/1.xml</loc></sitemap></sitemapindex>";

    const { code, out, err } = await run(["import", "-"], {}, index);

    expect(code).toBe(1);
    expect(out).toStartWith("sitemap  https://example.org/1.xml\n");
    expect(err).toContain("fetch each of its sitemaps");
  });

  test("shows nothing of a list or a file that a terminal would obey", async () => {
    const { run } = await withAccount();
    const index = "<sitemapindex><sitemap><loc>\x1b]0;x\x07</loc></sitemap></sitemapindex>";

    const listed = await run(["import", "-"], {}, index);
    const applied = await run(["apply", "-f", "-"], {}, '"\\e[31mx": 1');

    expect(listed.out).toStartWith("sitemap   ]0;x");
    expect(applied.err).toContain("unknown field:  [31mx");
    expect(listed.out + listed.err + applied.err).not.toMatch(/\p{Cc}(?<!\n)/u);
  });

  test("asks whose account is meant where there are several, or none", async () => {
    const { run } = createProgram();
    const none = await run(["import", "-"], {}, "https://example.org/");
    for (const name of ["one", "two"]) await run(["user", "create", "--email", `${name}@a.org`]);

    const several = await run(["import", "-"], {}, "https://example.org/");
    const named = await run(["import", "-", "--email", "two@a.org"], {}, "https://example.org/");

    expect([none.code, none.err]).toEqual([
      1,
      "There is no account yet; create one with `stillup user create`.\n",
    ]);
    expect([several.code, several.err]).toEqual([
      64,
      "There are several accounts; choose one with --email.\n",
    ]);
    expect(named.code).toBe(0);
  });

  const linesFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => `https://example.org/${first + i}\n`).join("");

  test("that Ctrl-C stops leaves whole parts, says where, and goes on when it is run again", async () => {
    const { command, env, run } = await withAccount();
    const importing = Bun.spawn([...command, "import", "-"], {
      env,
      stdin: Buffer.from(linesFrom(0, 50_000)),
      stdout: "pipe",
      stderr: "pipe",
    });
    onTestFinished(() => importing.kill("SIGKILL"));
    const output = outputOf(importing);
    await output.has(/^created/m);

    importing.kill("SIGINT");

    const stopped = await output.has(/^Stopped after line (\d+)\. Run it again to go on\.$/m);
    expect(await importing.exited).toBe(130);
    const line = Number(stopped[1]);
    expect(line % 1000).toBe(0);
    const again = linesOf(await run(["import", "-", "-q"], {}, linesFrom(0, line + 500)));
    expect(again).toEqual([`500 created, ${line.toLocaleString("en")} already there, 0 refused.`]);
  });
});

describe("stillup export", () => {
  test.each(["csv", "ndjson"])(
    "makes %s that import takes back",
    async (format) => {
      const one = await withAccount();
      const list =
        'url,group,check_frequency\nhttps://example.org/a,"Docs, =old",weekly\nhttps://example.org/b,,\n';
      await one.run(["import", "-"], {}, list);
      const exported = await one.run(["export", "links", "--format", format]);

      const other = await withAccount();
      const { code } = await other.run(["import", "-"], {}, exported.out);
      const toYaml = ["export", "links", "--format", "yaml"];
      const before = await one.run(toYaml);
      const after = await other.run(toYaml);

      expect(code).toBe(0);
      expect(before.out).toContain('- name: "Docs, =old"');
      expect(after.out.split("\n").sort()).toEqual(before.out.split("\n").sort());
    },
    60_000,
  );

  test("and import keep every address that the API takes, in every format", async () => {
    const one = await withAccount();
    const { out } = await one.run(["import", "-", "-q"], {}, JSON.stringify(addresses(300)));
    const urls = await urlsOf(one);
    const survives = async (args: string[], text: string) => {
      const other = await withAccount();
      const { code, err } = await other.run(args, {}, text);
      return [code, err.includes("left out"), await urlsOf(other)];
    };
    const exportAs = async (format: string) =>
      (await one.run(["export", "links", "--format", format])).out;
    const whole = [0, false, urls];

    expect(out).toEndWith(" 0 refused.\n");
    expect(urls.length).toBeGreaterThan(350);
    for (const format of ["csv", "ndjson"]) {
      expect(await survives(["import", "-"], await exportAs(format))).toEqual(whole);
    }
    expect(await survives(["apply", "-f", "-", "--yes"], await exportAs("yaml"))).toEqual(whole);
  }, 60_000);

  const urlsOf = async (program: Awaited<ReturnType<typeof withAccount>>) =>
    (await known(program)).map(({ url }) => url);

  const RECORDS = [
    {
      url: "https://example.org/a",
      title: '=1+1, "quoted"; \'x',
      note: "- one\n'=two, 🎉\nthree;",
      tags: ["docs", "press 🎉"],
      external_id: "'+p-17",
      metadata: { "a.b": 'x, "y"' },
      assignee: "me@example.org",
      handling: "muted",
      muted_until: new Date(Date.now() + 86_400_000).toISOString(),
      check_schedule: { cron: "0 6 * * 1-5", time_zone: "Europe/Berlin" },
    },
    { url: "https://example.org/b", title: "@b", handling: "acknowledged" },
    { url: "https://example.org/c" },
  ];

  const STATE = { handling: "open", muted_until: null, assignee: null };

  test.each([
    ["csv", true],
    ["csv", false],
    ["ndjson", true],
    ["ndjson", false],
  ])(
    "makes %s from which import takes what is known of links, and what was decided if that is said (%p)",
    async (format, withState) => {
      const [one, other] = [await withAccount(), await withAccount()];
      const options = ["-q", ...(withState ? ["--with-state"] : [])];
      const first = await one.run(
        ["import", "-", "-q", "--with-state"],
        {},
        JSON.stringify(RECORDS),
      );
      const exported = await one.run(["export", "links", "--format", format]);

      const { code, out, err } = await other.run(["import", "-", ...options], {}, exported.out);
      const again = await other.run(["import", "-", ...options], {}, exported.out);

      expect([first.out, first.err]).toEqual(["3 created, 0 already there, 0 refused.\n", ""]);
      const lost = "Not kept: handling of 2 links, muted_until of 1 link, assignee of 1 link.\n";
      expect([code, out]).toEqual([
        0,
        `${withState ? "" : lost}3 created, 0 already there, 0 refused.\n`,
      ]);
      expect(err).toMatch(/^(Columns|Fields) not used: id, status, .*created_at.*\.\n$/);
      expect(again.out).toEndWith("0 created, 3 already there, 0 refused.\n");
      expect(await known(other)).toEqual(
        (await known(one)).map((link) => (withState ? link : { ...link, ...STATE })),
      );
    },
    60_000,
  );

  /** The links of a program, oldest first, without what differs from one to another. */
  async function known({ run }: Awaited<ReturnType<typeof withAccount>>) {
    const { out } = await run(["export", "links", "--format", "ndjson"]);
    return linesOf({ out })
      .map((line) => JSON.parse(line))
      .map(({ id, created_at, status_changed_at, ...link }) => link)
      .sort((a, b) => a.url.localeCompare(b.url));
  }

  test("of checks has its head alone before any check", async () => {
    const { run } = await withAccount();

    expect((await run(["export", "history"])).out).toStartWith('"id","checked_at","url",');
    expect((await run(["export", "history", "--format", "ndjson"])).out).toBe("");
  });
});

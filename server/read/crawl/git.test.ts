import { afterEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createGzip, gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import { labFetching, reasonOf } from "../../../tests/reading/lab.ts";
import { replies, startRawSite, startSite } from "../../../tests/site.ts";
import { fetchContent } from "./fetching.ts";
import {
  branchIn,
  branchUrl,
  commitIn,
  commitRequest,
  filePage,
  type GitHost,
  type Repository,
  recognizeRepository,
  tarballUrl,
} from "./repository.ts";
import { readTarball, type TarballFile } from "./tarball.ts";

const TABLES = yamlIn<{
  repositories: [
    url: string,
    host: GitHost,
    repository: string,
    ref: string | null,
    folder: string,
  ][];
  elsewhere: string[];
}>(import.meta.dir, "git.yaml");

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

const at = (url: string, host?: GitHost) => recognizeRepository(new URL(url), host);
const SHA = "0123456789abcdef0123456789abcdef01234567";

describe("A repository", () => {
  eachRow(TABLES.repositories)(
    "is recognized at its many addresses",
    (url, host, repository, ref, folder) => {
      expect(at(url)).toMatchObject({ host, url: repository, ref, folder });
    },
  );

  test("may be on any host that its owner names", () => {
    expect(at("https://code.example.org/o/r")).toBeNull();
    expect(at("https://code.example.org/o/r", "github")?.api).toBe(
      "https://code.example.org/api/v3",
    );
    expect(at("https://code.example.org/o/r", "forgejo")?.api).toBe(
      "https://code.example.org/api/v1",
    );
  });

  eachRow(TABLES.elsewhere)("is not at other addresses", (url) => expect(at(url)).toBeNull());

  const requests = (repository: Repository | null, ref: string | null) => [
    commitRequest(repository!, ref).url.href,
    tarballUrl(repository!, SHA).href,
    branchUrl(repository!)?.href ?? null,
  ];

  test("is asked for by the API of its host", () => {
    expect(requests(at("https://github.com/o/r"), "feature/x y")).toEqual([
      "https://api.github.com/repos/o/r/commits/feature/x%20y",
      `https://api.github.com/repos/o/r/tarball/${SHA}`,
      null,
    ]);
    expect(requests(at("https://gitlab.com/g/s/p"), "feature/x")).toEqual([
      "https://gitlab.com/api/v4/projects/g%2Fs%2Fp/repository/commits/feature%2Fx",
      `https://gitlab.com/api/v4/projects/g%2Fs%2Fp/repository/archive.tar.gz?sha=${SHA}`,
      null,
    ]);
    expect(requests(at("https://codeberg.org/o/r"), "a&b")).toEqual([
      "https://codeberg.org/api/v1/repos/o/r/commits?sha=a%26b&limit=1&stat=false&verification=false&files=false",
      `https://codeberg.org/api/v1/repos/o/r/archive/${SHA}.tar.gz`,
      "https://codeberg.org/api/v1/repos/o/r",
    ]);
    expect(requests(at("https://github.com/o/r"), null)[0]).toEndWith("/commits/HEAD");
    expect(requests(at("https://codeberg.org/o/r"), null)[0]).not.toContain("sha=");
  });

  eachRow<[host: GitHost, answer: string, commit: string]>([
    ["github", SHA, SHA],
    ["github", `${SHA}\n`, SHA],
    ["gitlab", JSON.stringify({ id: SHA, short_id: "0123" }), SHA],
    ["gitea", JSON.stringify([{ sha: SHA }]), SHA],
    ["forgejo", JSON.stringify([{ sha: SHA.padEnd(64, "0") }]), SHA.padEnd(64, "0")],
    ["github", "<html>", "unreadable"],
    ["github", "../../x", "unreadable"],
    ["gitlab", "{}", "unreadable"],
    ["gitlab", "null", "unreadable"],
    ["gitea", "[]", "unreadable"],
    ["gitea", `[{"sha":"${SHA}"`, "cut_off"],
    ["gitea", "", "cut_off"],
  ])("has the commit that its host's answer says", async (host, answer, commit) => {
    const repository = at("https://code.example.org/o/r", host)!;
    const found = Promise.resolve().then(() => commitIn(repository, answer));

    expect(await found.catch(() => reasonOf(found))).toBe(commit);
  });

  test("has a page for each file", () => {
    const page = (url: string, ref: string) => filePage(at(url)!, ref, "docs/a b#.md");

    expect(page("https://github.com/o/r", "HEAD")).toBe(
      "https://github.com/o/r/blob/HEAD/docs/a%20b%23.md",
    );
    expect(page("https://gitlab.com/g/s/p", "main")).toBe(
      "https://gitlab.com/g/s/p/-/blob/main/docs/a%20b%23.md",
    );
    expect(page("https://codeberg.org/o/r", "a/b")).toBe(
      "https://codeberg.org/o/r/src/branch/a/b/docs/a%20b%23.md",
    );
    expect(page("https://codeberg.org/o/r", SHA)).toBe(
      `https://codeberg.org/o/r/src/commit/${SHA}/docs/a%20b%23.md`,
    );
    expect(branchIn('{"default_branch":"trunk"}')).toBe("trunk");
    expect(() => branchIn("{}")).toThrow();
  });
});

type Entry = {
  name: string;
  body?: string;
  type?: "file" | "symlink" | "directory" | "link";
  linkname?: string;
  pax?: Record<string, string>;
};

const pack = async (entries: Entry[]) =>
  packTar(
    entries.map(({ name, body = "", type = "file", ...more }) => ({
      header: { name, size: Buffer.byteLength(body), type, ...more },
      body,
    })),
  );

const packed = async (entries: Entry[]) => gzipSync(await pack(entries));

const isMarkdown = (path: string) => path.endsWith(".md");

async function read(body: Uint8Array | ReadableStream<Uint8Array>, isWanted = isMarkdown) {
  const site = startSite({ "/": () => new Response(body as Uint8Array<ArrayBuffer>) });
  running.push(site);
  return readFrom(site.url, isWanted);
}

async function readFrom(url: string, isWanted = isMarkdown) {
  const fetched = await fetchContent(labFetching(), new URL(url), () => ({}));
  const files: TarballFile[] = [];
  const reading = (async () => {
    for await (const file of readTarball(fetched.body, isWanted)) files.push(file);
  })();
  const reason = await reasonOf(reading);
  return { files, reason };
}

const unwanted = (path: string) => ({ path, text: null, isTooLarge: false });
const wanted = (path: string, text: string) => ({ path, text, isTooLarge: false });

describe("A tarball", () => {
  test("has the texts of documents, and the paths of everything else", async () => {
    const long = `${"d/".repeat(120)}ü.md`;
    const { files, reason } = await read(
      await packed([
        { name: "o-r-sha/", type: "directory" },
        { name: "o-r-sha/README.md", body: "# Hello\n" },
        { name: "o-r-sha/empty.md" },
        { name: "o-r-sha/src/a.ts", body: "code" },
        { name: `o-r-sha/${long}`, body: "deep" },
      ]),
    );

    expect(reason).toBe("none");
    expect(files).toEqual([
      wanted("README.md", "# Hello\n"),
      wanted("empty.md", ""),
      unwanted("src/a.ts"),
      wanted(long, "deep"),
    ]);
  });

  test("has no links, and nothing outside its first folder", async () => {
    const { files } = await read(
      await packed([
        { name: "r/", type: "directory" },
        { name: "r/link.md", type: "symlink", linkname: "/etc/passwd" },
        { name: "r/hard.md", type: "link", linkname: "r/a.md" },
        { name: "r/../../up.md", body: "x" },
        { name: "r/./here.md", body: "x" },
        { name: "r//double.md", body: "x" },
        { name: "r/back\\slash.md", body: "x" },
        { name: "r/line\nend.md", body: "x" },
        { name: "/etc/absolute.md", body: "x" },
        { name: "../up.md", body: "x" },
        { name: "other/a.md", body: "x" },
        { name: "r", body: "x" },
        { name: "r/a.md", body: "last" },
      ]),
    );

    expect(files).toEqual([wanted("a.md", "last")]);
  });

  test("has a file that is too large without its text", async () => {
    const { files } = await read(
      await packed([
        { name: "r/big.md", body: "x".repeat(2 * 1024 * 1024 + 1) },
        { name: "r/full.md", body: "y".repeat(2 * 1024 * 1024) },
      ]),
    );

    expect(files.map(({ path, text, isTooLarge }) => [path, text?.length, isTooLarge])).toEqual([
      ["big.md", undefined, true],
      ["full.md", 2 * 1024 * 1024, false],
    ]);
  });

  const some = () =>
    pack([
      { name: "r/", type: "directory" },
      { name: "r/a.md", body: "a".repeat(3000) },
      {
        name: "r/b.md",
        body: Buffer.from(Array.from({ length: 9000 }, (_, i) => ((i * i) % 96) + 32)).toString(),
      },
    ]);

  eachRow<[what: string, make: (tar: Uint8Array) => Uint8Array, reason: string]>([
    ["ends early", (tar) => gzipSync(tar).subarray(0, gzipSync(tar).length / 2), "cut_off"],
    ["lacks the last byte", (tar) => gzipSync(tar).subarray(0, -1), "cut_off"],
    ["was cut before it was packed", (tar) => gzipSync(tar.subarray(0, 8000)), "cut_off"],
    ["has no end", (tar) => gzipSync(tar.subarray(0, tar.length - 1024)), "cut_off"],
    ["is not packed", (tar) => tar, "unreadable"],
    ["is HTML", () => Buffer.from("<!doctype html>"), "unreadable"],
    ["is something else that is packed", () => gzipSync("x".repeat(5000)), "unreadable"],
    ["is empty", () => gzipSync(Buffer.alloc(1024)), "unreadable"],
    ["is nothing", () => new Uint8Array(), "cut_off"],
  ])("that is damaged fails as such", async (_, make, reason) => {
    expect((await read(make(await some()))).reason).toBe(reason);
  });

  test("whose connection ends early is cut off", async () => {
    const whole = gzipSync(Buffer.concat([await some(), Buffer.alloc(8000)]), { level: 0 });
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${whole.length}\r\n\r\n`;
    const site = await startRawSite(
      replies(Buffer.concat([Buffer.from(head), whole.subarray(0, 6000)])),
    );
    running.push(site);

    const { files, reason } = await readFrom(site.url);

    expect([files.map(({ path }) => path), reason]).toEqual([["a.md"], "cut_off"]);
  });

  test("with too many entries is too large", async () => {
    const header = (await pack([{ name: "r/a", body: "" }])).subarray(0, 512);
    const entries = Buffer.alloc(200_003 * 512);
    for (let i = 0; i < 200_001; i++) entries.set(header, i * 512);

    expect((await read(gzipSync(entries, { level: 1 }))).reason).toBe("too_large");
  });

  test("that unpacks without end is too large, and needs little memory", async () => {
    const header = await endlessFile("r/a.md");
    const gzip = createGzip();
    const zeros = Buffer.alloc(1024 * 1024);
    let given = 0;
    async function* bomb() {
      gzip.write(header);
      for (; given < 10_000; given++) {
        if (!gzip.write(zeros)) await once(gzip, "drain");
        for (let piece = gzip.read(); piece !== null; piece = gzip.read())
          yield new Uint8Array(piece);
      }
    }
    const pieces = bomb();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    });
    const before = process.memoryUsage.rss();
    const { files, reason } = await read(body);
    const grown = process.memoryUsage.rss() - before;
    gzip.destroy();

    expect([files, reason]).toEqual([
      [{ path: "a.md", text: null, isTooLarge: true }],
      "too_large",
    ]);
    expect(given).toBeLessThan(1000);
    expect(grown).toBeLessThan(200 * 1024 * 1024);
  });
});

/** The header of a file of 8 GiB. */
async function endlessFile(name: string): Promise<Uint8Array> {
  const header = (await pack([{ name }])).subarray(0, 512);
  header.set(Buffer.from("77777777777"), 124);
  header.fill(32, 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.set(Buffer.from(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return header;
}

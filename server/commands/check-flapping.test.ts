import { afterAll, beforeAll, expect, test } from "bun:test";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { sized } from "../../tests/long.ts";
import { dice } from "../../tests/random.ts";
import { createTurns } from "../ground/lib/concurrency.ts";

const REPLAYS = sized(10, 100);
/** They mostly wait for hosts that ask for it. */
const AT_ONCE = 25;
const LINKS = sized(60, 200);
/** Each host answers 429 to itself alone, so that the others are not held back. */
const HOSTS = sized(60, 100);
const FLAPS = [200, 429, 503, 403];

const { run } = createProgram({
  STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_CONFIRM_DELAYS_MS: "0",
  STILLUP_HOST_GAP_MS: "0",
});
const roll = dice(17);
let sites: ReturnType<typeof Bun.serve>[];

function answer({ url }: Request): Response {
  const { pathname } = new URL(url);
  const isGone = pathname === "/gone" || pathname === "/robots.txt";
  const status = isGone ? 404 : FLAPS[Math.floor(roll() * FLAPS.length)]!;
  const page = `<!doctype html><title>${pathname}</title><p>A page about ${pathname}, with words.`;
  return new Response(page, { status, headers: { "content-type": "text/html" } });
}

beforeAll(() => {
  sites = Array.from({ length: HOSTS }, (_, i) =>
    Bun.serve({ hostname: `127.0.1.${i + 1}`, port: 0, fetch: answer }),
  );
});
afterAll(() => Promise.all(sites.map((site) => site.stop(true))));

const urlOf = (n: number, path: string) => {
  const { hostname, port } = sites[n % HOSTS]!;
  return `http://${hostname}:${port}${path}`;
};

type Row = { url: string; status: string };
const rowsIn = (out: string): Row[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const links = () => Array.from({ length: LINKS }, (_, n) => `[${n}](${urlOf(n, `/page/${n}`)})`);
const check = (folder: string) => run(["check", "--json", "--allow-unknown", folder]);

test("Links that flap do not fail a repository", async () => {
  const { code, out } = await check(folderWith({ "a.md": links().join("\n") }));

  expect(rowsIn(out)).toHaveLength(LINKS);
  expect(code).toBe(0);
});

test(
  "Among links that flap, the one that is gone is found each time, and no other",
  async () => {
    const gone = urlOf(1, "/gone");
    const half = LINKS / 2;
    const folder = folderWith({
      "a.md": links().slice(0, half).join("\n"),
      "b.md": [...links().slice(half), `[gone](${gone})`].join("\n"),
    });

    const inTurn = createTurns({ atOnce: AT_ONCE });
    const replays = await Promise.all(
      Array.from({ length: REPLAYS }, () => inTurn(() => check(folder))),
    );

    for (const { code, out } of replays) {
      const rows = rowsIn(out);
      const dead = rows.filter(({ status }) => status === "dead");
      expect([code, rows.length, dead.map(({ url }) => url)]).toEqual([1, LINKS + 1, [gone]]);
    }
  },
  60_000 * sized(1, 10),
);

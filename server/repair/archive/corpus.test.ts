import { afterAll, beforeAll, describe, expect } from "bun:test";
import { captured, stampOf, startArchive } from "../../../tests/archive.ts";
import { say } from "../../../tests/checker/barrier-sites.ts";
import { readRows, rowsFiles } from "../../../tests/checker/read-rows.ts";
import { caseOf, type ResponseFields } from "../../../tests/checker/row-of-response.ts";
import { isSite, siteOf } from "../../../tests/checker/row-of-site.ts";
import { onServer } from "../../../tests/harness.ts";
import type { Trace } from "../../judge/identity/matches.ts";
import { viewCapture } from "./capture.ts";

/** A page of the rules of checks as an archive has it, and whether it is what the link is about. */
type Snapshot = { story: string; isGood: boolean; url: string; body: string; title: string };

const AT = "2029-12-01T00:00:00.000Z";
const HOST = "http://www.example.com";
/** Of the rows that say what one request for a link shows: those with a success and without redirects. */
async function snapshots(): Promise<Snapshot[]> {
  const rows = rowsFiles().flatMap((file) => readRows(file).flatMap((group) => group.rows));
  const all: Snapshot[] = [];
  for (const row of rows) {
    const seen = row.wall === undefined ? String(row.seen ?? "wants") : "unknown";
    if (seen.startsWith("wants")) continue;
    const shown = await shownBy(row as ResponseFields).catch(() => null);
    if (!shown) continue;
    const title = /<title>([^<]*)/i.exec(shown.body)?.[1] ?? "";
    const isGood = /^\W*active\b/.test(seen);
    all.push({ story: String(row.what), isGood, title, ...shown });
  }
  return all;
}

async function shownBy(row: ResponseFields): Promise<{ url: string; body: string } | null> {
  if (isSite(row)) {
    const { path = "/articles/some-story" } = row as { path?: string };
    const url = HOST + path;
    const response = await say(siteOf(row as never), new Request(url));
    const isPage = /html/.test(response.headers.get("content-type") ?? "html");
    return response.status === 200 && isPage ? { url, body: await response.text() } : null;
  }
  const given = await caseOf(row);
  const {
    html,
    status = 200,
    headers = {},
    from = [],
    url = `${HOST}/articles/some-story`,
  } = given;
  const isPlain = status === 200 && from.length === 0 && Object.keys(headers).length === 0;
  if (!isPlain || typeof html !== "string" || given.isReregistered) return null;
  return { url: url.replace("http://site.test", HOST), body: html };
}

const archive = startArchive();
afterAll(() => archive.stop());

onServer(
  "Captures of the pages by which verdicts are tested",
  (server, { test }) => {
    let good: Snapshot[] = [];
    let bad: Snapshot[] = [];
    beforeAll(async () => {
      const all = await snapshots();
      good = all.filter(({ isGood }) => isGood);
      bad = all.filter(({ isGood }) => !isGood);
    });

    const refusalOf = async ({ url, body }: Snapshot, trace: Trace | null) => {
      archive.first = () => captured(body, AT);
      const rawUrl = `${archive.url}/web/${stampOf(AT)}id_/${url}`;
      const capture = { rawUrl, original: url, capturedAt: Date.parse(AT), digest: null };
      const latestAt = server().clock.now();
      const wish = { url, trace, latestAt };
      const viewed = await viewCapture(server().deps, { ...capture, type: "text/html" }, wish);
      return viewed.state === "refused" ? viewed.reason : viewed.state;
    };
    async function offeredOf(all: Snapshot[], traceOf: (of: Snapshot) => Trace | null) {
      const offered: string[] = [];
      for (const each of all) {
        if ((await refusalOf(each, traceOf(each))) === "good") offered.push(each.story);
      }
      return offered;
    }

    describe("that are not the page", () => {
      test("are never offered where the page is remembered", async () => {
        const remembered = { title: "How to grow tomatoes in small gardens", print: null };

        expect(bad.length).toBeGreaterThan(400);
        expect(await offeredOf(bad, () => remembered)).toEqual([]);
      });

      test("are rarely offered where nothing is, since only the site around them shows what they are", async () => {
        const offered = await offeredOf(bad, () => null);
        expect(offered.length / bad.length).toBeLessThan(0.08);
      });
    });

    test("that are the page are offered, unless they show nearly nothing or look like another", async () => {
      const reasons: string[] = [];
      for (const each of good) {
        reasons.push(await refusalOf(each, { title: each.title, print: null }));
      }

      const shown = reasons.filter((reason) => reason !== "little_text");
      const refused = shown.filter((reason) => reason !== "good");
      expect(shown.length).toBeGreaterThan(200);
      // These are rows about pages that look like errors, which only their sites show to be none.
      expect(refused.length / shown.length).toBeLessThan(0.16);
    });
  },
  { STILLUP_ARCHIVE_URL: archive.url },
);

import { afterEach, describe, expect, test } from "bun:test";
import { DAY, HOUR, NEW_LINK, outcomesOf, saw } from "../../tests/checker/ended.ts";
import { labChecker } from "../../tests/checker/prober.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import { type Says, startSite } from "../../tests/site.ts";
import { NEVER_CHECKED } from "./attempt.ts";
import { type Checker, checkUrl } from "./confirm.ts";
import { toEvidence } from "./probe/conclusion.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const page =
  (status: number, html: string, server = "nginx") =>
  () =>
    new Response(html, { status, headers: { "content-type": "text/html", server } });

async function evidenceOf(says: Says, options: Partial<Checker> = {}, host = "127.0.0.1") {
  const site = startSite({ "/a": says });
  stops.push(site.stop);
  const url = `http://${host}:${site.port}/a`;
  const { evidence } = await checkUrl(labChecker(options).checker, { ...NEVER_CHECKED, url });
  return toEvidence(JSON.stringify(evidence))!;
}

describe("The evidence of a check", () => {
  test("quotes the beginning of a dead page, and names its server", async () => {
    const text = `We looked everywhere. ${"Nothing here. ".repeat(40)}`;
    const evidence = await evidenceOf(
      page(404, `<title>Gone</title><style>p {}</style><h1>Sorry &amp; bye</h1><p>${text}`),
    );

    expect(evidence.server).toBe("nginx");
    expect(evidence.excerpt).toStartWith("Sorry & bye We looked everywhere. Nothing here.");
    expect(evidence.excerpt!.length).toBeLessThanOrEqual(200);
  });

  test("quotes no page that is alive or that cannot be judged", async () => {
    for (const status of [200, 503]) {
      const evidence = await evidenceOf(page(status, "<p>Some text of a page."));

      expect([evidence.excerpt, evidence.server]).toEqual([null, "nginx"]);
    }
  });

  test("contains no characters that hide or turn text", async () => {
    const evidence = await evidenceOf(
      page(404, "<p>Not\u202e found\u0007 \u200bhere &#x202e;&#27;[31m", "ng\u0085inx"),
    );

    expect(evidence.excerpt).toBe("Not found here [31m");
    expect(evidence.server).toBe("nginx");
  });

  test("shows how long the name servers took, unless they were not asked", async () => {
    const { clock, checker } = labChecker();
    const resolver = playedResolver({ "site.test": ["127.0.0.1"] });
    const slow = {
      ...resolver,
      resolve: async (name: string) => {
        clock.moveBy(8);
        return resolver.resolve(name);
      },
    };
    const outbound = labOutbound({ clock, resolver: slow });
    const options = { ...checker, outbound };

    expect((await evidenceOf("hello", options, "site.test")).dns_ms).toBe(8);
    expect((await evidenceOf("hello", options, "missing.test")).dns_ms).toBe(8);
    expect((await evidenceOf("hello", options)).dns_ms).toBeNull();
  });

  test("quotes the page of a link that dies because it failed the same way for days", () => {
    const seen = saw("http_503", { statusCode: 503, excerpt: "Out of order" });
    const days = [0, 3, 7.1].map((day): [number, typeof seen] => [(day * DAY) / HOUR, seen]);

    const [first, , last] = outcomesOf(days, NEW_LINK);

    expect(first).toMatchObject({ conclusion: { status: "unknown" } });
    expect(first).not.toHaveProperty("conclusion.evidence.excerpt");
    expect(last).toMatchObject({
      conclusion: { status: "dead", evidence: { excerpt: "Out of order", cause: "http_503" } },
    });
  });
});

describe("The response of a check", () => {
  async function responsesTo(status: number) {
    const site = startSite({ "/a": page(status, `<title>Status ${status}</title>`) });
    stops.push(site.stop);
    const link = { ...NEVER_CHECKED, url: `${site.url}/a`, responses: { alive: null, dead: null } };
    const { checker } = labChecker();
    const first = await checkUrl(checker, link);
    const { fingerprint = null } = first.response ?? {};
    const again = await checkUrl(checker, {
      ...link,
      responses: { alive: fingerprint, dead: fingerprint },
    });
    return [first.response?.statusCode, again.response?.statusCode];
  }

  test("is passed on once, if it shows a link alive or dead, or may do so in days", async () => {
    for (const status of [200, 404, 503])
      expect(await responsesTo(status)).toEqual([status, undefined]);
  });

  test("is not passed on if the server refuses, however often", async () => {
    expect(await responsesTo(403)).toEqual([undefined, undefined]);
  });
});

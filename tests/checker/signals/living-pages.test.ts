import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NEVER_CHECKED } from "../../../server/verdict/attempt.ts";
import { checkUrl } from "../../../server/verdict/confirm.ts";
import type { Conclusion } from "../../../server/verdict/probe/conclusion.ts";
import { type Says, type Site, startSite } from "../../site.ts";
import { labChecker } from "../prober.ts";
import { type Expected, type Host, layout, PLAYED, type Played } from "./living-pages.ts";

const rows = Object.entries(PLAYED).flatMap(([topic, played]) =>
  played.map(([what, ...row]): Played => [`${topic}: ${what}`, ...row]),
);
const pages = new Map(rows.map(([, path, html]) => [path.replace(/\?.*/, ""), html]));

const missing = (html: string, status: number) => () =>
  new Response(html, { status, headers: { "Content-Type": "text/html" } });

/** What each kind of host says at an address that it does not know. */
const OTHERWISE: Record<Host, Says> = {
  honest: missing("<title>404</title><h1>404</h1>", 404),
  gone: missing("Gone.", 410),
  layout: missing(layout("Page not found", "Page not found"), 404),
  same: missing(pages.get("/x/34") ?? "", 200),
  numbered: missing(pages.get("/x/35") ?? "", 200),
};

const sites = new Map<Host, Site>();
beforeAll(() => {
  const front = layout("The Harbour Stores", "Welcome", { main: "<p>Everything for the sea.</p>" });
  const routes = { ...Object.fromEntries(pages), "/": front, "/robots.txt": 404 };
  for (const [host, otherwise] of Object.entries(OTHERWISE)) {
    sites.set(host as Host, startSite(routes, { otherwise }));
  }
});
afterAll(() => Promise.all([...sites.values()].map((site) => site.stop())));

const check = (path: string, host: Host): Promise<Conclusion> =>
  checkUrl(labChecker().checker, {
    ...NEVER_CHECKED,
    url: sites.get(host)!.url + path,
    lastDecided: "active",
  });

const isExpected = ({ status, reason }: Conclusion, expected: Expected): boolean => {
  if (expected === "open") return status !== "dead";
  return expected === "suspected" ? reason === "soft404_suspected" : status === expected;
};

describe("A page with status 200 that may stand in for one that is missing.", () => {
  test.each(rows)("%s at %s", async (_, path, _html, expected, host = "honest") => {
    const conclusion = await check(path, host);

    const { status, reason } = conclusion;
    expect(isExpected(conclusion, expected) ? expected : `${status} ${reason}`).toBe(expected);
  });
});

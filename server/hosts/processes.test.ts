import { expect, test } from "bun:test";
import { startServer } from "../../tests/harness.ts";
import { startNameServer } from "../../tests/name-server.ts";
import { startSite } from "../../tests/site.ts";
import { linkChecksApart } from "../app/build.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { NEVER_CHECKED } from "../judge/attempt.ts";

const KEY = "key-0123456789";

test("what is set for a host reaches the process that checks, and comes back masked", async () => {
  const nameServer = await startNameServer({ "docs.site.test": { A: ["127.0.0.1"] } });
  const site = startSite(
    {
      "/page": ({ headers }) =>
        new Response(`<title>${headers.get("x-key")}</title>`, {
          headers: { "content-type": "text/html" },
        }),
    },
    { certificate: "good" },
  );
  const server = await startServer("sqlite", {
    STILLUP_DNS_SERVERS: nameServer.address,
    STILLUP_EXTRA_CA_FILE: "tests/certs/ca.pem",
    STILLUP_CHECK_PROCESSES: "1",
  });
  // The server's own clock passes its waits at once, for which the pool would look without an end.
  const checks = linkChecksApart({ ...server.deps, clock: systemClock });
  const host = {
    id: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b",
    version: 1,
    host: `docs.site.test:${site.port}`,
    auth: null,
    userAgent: null,
    allowHttp: false,
    isProven: false,
    headers: [["X-Key", KEY]] as [string, string][],
  };
  const url = `https://docs.site.test:${site.port}/page`;

  const known = { ...NEVER_CHECKED, url, host, responses: { alive: null, dead: null } };
  const seen = await checks.check(known, new AbortController().signal);

  checks.stop();
  await Promise.all([server.stop(), site.stop()]);
  nameServer.stop();
  const page = site.requests.find((request) => request.url === url);
  expect(page?.headers.get("x-key")).toBe(KEY);
  expect(seen).toMatchObject({ status: "active", host: { id: host.id, found: "accepted" } });
  expect(seen.response?.title).toBe("***");
});

import { expect, test } from "bun:test";
import { DAY, NO_EVIDENCE, saw } from "../../tests/checker/ended.ts";
import { onServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { addCheck, addLink, setLink } from "../../tests/rows.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";

const path = "/api/v1/links";

const ATTEMPT = {
  at: "2030-01-01T00:00:05.000Z",
  profile: "A",
  outcome: "answered",
  status: 200,
  reason: "domain_parked",
  detail: null,
  elapsed_ms: 182,
  address: "192.0.2.7",
};
const FULL = {
  attempts: [ATTEMPT],
  redirects: [{ url: "https://example.org/a", status: 200, via: "refresh" }],
  final_url: "https://sale.example.net/",
  address: "192.0.2.7",
  tls_expires_at: "2030-03-01T00:00:00.000Z",
  signals: [{ rule: "parked_host", text: "The link leads to a marketplace for domains." }],
  probes: [
    { asked: "sibling", url: "https://example.org/x", status: 200, reason: null, final_url: null },
  ],
  notes: ["The redirects leave https for plain http."],
  monitor: {
    state: "online",
    asked_at: "2030-01-01T00:00:05.000Z",
    sentinels: [{ address: "1.1.1.1:53", answered: true }],
  },
  flapping: true,
  cause: "http_404",
  dns_ms: 8,
  server: "nginx",
  excerpt: "This domain is for sale.",
};
/** As the first version kept it. */
const OLD = {
  attempts: [ATTEMPT],
  redirects: [{ url: "https://example.org/a", status: 301 }],
  final_url: null,
  address: null,
  tls_expires_at: null,
};

onServer("GET /links/{id}", (server) => {
  test("tells what the last check saw, and why", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await setLink(server(), link, {
      status: "dead",
      reason: "http_404",
      lastStatus: "dead",
      lastReason: "http_404",
      lastStatusCode: 404,
      lastResponseTimeMs: 182,
      lastCheckedAt: Date.parse("2030-01-01T00:00:05Z"),
      evidence: JSON.stringify(FULL),
    });

    const { status, body } = await me.get(`${path}/${link.toUpperCase()}`);

    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: link,
      status: "dead",
      reason: "http_404",
      last_check: {
        status: "dead",
        reason: "http_404",
        message: expect.stringContaining("404"),
        status_code: 404,
        response_time_ms: 182,
        checked_at: "2030-01-01T00:00:05.000Z",
      },
      evidence: FULL,
      last_change: null,
    });
  });

  test("reads evidence that an older version kept: what it did not look for is absent", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await setLink(server(), link, { evidence: JSON.stringify(OLD) });

    expect((await me.get(`${path}/${link}`)).body.data.evidence).toEqual({
      ...OLD,
      redirects: [{ url: "https://example.org/a", status: 301, via: "location" }],
      signals: [],
      probes: [],
      notes: [],
      monitor: null,
      flapping: false,
      cause: null,
      dns_ms: null,
      server: null,
      excerpt: null,
    });
  });

  test("tells what was seen when the status last changed, however many checks ago", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const at = (iso: string) => ({ checkedAt: Date.parse(iso) });
    const changed = { statusChanged: true, previousStatus: "unknown" } as const;
    await addCheck(server(), me, link, { ...changed, ...at("2030-01-01T00:00:05Z") });
    const id = await addCheck(server(), me, link, {
      ...at("2030-01-02T00:00:00Z"),
      status: "dead",
      previousStatus: "active",
      statusChanged: true,
      statusCode: null,
      reason: "persistent_failure",
      cause: "conn_refused",
      evidence: JSON.stringify(FULL),
    });
    await addCheck(server(), me, link, { status: "dead", ...at("2030-01-03T00:00:00Z") });
    const moment = Date.parse("2030-01-02T00:00:00Z");
    await setLink(server(), link, { statusChangedAt: moment, lastCheckedAt: moment + 1 });

    expect((await me.get(`${path}/${link}`)).body.data.last_change).toEqual({
      check_id: id,
      status: "dead",
      previous_status: "active",
      reason: "persistent_failure",
      message:
        "The link has been failing the same way for days: The server refused the connection.",
      checked_at: "2030-01-02T00:00:00.000Z",
      evidence: FULL,
    });
  });

  test("shows no change where a check at the moment of the last one changed nothing", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await addCheck(server(), me, link);
    await setLink(server(), link, { lastCheckedAt: server().clock.now() });

    expect((await me.get(`${path}/${link}`)).body.data.last_change).toBeNull();
  });

  test("shows the latest change while the status has only been confirmed since", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const check = (end: Conclusion) => {
      server().clock.moveBy(31 * DAY);
      return checkDueLinks({ ...server().deps, check: async () => end });
    };
    const seen = { ...NO_EVIDENCE, address: "192.0.2.7" };
    await check(saw("http_404", { statusCode: 404, evidence: seen }));
    const changedAt = new Date(server().clock.now()).toISOString();
    await check(saw("http_403", { statusCode: 403 }));

    const { last_change, last_check, evidence } = (await me.get(`${path}/${link}`)).body.data;

    expect(last_change).toMatchObject({
      status: "dead",
      previous_status: "unknown",
      reason: "http_404",
      checked_at: changedAt,
      evidence: { address: "192.0.2.7" },
    });
    expect(last_check.reason).toBe("http_403");
    expect(evidence.address).toBeNull();
  });

  test("shows checking while a check is under way, and the settled status after its lease", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await setLink(server(), link, { status: "active" });
    await me.post(`${path}/${link}/check`);

    expect((await me.get(`${path}/${link}`)).body.data.status).toBe("checking");
    server().clock.moveBy(120_000);
    expect((await me.get(`${path}/${link}`)).body.data.status).toBe("active");
  });

  test("a stranger's link is forbidden, a deleted one of anybody not found", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const foreign = await addLink(stranger);

    expect((await me.get(`${path}/${foreign}`)).status).toBe(403);
    await stranger.delete(`${path}/${foreign}`);
    expect((await me.get(`${path}/${foreign}`)).status).toBe(404);
  });
});

import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer, START } from "../../tests/harness.ts";

const PATH = "/api/v1/webhooks";
const TOPIC = "must name the topic, as in https://ntfy.sh/<topic>";

onServer("POST /webhooks", (server) => {
  test("a new webhook is on, and its signing secret is shown this once", async () => {
    const me = await server().account();

    const { status, headers, body } = await me.post(PATH, {
      url: " https://ops.example.com/hooks/links ",
      events: ["link.dead", "link.alive"],
    });

    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`${PATH}/${body.data.id}`);
    expect(body.data).toEqual({
      id: body.data.id,
      url: "https://ops.example.com/hooks/links",
      events: ["link.dead", "link.alive"],
      url_state: "full",
      first_verdicts: true,
      format: "standard",
      is_active: true,
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      last_delivery_at: null,
      last_status_code: null,
      name: null,
      time_zone: null,
      filter: null,
      summary: null,
      created_at: START,
      updated_at: START,
    });
  });

  test("tells every problem of a request at once", async () => {
    const me = await server().account();

    const { status, body } = await me.post(PATH, {
      url: "ftp://example.com",
      events: ["link.dead", "link.moved"],
    });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({
      url: ["must be an http or https URL"],
      "events[1]": [
        "must be one of: link.dead, link.alive, link.created, link.deleted, link.changed, check.complete, batch.complete, source.complete, summary.ready, usage.threshold",
      ],
    });
  });

  eachRow([
    ["slack", "https://hooks.slack.com/services/T0/B0/x"],
    ["discord", "https://discord.com/api/webhooks/1/x"],
    ["teams", "https://example.logic.azure.com/workflows/x/triggers/manual/paths/invoke?sig=x"],
    ["telegram", "https://api.telegram.org/bot1:x/sendMessage?chat_id=-100123"],
    ["ntfy", "https://ntfy.sh/links_of-mine"],
    ["apprise", "https://apprise.example.com/notify/team-1?tag=links"],
  ])("a webhook may be made for %s, and every record says so", async (format, url) => {
    const me = await server().account();

    const { status, body } = await me.post(PATH, { url, events: ["link.dead"], format });

    expect(status).toBe(201);
    expect(body.data).toMatchObject({ url, format, first_verdicts: false });
    expect((await me.get(`${PATH}/${body.data.id}`)).body.data.format).toBe(format);
    expect((await me.get(PATH)).body.data.items[0].format).toBe(format);
  });

  test("what the format requires of the URL is reported with every other problem", async () => {
    const me = await server().account();

    const { body } = await me.post(PATH, { url: "https://ntfy.sh", events: [], format: "ntfy" });

    expect(body.error.details.fields).toEqual({
      url: [TOPIC],
      events: ["must have at least 1 item"],
    });
  });

  test("an event that is named twice is subscribed once", async () => {
    const me = await server().account();
    const events = ["check.complete", "link.dead", "check.complete"];

    const { body } = await me.post(PATH, { url: "https://example.com", events });

    expect(body.data.events).toEqual(["check.complete", "link.dead"]);
  });

  test("the same URL may be registered twice", async () => {
    const me = await server().account();
    const request = { url: "https://example.com/", events: ["link.dead"] };

    const first = await me.post(PATH, request);
    const second = await me.post(PATH, request);

    expect(second.status).toBe(201);
    expect(second.body.data.signing_secret).not.toBe(first.body.data.signing_secret);
  });

  test("an account at its limit is refused, however many ask at once", async () => {
    const me = await server().account();
    const request = { url: "https://example.com/", events: ["link.dead"] };

    const replies = await Promise.all(Array.from({ length: 27 }, () => me.post(PATH, request)));

    const refused = replies.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(2);
    expect(refused[0]!.body.error.details).toEqual({
      reason: "limit_reached",
      limit: 25,
      used: 25,
    });
  });

  test("a request that is sent again with its key makes nothing and shows no secret", async () => {
    const me = await server().account();
    const request = { url: "https://example.com/", events: ["link.dead"] };
    const first = await me.post(PATH, request, { "idempotency-key": "once" });

    const second = await me.post(PATH, request, { "idempotency-key": "once" });

    expect(second.status).toBe(409);
    expect(second.body.error.details).toEqual({
      reason: "secret_not_replayable",
      id: first.body.data.id,
    });
    expect((await me.get(PATH)).body.data.items).toHaveLength(1);
  });
});

onServer(
  "POST /webhooks where https is required",
  (server) => {
    test("a plain http URL is refused", async () => {
      const me = await server().account();

      const { status, body } = await me.post(PATH, {
        url: "http://example.com/",
        events: ["link.dead"],
      });

      expect(status).toBe(400);
      expect(body.error.details.fields).toEqual({
        url: ["must be an https URL; this server allows only https"],
      });
    });
  },
  { STILLUP_WEBHOOK_REQUIRE_HTTPS: "true" },
);

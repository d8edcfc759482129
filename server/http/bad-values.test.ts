import { expect, onTestFinished, test } from "bun:test";
import {
  type BadValue,
  badFlags,
  badIds,
  badLines,
  badMoments,
  badNames,
  NO_ID,
} from "../../tests/bad-values.ts";
import { startServer } from "../../tests/harness.ts";
import { UNLIMITED } from "../../tests/http/every-route.ts";
import { addKey } from "../../tests/keys/asking.ts";
import { subscribe } from "../../tests/receiver.ts";
import { addGroup, addLink, anyUrl } from "../../tests/rows.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Problems by field: all of them, or one of several. */
type Problems = Record<string, unknown[] | string>;

/** A request, and what the reply says of it: the problems by field, or only the names of the fields. */
type Refused = [
  method: Method,
  path: string,
  body: unknown,
  refusal: Problems | { only: string[] },
];

const FREQUENCIES = ["must be one of: hourly, daily, weekly, monthly"];
const STATUSES = "must be one of: active, dead, unknown";
const SORTS = [
  "must be one of: -created_at, created_at, -status_changed_at, status_changed_at, url, -url, dead_first",
];
const SERVICE = ["must be a service id: a-z, 0-9 and -"];
const GROUP = ['must be a UUID, or "none"'];
const NO_GROUP = ["no such group"];
const EMPTY_LIST = ["must have at least 1 item"];
const NO_LIST = ["must be a list"];

/** A request for each of the values, where `asks` says which one and what the reply says. */
const each = <V>(values: readonly V[], asks: (value: V) => Refused): Refused[] => values.map(asks);

/** A request for each bad value of a field, whose problem is the only one. */
const ofField = (
  method: Method,
  path: string,
  field: string,
  values: BadValue[],
  bodyWith: (value: unknown) => unknown,
): Refused[] =>
  each(values, ([, value, problem]) => [method, path, bodyWith(value), { [field]: [problem] }]);

/** The same for names, which may have several problems at once. */
const ofName = (
  method: Method,
  path: string,
  field: string,
  most: number,
  more: object = {},
): Refused[] =>
  each(badNames(most), ([, value, problem]) => [
    method,
    path,
    { ...more, [field]: value },
    { [field]: problem },
  ]);

const inQuery = (path: string, parameters: Record<string, unknown>) =>
  `${path}?${new URLSearchParams(parameters as Record<string, string>)}`;

function ofLinks(link: string): Refused[] {
  const path = `/links/${link}`;
  return [
    ...ofName("POST", "/links", "url", 2048),
    ...each(
      [
        "example.org",
        "ftp://example.org/",
        "javascript:alert(1)",
        "https://",
        "https:///a",
        "https://user:secret@example.org/",
        "https://example.org/a b",
        "https://example.org\\a",
        "https://exa_mple..org/",
        "https://example.org:22/",
        "https://example.org:99999/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
      ],
      (url) => ["POST", "/links", { url }, { only: ["url"] }],
    ),
    ...ofField("POST", "/links", "group_id", badIds, (group_id) => ({ url: anyUrl(), group_id })),
    ...ofField("PATCH", path, "group_id", badIds, (group_id) => ({ group_id })),
    ...each(["", "Daily", 1, {}], (check_frequency) => [
      "PATCH",
      path,
      { check_frequency },
      { check_frequency: FREQUENCIES },
    ]),
    ...each([null, "", "Daily", 1, {}], (check_frequency) => [
      "POST",
      "/links",
      { url: anyUrl(), check_frequency },
      { check_frequency: FREQUENCIES },
    ]),
    ...each([-1, 1.5, "2", null], (already) => [
      "POST",
      "/links/preview",
      { links: [{ url: anyUrl() }], already },
      { already: ["must be a whole number of at least 0"] },
    ]),
    ["POST", "/links/batch", {}, { links: ["is required"] }],
    ["POST", "/links/batch", { links: null }, { links: NO_LIST }],
    ["POST", "/links/batch", { links: {} }, { links: NO_LIST }],
    ["POST", "/links/batch", { links: [] }, { links: EMPTY_LIST }],
  ];
}

function ofLists(): Refused[] {
  const query = (parameters: Record<string, unknown>, refusal: Refused[3]): Refused => [
    "GET",
    inQuery("/links", parameters),
    undefined,
    refusal,
  ];
  return [
    query({ status: "gone" }, { status: [`${STATUSES}, checking`] }),
    query({ status: "" }, { status: [`${STATUSES}, checking`] }),
    ...each(["", "You Tube", "x".repeat(65)], (service) =>
      query({ service }, { service: SERVICE }),
    ),
    query({ check_frequency: "yearly" }, { check_frequency: FREQUENCIES }),
    query({ sort: "name" }, { sort: SORTS }),
    query({ sort: "" }, { sort: SORTS }),
    ...each(badIds, ([, group_id]) => query({ group_id }, { group_id: GROUP })),
    ...each(["places", "", "strip,suggestion"], (include) => {
      const wrong = include.split(",").at(-1);
      return query(
        { include },
        { include: [`cannot include "${wrong}"; use one or more of: strip`] },
      );
    }),
    ...each(badMoments, ([, date, problem]) => [
      "GET",
      inQuery("/history", { start_date: date, end_date: date }),
      undefined,
      { start_date: [problem], end_date: [problem] },
    ]),
    ...each(badMoments, ([, end_date, problem]) => [
      "GET",
      inQuery("/history/stats", { end_date }),
      undefined,
      { end_date: [problem] },
    ]),
    ...each(badIds, ([, link_id, problem]) => [
      "GET",
      inQuery("/history", { link_id, status: "checking" }),
      undefined,
      { link_id: [problem], status: [STATUSES] },
    ]),
    ...each(
      [
        ["status=gone", "status"],
        ["group_id=x", "group_id"],
        ["check_frequency=never", "check_frequency"],
        ["ids=1,2", "ids[0]", "ids[1]"],
        [`ids=${NO_ID}&status=dead`, "ids"],
        [`ids=${Array.from({ length: 101 }, () => crypto.randomUUID())}`, "ids"],
      ],
      ([wrong, ...only]) => ["GET", `/links/export?${wrong}`, undefined, { only }],
    ),
    ...each(
      [
        ["status=checking", "status"],
        ["changed=maybe", "changed"],
        ["start_date=2030-01-02&end_date=2030-01-01", "start_date"],
      ],
      ([wrong, ...only]) => ["GET", `/history/export?${wrong}`, undefined, { only }],
    ),
  ];
}

/** Requests for many links: deleted, changed, moved or checked. */
function ofMany(group: string): Refused[] {
  const change = { check_frequency: "weekly" };
  const which = ["is required, or else filter, which before goes with"];
  const together = ["cannot be given together with group_id, status or filter"];
  const noChange = ["must have at least one field to change"];
  const deletion = (asked: object, field: string): Refused => [
    "POST",
    "/links/batch-delete",
    asked,
    { only: [field] },
  ];
  const changing = (asked: object, problems: Problems): Refused => [
    "POST",
    "/links/batch-change",
    asked,
    problems,
  ];
  const checking = (asked: object, problems: Problems): Refused => [
    "POST",
    "/links/check",
    asked,
    problems,
  ];
  const firstId = { field: "link_ids[0]", body: (id: unknown) => ({ link_ids: [id] }) };
  return [
    ...ofField("POST", "/links/batch-delete", firstId.field, badIds, firstId.body),
    ...ofField("DELETE", "/links/batch", firstId.field, badIds, firstId.body),
    ...ofField("POST", "/links/check", firstId.field, badIds, firstId.body),
    ...ofField("POST", "/links/batch-change", firstId.field, badIds, (id) => ({
      link_ids: [id],
      change,
    })),
    ...ofField("POST", `/groups/${group}/links`, "link_ids[1]", badIds, (id) => ({
      link_ids: [NO_ID, id],
    })),
    ...each([undefined, null, NO_ID, [], {}], (link_ids) => deletion({ link_ids }, "link_ids")),
    deletion({ filter: { search_: "x" } }, "filter"),
    deletion({ filter: "dead" }, "filter"),
    deletion({ filter: { group_id: "x" } }, "filter.group_id"),
    deletion({ link_ids: [NO_ID], filter: {} }, "link_ids"),
    deletion({ before: "1" }, "link_ids"),
    deletion({ filter: {}, before: "" }, "before"),
    ["POST", `/groups/${group}/links`, {}, { link_ids: ["is required"] }],
    ["POST", `/groups/${group}/links`, { link_ids: null }, { link_ids: NO_LIST }],
    ["POST", `/groups/${group}/links`, { link_ids: NO_ID }, { link_ids: NO_LIST }],
    ["POST", `/groups/${group}/links`, { link_ids: [] }, { link_ids: EMPTY_LIST }],
    changing({}, { change: noChange }),
    changing({ change }, { link_ids: which }),
    changing({ link_ids: [NO_ID], filter: {}, change }, { link_ids: which }),
    changing({ link_ids: [NO_ID], before: "1", change }, { link_ids: which }),
    changing({ link_ids: [], change }, { link_ids: EMPTY_LIST }),
    changing({ filter: {}, change: {} }, { change: noChange }),
    changing({ filter: { stauts: "dead" }, change }, { filter: ["has an unknown field: stauts"] }),
    changing({ filter: [], change }, { filter: ["must be an object"] }),
    changing(
      { filter: { status: "gone" }, change },
      { "filter.status": [`${STATUSES}, checking`] },
    ),
    changing(
      { filter: {}, before: "x!", change },
      { before: ["must be the `next` of the reply before"] },
    ),
    changing({ filter: {}, change: { group_id: NO_ID } }, { "change.group_id": NO_GROUP }),
    changing(
      { filter: {}, change: { check_frequency: "yearly" } },
      { "change.check_frequency": FREQUENCIES },
    ),
    checking({}, { body: ["must have link_ids, or group_id, status or both, or filter"] }),
    checking({ link_ids: [NO_ID], status: "dead" }, { link_ids: together }),
    checking({ link_ids: [NO_ID], group_id: NO_ID }, { link_ids: together }),
    checking({ link_ids: [NO_ID], filter: {} }, { link_ids: together }),
    checking(
      { filter: {}, status: "dead" },
      {
        filter: ["cannot be given together with group_id or status; they have their places in it"],
      },
    ),
    checking({ filter: { serach: "x" } }, { filter: ["has an unknown field: serach"] }),
    checking({ filter: { status: "checking" } }, { "filter.status": [STATUSES] }),
    checking({ filter: { group_id: "docs" } }, { "filter.group_id": GROUP }),
    checking({ link_ids: [] }, { link_ids: EMPTY_LIST }),
    checking({ link_ids: NO_ID }, { link_ids: NO_LIST }),
    checking({ group_id: NO_ID }, { group_id: NO_GROUP }),
    checking({ group_id: null }, { group_id: ["must be a UUID"] }),
    checking({ status: "checking" }, { status: [STATUSES] }),
  ];
}

/** What people note at a link, when it is added and when it is changed. */
function ofNotes(link: string): Refused[] {
  const many = <T>(of: (i: number) => T) => Array.from({ length: 21 }, (_, i) => of(i));
  const schedule = (cron: string, time_zone = "UTC") => ({ check_schedule: { cron, time_zone } });
  const wrong: [object, string][] = [
    [{ tags: many((i) => `t${i}`) }, "tags"],
    [{ tags: ["a,b"] }, "tags[0]"],
    [{ tags: [""] }, "tags[0]"],
    [{ metadata: { count: 1 } }, "metadata.count"],
    [{ metadata: { "a[b]": "x" } }, "metadata.a[b]"],
    [{ metadata: Object.fromEntries(many((i) => [`k${i}`, "x"])) }, "metadata"],
    [{ title: "x".repeat(201) }, "title"],
    [{ assignee_id: NO_ID }, "assignee_id"],
    [{ assignee_id: "me" }, "assignee_id"],
    [schedule("0 6 * * 1-5", "Mars/Olympus"), "check_schedule.time_zone"],
    [schedule("*/5 * * * *"), "check_schedule.cron"],
    [schedule("0 0 6 * * *"), "check_schedule.cron"],
    [schedule("0 0 31 2 *"), "check_schedule.cron"],
  ];
  return wrong.flatMap(([body, field]): Refused[] => [
    ["PATCH", `/links/${link}`, body, { only: [field] }],
    ["POST", "/links", { url: anyUrl(), ...body }, { only: [field] }],
  ]);
}

function ofGroupsAndKeys(group: string, key: string): Refused[] {
  const [groupPath, keyPath] = [`/groups/${group}`, `/keys/${key}`];
  const permissions = (value: unknown, problem: string): Refused => [
    "POST",
    "/keys",
    { name: "a", permissions: value },
    { permissions: [problem] },
  ];
  return [
    ...ofName("POST", "/groups", "name", 100),
    ...ofName("PATCH", groupPath, "name", 100),
    ...ofField("POST", "/groups", "description", badLines(500), (description) => ({
      name: "a",
      description,
    })),
    ...each(badLines(500), ([, description, problem]) => [
      "PATCH",
      groupPath,
      { description, color: null },
      { description: [problem], color: ["must be a text"] },
    ]),
    ...each(["", "red", "#fff", "#12345g", "#1234567", "6B7280"], (color) => [
      "POST",
      "/groups",
      { name: "a", color },
      { color: ["must be a colour of the form #RRGGBB"] },
    ]),
    ...ofName("POST", "/keys", "name", 100),
    ...ofName("PATCH", keyPath, "name", 100),
    ...ofField("POST", "/keys", "expires_at", badMoments, (expires_at) => ({
      name: "a",
      expires_at,
    })),
    ...each(badMoments, ([, expires_at, problem]) => [
      "PATCH",
      keyPath,
      { expires_at, name: 7 },
      { expires_at: [problem], name: ["must be a text"] },
    ]),
    ...ofField("POST", "/keys", "permissions.read", badFlags, (read) => ({
      name: "a",
      permissions: { read },
    })),
    permissions(null, "must be an object"),
    permissions("all", "must be an object"),
    permissions([], "must be an object"),
    permissions({ read: false, write: false }, "must allow read or write"),
  ];
}

const FORMATS = ["must be one of: standard, slack, discord, teams, telegram, ntfy, apprise, email"];
const CHAT = [
  "must name the method and the chat, as in https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>",
];
const TOPIC = ["must name the topic, as in https://ntfy.sh/<topic>"];
const APPRISE_KEY = ["must name the key, as in https://apprise.example.com/notify/<key>"];
const NO_MOMENT_BEFORE = "must be before until, which is now if you leave it out";
const TOO_LONG = "must be at most 14 days before until, which is now if you leave it out";
const EVENTS =
  "link.dead, link.alive, link.created, link.deleted, link.changed, check.complete, batch.complete, source.complete, summary.ready, usage.threshold";

function ofWebhooks(webhook: string): Refused[] {
  const path = `/webhooks/${webhook}`;
  const added = (body: unknown, problems: Problems): Refused => [
    "POST",
    "/webhooks",
    body,
    problems,
  ];
  const withUrl = (url: string, problem: string) =>
    added({ url, events: ["link.dead"] }, { url: [problem] });
  const formatted = (format: unknown, url: string, problems: Problems) =>
    added({ url, events: ["link.dead"], format }, problems);
  const filtered = (filter: unknown, problems: Problems) =>
    added({ url: "https://hooks.example.com/", events: ["link.dead"], filter }, problems);
  const events = (names: unknown[], problem: string) =>
    added({ url: "https://example.com", events: names }, { events: [problem] });
  const grace = (grace_period_seconds: unknown, problem: string): Refused => [
    "POST",
    `${path}/rotate-secret`,
    { grace_period_seconds },
    { grace_period_seconds: [problem] },
  ];
  const again = (body: unknown, problems: Problems): Refused => [
    "POST",
    `${path}/redeliver-failed`,
    body,
    problems,
  ];
  const deliveries = (query: string, problems: Problems | { only: string[] }): Refused => [
    "GET",
    `${path}/deliveries?${query}`,
    undefined,
    problems,
  ];
  const all = (query: string, problems: Problems): Refused => [
    "GET",
    `/webhooks/deliveries?${query}`,
    undefined,
    problems,
  ];
  return [
    added({}, { url: ["is required"], events: ["is required"] }),
    added({ url: null, events: null }, { url: ["must be a text"], events: NO_LIST }),
    added([], { body: ["must be a JSON object"] }),
    withUrl("https://a:b@example.com", "must not contain a user name or a password"),
    withUrl(
      "http://169.254.169.254/",
      "must not lead to 169.254.169.254, which this server is not allowed to reach",
    ),
    withUrl(`https://example.com/${"a".repeat(2029)}`, "must be at most 2048 characters"),
    events([], "must have at least 1 item"),
    events(Array(11).fill("link.dead"), "must have at most 10 items"),
    formatted("irc", "https://example.com/", { format: FORMATS }),
    formatted(null, "https://example.com/", { format: FORMATS }),
    formatted("telegram", "https://example.com/sendMessage", { url: CHAT }),
    formatted("telegram", "https://example.com/sendMessage?chat_id=%20", { url: CHAT }),
    formatted("telegram", "https://example.com/getUpdates?chat_id=1", { url: CHAT }),
    formatted("ntfy", "https://ntfy.sh/topic/json", { url: TOPIC }),
    formatted("ntfy", "https://ntfy.sh/", { url: TOPIC }),
    formatted("ntfy", "https://ntfy.sh/my.topic", { url: TOPIC }),
    formatted("apprise", "https://apprise.example.com/notify/", { url: APPRISE_KEY }),
    formatted("apprise", "https://apprise.example.com/add/k", { url: APPRISE_KEY }),
    filtered([], { filter: ["must be an object"] }),
    filtered(
      { sites: ["x"] },
      {
        "filter.sites": [
          "is not a field of a filter; there are group_ids, services, reasons, tags, assignee, kinds",
        ],
      },
    ),
    filtered(
      { reasons: [] },
      { "filter.reasons": ["must have at least one value; leave it out for any"] },
    ),
    filtered(
      { reasons: ["http_440"] },
      { "filter.reasons[0]": ['has no "http_440"; did you mean "http_410"?'] },
    ),
    filtered(
      { reasons: ["soft_*"] },
      { "filter.reasons[0]": [expect.stringContaining("did you mean")] },
    ),
    filtered(
      { assignee: "x" },
      { "filter.assignee": ['must be the id of a person, "me" or "none"'] },
    ),
    filtered(
      { assignee: "me" },
      { "filter.assignee": ["`me` is only for people who are signed in; name a person by id"] },
    ),
    filtered({ assignee: NO_ID }, { "filter.assignee": ["no such person"] }),
    filtered({ group_ids: ["x"] }, { "filter.group_ids[0]": ['must be ids of groups, or "none"'] }),
    filtered(
      { services: Array.from({ length: 51 }, (_, n) => `s${n}`) },
      { "filter.services": ["must have at most 50 values"] },
    ),
    filtered({ services: "youtube" }, { "filter.services": NO_LIST }),
    grace(1.5, "must be a whole number"),
    grace("60", "must be a whole number"),
    grace(null, "must be a whole number"),
    grace(-1, "must be at least 0"),
    grace(604_801, "must be at most 604800"),
    again(undefined, { body: ["must be a JSON object"] }),
    again({}, { since: ["is required"] }),
    again({ since: null, until: null }, { since: ["must be a text"], until: ["must be a text"] }),
    again({ since: "2029-12-30", until: "2029-12-29" }, { since: [NO_MOMENT_BEFORE] }),
    again({ since: "2031-01-01" }, { since: [NO_MOMENT_BEFORE] }),
    again({ since: "2029-12-01", until: "2029-12-15" }, { since: [TOO_LONG] }),
    again({ since: "2029-12-17T23:59:59Z" }, { since: [TOO_LONG] }),
    ...ofField("POST", `${path}/redeliver-failed`, "since", badMoments, (since) => ({ since })),
    deliveries("status=lost", {
      status: [
        "must be one of: pending, delivering, succeeded, failed, exhausted, cancelled, expired, paused, digested",
      ],
    }),
    deliveries("event=link.moved", { event: [`must be one of: ${EVENTS}, digest`] }),
    deliveries("page=0", { page: ["must be a whole number above 0"] }),
    ...each(["", "dead", "failed,", "failed;exhausted"], (status) =>
      all(`status=${status}`, {
        status: [expect.stringMatching(/^must be some of: pending, /)],
      }),
    ),
    ...each(["", "x", NO_ID, `${NO_ID}.x`, `${NO_ID}.${NO_ID}.${NO_ID}`], (cursor) =>
      all(`cursor=${cursor}`, { cursor: ["must be the next_cursor of another page"] }),
    ),
  ];
}

/** The problems of the reply, as far as the refusal says them. */
function asRefused(fields: Record<string, string[]> | undefined, refusal: Refused[3]): unknown {
  if (!fields) return null;
  if ("only" in refusal) return { only: Object.keys(fields) };
  return Object.fromEntries(
    Object.entries(fields).map(([name, problems]) => {
      const expected = refusal[name];
      const isIn = typeof expected === "string" && problems.includes(expected);
      return [name, isIn ? expected : problems];
    }),
  );
}

test("every field refuses what it cannot be, says why, and changes nothing", async () => {
  const server = await startServer("sqlite", UNLIMITED);
  onTestFinished(server.stop);
  const me = await server.account();
  const [link, group] = [await addLink(me), await addGroup(me)];
  const { id: key } = await addKey(server, me);
  const { id: webhook } = await subscribe(me, "https://example.com/");
  const all = ["/links", "/groups", "/keys", "/webhooks"];
  const records = () => Promise.all(all.map(async (path) => (await me.get(`/api/v1${path}`)).body));
  const before = await records();
  const refused = [
    ...ofLinks(link),
    ...ofLists(),
    ...ofMany(group),
    ...ofNotes(link),
    ...ofGroupsAndKeys(group, key),
    ...ofWebhooks(webhook),
  ];

  const seen: unknown[] = [];
  const expected: unknown[] = [];
  for (const [method, path, body, refusal] of refused) {
    const asked = `${method} ${path} ${JSON.stringify(body)}`.slice(0, 200);
    const verb = method.toLowerCase() as Lowercase<Method>;
    const reply =
      verb === "get" ? await me.get(`/api/v1${path}`) : await me[verb](`/api/v1${path}`, body);
    const { details } = reply.body.error ?? {};
    seen.push([asked, reply.status, asRefused(details?.fields, refusal)]);
    expected.push([asked, 400, refusal]);
  }

  expect(seen).toEqual(expected);
  expect(await records()).toEqual(before);
});

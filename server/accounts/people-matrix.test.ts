import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addDelivery } from "../../tests/deliveries/logged.ts";
import { type Asker, startServer, type TestServer } from "../../tests/harness.ts";
import { addKey, READ_ONLY, WRITE_ONLY } from "../../tests/keys/asking.ts";
import { makeAdministrator, newTeam } from "../../tests/people/people.ts";
import { DASHBOARD, FOR_KEYS, type Kind, OPEN, ROOMS } from "../../tests/people/placed-routes.ts";
import { addGroup, addLink } from "../../tests/rows.ts";
import { newColleague } from "../../tests/session/browser.ts";
import { createApp } from "../app/app.ts";
import { users } from "../ground/db/tables.ts";
import { createSession } from "./sessions.ts";

const API = "/api/v1";
const PRIVATE = "/dashboard/api";
const NO_ID = "0197a1b2-0000-7000-8000-000000000000";

const SIGNED_IN = ["owner", "editor", "viewer", "administrator", "other owner"] as const;
const WHO = [...SIGNED_IN, "stranger", "read key", "write key"] as const;
type Who = (typeof WHO)[number];

/** Who gets past the doors to routes of a kind. The administrator is a viewer of the account besides. */
const LET_IN: Record<Kind | "key read" | "key write", readonly Who[]> = {
  open: WHO,
  stranger: WHO,
  own: SIGNED_IN,
  members: SIGNED_IN,
  read: SIGNED_IN,
  write: ["owner", "editor", "other owner"],
  owners: ["owner", "other owner"],
  administrators: ["administrator"],
  "key read": ["read key"],
  "key write": ["write key"],
};

type Place = { route: string; kind: keyof typeof LET_IN };

const within = (prefix: string, kind: Place["kind"], routes: string[]): Place[] =>
  routes.map((route) => ({ route: route.replace(" ", ` ${prefix}`), kind }));

const PLACES: Place[] = [
  ...within("", "open", OPEN),
  ...within("", "key read", FOR_KEYS),
  ...within(API, "key read", ROOMS.read),
  ...within(API, "key write", ROOMS.write),
  ...within(PRIVATE, "read", ROOMS.read),
  ...within(PRIVATE, "write", ROOMS.write),
  ...Object.entries(DASHBOARD).flatMap(([kind, routes]) =>
    within(PRIVATE, kind as keyof typeof DASHBOARD, routes),
  ),
];

describe("Of all routes and all who may ask", () => {
  let server: TestServer;
  let team: Awaited<ReturnType<typeof newTeam>>;
  let me: Asker;
  let userOf: Record<(typeof SIGNED_IN)[number], string>;
  let keyOf: Record<"read key" | "write key", string>;

  beforeAll(async () => {
    server = await startServer("sqlite", {
      STILLUP_RATE_LIMIT_PER_MINUTE: "100000",
      STILLUP_RATE_LIMIT_PER_HOUR: "100000",
    });
    team = await newTeam(server);
    const other = await newTeam(server);
    const administrator = await newColleague(server, team, "viewer");
    await makeAdministrator(server, administrator.id);
    const made = await team.browsers.owner.post("/keys", { name: "all" });
    me = server.asker(made.body.data.key, {
      accountId: team.account.id,
      accountNo: team.account.no,
    });
    keyOf = {
      "read key": (await addKey(server, me, READ_ONLY)).key,
      "write key": (await addKey(server, me, WRITE_ONLY)).key,
    };
    userOf = {
      owner: team.owner.id,
      editor: team.editor.id,
      viewer: team.viewer.id,
      administrator: administrator.id,
      "other owner": other.owner.id,
    };
  });
  afterAll(() => server.stop());

  /** A session of its own for each request, since some requests end it. */
  async function proofOf(who: Who): Promise<Record<string, string>> {
    if (who === "stranger") return {};
    if (who === "read key" || who === "write key") return { authorization: `Bearer ${keyOf[who]}` };
    const { store, clock } = server.deps;
    const token = await createSession(store, userOf[who], clock.now());
    return { cookie: `session=${token}` };
  }

  async function ask(who: Who, route: string, body: object = {}) {
    const [method = "", path = ""] = route.split(" ");
    const isRead = method === "GET";
    const response = await server.front(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: {
          ...(await proofOf(who)),
          "sec-fetch-site": "same-origin",
          ...(!isRead && { "content-type": "application/json" }),
        },
        ...(!isRead && { body: JSON.stringify(body) }),
      }),
    );
    const { status } = response;
    // A line of events would stay open.
    await response.body?.cancel();
    return status;
  }

  const idless = (route: string) => route.replace(/:\w+/g, NO_ID);

  test("each route has its place here, and none is here that there is not", () => {
    const routes = createApp(server.deps).routes.map(({ method, path }) => `${method} ${path}`);

    expect(routes.toSorted()).toEqual(PLACES.map(({ route }) => route).toSorted());
  });

  test.each(WHO)("the doors admit %s where they should, and nowhere else", async (who) => {
    const wrong: string[] = [];
    for (const { route, kind } of PLACES) {
      const status = await ask(who, idless(route));
      const isIn = status !== 401 && status !== 403;
      if (isIn !== LET_IN[kind].includes(who)) wrong.push(`${route}: ${status}`);
    }

    expect(wrong).toEqual([]);
  });

  test("the owner of another account gets nothing of anyone's, and changes nothing", async () => {
    const records = await makeRecords();
    const named = (route: string) =>
      route.replace(/(\w+)\/:\w+/g, (_, owner: string) => `${owner}/${records[owner]}`);
    const routes = PLACES.map(({ route }) => route)
      .filter((route) => route.includes(`${PRIVATE}/`) && route.includes("/:"))
      .filter((route) => !route.includes("/sessions/"));
    const before = await snapshot();

    const got: string[] = [];
    for (const route of routes) {
      const body =
        route.startsWith("PATCH") && route.includes("/people/") ? { role: "viewer" } : {};
      const status = await ask("other owner", named(route), body);
      // Wrong links of mails count as guesses.
      if (![400, 403, 404, 429].includes(status)) got.push(`${route}: ${status}`);
    }

    expect(routes.length).toBeGreaterThan(25);
    expect(got).toEqual([]);
    expect(await snapshot()).toBe(before);
  });

  /** One of everything that an account can have, by the part of a path that its id follows. */
  async function makeRecords(): Promise<Record<string, string>> {
    const link = await addLink(me);
    const group = await addGroup(me);
    const hook = await me.post(`${API}/webhooks`, {
      url: "https://example.org/hook",
      events: ["link.dead"],
    });
    const webhook: string = hook.body.data.id;
    const batch = await me.post(`${API}/links/check`, { link_ids: [link] });
    return {
      keys: (await addKey(server, me)).id,
      links: link,
      groups: group,
      webhooks: webhook,
      deliveries: await addDelivery(server, me, webhook),
      batches: batch.body.data.batch_id,
      people: team.viewer.id,
      users: team.viewer.id,
      accounts: team.account.id,
    };
  }

  async function snapshot(): Promise<string> {
    const lists = ["account", "keys", "links", "groups", "webhooks"];
    const replies = await Promise.all(
      lists.map(async (list) => (await me.get(`${API}/${list}`)).body),
    );
    const people = await server.deps.store.select().from(users).orderBy(users.id);
    return JSON.stringify([replies, people]);
  }
});

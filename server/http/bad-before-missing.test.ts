import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { badPathIds } from "../../tests/bad-values.ts";
import { eachRow } from "../../tests/each-row.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import {
  createAskBothDoors,
  type Route,
  routesOf,
  UNLIMITED,
} from "../../tests/http/every-route.ts";
import { oidcSettings } from "../../tests/oidc.ts";
import { newId } from "../ground/lib/ids.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Every route behind both doors, asked about a record that does not exist. */
describe("a request that is not valid is 400, even about a record that does not exist", () => {
  let server: TestServer;
  let routes: Route[];
  let ask: Awaited<ReturnType<typeof createAskBothDoors>>["ask"];
  beforeAll(async () => {
    // Without a provider its routes are gone too.
    const settings = { ...UNLIMITED, ...oidcSettings("http://127.0.0.1:9") };
    server = await startServer("sqlite", settings);
    // After the setup its route is gone, whatever is sent.
    routes = routesOf(server).filter(({ path }) => path !== "/dashboard/api/setup");
    ({ ask } = await createAskBothDoors(server));
  });
  afterAll(() => server.stop());

  const withBody = () =>
    routes.flatMap(({ fields, ...route }) => (fields ? [{ ...route, fields }] : []));
  const missing = ({ path }: Route | Omit<Route, "fields">) => path.replace(/:\w+/g, newId);

  /** Those of the requests that were not answered with 400. */
  async function others(
    requests: { method: string; path: string; body?: unknown; headers?: object }[],
  ) {
    const answers = await Promise.all(
      requests.map(async ({ method, path, body, headers = {} }) => {
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const reply = await ask(path, { method, headers: { ...JSON_TYPE, ...headers }, ...sent });
        return { status: reply.status, request: `${method} ${path} ${JSON.stringify(body)}` };
      }),
    );
    expect(answers.length).toBeGreaterThan(10);
    return answers
      .filter(({ status }) => status !== 400)
      .map(({ status, request }) => `${status}: ${request}`);
  }

  eachRow(["%zz", "%", "%E9", "%ED%A0%80", "a%00b"])(
    "but 404 with %s in its path",
    async (text) => {
      const asked = routes.filter(({ path }) => path.includes(":"));
      const statuses = await Promise.all(
        asked.map(async ({ method, path, fields }) => {
          const body = fields ? { body: "{}" } : {};
          const reply = await ask(path.replace(/:\w+/g, text), {
            method,
            headers: JSON_TYPE,
            ...body,
          });
          return `${reply.status}: ${method} ${path}`;
        }),
      );

      expect(asked.length).toBeGreaterThan(10);
      expect(statuses.filter((each) => !each.startsWith("404"))).toEqual([]);
    },
  );

  test("but 404 with an id in its path that nothing has, however it is written", async () => {
    // Those that need nothing else, which would be looked at before.
    const asked = routes.filter(
      ({ path, fields }) => path.includes(":") && fields === null && !path.includes("/preview/"),
    );
    const statuses = await Promise.all(
      asked.flatMap(({ method, path }) =>
        badPathIds.map(async (id) => {
          const { status } = await ask(path.replace(/:\w+/g, id), { method, headers: JSON_TYPE });
          return `${status}: ${method} ${path} ${id}`;
        }),
      ),
    );

    expect(asked.length).toBeGreaterThan(10);
    expect(statuses.filter((each) => !each.startsWith("404"))).toEqual([]);
  });

  test("with a body that is not an object", async () => {
    const wrong = await others(
      withBody().flatMap((route) =>
        [7, "x", [], null, true].map((body) => ({ ...route, path: missing(route), body })),
      ),
    );

    expect(wrong).toEqual([]);
  });

  test("with a field of the wrong type", async () => {
    const wrong = await others(
      withBody().flatMap(({ fields, ...route }) =>
        Object.entries(fields).map(([name, type]) => ({
          ...route,
          path: missing(route),
          body: { [name]: type === "object" ? 7 : { x: 1 } },
        })),
      ),
    );

    expect(wrong).toEqual([]);
  });

  test("also where the change is meant for one state of the record only", async () => {
    const wrong = await others(
      withBody()
        .filter(({ path }) => path.includes(":"))
        .map((route) => ({
          ...route,
          path: missing(route),
          body: 7,
          headers: { "if-match": '"x"' },
        })),
    );

    expect(wrong).toEqual([]);
  });

  test("with a parameter of the query that is given twice", async () => {
    const wrong = await others(
      routes.flatMap((route) =>
        route.parameters.map((name) => ({
          method: route.method,
          path: `${missing(route)}?${name}=x&${name}=x`,
        })),
      ),
    );

    expect(wrong).toEqual([]);
  });
});

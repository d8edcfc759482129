import * as z from "zod";
import { createSession } from "../../server/accounts/sessions.ts";
import { createApp } from "../../server/app/app.ts";
import type { Asker, TestServer } from "../harness.ts";
import { makeAdministrator, newTeam } from "../people/people.ts";

type Schema = { properties?: Record<string, { type?: string }>; anyOf?: Schema[] };

/** A route behind one of the doors, with what it reads. */
export type Route = {
  method: string;
  /** With parameters as `:id`. */
  path: string;
  /** Names of the body's fields with their JSON type; null for a route without a body. */
  fields: Record<string, string | undefined> | null;
  /** Names of the query's parameters. */
  parameters: string[];
};

/** Without limits that many requests of one test would reach. */
export const UNLIMITED = {
  STILLUP_RATE_LIMIT_PER_MINUTE: "0",
  STILLUP_RATE_LIMIT_PER_HOUR: "0",
};

/** Every route under /api/v1 and /dashboard/api, as the program has them. */
export const routesOf = ({ deps }: TestServer): Route[] =>
  createApp(deps)
    .routes.filter(({ path }) => /^\/(api\/v1|dashboard\/api)\//.test(path))
    .map(({ method, path, hooks }) => {
      const { body, query } = hooks as { body?: z.ZodType; query?: z.ZodType };
      return {
        method,
        path,
        fields: body ? fieldsOf(body) : null,
        parameters: query ? Object.keys(fieldsOf(query)) : [],
      };
    });

const fieldsOf = (schema: z.ZodType): Record<string, string | undefined> =>
  typesIn(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema);

const typesIn = ({ properties = {}, anyOf = [] }: Schema): Record<string, string | undefined> =>
  Object.assign(
    {},
    ...anyOf.map(typesIn),
    Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type])),
  );

/** Asks in-process with everything that opens a door: a key, and the session of an owner who is an administrator. */
export async function createAskBothDoors(server: TestServer) {
  const team = await newTeam(server);
  await makeAdministrator(server, team.owner.id);
  const made = await team.browsers.owner.post("/keys", { name: "all" });
  const me: Asker = server.asker(made.body.data.key, {
    accountId: team.account.id,
    accountNo: team.account.no,
  });
  const token = await createSession(server.deps.store, team.owner.id, server.clock.now());
  const ask = (path: string, { headers, ...init }: RequestInit) =>
    server.front(
      new Request(`${server.url}${path}`, {
        headers: {
          ...(path.startsWith("/api/")
            ? { authorization: `Bearer ${me.key}` }
            : { cookie: `session=${token}`, "sec-fetch-site": "same-origin" }),
          ...(headers as Record<string, string>),
        },
        ...init,
      }),
    );
  return { me, ask };
}

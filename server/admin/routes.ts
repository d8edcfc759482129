import { Elysia } from "elysia";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { toPage } from "../http/page.ts";
import { recordRefusals, refusals } from "../http/refusals.ts";
import { data, ErrorReply, pageOf } from "../http/reply.ts";
import { notSignedIn, sessionOf } from "../http/session-door.ts";
import type { Session } from "../session/sessions.ts";
import {
  changeTier,
  findAdminAccount,
  inviteOwner,
  listAccounts,
  removeAccount,
} from "./accounts.ts";
import * as model from "./model.ts";
import { changePerson, invitePerson, removePerson, resetPerson } from "./people.ts";
import { readState } from "./state.ts";

const changeRefusals = { ...recordRefusals, 409: ErrorReply, 413: ErrorReply, 415: ErrorReply };

/** What those do who run the installation; mounted behind the session door only. */
export function adminRoutes(deps: Deps) {
  /** The door lets in nobody without one, unless it ended this very moment. */
  async function administrator(request: Request): Promise<Session> {
    const session = await sessionOf(deps, request);
    if (!session) throw notSignedIn();
    return session;
  }

  return new Elysia({ prefix: "/admin", detail: { hide: true } })
    .get("/state", async () => ({ data: await readState(deps) }), {
      response: { 200: data(model.State), ...refusals },
    })
    .get(
      "/accounts",
      async ({ request, query, set }) =>
        toPage(await listAccounts(deps, query), query, model.toAccount, { request, set }),
      { query: model.AccountQuery, response: { 200: pageOf(model.Account), ...refusals } },
    )
    .post(
      "/accounts",
      async ({ body, status }) => status(201, { data: await inviteOwner(deps, body) }),
      { body: model.NewAccount, response: { 201: data(model.Invitation), ...changeRefusals } },
    )
    .patch(
      "/accounts/:id",
      async ({ params, body }) => ({
        data: model.toAccount(await changeTier(deps, params.id, body.tier)),
      }),
      { body: model.AccountChange, response: { 200: data(model.Account), ...changeRefusals } },
    )
    .delete(
      "/accounts/:id",
      async ({ request, params, status }) => {
        await removeAccount(deps, await administrator(request), params.id);
        return status(204, undefined);
      },
      { response: { 204: z.undefined(), ...recordRefusals, 409: ErrorReply } },
    )
    .post(
      "/accounts/:id/users",
      async ({ params, body, status }) =>
        status(201, { data: await invitePerson(deps, params.id, body) }),
      { body: model.NewPerson, response: { 201: data(model.Invitation), ...changeRefusals } },
    )
    .patch(
      "/users/:id",
      async ({ request, params, body }) => {
        const user = await changePerson(deps, await administrator(request), params.id, body);
        return { data: model.toAccount(await findAdminAccount(deps, user.accountId)) };
      },
      { body: model.PersonChange, response: { 200: data(model.Account), ...changeRefusals } },
    )
    .delete(
      "/users/:id",
      async ({ request, params, status }) => {
        await removePerson(deps, await administrator(request), params.id);
        return status(204, undefined);
      },
      { response: { 204: z.undefined(), ...recordRefusals, 409: ErrorReply } },
    )
    .post(
      "/users/:id/password-link",
      async ({ params }) => ({ data: await resetPerson(deps, params.id) }),
      { response: { 200: data(model.Invitation), ...recordRefusals } },
    );
}

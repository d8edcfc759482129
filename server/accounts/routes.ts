import { Elysia } from "elysia";
import * as z from "zod";
import { callers, data, ErrorReply, recordRefusals, refusals } from "../api/reply.ts";
import type { Deps } from "../work/deps.ts";
import { endedCookie, presentSession } from "./doors.ts";
import type { Guard } from "./guard.ts";
import * as model from "./model.ts";
import {
  changePerson,
  deleteOwnAccount,
  invitePerson,
  listPeople,
  type Manager,
  removePerson,
  resetPerson,
} from "./people.ts";
import { Account, findAccount, readUsage, Usage } from "./usage.ts";

export const accountRoutes = (deps: Deps) =>
  new Elysia({ tags: ["Account"] })
    .use(callers)
    .get("/account", async ({ caller }) => ({ data: await findAccount(deps, caller) }), {
      response: { 200: data(Account), ...refusals },
      detail: {
        access: "read",
        operationId: "getAccount",
        summary: "Get the account with its tier and limits",
      },
    })
    .get("/usage", async ({ caller }) => ({ data: await readUsage(deps, caller) }), {
      response: { 200: data(Usage), ...refusals },
      detail: {
        access: "read",
        operationId: "getUsage",
        summary: "Get this month's requests, links and checks",
        description:
          "Counts for the current calendar month in UTC. They are stored every few seconds, so the latest requests may be missing.",
      },
    });

const changeRefusals = { ...recordRefusals, 409: ErrorReply, 413: ErrorReply, 415: ErrorReply };

/** The people of the caller's account. Only for sessions, and for owners to change. */
export function peopleRoutes(deps: Deps, { countProof, countInvitation, ...guards }: Guard) {
  const guarded = { ...deps, ...guards };

  return new Elysia({ detail: { hide: true, access: "owner" } })
    .get(
      "/people",
      async ({ request }) => {
        const { user } = presentSession(request);
        const people = await listPeople(deps, [user.accountId]);
        return { data: { items: people.map(model.toColleague(user.id)) } };
      },
      { detail: { access: "read" }, response: { 200: data(model.People), ...refusals } },
    )
    .post(
      "/people",
      async ({ request, body, status }) => {
        const owner = ownerOf(request);
        const { accountId } = owner.session.user;
        await countInvitation(accountId);
        return status(201, { data: await invitePerson(deps, owner, accountId, body) });
      },
      { body: model.NewPerson, response: { 201: data(model.Invitation), ...changeRefusals } },
    )
    .patch(
      "/people/:id",
      async ({ request, params, body }) => {
        const person = await changePerson(deps, ownerOf(request), params.id, body);
        return { data: model.toUser(person) };
      },
      { body: model.RoleChange, response: { 200: data(model.User), ...changeRefusals } },
    )
    .delete(
      "/people/:id",
      async ({ request, params, query, status }) => {
        const { revoke_keys: revokeKeys } = query;
        await removePerson(deps, ownerOf(request), params.id, { revokeKeys });
        return status(204, undefined);
      },
      {
        query: model.Removal,
        response: { 204: z.undefined(), ...recordRefusals, 409: ErrorReply },
      },
    )
    .post(
      "/people/:id/password-link",
      async ({ request, params }) => ({
        data: await resetPerson(deps, ownerOf(request), params.id),
      }),
      { response: { 200: data(model.Invitation), ...recordRefusals } },
    )
    .delete(
      "/account",
      async ({ request, body, set, status }) => {
        await countProof(request);
        await deleteOwnAccount(guarded, presentSession(request), body);
        set.headers["set-cookie"] = endedCookie(deps.config);
        return status(204, undefined);
      },
      { body: model.AccountDeletion, response: { 204: z.undefined(), ...changeRefusals } },
    );
}

const ownerOf = (request: Request): Manager => ({ session: presentSession(request), as: "owner" });

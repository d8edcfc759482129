import { Elysia } from "elysia";
import * as z from "zod";
import { paging } from "../ground/lib/fields.ts";
import { asIs, edge, resource } from "../http/edge.ts";
import { createRefusals, data, ErrorReply, recordRefusals, refusals } from "../http/reply.ts";
import type { Deps } from "../work/deps.ts";
import { makeChange } from "../work/unit.ts";
import { ArchiveChange, changeArchive } from "./archive.ts";
import { endedCookie, presentSession } from "./doors.ts";
import type { Guard } from "./guard.ts";
import { changeKey, createKey, findKey, listKeys, revokeKey, rotateKey } from "./keys.ts";
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

export const accountRoutes = (deps: Deps) => {
  const { read } = edge(deps);
  return new Elysia({ tags: ["Account"] })
    .get(
      ...read("/account", (deps, { caller }) => findAccount(deps, caller), {
        operationId: "getAccount",
        summary: "Get the account with its tier and limits",
        reply: Account,
        toReply: asIs,
      }),
    )
    .get(
      ...read("/usage", (deps, { caller }) => readUsage(deps, caller), {
        operationId: "getUsage",
        summary: "Get this month's requests, links and checks",
        description:
          "Counts for the current calendar month in UTC. They are stored every few seconds, so the latest requests may be missing.",
        reply: Usage,
        toReply: asIs,
      }),
    );
};

const personRefusals = { ...recordRefusals, ...createRefusals };

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
      async ({ request, body, query, status }) => {
        const owner = ownerOf(request);
        const { accountId } = owner.session.user;
        await countInvitation(accountId);
        const invited = await invitePerson(deps, owner, accountId, body, query.deliver);
        return status(201, { data: invited });
      },
      {
        body: model.NewPerson,
        query: model.Delivery,
        response: { 201: data(model.Invitation), ...personRefusals },
      },
    )
    .patch(
      "/people/:id",
      async ({ request, params, body }) => {
        const person = await changePerson(deps, ownerOf(request), params.id, body);
        return { data: model.toUser(person) };
      },
      { body: model.RoleChange, response: { 200: data(model.User), ...personRefusals } },
    )
    .delete(
      "/people/:id",
      async ({ request, params, query, status }) => {
        const { revoke_keys: revokeKeys, assign_to: assignTo } = query;
        await removePerson(deps, ownerOf(request), params.id, { revokeKeys, assignTo });
        return status(204, undefined);
      },
      {
        query: model.Removal,
        response: { 204: z.undefined(), ...recordRefusals, 409: ErrorReply },
      },
    )
    .post(
      "/people/:id/password-link",
      async ({ request, params, query }) => ({
        data: await resetPerson(deps, ownerOf(request), params.id, query.deliver),
      }),
      { query: model.Delivery, response: { 200: data(model.Invitation), ...recordRefusals } },
    )
    .patch(
      "/account",
      async ({ request, body }) => {
        const { caller } = presentSession(request);
        await makeChange(deps, caller, (unit) => changeArchive(unit, caller, body));
        return { data: await findAccount(deps, caller) };
      },
      { body: ArchiveChange, response: { 200: data(Account), ...personRefusals } },
    )
    .delete(
      "/account",
      async ({ request, body, set, status }) => {
        await countProof(request);
        await deleteOwnAccount(guarded, presentSession(request), body);
        set.headers["set-cookie"] = endedCookie(deps.config);
        return status(204, undefined);
      },
      { body: model.AccountDeletion, response: { 204: z.undefined(), ...personRefusals } },
    );
}

const ownerOf = (request: Request): Manager => ({ session: presentSession(request), as: "owner" });

export const keyRoutes = (deps: Deps) => {
  const shown = { reply: model.Key, toReply: model.toKey };
  const { list, find, change, remove } = resource(deps, "/keys", shown);
  const { create, post } = edge(deps);
  const withValue = {
    reply: model.KeyWithValue,
    toReply: model.toKeyWithValue,
    isSecret: true,
  };
  return new Elysia({ prefix: "/keys", tags: ["API keys"] })
    .get(
      ...list(listKeys, {
        operationId: "listKeys",
        summary: "List the account's API keys",
        query: z.object(paging()),
      }),
    )
    .get(...find(findKey, { operationId: "getKey", summary: "Get one API key" }))
    .patch(
      ...change(changeKey, {
        operationId: "changeKey",
        summary: "Change an API key's name, permissions or expiry",
        description:
          "`permissions` is merged member by member. `expires_at: null` removes the expiry. A key can rename itself and reduce its own permissions and expiry, but not extend them. A key that expires cannot give another key a later expiry than its own, or none.",
        body: model.keyChangeAt(() => deps.clock.now()),
      }),
    )
    .delete(
      ...remove(revokeKey, {
        operationId: "revokeKey",
        summary: "Revoke an API key",
        description:
          "Requests with this key then get 401 `REVOKED_API_KEY`. A key may revoke itself.",
      }),
    )
    .post(
      ...create("", (unit, { caller, body }) => createKey(unit, caller, body), {
        operationId: "createKey",
        summary: "Create an API key; its value is shown once",
        description:
          "The response contains the key's value, once. A key cannot grant a permission that it does not have. A key that expires cannot create one that expires later or never: without `expires_at` the new key expires when the caller's key does.",
        body: model.newKeyAt(() => deps.clock.now()),
        locationOf: ({ id }) => `/api/v1/keys/${id}`,
        ...withValue,
      }),
    )
    .post(
      ...post(
        "/:id/rotate",
        (unit, { caller, params, body }) => rotateKey(unit, caller, params.id, body.graceSeconds),
        {
          operationId: "rotateKey",
          summary: "Replace an API key's value; the new one is shown once",
          body: model.KeyRotation,
          description:
            "The key keeps its id and settings and gets a new value; the old value stops working immediately, or after `grace_period_seconds`, at most seven days, if these are given. Only the last old value is accepted: rotating again ends the one before. A key may rotate itself, but a key that expires cannot rotate one that expires later or never.",
          ...withValue,
        },
      ),
    );
};

import { Elysia } from "elysia";
import * as z from "zod";
import { presentSession } from "../../accounts/doors.ts";
import { Delivery, Email, Invitation, NewPerson, Removal } from "../../accounts/model.ts";
import {
  changePerson,
  invitePerson,
  type Manager,
  removePerson,
  resetPerson,
} from "../../accounts/people.ts";
import { flag, oneOf } from "../../ground/lib/fields.ts";
import { ROLES, TIERS } from "../../ground/lib/vocabulary.ts";
import { type Actor, contextOf } from "../../http/caller.ts";
import { refusalBeyond } from "../../http/rate-limit.ts";
import { data, ErrorReply, pageOf, recordRefusals, refusals, toPage } from "../../http/reply.ts";
import type { Deps } from "../../work/deps.ts";
import {
  Account,
  AccountQuery,
  changeTier,
  findAccount,
  inviteOwner,
  listAccounts,
  removeAccount,
  requireAccount,
} from "./accounts.ts";
import { Nodes, readNodes, readState, State } from "./installation.ts";
import { MailState, MailTest, readMail, sendTestMail } from "./mail.ts";

/** The session door guarantees a caller. */
const actorOf = (request: Request): Actor => contextOf(request).caller!.by;

const managerOf = (request: Request): Manager => ({
  session: presentSession(request),
  as: "administrator",
});

const NewAccount = z.object(
  { email: Email, tier: oneOf(TIERS).optional() },
  "must be a JSON object",
);

const AccountChange = z.object({ tier: oneOf(TIERS) }, "must be a JSON object");

const PersonChange = z.object(
  { role: oneOf(ROLES).optional(), is_admin: flag().optional() },
  "must be a JSON object",
);

const changeRefusals = { ...recordRefusals, 409: ErrorReply, 413: ErrorReply, 415: ErrorReply };

/** To an administrator's own address. */
const refuseMailTests = refusalBeyond({ perMinute: 0, perHour: 30 }, "own mail tests");

/** Requires the session of an administrator. */
export function adminRoutes(deps: Deps) {
  return new Elysia({ prefix: "/admin", detail: { hide: true, access: "administrator" } })
    .get("/state", async () => ({ data: await readState(deps) }), {
      response: { 200: data(State), ...refusals },
    })
    .get("/mail", async () => ({ data: await readMail(deps) }), {
      response: { 200: data(MailState), ...refusals, 409: ErrorReply },
    })
    .post(
      "/mail/test",
      async ({ request }) => {
        const { user } = presentSession(request);
        await refuseMailTests(deps, user.id);
        return { data: await sendTestMail(deps, user.email) };
      },
      { response: { 200: data(MailTest), ...refusals, 409: ErrorReply } },
    )
    .get("/nodes", () => ({ data: readNodes(deps) }), {
      response: { 200: data(Nodes), ...refusals },
    })
    .get(
      "/accounts",
      async ({ request, query, set }) =>
        toPage(await listAccounts(deps, query), query, (account) => account, { request, set }),
      { query: AccountQuery, response: { 200: pageOf(Account), ...refusals } },
    )
    .post(
      "/accounts",
      async ({ request, body, query, status }) =>
        status(201, { data: await inviteOwner(deps, body, actorOf(request), query.deliver) }),
      { body: NewAccount, query: Delivery, response: { 201: data(Invitation), ...changeRefusals } },
    )
    .patch(
      "/accounts/:id",
      async ({ request, params, body }) => ({
        data: await changeTier(deps, params.id, body.tier, actorOf(request)),
      }),
      { body: AccountChange, response: { 200: data(Account), ...changeRefusals } },
    )
    .delete(
      "/accounts/:id",
      async ({ request, params, status }) => {
        await removeAccount(deps, presentSession(request), params.id);
        return status(204, undefined);
      },
      { response: { 204: z.undefined(), ...recordRefusals, 409: ErrorReply } },
    )
    .post(
      "/accounts/:id/users",
      async ({ request, params, body, query, status }) => {
        const { id } = await requireAccount(deps, params.id);
        const invited = await invitePerson(deps, managerOf(request), id, body, query.deliver);
        return status(201, { data: invited });
      },
      { body: NewPerson, query: Delivery, response: { 201: data(Invitation), ...changeRefusals } },
    )
    .patch(
      "/users/:id",
      async ({ request, params, body }) => {
        const { role, is_admin: isAdmin } = body;
        const change = { role, isAdmin };
        const user = await changePerson(deps, managerOf(request), params.id, change);
        return { data: await findAccount(deps, user.accountId) };
      },
      { body: PersonChange, response: { 200: data(Account), ...changeRefusals } },
    )
    .delete(
      "/users/:id",
      async ({ request, params, query, status }) => {
        const { revoke_keys: revokeKeys, assign_to: assignTo } = query;
        await removePerson(deps, managerOf(request), params.id, { revokeKeys, assignTo });
        return status(204, undefined);
      },
      { query: Removal, response: { 204: z.undefined(), ...recordRefusals, 409: ErrorReply } },
    )
    .post(
      "/users/:id/password-link",
      async ({ request, params, query }) => ({
        data: await resetPerson(deps, managerOf(request), params.id, query.deliver),
      }),
      { query: Delivery, response: { 200: data(Invitation), ...recordRefusals } },
    );
}

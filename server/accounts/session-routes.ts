import { Elysia } from "elysia";
import * as z from "zod";
import { unread } from "../ground/lib/fields.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { toIsoOrNull } from "../ground/lib/moments.ts";
import { SHORTEST_ALONE } from "../ground/lib/passwords.ts";
import { contextOf, type Session } from "../http/caller.ts";
import { createRefusals, data, ErrorReply, recordRefusals, refusals } from "../http/reply.ts";
import type { Deps } from "../work/deps.ts";
import {
  deviceCookie,
  endedCookie,
  presentSession,
  readDeviceCookie,
  sessionCookie,
  visitorOf,
} from "./doors.ts";
import { dismissFailures } from "./failed-sign-ins.ts";
import type { Guard } from "./guard.ts";
import { requestPasswordMail } from "./mails.ts";
import * as model from "./model.ts";
import { installationState, type LiveStates, sessionStates } from "./session-state.ts";
import {
  endOtherSessions,
  endSession,
  endSessionById,
  listSessions,
  type SignedIn,
} from "./sessions.ts";
import {
  changePassword,
  findDevice,
  newDevice,
  refusePasswords,
  setPasswordByLink,
  shortestFor,
  signIn,
  signInName,
} from "./sign-in.ts";
import * as twoFactor from "./two-factor.ts";
import { hasAccounts, refuseSecondSetup, setUp } from "./users.ts";
import { findEndOfLastVisit, noteVisit } from "./visits.ts";

const bodyRefusals = { ...recordRefusals, 413: ErrorReply, 415: ErrorReply };
const factorRefusals = { ...recordRefusals, ...createRefusals };

/** For routes that work without a session; all others here require one. */
const ANYONE = { access: "anyone" } as const;

/** Returns where a browser signs out at the OpenID provider, by its ID token. */
type FindLogoutUrl = (idToken: string) => Promise<string | null>;

/** Signing in and out, passwords and two-factor sign-in. Only for the dashboard. */
export function sessionRoutes(
  deps: Deps,
  { countGuess, countProof, countPasswordMail, ...guards }: Guard,
  live: LiveStates,
  findLogoutUrl: FindLogoutUrl | null,
) {
  const guarded = { ...deps, ...guards };

  const stateOf = sessionStates(deps, live);
  const reply = ({ token, user, failed }: SignedIn, set: { headers: Record<string, unknown> }) => {
    set.headers["set-cookie"] = [
      sessionCookie(deps.config, token),
      deviceCookie(deps.config, user.email, newDevice(deps, user)),
    ];
    return stateOf(user, { failed });
  };
  const deviceOf = (request: Request, email: string) =>
    findDevice(deps, email, readDeviceCookie(deps.config, request, email));

  return new Elysia({ tags: ["Session"], detail: { hide: true, access: "signed-in" } })
    .get(
      "/session",
      async ({ request }) => {
        const { session } = contextOf(request);
        if (session) return { data: await stateOf(session.user, session) };
        const state = (await hasAccounts(deps)) ? "signed-out" : "setup";
        return { data: model.toStranger(state, installationState(deps)) };
      },
      { detail: ANYONE, response: { 200: data(model.SessionState), ...refusals } },
    )
    .post(
      "/session",
      async ({ request, body, set }) => {
        refusePasswords(deps);
        const device = await deviceOf(request, signInName(body.email));
        await countGuess(request, device);
        const visitor = { ...visitorOf(request), device };
        const signedIn = await signIn(guarded, body, visitor).catch((error) => {
          deps.metrics.signInEnded("password", "refused");
          throw error;
        });
        deps.metrics.signInEnded("password", "signed_in");
        return { data: await reply(signedIn, set) };
      },
      {
        detail: { access: "anyone", writes: "on-full-disk" },
        body: model.SignIn,
        response: { 200: data(model.SessionState), ...factorRefusals },
      },
    )
    .delete(
      "/session",
      async ({ request, set }) => {
        const { session } = contextOf(request);
        if (session) await endSession(deps, session);
        set.headers["set-cookie"] = endedCookie(deps.config);
        const logoutUrl = session ? await logoutUrlOf(deps, findLogoutUrl, session) : null;
        return { data: { logout_url: logoutUrl } };
      },
      { detail: ANYONE, response: { 200: data(model.SignedOut), ...refusals } },
    )
    .post(
      "/setup",
      async ({ request, body, set, status }) => {
        await refuseSecondSetup(deps);
        refusePasswords(deps);
        await countGuess(request);
        const input = await model.readBody(model.Setup, body);
        const done = await setUp(guarded, input, visitorOf(request));
        return status(201, { data: { ...(await reply(done, set)), key: done.key } });
      },
      {
        detail: ANYONE,
        body: unread(model.Setup),
        response: { 201: data(model.SetupDone), ...bodyRefusals },
      },
    )
    .post(
      "/password",
      async ({ request, body, set }) => {
        await countGuess(request);
        const signedIn = await setPasswordByLink(guarded, body, visitorOf(request));
        return { data: await reply(signedIn, set) };
      },
      {
        detail: ANYONE,
        body: model.PasswordByLink,
        response: { 200: data(model.SessionState), ...factorRefusals },
      },
    )
    .post(
      "/password-mail",
      async ({ request, body, status }) => {
        refusePasswords(deps);
        const name = signInName(body.email);
        await countPasswordMail(request, name);
        await requestPasswordMail(deps, name);
        return status(202, { data: { mailed: true } });
      },
      {
        detail: { access: "anyone", writes: "unseen" },
        body: model.PasswordMail,
        response: { 202: data(z.object({ mailed: z.literal(true) })), ...factorRefusals },
      },
    )
    .patch(
      "/session/password",
      async ({ request, body, set }) => {
        refusePasswords(deps);
        await countProof(request);
        const session = presentSession(request);
        const fields = model.passwordChange(shortestFor(session.user));
        const input = await model.readBody(fields, body);
        const change = { current: input.current, next: input.new };
        const signedIn = await changePassword(guarded, session, change, visitorOf(request));
        return { data: await reply(signedIn, set) };
      },
      {
        body: unread(model.passwordChange(SHORTEST_ALONE)),
        response: { 200: data(model.SessionState), ...bodyRefusals },
      },
    )
    .get(
      "/sessions",
      async ({ request }) => {
        const session = presentSession(request);
        const items = (await listSessions(deps, session)).map(model.toSession(session.tokenHash));
        return { data: { items } };
      },
      { response: { 200: data(model.Sessions), ...refusals } },
    )
    .delete(
      "/sessions",
      async ({ request, status }) => {
        await endOtherSessions(deps, presentSession(request));
        return status(204, undefined);
      },
      { response: { 204: z.undefined(), ...refusals } },
    )
    .delete(
      "/sessions/:id",
      async ({ request, params, status }) => {
        await endSessionById(deps, presentSession(request), params.id);
        return status(204, undefined);
      },
      { response: { 204: z.undefined(), ...recordRefusals } },
    )
    .delete(
      "/session/failed-sign-ins",
      async ({ request, status }) => {
        await dismissFailures(deps, presentSession(request).tokenHash);
        return status(204, undefined);
      },
      { response: { 204: z.undefined(), ...refusals } },
    )
    .post(
      "/visit",
      async ({ request }) => {
        const { user } = presentSession(request);
        await noteVisit(deps, user.id);
        return {
          data: { previous_ended_at: toIsoOrNull(await findEndOfLastVisit(deps, user.id)) },
        };
      },
      {
        detail: { access: "signed-in", writes: "unseen" },
        response: { 200: data(model.Visit), ...refusals },
      },
    )
    .get(
      "/session/two-factor",
      async ({ request }) => {
        return { data: await twoFactor.findTwoFactor(deps, presentSession(request)) };
      },
      { response: { 200: data(model.TwoFactor), ...refusals } },
    )
    .post(
      "/session/two-factor",
      async ({ request, body, status }) => {
        await countProof(request);
        const session = presentSession(request);
        const fresh = await twoFactor.beginTwoFactor(guarded, session, body.password);
        return status(201, { data: fresh });
      },
      { body: model.Password, response: { 201: data(model.FreshTwoFactor), ...factorRefusals } },
    )
    .post(
      "/session/two-factor/confirm",
      async ({ request, body, set }) => {
        await countProof(request);
        const session = presentSession(request);
        const on = await twoFactor.confirmTwoFactor(
          guarded,
          session,
          body.code,
          visitorOf(request),
        );
        return { data: { ...(await reply(on, set)), recovery_codes: on.codes } };
      },
      { body: model.Code, response: { 200: data(model.TwoFactorOn), ...factorRefusals } },
    )
    .delete(
      "/session/two-factor",
      async ({ request, body, set }) => {
        await countProof(request);
        const session = presentSession(request);
        const { new: next, ...proof } = await model.readBody(model.EndOfTwoFactor, body);
        const end = { ...proof, next };
        const off = await twoFactor.endTwoFactor(guarded, session, end, visitorOf(request));
        return { data: await reply(off, set) };
      },
      {
        body: unread(model.EndOfTwoFactor),
        response: { 200: data(model.SessionState), ...factorRefusals },
      },
    )
    .post(
      "/session/recovery-codes",
      async ({ request, body, status }) => {
        await countProof(request);
        const session = presentSession(request);
        const codes = await twoFactor.renewRecoveryCodes(guarded, session, body);
        return status(201, { data: { recovery_codes: codes } });
      },
      {
        body: model.BothFactors,
        response: { 201: data(model.RecoveryCodes), ...factorRefusals },
      },
    );
}

/** Where the browser signs out at the provider as well; null if it does not. The session here has ended in any case. */
async function logoutUrlOf(
  { secrets }: Deps,
  find: FindLogoutUrl | null,
  { idToken }: Session,
): Promise<string | null> {
  if (!find || idToken === null) return null;
  try {
    return await find(secrets.open(idToken));
  } catch (error) {
    log.warning("signed out only here", describeError(error));
    return null;
  }
}

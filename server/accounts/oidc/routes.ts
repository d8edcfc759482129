import { Elysia } from "elysia";
import * as z from "zod";
import { basePathOf } from "../../ground/config/config.ts";
import { AppError, invalid, noSuchPath } from "../../ground/lib/errors.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import { ROLES } from "../../ground/lib/vocabulary.ts";
import { contextOf } from "../../http/caller.ts";
import { createRefusals, data, recordRefusals, refusals } from "../../http/reply.ts";
import type { Deps } from "../../work/deps.ts";
import { presentSession, visitorOf } from "../doors.ts";
import type { Guard } from "../guard.ts";
import { OidcStart, OneProof } from "../model.ts";
import { findLinkedUser, provesAtProvider, reauthenticate, type SignInDeps } from "../sign-in.ts";
import { isSetupToken } from "../users.ts";
import { begin, finish, ownPath, type Step, type Wish } from "./flow.ts";
import { idOf, listIdentities, readUse, unlinkIdentity } from "./identities.ts";
import { PROBLEMS, SignInProblem } from "./problems.ts";
import { checkProvider, type Provider } from "./provider.ts";

const Identities = z.object({
  items: z.array(z.object({ id: z.string(), linked_at: z.string(), last_seen_at: z.string() })),
});

const Problem = z.enum(PROBLEMS);

const State = z.object({
  name: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  redirect_uri: z.string(),
  only: z.boolean(),
  signs_up: z.boolean(),
  /** Groups of the provider for each right; null where roles are given here. */
  roles: z
    .array(
      z.object({
        role: z.enum(["admin", ...ROLES]),
        groups: z.array(z.string()),
        people: z.int(),
      }),
    )
    .nullable(),
  /** People with an identity of this provider. */
  people: z.int(),
  sign_ins_of_week: z.int(),
  /** Of this node, since it started. */
  succeeded_at: z.string().nullable(),
  failed: z.object({ at: z.string(), problem: Problem }).nullable(),
});

/** What the provider's document promises; a problem if it cannot be read. */
const Check = z.object({
  problem: Problem.nullable(),
  detail: z.string().nullable(),
  promises: z
    .object({
      pkce: z.boolean(),
      iss: z.boolean(),
      logout: z.boolean(),
      algorithms: z.array(z.string()),
      keys: z.int(),
      client: z.boolean(),
    })
    .nullable(),
});

const bodyRefusals = { ...recordRefusals, ...createRefusals };

/** Signing in at an OpenID provider, for the dashboard. Every route is missing where there is none. */
export function oidcRoutes(deps: Deps, provider: Provider | null, guard: Guard) {
  const guarded = { ...deps, passwords: guard.passwords };
  return new Elysia({ detail: { hide: true, access: "signed-in" } })
    .onTransform(() => void present(provider))
    .post(
      "/session/oidc",
      async ({ request, body, set }) => {
        const known = present(provider);
        const wish = await wishOf(guarded, guard, { request, body });
        const step = await begin(deps, known, request, wish).catch(asRefusal);
        return { data: { url: leave(step, set) } };
      },
      {
        detail: { access: "anyone", writes: "nothing" },
        body: OidcStart,
        response: { 200: data(z.object({ url: z.string() })), ...bodyRefusals },
      },
    )
    .get(
      "/session/identities",
      async ({ request }) => {
        const found = await listIdentities(deps, presentSession(request).user.id);
        const items = found.map((each) => ({
          id: idOf(each),
          linked_at: toIso(each.linkedAt),
          last_seen_at: toIso(each.lastSeenAt),
        }));
        return { data: { items } };
      },
      { response: { 200: data(Identities), ...recordRefusals } },
    )
    .delete(
      "/session/identities/:id",
      async ({ request, body, params, status }) => {
        await guard.countProof(request);
        const session = presentSession(request);
        await reauthenticate(guarded, session, body);
        await unlinkIdentity(deps, session, params.id);
        return status(204, undefined);
      },
      {
        body: OneProof,
        response: { 204: z.undefined(), ...bodyRefusals },
      },
    )
    .get(
      "/admin/oidc",
      async () => {
        const { settings, outcomes } = present(provider);
        const { people, signInsOfWeek } = await readUse(deps, settings);
        const { succeededAt, failure } = outcomes();
        const { roles } = settings;
        return {
          data: {
            name: settings.name,
            issuer: settings.issuer,
            client_id: settings.clientId,
            redirect_uri: settings.redirectUri,
            only: settings.only,
            signs_up: settings.signUp,
            roles:
              roles &&
              (["admin", ...ROLES] as const).map((role) => ({
                role,
                groups: roles[role] ?? [],
                people: people[role],
              })),
            people: ROLES.reduce((sum, role) => sum + people[role], 0),
            sign_ins_of_week: signInsOfWeek,
            succeeded_at: toIsoOrNull(succeededAt),
            failed: failure && { at: toIso(failure.at), problem: failure.problem },
          },
        };
      },
      {
        detail: { access: "administrator" },
        response: { 200: data(State), ...recordRefusals },
      },
    )
    .post("/admin/oidc/check", async () => ({ data: await checkProvider(present(provider)) }), {
      detail: { access: "administrator", writes: "nothing" },
      response: { 200: data(Check), ...recordRefusals },
    });
}

/** The two pages that other sites lead to. They answer with redirects, and never with what the provider says. */
export const callbackRoutes = (deps: Deps, provider: Provider | null, guard: Guard) =>
  new Elysia({ prefix: "/oidc", detail: { hide: true, access: "anyone" } })
    .onTransform(() => void present(provider))
    .get(
      "/start",
      async ({ request, query }) => {
        const { settings } = present(provider);
        if (query.iss !== settings.issuer) {
          throw invalid({ iss: ["is not the issuer that this server uses"] });
        }
        const wish = {
          purpose: "sign-in",
          to: ownPath(query.target_link_uri, basePathOf(deps.config)),
        } as const;
        const step = await begin(deps, present(provider), request, wish).catch((error) => {
          if (!(error instanceof SignInProblem)) throw error;
          return { url: `/sign-in?problem=${error.problem}`, cookies: [] };
        });
        return redirect(step);
      },
      {
        query: z.object({ iss: z.string(), target_link_uri: z.string().optional() }),
        response: refusals,
      },
    )
    .get("/callback", async ({ request }) => {
      const known = present(provider);
      const countGuess = () => guard.countGuess(request);
      return redirect(
        await finish(deps, known, request, { visitor: visitorOf(request), countGuess }),
      );
    });

/** Called before a request is read: without a provider the path does not exist, whatever is sent to it. */
function present(provider: Provider | null): Provider {
  if (!provider) throw noSuchPath();
  return provider;
}

const asRefusal = (error: unknown): never => {
  if (!(error instanceof SignInProblem)) throw error;
  throw new AppError("SERVICE_UNAVAILABLE", "Single sign-on does not work now.", {
    reason: error.problem,
  });
};

function leave({ url, cookies }: Step, set: { headers: Record<string, unknown> }): string {
  set.headers["set-cookie"] = cookies;
  return url;
}

function redirect({ url, cookies }: Step): Response {
  const headers = new Headers({ location: url, "cache-control": "no-store" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** What someone wants at the provider, once they have shown that they may. */
async function wishOf(
  deps: SignInDeps,
  guard: Guard,
  { request, body }: { request: Request; body: z.infer<typeof OidcStart> },
): Promise<Wish> {
  const to = ownPath(body.to);
  const { purpose } = body;
  if (purpose === "sign-in") return { purpose, to };
  if (purpose === "invite" || purpose === "setup") {
    await guard.countGuess(request);
    const token = body.token ?? "";
    const isKnown =
      purpose === "invite" ? await findLinkedUser(deps, token) : await isSetupToken(deps, token);
    if (isKnown) return { purpose, to: "/", token };
    throw new AppError("NOT_FOUND", "This link was used or has expired. Ask for a new one.");
  }
  const { session } = contextOf(request);
  if (!session) throw new AppError("UNAUTHORIZED", "Sign in first.");
  if (purpose === "link" && !provesAtProvider(deps, session)) {
    await guard.countProof(request);
    await reauthenticate(deps, session, { password: body.password ?? "", code: body.code });
  }
  return { purpose, to, user: session.user.id, session: session.tokenHash };
}

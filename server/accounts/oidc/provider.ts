import * as client from "openid-client";
import type { Oidc } from "../../ground/config/oidc.ts";
import { oidcOutbound } from "../../ground/config/outbound.ts";
import { log } from "../../ground/lib/log.ts";
import { fetchThrough, NoResponse } from "../../ground/net/fetch.ts";
import type { Deps } from "../../work/deps.ts";
import { type Claims, isComplete, readClaims } from "./claims.ts";
import { type Problem, SignInProblem } from "./problems.ts";

const TIMEOUT_MS = 10_000;
const BODY_CAP = 256 * 1024;
/** How long the provider's document is used without asking again, and how long when it cannot be asked. */
const FRESH_MS = 3_600_000;
const USABLE_MS = 24 * FRESH_MS;
/** After a failure no one asks again for this long. */
const REST_MS = 10_000;
/** How far the clocks may differ. */
const LEEWAY_S = 300;

/** What protects one sign-in, known only to this server and the browser. */
export type Checks = { state: string; nonce: string; verifier: string };

export type Provider = {
  settings: Oidc;
  /** Where to send the browser. `isProof`: the person signs in again although the provider knows them. */
  authorizationUrl(checks: Checks, isProof: boolean): Promise<string>;
  /**
   * Exchanges the code in the query of the callback, and verifies the ID token (OpenID Connect Core 1.0 §3.1.3.7) and
   * always its signature.
   * @throws SignInProblem
   */
  redeem(query: string, checks: Checks): Promise<{ claims: Claims; idToken: string }>;
  /** Where to send the browser to sign out there; null if the provider has no such page. */
  logoutUrl(idToken: string): Promise<string | null>;
  /** Asks for the provider's document and keys now, and tries the client's secret. @throws SignInProblem */
  check(): Promise<Promises>;
  /** Of this process. */
  outcomes(): { succeededAt: number | null; failure: Failure | null };
  noteSuccess(): void;
  noteFailure(problem: SignInProblem): void;
};

type Failure = { at: number; problem: Problem };

/** What the provider's document promises. */
export type Promises = {
  pkce: boolean;
  /** `iss` in the response of the authorization endpoint (RFC 9207). */
  iss: boolean;
  logout: boolean;
  algorithms: string[];
  keys: number;
  /** Whether the provider accepted the client and its secret; false if its response did not say. */
  client: boolean;
};

/** What came of asking the provider: what it promises, or why it could not be asked. */
export type Check =
  | { promises: Promises; problem: null; detail: null }
  | { promises: null; problem: Problem; detail: string };

/** Asks the provider now. */
export const checkProvider = (provider: Provider): Promise<Check> =>
  provider.check().then(
    (promises) => ({ promises, problem: null, detail: null }),
    (error) => {
      if (!(error instanceof SignInProblem)) throw error;
      return { promises: null, problem: error.problem, detail: error.detail };
    },
  );

type Found = { configuration: client.Configuration; at: number };

export const newChecks = (): Checks => ({
  state: client.randomState(),
  nonce: client.randomNonce(),
  verifier: client.randomPKCECodeVerifier(),
});

/** The provider of the settings, whose document is read when it is first needed. */
export function createProvider(
  { config, clock }: Pick<Deps, "config" | "clock">,
  settings: Oidc,
): Provider {
  const limits = { timeoutMs: TIMEOUT_MS, bodyCap: BODY_CAP };
  const outbound = oidcOutbound(config, clock);
  const fetching = fetchThrough(outbound, limits);
  let found: Found | null = null;
  let failed: { at: number; problem: SignInProblem } | null = null;
  let succeededAt: number | null = null;
  let failure: Failure | null = null;

  const read = async (): Promise<Found> => {
    const configuration = await readDocument(settings, fetching).catch((error) => {
      throw problemOf(error, settings);
    });
    // Otherwise each document would be followed by a request for the same keys.
    const keys = found && client.getJwksCache(found.configuration);
    if (keys) client.setJwksCache(configuration, keys);
    found = { configuration, at: clock.elapsed() };
    return found;
  };
  let reading: Promise<Found> | null = null;
  const discover = () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };

  const known = async (): Promise<client.Configuration> => {
    const ageMs = found ? clock.elapsed() - found.at : Number.POSITIVE_INFINITY;
    if (found && ageMs < FRESH_MS) return found.configuration;
    const isResting = failed && clock.elapsed() - failed.at < REST_MS;
    if (isResting) {
      if (found && ageMs < USABLE_MS) return found.configuration;
      throw failed!.problem;
    }
    try {
      const { configuration } = await discover();
      failed = null;
      return configuration;
    } catch (error) {
      failed = { at: clock.elapsed(), problem: error as SignInProblem };
      if (found && ageMs < USABLE_MS) return found.configuration;
      throw error;
    }
  };

  return {
    settings,
    async authorizationUrl({ state, nonce, verifier }, isProof) {
      const configuration = await known();
      const parameters = {
        redirect_uri: settings.redirectUri,
        scope: settings.scopes,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(isProof ? { prompt: "login", max_age: "60" } : wishesOf(settings)),
      };
      return client.buildAuthorizationUrl(configuration, parameters).href;
    },
    async redeem(query, { state, nonce, verifier }) {
      const configuration = await known();
      try {
        const tokens = await client.authorizationCodeGrant(
          configuration,
          new URL(`${settings.redirectUri}?${query}`),
          { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
        );
        const claims = tokens.claims()!;
        const userinfo =
          isComplete(settings, claims) || !hasUserinfo(configuration)
            ? {}
            : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        return { claims: readClaims(settings, claims, userinfo), idToken: tokens.id_token! };
      } catch (error) {
        throw problemOf(error, settings);
      }
    },
    async logoutUrl(idToken) {
      const configuration = await known();
      if (!configuration.serverMetadata().end_session_endpoint) return null;
      const parameters = {
        id_token_hint: idToken,
        post_logout_redirect_uri: `${config.publicUrl}/sign-in?signed-out`,
      };
      return client.buildEndSessionUrl(configuration, parameters).href;
    },
    async check() {
      const { configuration } = await discover();
      failed = null;
      const metadata = configuration.serverMetadata();
      return {
        pkce: metadata.supportsPKCE(),
        iss: metadata.authorization_response_iss_parameter_supported === true,
        logout: metadata.end_session_endpoint !== undefined,
        algorithms: [...(metadata.id_token_signing_alg_values_supported ?? ["RS256"])],
        keys: await countKeys(metadata, fetching).catch((error) => {
          throw problemOf(error, settings);
        }),
        client: await isClientAccepted(configuration, settings),
      };
    },
    outcomes: () => ({ succeededAt, failure }),
    noteSuccess() {
      succeededAt = clock.now();
    },
    noteFailure({ problem }) {
      failure = { at: clock.now(), problem };
    },
  };
}

type Fetching = ReturnType<typeof fetchThrough>;

/** @throws SignInProblem, and errors of the library */
async function readDocument(settings: Oidc, fetching: Fetching): Promise<client.Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const isClear = issuer.startsWith("http:");
  const options = {
    [client.customFetch]: fetching as client.CustomFetch,
    timeout: TIMEOUT_MS / 1000,
    execute: [
      client.enableNonRepudiationChecks,
      // Only on this machine, as the setting makes sure.
      ...(isClear ? [client.allowInsecureRequests] : []),
    ],
  };
  const metadata = { [client.clockTolerance]: LEEWAY_S };
  const authentication = clientSecret === null ? client.None() : secretIn(clientSecret);
  const configuration = await client.discovery(
    new URL(issuer),
    clientId,
    metadata,
    authentication,
    options,
  );
  const document = configuration.serverMetadata();
  if (document.issuer !== issuer) {
    throw wrong(
      `The provider calls itself ${document.issuer}, and STILLUP_OIDC_ISSUER is ${issuer}.`,
    );
  }
  for (const [name, value] of Object.entries(document)) {
    const isEndpoint = name.endsWith("_endpoint") || name === "jwks_uri";
    if (isEndpoint && !isClear && URL.parse(String(value))?.protocol !== "https:") {
      throw wrong(`${name} of the provider's document is not an https URL.`);
    }
  }
  return configuration;
}

/**
 * By the `Authorization` header if the provider accepts it, in the body otherwise (RFC 6749 §2.3.1). In the header, the
 * secret is encoded as in a form, which some providers do not decode: a secret that this changes goes into the body if it
 * may.
 */
const secretIn =
  (secret: string): client.ClientAuth =>
  (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isSafe = formEncoded(secret) === secret || !methods.includes("client_secret_post");
    if (!isSafe || !methods.includes("client_secret_basic")) {
      client.ClientSecretPost(secret)(server, metadata, body, headers);
      return;
    }
    const credentials = `${formEncoded(metadata.client_id)}:${formEncoded(secret)}`;
    headers.set("authorization", `Basic ${Buffer.from(credentials).toString("base64")}`);
  };

/** Leaves `-._~` and `!*'()` as they are, which no form has to encode. The library encodes them as well. */
const formEncoded = (text: string) => encodeURIComponent(text).replaceAll("%20", "+");

/**
 * Sends a made-up code: a provider looks at the client before it looks at the code (RFC 6749 §5.2).
 * @throws SignInProblem if the provider does not accept the client or its secret
 */
async function isClientAccepted(
  configuration: client.Configuration,
  settings: Oidc,
): Promise<boolean> {
  const { verifier: code_verifier, state: code } = newChecks();
  const parameters = { code, redirect_uri: settings.redirectUri, code_verifier };
  try {
    await client.genericGrantRequest(configuration, "authorization_code", parameters);
    return true;
  } catch (error) {
    const { error: said, status, code: failure } = error as Failed;
    if (said === "invalid_grant") return true;
    if (said === "invalid_client" || status === 401) {
      throw wrong(
        `The provider does not accept the client ${settings.clientId} with this secret. Compare STILLUP_OIDC_CLIENT_ID and STILLUP_OIDC_CLIENT_SECRET with the client there.`,
      );
    }
    log.debug("provider did not say whether it accepts the client", {
      error: said,
      status,
      failure,
    });
    return false;
  }
}

/** Google signs in with the only account that the browser has, and shows accounts of other organizations. */
function wishesOf({ issuer, domains }: Oidc): Record<string, string> {
  if (new URL(issuer).host !== "accounts.google.com") return {};
  return { prompt: "select_account", ...(domains?.length === 1 && { hd: domains[0]! }) };
}

const hasUserinfo = (configuration: client.Configuration) =>
  configuration.serverMetadata().userinfo_endpoint !== undefined;

async function countKeys({ jwks_uri }: client.ServerMetadata, fetching: Fetching): Promise<number> {
  if (jwks_uri === undefined) throw wrong("The provider's document names no keys.");
  const response = await fetching(jwks_uri, { method: "GET", headers: {} });
  const { keys } = (await response.json()) as { keys?: unknown[] };
  if (!Array.isArray(keys)) throw wrong("The provider's keys cannot be read.");
  return keys.length;
}

const wrong = (detail: string) => new SignInProblem("misconfigured", detail);

/** The person, or the provider, did not want to (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6). */
const REFUSALS = [
  "access_denied",
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
];
const PASSING = ["server_error", "temporarily_unavailable"];

/** Of what the provider says, in the log. */
const LONGEST_FACT = 200;

/** By codes, since the names of classes are minified away in the executable. */
function problemOf(error: unknown, { issuer }: Oidc): SignInProblem {
  if (error instanceof SignInProblem) return error;
  const chain = [...causesOf(error)];
  const detail = chain.map(({ message }) => message).join(": ");
  const noResponse = chain.find((each) => each instanceof NoResponse);
  if (noResponse instanceof NoResponse) {
    const isRefused = noResponse.reason === "target_forbidden";
    return new SignInProblem(isRefused ? "misconfigured" : "unreachable", noResponse.message, {
      reason: noResponse.reason,
    });
  }
  const { code, error: said, error_description: why, status } = chain[0] as Failed;
  const short = (text: unknown) => String(text).slice(0, LONGEST_FACT);
  const facts = {
    code,
    ...(said && { provider_error: short(said) }),
    ...(why && { provider_says: short(why) }),
  };
  const answer = (problem: Problem) => new SignInProblem(problem, detail, facts);
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR") {
    if (REFUSALS.includes(said ?? "")) return answer("refused");
    return answer(PASSING.includes(said ?? "") ? "unreachable" : "misconfigured");
  }
  if (said === "invalid_grant") return answer("expired");
  if (code === "OAUTH_KEY_SELECTION_FAILED") return answer("keys_changed");
  const isDown = chain.some(isServerError) || (status ?? 0) >= 500 || code === "OAUTH_TIMEOUT";
  if (isDown) return answer("unreachable");
  const late = clockFacts(chain);
  return new SignInProblem("misconfigured", detail, { ...facts, ...late, issuer });
}

type Failed = Error & {
  code?: string;
  error?: string;
  error_description?: string;
  status?: number;
};

function* causesOf(error: unknown): Generator<Error> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}

const isServerError = ({ cause }: Error) => cause instanceof Response && cause.status >= 500;

/** How far the provider's clock seems to be from ours. */
function clockFacts(chain: Error[]): { clock_off_s?: number } {
  for (const { cause } of chain) {
    const { claims, now, claim } = (cause ?? {}) as Record<string, unknown>;
    const at = (claims as Record<string, unknown> | undefined)?.[String(claim)];
    if (typeof at === "number" && typeof now === "number") return { clock_off_s: now - at };
  }
  return {};
}

import type { ROLES } from "../lib/vocabulary.ts";
import { type Config, isEncryptedOrLocal } from "./settings.ts";

type PersonRole = (typeof ROLES)[number];

/** The OpenID provider that people sign in with, and what it decides here. */
export type Oidc = {
  /** Exactly as the provider writes it. */
  issuer: string;
  clientId: string;
  /** Null for a public client, which PKCE alone protects. */
  clientSecret: string | null;
  /** How people know the provider. */
  name: string;
  scopes: string;
  redirectUri: string;
  /** Whether people without an identity here are added to the account. */
  signUp: boolean;
  /** Id of the account, or e-mail of its owner, that new people join; null for the only account. */
  account: string | null;
  /** Domains of addresses that may sign up; null for any. */
  domains: readonly string[] | null;
  defaultRole: PersonRole;
  roleClaim: string;
  /** Null: roles are given here. */
  roles: RoleMap | null;
  /** Passwords are off. */
  only: boolean;
  sessionMs: number;
  /** Signing out here signs out at the provider too. */
  logout: boolean;
};

/** Values of the role claim for each role; `*` matches everyone. `admin` is given in addition to a role. */
export type RoleMap = Partial<Record<PersonRole | "admin", string[]>>;

type Given = Pick<
  Config,
  | "publicUrl"
  | "oidcIssuer"
  | "oidcClientId"
  | "oidcClientSecret"
  | "oidcClientSecretFile"
  | "oidcName"
  | "oidcScopes"
  | "oidcSignUp"
  | "oidcAccount"
  | "oidcAllowedDomains"
  | "oidcDefaultRole"
  | "oidcRoleClaim"
  | "oidcRoles"
  | "oidcOnly"
  | "oidcSessionHours"
  | "oidcLogout"
>;

const HOUR_MS = 3_600_000;

/** Where anyone can get an account. */
const OPEN_TO_THE_WORLD = ["accounts.google.com"];

/**
 * Returns the provider of the settings; null without one.
 * @throws a sentence that names the variable that is wrong or missing
 */
export function oidcOf(given: Given): Oidc | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, publicUrl } = given;
  if (issuer === null) {
    if (given.oidcOnly) throw new Error("STILLUP_OIDC_ONLY needs STILLUP_OIDC_ISSUER.");
    return null;
  }
  if (publicUrl === null || !isEncryptedOrLocal(publicUrl)) {
    throw new Error(
      "STILLUP_OIDC_ISSUER needs STILLUP_PUBLIC_URL with https, since the provider sends people back to it.",
    );
  }
  if (clientId === null) throw new Error("STILLUP_OIDC_ISSUER needs STILLUP_OIDC_CLIENT_ID.");
  const { oidcClientSecret: secret, oidcClientSecretFile: secretFile } = given;
  if (secret !== null && secretFile !== null) {
    throw new Error("Set STILLUP_OIDC_CLIENT_SECRET or STILLUP_OIDC_CLIENT_SECRET_FILE, not both.");
  }
  refuseTheWorld(given, issuer);
  return {
    issuer,
    clientId,
    clientSecret: secret ?? secretFile,
    name: given.oidcName ?? usualName(issuer),
    scopes: given.oidcScopes,
    redirectUri: `${publicUrl}/oidc/callback`,
    signUp: given.oidcSignUp,
    account: given.oidcAccount,
    domains: given.oidcAllowedDomains.length > 0 ? given.oidcAllowedDomains : null,
    defaultRole: given.oidcDefaultRole,
    roleClaim: given.oidcRoleClaim,
    roles: given.oidcRoles,
    only: given.oidcOnly,
    logout: given.oidcLogout,
    sessionMs: given.oidcSessionHours * HOUR_MS,
  };
}

function refuseTheWorld(given: Given, issuer: string) {
  const isLimited = given.oidcAllowedDomains.length > 0 || given.oidcRoles !== null;
  if (!given.oidcSignUp || isLimited || !OPEN_TO_THE_WORLD.includes(new URL(issuer).host)) return;
  throw new Error(
    "STILLUP_OIDC_SIGN_UP needs STILLUP_OIDC_ALLOWED_DOMAINS or STILLUP_OIDC_ROLES with this issuer, since anyone can have an account there.",
  );
}

const NAMES: [pattern: RegExp, name: string][] = [
  [/^accounts\.google\.com$/, "Google"],
  [/^login\.microsoftonline\.com$/, "Microsoft"],
  [/^gitlab\.com$/, "GitLab"],
  [/\.okta(preview|-emea)?\.com$/, "Okta"],
  [/\.auth0\.com$/, "Auth0"],
];

function usualName(issuer: string): string {
  const { hostname } = new URL(issuer);
  return NAMES.find(([pattern]) => pattern.test(hostname))?.[1] ?? "single sign-on";
}

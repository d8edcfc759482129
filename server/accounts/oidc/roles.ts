import type { Oidc, RoleMap } from "../../ground/config/oidc.ts";
import type { UserRow } from "../../ground/db/tables.ts";
import { ROLES } from "../../ground/lib/vocabulary.ts";
import { SignInProblem } from "./problems.ts";

/** What the claims of a person give them here. */
export type Rights = Pick<UserRow, "role" | "isAdmin">;

/**
 * A claim by its whole name, or along the dots in it, as in `realm_access.roles`. Returns undefined if there is none.
 */
export function readClaim(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/**
 * Returns the highest role that the claims give; null where roles are given here.
 * @throws SignInProblem when they give none, or the provider has left the groups out because there are too many
 */
export function rightsOf(
  { roles, roleClaim }: Pick<Oidc, "roles" | "roleClaim">,
  claims: Record<string, unknown>,
): Rights | null {
  if (!roles) return null;
  // OpenID Connect Core 1.0 §5.6.2: the claim is elsewhere.
  const elsewhere = claims._claim_names;
  if (typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, roleClaim)) {
    throw new SignInProblem("too_many_groups", `The claim ${roleClaim} is in _claim_names only.`);
  }
  const groups = valuesOf(readClaim(claims, roleClaim));
  const role = ROLES.find((each) => isIn(roles, each, groups));
  if (role) return { role, isAdmin: isIn(roles, "admin", groups) };
  throw new SignInProblem("no_role", `The claim ${roleClaim} matches no role.`, {
    groups: groups.slice(0, 20),
  });
}

const isIn = (roles: RoleMap, role: keyof RoleMap, groups: string[]): boolean =>
  roles[role]?.some((group) => group === "*" || groups.includes(group)) === true;

/** A text, a list of texts, or an object whose keys are the groups. */
function valuesOf(claim: unknown): string[] {
  if (typeof claim === "string") return [claim];
  if (Array.isArray(claim)) return claim.filter((each) => typeof each === "string");
  return typeof claim === "object" && claim !== null ? Object.keys(claim) : [];
}

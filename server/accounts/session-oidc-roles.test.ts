import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import type { RoleMap } from "../ground/config/oidc.ts";
import type { SignInProblem } from "./oidc/problems.ts";
import { readClaim, rightsOf } from "./oidc/roles.ts";

const ROLES: RoleMap = { admin: ["ops"], owner: ["chiefs"], editor: ["web"], viewer: ["staff"] };

/** `role`, with `+admin` for administrators, or the problem. */
function given(claims: Record<string, unknown>, roleClaim = "groups", roles = ROLES): string {
  try {
    const { role, isAdmin } = rightsOf({ roles, roleClaim }, claims)!;
    return role + (isAdmin ? "+admin" : "");
  } catch (error) {
    return (error as SignInProblem).problem;
  }
}

eachRow<[what: string, claims: Record<string, unknown>, claim: string | undefined, is: string]>([
  ["one group", { groups: ["web"] }, undefined, "editor"],
  ["the highest of several", { groups: ["staff", "chiefs", "web"] }, undefined, "owner"],
  ["an administrator besides", { groups: ["ops", "staff"] }, undefined, "viewer+admin"],
  ["an administrator without a role", { groups: ["ops"] }, undefined, "no_role"],
  ["a text instead of a list", { groups: "staff" }, undefined, "viewer"],
  ["the keys of an object", { groups: { web: { id: 1 } } }, undefined, "editor"],
  ["no such claim", {}, undefined, "no_role"],
  ["an empty list", { groups: [] }, undefined, "no_role"],
  ["numbers", { groups: [1, null] }, undefined, "no_role"],
  ["a group within another's name", { groups: ["staffing"] }, undefined, "no_role"],
  ["a path of claims", { realm_access: { roles: ["web"] } }, "realm_access.roles", "editor"],
  [
    "a whole name with dots",
    { "https://x.example/roles": ["web"] },
    "https://x.example/roles",
    "editor",
  ],
  ["a path through nothing", { realm_access: null }, "realm_access.roles", "no_role"],
  ["a path through what every object has", {}, "constructor.name", "no_role"],
  ["groups that are elsewhere", { _claim_names: { groups: "src1" } }, undefined, "too_many_groups"],
  ["another claim elsewhere", { _claim_names: { x: "a" }, groups: ["web"] }, undefined, "editor"],
])("A role is read from %s", (_, claims, claim, is) => {
  expect(given(claims, claim)).toBe(is);
});

test("Everyone has a role that is given to *", () => {
  expect(given({}, "groups", { viewer: ["*"], owner: ["chiefs"] })).toBe("viewer");
  expect(given({ groups: ["chiefs"] }, "groups", { viewer: ["*"], owner: ["chiefs"] })).toBe(
    "owner",
  );
});

test("Without a map, roles are given here", () => {
  expect(rightsOf({ roles: null, roleClaim: "groups" }, {})).toBeNull();
  expect(readClaim({ a: { b: 0 } }, "a.b")).toBe(0);
});

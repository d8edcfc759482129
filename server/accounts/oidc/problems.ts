/** Why a sign-in at the provider did not succeed, as the sign-in page gets it. */
export const PROBLEMS = [
  "refused",
  "expired",
  "unreachable",
  "keys_changed",
  "misconfigured",
  "unknown_person",
  "email_taken",
  "email_missing",
  "email_unverified",
  "no_role",
  "too_many_groups",
  "account_full",
  "no_account",
  "identity_taken",
  "other_person",
  "not_proved",
  "upgrade_under_way",
] as const;
export type Problem = (typeof PROBLEMS)[number];

/** A sign-in that did not succeed. `detail` is for the log only: it may quote the provider. */
export class SignInProblem extends Error {
  constructor(
    readonly problem: Problem,
    readonly detail: string,
    /** Facts for the log. */
    readonly facts: Record<string, unknown> = {},
  ) {
    super(detail);
  }
}

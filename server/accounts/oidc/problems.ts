import type { Oidc } from "../../config/oidc.ts";

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

/** What people read. `about` is an address that the sentence needs. */
export function sentenceOf(problem: Problem, { name }: Pick<Oidc, "name">): string {
  return SENTENCES[problem]
    .replaceAll("NAME", name)
    .replace(/^./, (letter) => letter.toUpperCase());
}

const SENTENCES: Record<Problem, string> = {
  refused: "NAME did not sign you in. Try again, or ask the people who run NAME.",
  expired: "That took too long, was used already, or began in another browser. Try again.",
  unreachable: "NAME cannot be reached now. Try again in a moment.",
  keys_changed: "NAME has changed its keys. Try again in a minute.",
  misconfigured:
    "This server and NAME do not agree. The operator of this server finds the reason in its log.",
  unknown_person:
    "No one here is linked to your account at NAME. Ask an owner for an invitation, or sign in with your password and link NAME in your profile.",
  email_taken:
    "There is already a user with your e-mail address. Sign in with your password and link NAME in your profile.",
  email_missing: "NAME did not send your e-mail address, which a new user needs.",
  email_unverified: "NAME has not verified your e-mail address, which a new user needs.",
  no_role: "None of your groups at NAME may sign in here. Ask an owner of the account.",
  too_many_groups:
    "You are in more groups than NAME sends, so your role is unknown. Ask the operator to limit the groups that NAME sends.",
  account_full: "The account has as many people as it can. Ask an owner to remove someone.",
  no_account:
    "There are several accounts here, and none is set for new people. Ask the operator to set STILLUP_OIDC_ACCOUNT.",
  identity_taken: "Your account at NAME is linked to another user here.",
  other_person: "That was another person's account at NAME. Sign in there as yourself.",
  not_proved:
    "NAME did not say when you signed in, so it proves nothing here. Ask the operator to do this on the command line.",
  upgrade_under_way:
    "The servers are being upgraded. Signing in with NAME works again when all of them are.",
};

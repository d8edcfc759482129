import { useQuery } from "@tanstack/preact-query";
import { ACCOUNT } from "./account.ts";
import { api, ask, tell } from "./api.ts";

export const ROLES = ["owner", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** Renewed with all that is known of the account. */
export const PEOPLE = [...ACCOUNT, "people"];

const listPeople = () => ask(api.people.get());

export const usePeople = () => useQuery({ queryKey: PEOPLE, queryFn: listPeople });

export type Colleague = Awaited<ReturnType<typeof listPeople>>["items"][number];

export const inviteColleague = (input: { email: string; role: Role }) =>
  ask(api.people.post(input));

export type Invitation = Awaited<ReturnType<typeof inviteColleague>>;

/** Where whoever was given the token sets a password; the fragment reaches no log on its way. */
export const passwordUrl = ({ token }: Invitation) => `${location.origin}/password#token=${token}`;

export const changeRole = (id: string, role: Role) => ask(api.people({ id }).patch({ role }));

export const removeColleague = (id: string, revokeKeys: boolean) =>
  tell(api.people({ id }).delete(undefined, { query: { revoke_keys: revokeKeys } }));

export const resetColleague = (id: string) => ask(api.people({ id })["password-link"].post());

/** With everything in it, and everybody. */
export const deleteOwnAccount = (answers: { email: string; password: string; code?: string }) =>
  tell(api.account.delete(answers));

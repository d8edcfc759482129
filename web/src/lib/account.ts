import { useQuery } from "@tanstack/preact-query";
import { api, ask, tell } from "./api.ts";
import { counted } from "./format.ts";

/** Everything that is asked of the account and of its people starts with this key. */
export const ACCOUNT = ["account"];

/** What the account may have and what it has. */
async function findAccount() {
  const [account, usage, keys, webhooks] = await Promise.all([
    ask(api.account.get()),
    ask(api.usage.get()),
    ask(api.keys.get({ query: { page: 1, per_page: 1 } })),
    ask(api.webhooks.get({ query: { page: 1, per_page: 1 } })),
  ]);
  const counts = { apiKeys: keys.pagination.total, webhooks: webhooks.pagination.total };
  return { ...account, usage, counts };
}

export const useAccount = () => useQuery({ queryKey: [...ACCOUNT, "usage"], queryFn: findAccount });

export type Account = Awaited<ReturnType<typeof findAccount>>;

const listSessions = () => ask(api.sessions.get());

export const useSessions = () =>
  useQuery({ queryKey: [...ACCOUNT, "sessions"], queryFn: listSessions });

export type OwnSession = Awaited<ReturnType<typeof listSessions>>["items"][number];

export const endSession = (id: string) => tell(api.sessions({ id }).delete());

export const endOtherSessions = () => tell(api.sessions.delete());

/** Ends all other sessions, as does every change of the second factor. */
export const changePassword = (answers: { current: string; new: string }) =>
  ask(api.session.password.patch(answers));

const factor = api.session["two-factor"];

const findTwoFactor = () => ask(factor.get());

export const useTwoFactor = () =>
  useQuery({ queryKey: [...ACCOUNT, "two-factor"], queryFn: findTwoFactor });

export type TwoFactor = Awaited<ReturnType<typeof findTwoFactor>>;

/** The secret, which is told only here. */
export const beginTwoFactor = (answers: { password: string }) => ask(factor.post(answers));

/** The recovery codes, which are told only here. */
export const confirmTwoFactor = (answers: { code: string }) => ask(factor.confirm.post(answers));

type BothFactors = { password: string; code: string };

/** A new password is for whose present one is too short to do alone. */
export const endTwoFactor = (answers: BothFactors & { new?: string }) =>
  ask(factor.delete(answers));

export const renewRecoveryCodes = (answers: BothFactors) =>
  ask(api.session["recovery-codes"].post(answers));

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

/** What an account takes along when it is deleted: "1 link goes". */
export const linksGo = (count: number) =>
  `${counted(count, "link")} ${count === 1 ? "goes" : "go"}`;

/** "12 people lose", to be followed by what. */
export const peopleLose = (count: number) =>
  count === 1 ? "1 person loses" : `${count} people lose`;

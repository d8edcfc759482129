import { useQuery } from "@tanstack/preact-query";
import { api, complete, unwrap } from "./api.ts";

/** Query key of the account and its users. */
export const ACCOUNT = ["account"];

async function findAccount() {
  const [account, usage, keys, webhooks] = await Promise.all([
    unwrap(api.account.get()),
    unwrap(api.usage.get()),
    unwrap(api.keys.get({ query: { page: 1, per_page: 1 } })),
    unwrap(api.webhooks.get({ query: { page: 1, per_page: 1 } })),
  ]);
  const counts = { apiKeys: keys.pagination.total, webhooks: webhooks.pagination.total };
  return { ...account, usage, counts };
}

export const useAccount = () => useQuery({ queryKey: [...ACCOUNT, "usage"], queryFn: findAccount });

export type Account = Awaited<ReturnType<typeof findAccount>>;

const listSessions = () => unwrap(api.sessions.get());

export const useSessions = () =>
  useQuery({ queryKey: [...ACCOUNT, "sessions"], queryFn: listSessions });

export type OwnSession = Awaited<ReturnType<typeof listSessions>>["items"][number];

export const endSession = (id: string) => complete(api.sessions({ id }).delete());

export const endOtherSessions = () => complete(api.sessions.delete());

/** Ends all other sessions, like every change of two-factor sign-in. */
export const changePassword = (answers: { current: string; new: string }) =>
  unwrap(api.session.password.patch(answers));

const factor = api.session["two-factor"];

const findTwoFactor = () => unwrap(factor.get());

export const useTwoFactor = () =>
  useQuery({ queryKey: [...ACCOUNT, "two-factor"], queryFn: findTwoFactor });

export type TwoFactor = Awaited<ReturnType<typeof findTwoFactor>>;

/** Returns the secret, which is shown only once. */
export const beginTwoFactor = (answers: { password: string }) => unwrap(factor.post(answers));

/** Returns the recovery codes, which are shown only once. */
export const confirmTwoFactor = (answers: { code: string }) => unwrap(factor.confirm.post(answers));

type BothFactors = { password: string; code: string };

/** Takes a new password if the current one is too short without a second factor. */
export const endTwoFactor = (answers: BothFactors & { new?: string }) =>
  unwrap(factor.delete(answers));

export const renewRecoveryCodes = (answers: BothFactors) =>
  unwrap(api.session["recovery-codes"].post(answers));

export const ROLES = ["owner", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export const PEOPLE = [...ACCOUNT, "people"];

const listPeople = () => unwrap(api.people.get());

export const usePeople = () => useQuery({ queryKey: PEOPLE, queryFn: listPeople });

export type Colleague = Awaited<ReturnType<typeof listPeople>>["items"][number];

export const inviteColleague = (input: { email: string; role: Role }) =>
  unwrap(api.people.post(input));

export type Invitation = Awaited<ReturnType<typeof inviteColleague>>;

/** The fragment of a URL is not sent to servers, so it reaches no log. */
export const passwordUrl = ({ token }: Invitation) => `${location.origin}/password#token=${token}`;

export const changeRole = (id: string, role: Role) => unwrap(api.people({ id }).patch({ role }));

export const removeColleague = (id: string, revokeKeys: boolean) =>
  complete(api.people({ id }).delete(undefined, { query: { revoke_keys: revokeKeys } }));

export const resetColleague = (id: string) => unwrap(api.people({ id })["password-link"].post());

export const deleteOwnAccount = (answers: { email: string; password: string; code?: string }) =>
  complete(api.account.delete(answers));

/** "12 people lose" */
export const peopleLose = (count: number) =>
  count === 1 ? "1 person loses" : `${count} people lose`;

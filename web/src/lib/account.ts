import { useQuery } from "@tanstack/preact-query";
import { api, ask, tell } from "./api.ts";

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

import { type QueryClient, useQuery } from "@tanstack/preact-query";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { api, ask, RequestFailed, tell } from "./api.ts";

export const SESSION = ["session"];

const findSession = () => ask(api.session.get());

/** `code` is of the second factor, where there is one. */
type WithCode<T> = T & { code?: string };

export const signIn = (answers: WithCode<{ email: string; password: string }>) =>
  ask(api.session.post(answers));

/** Whether the server wants a code of the second factor besides what was right so far. */
export const isCodeNeeded = (error: Error | null) => reasonOf(error) === "two_factor_required";

/** Whether all was right but the code. */
export const isCodeWrong = (error: Error | null) => reasonOf(error) === "wrong_code";

/** It may have been changed while the code was asked for. */
export const isPasswordWrong = (error: Error | null) =>
  error instanceof RequestFailed && error.status === 401 && reasonOf(error) === undefined;

const reasonOf = (error: Error | null) =>
  error instanceof RequestFailed ? error.details.reason : undefined;

export const signOut = () => tell(api.session.delete());

/** The notice of them is not shown again. */
export const dismissFailedSignIns = () => tell(api.session["failed-sign-ins"].delete());

/** The first account and its first API key, whose value is told only here. */
export const setUp = (answers: { token: string; email: string; password: string }) =>
  ask(api.setup.post(answers));

/** Follows a one-time link, which also signs in. */
export const setPassword = (answers: WithCode<{ token: string; password: string }>) =>
  ask(api.password.post(answers));

export type Session = Awaited<ReturnType<typeof findSession>>;
export type User = NonNullable<Session["user"]>;

export const useSession = () =>
  useQuery({ queryKey: SESSION, queryFn: findSession, staleTime: 60_000 });

/** A look at the session that is still under way may tell of the one before, and must not come after. */
export async function setSession(client: QueryClient, session: Session): Promise<void> {
  await client.cancelQueries({ queryKey: SESSION });
  client.setQueryData(SESSION, session);
}

const UserContext = createContext<User | null>(null);

export const UserProvider = UserContext.Provider;

/** Who is signed in; only inside the dashboard. */
export const useUser = () => useContext(UserContext)!;

/** Whether the user may change anything, or only look. */
export const useCanWrite = () => useContext(UserContext)?.role !== "viewer";

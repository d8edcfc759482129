import { type QueryClient, useQuery } from "@tanstack/preact-query";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { api, complete, RequestFailed, unwrap } from "./api.ts";

export const SESSION = ["session"];

const findSession = () => unwrap(api.session.get());

/** `code` is the second factor, if there is one. */
type WithCode<T> = T & { code?: string };

export const signIn = (answers: WithCode<{ email: string; password: string }>) =>
  unwrap(api.session.post(answers));

/** Whether the server requires a second factor. */
export const isCodeNeeded = (error: Error | null) => reasonOf(error) === "two_factor_required";

export const isCodeWrong = (error: Error | null) => reasonOf(error) === "wrong_code";

/** The password may be changed while the code is entered. */
export const isPasswordWrong = (error: Error | null) =>
  error instanceof RequestFailed && error.status === 401 && reasonOf(error) === undefined;

const reasonOf = (error: Error | null) =>
  error instanceof RequestFailed ? error.details.reason : undefined;

export const signOut = () => complete(api.session.delete());

export const dismissFailedSignIns = () => complete(api.session["failed-sign-ins"].delete());

/** Creates the first account and its first API key, which is returned only once. */
export const setUp = (answers: { token: string; email: string; password: string }) =>
  unwrap(api.setup.post(answers));

/** Uses a one-time link, which also signs in. */
export const setPassword = (answers: WithCode<{ token: string; password: string }>) =>
  unwrap(api.password.post(answers));

export type Session = Awaited<ReturnType<typeof findSession>>;
export type User = NonNullable<Session["user"]>;

export const useSession = () =>
  useQuery({ queryKey: SESSION, queryFn: findSession, staleTime: 60_000 });

/** Cancels a fetch of the session that began before this change. */
export async function setSession(client: QueryClient, session: Session): Promise<void> {
  await client.cancelQueries({ queryKey: SESSION });
  client.setQueryData(SESSION, session);
}

const UserContext = createContext<User | null>(null);

export const UserProvider = UserContext.Provider;

/** The signed-in user; only inside the dashboard. */
export const useUser = () => useContext(UserContext)!;

export const useCanWrite = () => useContext(UserContext)?.role !== "viewer";

import { useQuery } from "@tanstack/preact-query";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { api, ask, tell } from "./api.ts";

export const SESSION = ["session"];

export const findSession = () => ask(api.session.get());

export const signIn = (answers: { email: string; password: string }) =>
  ask(api.session.post(answers));

export const signOut = () => tell(api.session.delete());

/** The first account and its first API key, whose value is told only here. */
export const setUp = (answers: { token: string; email: string; password: string }) =>
  ask(api.setup.post(answers));

/** Follows a one-time link, which also signs in. */
export const setPassword = (answers: { token: string; password: string }) =>
  ask(api.password.post(answers));

export type Session = Awaited<ReturnType<typeof findSession>>;
type User = NonNullable<Session["user"]>;

export const useSession = () =>
  useQuery({ queryKey: SESSION, queryFn: findSession, staleTime: 60_000 });

const UserContext = createContext<User | null>(null);

export const UserProvider = UserContext.Provider;

/** Whether the user may change anything, or only look. */
export const useCanWrite = () => useContext(UserContext)?.role !== "viewer";

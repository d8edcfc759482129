import { type QueryClient, useQuery, useQueryClient } from "@tanstack/preact-query";
import { createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { api, complete, RequestFailed, unwrap } from "./api.ts";
import { OVERVIEW } from "./counts.ts";
import { ownTimeZone } from "./format.ts";

export const SESSION = ["session"];
export const VISIT = ["visit"];

const findSession = () => unwrap(api.session.get());

/** `code` is the second factor, if there is one. */
type WithCode<T> = T & { code?: string };

export const signIn = (answers: WithCode<{ email: string; password: string }>) =>
  unwrap(api.session.post(answers));

/** Whether the server requires a second factor. */
export const isCodeNeeded = (error: Error | null) => reasonOf(error) === "two_factor_required";

/** The password may be changed while the code is entered. */
export const isPasswordWrong = (error: Error | null) =>
  error instanceof RequestFailed && error.status === 401 && reasonOf(error) === undefined;

const reasonOf = (error: Error | null) =>
  error instanceof RequestFailed ? error.details.reason : undefined;

/** Returns where to sign out at the OpenID provider as well; null if that is not wanted. */
export const signOut = async (): Promise<string | null> =>
  (await unwrap(api.session.delete())).logout_url;

/** For administrators: asks the OpenID provider now. */
export const checkProvider = () => unwrap(api.admin.oidc.check.post());

type ProviderCheck = Awaited<ReturnType<typeof checkProvider>>;
export type ProviderPromises = NonNullable<ProviderCheck["promises"]>;
/** Why signing in at the provider failed. */
export type ProviderFailure = NonNullable<ProviderCheck["problem"]>;

/** What someone wants at the OpenID provider. */
export type ProviderVisit = Parameters<typeof api.session.oidc.post>[0];

/** Returns the address of the provider's page. */
export const startAtProvider = async (visit: ProviderVisit): Promise<string> =>
  (await unwrap(api.session.oidc.post(visit))).url;

/** Creates the first account and its first API key, which is returned only once. */
export const setUp = (answers: { token: string; email: string; password: string }) =>
  unwrap(api.setup.post(answers));

/** Asks for mail to the new owner, who confirms their address by a link in it. */
export const subscribeToSummary = (email: string) =>
  complete(
    api.webhooks.post({
      url: `mailto:${email}`,
      format: "email",
      events: ["summary.ready"],
      time_zone: ownTimeZone(),
      summary: {
        frequency: "weekly",
        weekday: "monday",
        at: "08:00",
        time_zone: ownTimeZone(),
      },
    }),
  );

const FIRST_KEY = ["first-key"];

/** Keeps the first API key until it was shown, for as long as the page is not loaded again. */
export function keepFirstKey(client: QueryClient, key: string | null): void {
  client.setQueryDefaults(FIRST_KEY, { gcTime: Number.POSITIVE_INFINITY });
  client.setQueryData(FIRST_KEY, key);
}

/** The first API key, which the server returns only once. */
export const useFirstKey = (): string | null =>
  useQuery<string | null>({ queryKey: FIRST_KEY, enabled: false }).data ?? null;

/** Uses a one-time link, which also signs in. */
export const setPassword = (answers: WithCode<{ token: string; password: string }>) =>
  unwrap(api.password.post(answers));

/** Asks for a mail with a link for a new password. */
export const requestPasswordMail = (email: string) =>
  complete(api["password-mail"].post({ email }));

export type Session = Awaited<ReturnType<typeof findSession>>;
export type User = NonNullable<Session["user"]>;

/** The session that the page came with, and the visit that it noted; none before signing in. */
export function givenSession(): {
  session?: Session;
  visit?: { previous_ended_at: string | null };
} {
  const given = document.getElementById("session")?.textContent;
  if (!given) return {};
  const { visit, ...session } = JSON.parse(given);
  return { session, visit };
}

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

const SignOutContext = createContext<() => void>(() => {});

export const SignOutProvider = SignOutContext.Provider;

/** Ends the session and leaves the dashboard. */
export const useSignOut = () => useContext(SignOutContext);

export const useCanWrite = () => useContext(UserContext)?.role !== "viewer";

/** A visit ends after 30 minutes without this request. */
const STALE_MS = 5 * 60_000;

/** Notes that the person uses the dashboard: now, when they come back to the tab, and as they go through its pages. */
export function useVisit(path: string): void {
  const client = useQueryClient();
  const visit = useQuery({
    queryKey: VISIT,
    queryFn: () => unwrap(api.visit.post()),
    staleTime: STALE_MS,
    refetchOnWindowFocus: true,
  });
  const { data: overview } = useQuery(OVERVIEW);
  const corrected = useRef<string | null | undefined>(undefined);
  const endedAt = visit.data?.previous_ended_at;
  const countedFrom = overview && (overview.since?.at ?? null);
  // Another page is another sign of use.
  useEffect(() => {
    if (visit.data && visit.isStale) void client.invalidateQueries({ queryKey: VISIT });
  }, [path]);
  useEffect(() => {
    if (endedAt === undefined || countedFrom === undefined) return;
    if (countedFrom === endedAt || corrected.current === endedAt) return;
    // It was read before the visit was noted, and counts from the end of an earlier one.
    corrected.current = endedAt;
    void client.invalidateQueries({ queryKey: OVERVIEW.queryKey, exact: true });
  }, [endedAt, countedFrom, client]);
}

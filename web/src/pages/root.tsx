import { type QueryClient, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { ErrorBoundary, Route, Router, useLocation } from "preact-iso";
import { Shell } from "../components/shell.tsx";
import { Loaded, Redirect } from "../components/states.tsx";
import { Toasts, useToast } from "../components/toast.tsx";
import { hasFailed, useLive } from "../lib/live.ts";
import {
  SESSION,
  type Session,
  signOut,
  type User,
  UserProvider,
  useSession,
} from "../lib/session.ts";
import { lazyPage, NotFoundPage } from "./missing-page.tsx";
import { OverviewPage } from "./overview.tsx";
import { PasswordPage } from "./password.tsx";
import { SetupPage } from "./setup.tsx";
import { SessionOver, SignInPage } from "./sign-in.tsx";

/** Pages without a session. */
const DOORS: Record<string, typeof SetupPage> = {
  "/setup": SetupPage,
  "/sign-in": SignInPage,
  "/password": PasswordPage,
};

const LinksPage = lazyPage(() => import("./links.tsx").then((page) => page.LinksPage));
const LinkPage = lazyPage(() => import("./link.tsx").then((page) => page.LinkPage));
const NewLinksPage = lazyPage(() => import("./new-links.tsx").then((page) => page.NewLinksPage));
const GroupsPage = lazyPage(() => import("./groups.tsx").then((page) => page.GroupsPage));
const HistoryPage = lazyPage(() => import("./history.tsx").then((page) => page.HistoryPage));
const WebhooksPage = lazyPage(() => import("./webhooks.tsx").then((page) => page.WebhooksPage));
const WebhookPage = lazyPage(() => import("./webhook.tsx").then((page) => page.WebhookPage));
const KeysPage = lazyPage(() => import("./keys.tsx").then((page) => page.KeysPage));
const PeoplePage = lazyPage(() => import("./people.tsx").then((page) => page.PeoplePage));
const ActivityPage = lazyPage(() => import("./activity.tsx").then((page) => page.ActivityPage));
const AccountPage = lazyPage(() => import("./account.tsx").then((page) => page.AccountPage));
const AdminPage = lazyPage(() => import("./admin.tsx").then((page) => page.AdminPage));

export function Root() {
  const session = useSession();
  // When the session is loaded, the pages show their own errors.
  if (session.data) return <Place session={session.data} />;
  return <Loaded query={session}>{() => null}</Loaded>;
}

function Place({ session }: { session: Session }) {
  const { path, url } = useLocation();
  const Door = DOORS[path];
  const user = useUserInside(session, Door !== undefined);
  if (Door) return <Door session={session} />;
  if (session.state === "setup") return <Redirect to="/setup" />;
  if (!user) {
    return <Redirect to={path === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(url)}`} />;
  }
  return (
    <Toasts key={user.email}>
      <Inside session={session} user={user} />
    </Toasts>
  );
}

/**
 * The signed-in user, even after the session has ended: unsaved input is still there after signing in again.
 * Data of a previous user is removed.
 */
function useUserInside({ user }: Session, isAtDoor: boolean): User | null {
  const client = useQueryClient();
  const inside = useRef<User | null>(null);
  const latest = useRef<User | null>(null);
  inside.current = isAtDoor ? null : (user ?? inside.current);
  if (user && latest.current && user.email !== latest.current.email) forgetAll(client);
  latest.current = user ?? latest.current;
  return inside.current;
}

type InsideProps = { session: Session; user: User };

function Inside(props: InsideProps) {
  const { isLeaving, leave } = useLeaving();
  return isLeaving ? null : <SignedIn {...props} onSignOut={leave} />;
}

/** Renders nothing meanwhile, because requests without a session would look like an expired one. */
function useLeaving() {
  const toast = useToast();
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    if (!isLeaving) return;
    const leave = async () => {
      await signOut();
      sessionStorage.clear();
      // A new document has none of the data in memory.
      location.assign("/sign-in");
    };
    leave().catch(({ message }: Error) => {
      setLeaving(false);
      toast(`You may still be signed in. ${message}`);
    });
  }, [isLeaving, toast]);
  return { isLeaving, leave: () => setLeaving(true) };
}

type SignedInProps = InsideProps & { onSignOut: () => void };

function SignedIn({ session, user, onSignOut }: SignedInProps) {
  const { path } = useLocation();
  const client = useQueryClient();
  const isDown = useLive(session.live);
  const [isLoading, setLoading] = useState(false);
  const isOver = session.user === null;
  useEffect(() => {
    // Refetches what failed without a session.
    if (isOver) return () => void client.invalidateQueries({ predicate: hasFailed });
  }, [isOver]);
  return (
    <UserProvider value={user}>
      <Shell
        {...session}
        user={user}
        path={path}
        isLoading={isLoading}
        isDown={isDown}
        onSignOut={onSignOut}
      >
        <ErrorBoundary>
          <Router
            onRouteChange={focusMain}
            onLoadStart={() => setLoading(true)}
            onLoadEnd={() => setLoading(false)}
          >
            <Route path="/" component={OverviewPage} />
            <Route path="/links" component={LinksPage} />
            <Route path="/links/new" component={NewLinksPage} />
            <Route path="/links/:id" component={LinkPage} />
            <Route path="/groups" component={GroupsPage} />
            <Route path="/history" component={HistoryPage} />
            <Route path="/webhooks" component={WebhooksPage} />
            <Route path="/webhooks/:id" component={WebhookPage} />
            <Route path="/keys" component={KeysPage} />
            <Route path="/people" component={PeoplePage} />
            <Route path="/activity" component={ActivityPage} />
            <Route path="/account" component={AccountPage} />
            <Route path="/admin" component={AdminPage} />
            <Route default component={NotFoundPage} />
          </Router>
        </ErrorBoundary>
      </Shell>
      {isOver && <SessionOver email={user.email} />}
    </UserProvider>
  );
}

/** The next user of this tab must not see data of the previous one. */
function forgetAll(client: QueryClient) {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  client.getMutationCache().clear();
}

/** Keyboards and screen readers start at the new page, not at the old link. */
const focusMain = () => document.getElementById("main")?.focus();

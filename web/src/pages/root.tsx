import { type QueryClient, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { ErrorBoundary, Route, Router, useLocation } from "preact-iso";
import { Redirect } from "../components/redirect.tsx";
import { Saying, useSay } from "../components/said.tsx";
import { Shell } from "../components/shell.tsx";
import { Loaded } from "../components/states.tsx";
import { hasFailed, useLive } from "../lib/live.ts";
import { lazyPage } from "../lib/page-part.ts";
import {
  SESSION,
  type Session,
  signOut,
  type User,
  UserProvider,
  useSession,
} from "../lib/session.ts";
import { MissingPage } from "./missing-page.tsx";
import { NotFoundPage } from "./not-found.tsx";
import { OverviewPage } from "./overview.tsx";
import { PasswordPage } from "./password.tsx";
import { SessionOver } from "./session-over.tsx";
import { SetupPage } from "./setup.tsx";
import { SignInPage } from "./sign-in.tsx";

/** Pages that need no session. They look at it themselves. */
const DOORS: Record<string, typeof SetupPage> = {
  "/setup": SetupPage,
  "/sign-in": SignInPage,
  "/password": PasswordPage,
};

const LinksPage = lazyPage(() => import("./links.tsx").then((page) => page.LinksPage), MissingPage);
const LinkPage = lazyPage(() => import("./link.tsx").then((page) => page.LinkPage), MissingPage);
const NewLinksPage = lazyPage(
  () => import("./new-links.tsx").then((page) => page.NewLinksPage),
  MissingPage,
);
const GroupsPage = lazyPage(
  () => import("./groups.tsx").then((page) => page.GroupsPage),
  MissingPage,
);
const HistoryPage = lazyPage(
  () => import("./history.tsx").then((page) => page.HistoryPage),
  MissingPage,
);
const WebhooksPage = lazyPage(
  () => import("./webhooks.tsx").then((page) => page.WebhooksPage),
  MissingPage,
);
const WebhookPage = lazyPage(
  () => import("./webhook.tsx").then((page) => page.WebhookPage),
  MissingPage,
);
const KeysPage = lazyPage(() => import("./keys.tsx").then((page) => page.KeysPage), MissingPage);
const PeoplePage = lazyPage(
  () => import("./people.tsx").then((page) => page.PeoplePage),
  MissingPage,
);
const ActivityPage = lazyPage(
  () => import("./activity.tsx").then((page) => page.ActivityPage),
  MissingPage,
);
const AccountPage = lazyPage(
  () => import("./account.tsx").then((page) => page.AccountPage),
  MissingPage,
);
const AdminPage = lazyPage(() => import("./admin.tsx").then((page) => page.AdminPage), MissingPage);

export function Root() {
  const session = useSession();
  // Once it is known, the pages themselves say what cannot be loaded.
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
    <Saying key={user.email}>
      <Inside session={session} user={user} />
    </Saying>
  );
}

/**
 * Who is inside, also when the session has ended meanwhile: what was begun is then still there after signing
 * in again. Of what another user had asked for nothing is kept.
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

/** Nothing is on show meanwhile: whatever was read on would be refused, as if the session had ended by itself. */
function useLeaving() {
  const say = useSay();
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    if (!isLeaving) return;
    const leave = async () => {
      await signOut();
      sessionStorage.clear();
      // A new document knows nothing of what was on show.
      location.assign("/sign-in");
    };
    leave().catch(({ message }: Error) => {
      setLeaving(false);
      say(`You may still be signed in. ${message}`);
    });
  }, [isLeaving, say]);
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
    // What was refused meanwhile.
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

/** Whoever signs in next in this tab is shown nothing of what somebody else saw, however that ended. */
function forgetAll(client: QueryClient) {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  client.getMutationCache().clear();
}

/** So that a keyboard and a screen reader start at the new page, not at the old link. */
const focusMain = () => document.getElementById("main")?.focus();

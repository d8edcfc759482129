import { type QueryClient, useQueryClient } from "@tanstack/preact-query";
import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ErrorBoundary, Route, Router, useLocation } from "preact-iso";
import {
  DOOR_PATHS,
  type DoorPath,
  INNER_PATHS,
  type InnerPath,
  patternOf,
} from "../../server/http/page-paths.ts";
import { withBase } from "./data/base.ts";
import { DownProvider, hasFailed, useLive } from "./data/live.ts";
import {
  SESSION,
  type Session,
  SignOutProvider,
  signOut,
  type User,
  UserProvider,
  useSession,
} from "./data/session.ts";
import { AddHost } from "./frame/add.tsx";
import { Frame } from "./frame/frame.tsx";
import { focusMain } from "./frame/kept.ts";
import { lazyPage, NotFoundPage } from "./frame/missing.tsx";
import { offerSections } from "./frame/places.ts";
import { Toasts, useToast } from "./frame/toast.tsx";
import { Loaded, Redirect } from "./ui/loaded.tsx";

type DoorPage = FunctionComponent<{ session: Session }>;

const firstPassword = (name: "SetupPage" | "PasswordPage" | "InvitationPage"): DoorPage =>
  lazyPage(async () => ({ default: (await import("./doors/first-password.tsx"))[name] }));

const ofMail = (name: "ForgotPage" | "ConfirmPage" | "UnsubscribePage"): DoorPage =>
  lazyPage(async () => ({ default: (await import("./doors/mail.tsx"))[name] }));

const SignInPage: DoorPage = lazyPage(async () => ({
  default: (await import("./doors/sign-in.tsx")).SignInPage,
}));
const SessionOver = lazyPage(async () => ({
  default: (await import("./doors/sign-in.tsx")).SessionOver,
}));

/** Pages without a session. */
const DOORS: Record<DoorPath, DoorPage> = {
  "/setup": firstPassword("SetupPage"),
  "/sign-in": SignInPage,
  "/password": firstPassword("PasswordPage"),
  "/invitation": firstPassword("InvitationPage"),
  "/forgot": ofMail("ForgotPage"),
  "/mail/confirm/:token": ofMail("ConfirmPage"),
  "/mail/unsubscribe/:token": ofMail("UnsubscribePage"),
};

function doorAt(path: string): DoorPage | null {
  const found = DOOR_PATHS.find((each) => patternOf(each).test(path));
  return found ? DOORS[found] : null;
}

const OverviewPage = lazyPage(() => import("./overview/overview.tsx"));
const LinksPage = lazyPage(() => import("./links/links.tsx"));
const SitesPage = lazyPage(() => import("./sites/page.tsx"));
const DomainsPage = lazyPage(() => import("./sites/domains.tsx"));
// Small, and in one file, since they lead to each other.
const loadSources = () => import("./sources/pages-of-sources.ts");
const SourcesPage = lazyPage(async () => ({ default: (await loadSources()).Sources }));
const SourcePage = lazyPage(async () => ({ default: (await loadSources()).Source }));
const PageOfSource = lazyPage(async () => ({ default: (await loadSources()).PageOfSource }));
const ChangesPage = lazyPage(() => import("./changes/page.tsx"));
const RepairPage = lazyPage(() => import("./repair/page.tsx"));
const LinkPage = lazyPage(() => import("./link/link.tsx"));
const AddSheet = lazyPage(() => import("./add/add.tsx"));
const AlertsPage = lazyPage(() => import("./alerts/alerts.tsx"));
const AlertPage = lazyPage(() => import("./alerts/alert.tsx"));
const MessagePage = lazyPage(() => import("./alerts/message.tsx"));
const loadSettings = () => import("./settings/settings.tsx");
const SettingsPage = lazyPage(loadSettings);
offerSections(async (user) => (await loadSettings()).sectionsFor(user));

/** Pages for people who are signed in. */
const PAGES: Record<InnerPath, FunctionComponent> = {
  "/": OverviewPage,
  "/sites": SitesPage,
  "/domains": DomainsPage,
  "/sources": SourcesPage,
  "/sources/:id": SourcePage,
  "/sources/:id/pages/:page": PageOfSource,
  "/changes": ChangesPage,
  "/repair": RepairPage,
  "/links": LinksPage,
  "/links/:id": LinkPage,
  "/alerts": AlertsPage,
  "/alerts/:id": AlertPage,
  "/alerts/:id/messages/:message": MessagePage,
  "/settings": SettingsPage,
  "/settings/:section": SettingsPage,
};

const ROUTES = INNER_PATHS.map((path) => (
  // Without keys, a page stays where only the parameters of its path change.
  <Route path={path} component={PAGES[path]} />
));

export function Root() {
  const session = useSession();
  // When the session is loaded, the pages show their own errors.
  if (session.data) return <Place session={session.data} />;
  return <Loaded query={session}>{() => null}</Loaded>;
}

function Place({ session }: { session: Session }) {
  const { path, url } = useLocation();
  const Door = doorAt(path);
  const user = useUserInside(session, Door !== null);
  if (Door) {
    return (
      <ErrorBoundary>
        <Door session={session} />
      </ErrorBoundary>
    );
  }
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
      const elsewhere = await signOut();
      sessionStorage.clear();
      // A new document has none of the data in memory.
      location.assign(elsewhere ?? withBase("/sign-in?signed-out"));
    };
    leave().catch(({ message }: Error) => {
      setLeaving(false);
      toast(`You may still be signed in. ${message}`);
    });
  }, [isLeaving, toast]);
  return { isLeaving, leave: () => setLeaving(true) };
}

function SignedIn({ session, user, onSignOut }: InsideProps & { onSignOut: () => void }) {
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
      <SignOutProvider value={onSignOut}>
        <DownProvider value={isDown}>
          <AddHost Sheet={AddSheet}>
            <Frame session={session} isLoading={isLoading}>
              <ErrorBoundary>
                <Router
                  onRouteChange={focusMain}
                  onLoadStart={() => setLoading(true)}
                  onLoadEnd={() => setLoading(false)}
                >
                  {ROUTES}
                  <Route default component={NotFoundPage} />
                </Router>
              </ErrorBoundary>
            </Frame>
          </AddHost>
        </DownProvider>
      </SignOutProvider>
      <ErrorBoundary>{isOver && <SessionOver email={user.email} />}</ErrorBoundary>
    </UserProvider>
  );
}

/** The next user of this tab must not see data of the previous one. */
function forgetAll(client: QueryClient) {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  client.getMutationCache().clear();
}

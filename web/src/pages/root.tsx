import { useQueryClient } from "@tanstack/preact-query";
import { Route, Router, useLocation } from "preact-iso";
import { Redirect } from "../components/redirect.tsx";
import { Saying } from "../components/said.tsx";
import { Shell } from "../components/shell.tsx";
import { Loaded } from "../components/states.tsx";
import { SESSION, type Session, signOut, UserProvider, useSession } from "../lib/session.ts";
import { KeysPage } from "./keys.tsx";
import { LinkPage } from "./link.tsx";
import { LinksPage } from "./links.tsx";
import { NotFoundPage } from "./not-found.tsx";
import { PasswordPage } from "./password.tsx";
import { SetupPage } from "./setup.tsx";
import { SignInPage } from "./sign-in.tsx";

/** Pages that need no session. They look at it themselves. */
const DOORS: Record<string, typeof SetupPage> = {
  "/setup": SetupPage,
  "/sign-in": SignInPage,
  "/password": PasswordPage,
};

export function Root() {
  const session = useSession();
  return <Loaded query={session}>{(known) => <Place session={known} />}</Loaded>;
}

function Place({ session }: { session: Session }) {
  const { path, url } = useLocation();
  const Door = DOORS[path];
  if (Door) return <Door session={session} />;
  if (session.state === "setup") return <Redirect to="/setup" />;
  if (session.state === "signed-out") {
    return <Redirect to={path === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(url)}`} />;
  }
  if (path === "/") return <Redirect to="/links" />;
  return <Inside session={session} />;
}

function Inside({ session }: { session: Session }) {
  const { path, route } = useLocation();
  const client = useQueryClient();
  const leave = async () => {
    await signOut();
    route("/sign-in");
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
    await client.refetchQueries({ queryKey: SESSION });
  };
  return (
    <UserProvider value={session.user}>
      <Saying>
        <Shell {...session} path={path} email={session.user?.email ?? ""} onSignOut={leave}>
          <Router onRouteChange={focusMain}>
            <Route path="/links" component={LinksPage} />
            <Route path="/links/:id" component={LinkPage} />
            <Route path="/keys" component={KeysPage} />
            <Route default component={NotFoundPage} />
          </Router>
        </Shell>
      </Saying>
    </UserProvider>
  );
}

/** So that a keyboard and a screen reader start at the new page, not at the old link. */
const focusMain = () => document.getElementById("main")?.focus();

import { useLocation } from "preact-iso";
import { Cover } from "../components/cover.tsx";
import { SignIn } from "./sign-in.tsx";

/** Asks to sign in again right where the session ended, so that nothing of what was begun is lost. */
export function SessionOver({ email }: { email: string }) {
  const { url } = useLocation();
  return (
    <Cover title="Sign in">
      <p class="lead">Your session has ended. Sign in again, and all is as you left it.</p>
      <SignIn email={email} />
      <p class="hint">
        <a href={`/sign-in?next=${encodeURIComponent(url)}`}>Sign in as someone else</a>, and drop
        what was begun.
      </p>
    </Cover>
  );
}

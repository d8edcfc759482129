import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Loading } from "./states.tsx";

/** Goes elsewhere; the present address leaves no trace in the history. */
export function Redirect({ to }: { to: string }) {
  const { route } = useLocation();
  useEffect(() => route(to, true), [to]);
  return <Loading />;
}

import { useEffect, useState } from "preact/hooks";

/**
 * The one-time token of a link such as `/setup#token=…`. It is taken out of the address bar at once,
 * so that it stays neither in the history nor on a screenshot.
 */
export function useTokenOfLink(): string {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // A second link opened in the same tab changes the fragment only.
    const look = () => setToken((present) => takeToken() || present);
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  return token;
}

function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  if (token) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

import { useQuery } from "@tanstack/preact-query";
import { CircleAlert, RotateCw } from "lucide-preact";
import { useEffect } from "preact/hooks";
import { isReachable } from "../lib/monitor.ts";

const AGAIN_MS = 2_000;
const RELOADED = "stillup.missing";
/** What is missing even after everything was loaded again is tried at a pace that harms nobody. */
const ONCE_MORE_MS = 5_000;

/**
 * In the place of a page whose program did not arrive. Browsers may remember that it could not be had, so that
 * only loading everything again will do, as soon as the server is there.
 */
export function MissingPage() {
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ["reachable"],
    queryFn: isReachable,
    refetchInterval: AGAIN_MS,
  });
  // Runs again after each probe, so that a reload that fails is repeated.
  useEffect(() => {
    if (data !== true) return;
    const timer = setTimeout(reload, pauseOf());
    return () => clearTimeout(timer);
  }, [data, dataUpdatedAt]);
  return (
    <div class="failed" role="alert">
      <CircleAlert aria-hidden="true" />
      <h1>This page could not be loaded</h1>
      <p>
        The server cannot be reached, or was upgraded meanwhile. The page is loaded again as soon as
        it answers.
      </p>
      <button type="button" onClick={reload}>
        <RotateCw aria-hidden="true" />
        Try again
      </button>
    </div>
  );
}

function reload() {
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}

function pauseOf(): number {
  const since = Date.now() - Number(sessionStorage.getItem(RELOADED));
  return Math.min(Math.max(ONCE_MORE_MS - since, 0), ONCE_MORE_MS);
}

import { useQuery } from "@tanstack/preact-query";
import { CircleAlert, RotateCw } from "lucide-preact";
import { useEffect } from "preact/hooks";
import { isReachable } from "../lib/monitor.ts";

const AGAIN_MS = 2_000;

/**
 * In the place of a page whose program did not arrive. Browsers may remember that it could not be had, so that
 * only loading everything again will do, as soon as the server is there.
 */
export function MissingPage() {
  const { data } = useQuery({
    queryKey: ["reachable"],
    queryFn: isReachable,
    refetchInterval: AGAIN_MS,
  });
  useEffect(() => {
    if (data === true && !isLoadedAgain()) location.reload();
  }, [data]);
  return (
    <div class="failed" role="alert">
      <CircleAlert aria-hidden="true" />
      <h1>This page could not be loaded</h1>
      <p>
        The server cannot be reached, or was upgraded meanwhile. The page is loaded again as soon as
        it answers.
      </p>
      <button type="button" onClick={() => location.reload()}>
        <RotateCw aria-hidden="true" />
        Try again
      </button>
    </div>
  );
}

/** What is missing even then would be loaded for ever. */
const isLoadedAgain = () =>
  performance
    .getEntriesByType("navigation")
    .some((entry) => "type" in entry && entry.type === "reload");

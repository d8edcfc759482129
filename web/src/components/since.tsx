import { useEffect, useReducer } from "preact/hooks";
import { lastingTime } from "../lib/length.ts";
import { absoluteTime } from "../lib/time.ts";

const REFRESH_MS = 20_000;

/** How long something has been so; since when exactly, on hovering. */
export function Since({ at }: { at: string }) {
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => refresh(undefined), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time class="since" dateTime={at} title={`Since ${absoluteTime(at)}`}>
      {lastingTime(at, Date.now())}
    </time>
  );
}

import { useEffect, useReducer } from "preact/hooks";
import { absoluteTime, relativeTime } from "../lib/time.ts";

const REFRESH_MS = 20_000;

/** A time as people say it; the exact one on hovering. */
export function Moment({ at }: { at: string }) {
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => refresh(undefined), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime(at, Date.now())}
    </time>
  );
}

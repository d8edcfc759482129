import {
  type Query as Asked,
  type UseQueryResult,
  useIsFetching,
  useQueryClient,
} from "@tanstack/preact-query";
import { CircleAlert, RotateCw } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { RequestFailed } from "../data/api.ts";
import { Button } from "./button.tsx";

type Query<T> = Pick<UseQueryResult<T, Error>, "data" | "error" | "refetch">;

type LoadedProps<T> = {
  query: Query<T>;
  /** Shown after 150 ms; has the shape of what comes. */
  skeleton?: ComponentChildren;
  /** For pages whose heading is part of the loaded content. */
  heading?: string;
  children: (value: T) => ComponentChildren;
};

/** A query's states. Data stays visible while a refetch fails. */
export function Loaded<T>({ query, skeleton, heading, children }: LoadedProps<T>) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    return (
      <>
        {error && <Stale error={error} onRetry={() => refetch()} />}
        {children(data)}
      </>
    );
  }
  return (
    <>
      {heading && <h1 class="unseen">{heading}</h1>}
      {!error && <Loading>{skeleton ?? <Skeleton />}</Loading>}
      {error && <Failed error={error} onRetry={() => refetch()} />}
    </>
  );
}

/** Whether it is asked for the first time, and has not failed. */
const FIRST = {
  predicate: ({ state }: Asked) => state.status === "pending" && state.fetchFailureCount === 0,
};

/** A page of several parts, which are shown together once each has come or failed, so that nothing moves. */
export function Together({ children }: { children: ComponentChildren }) {
  const client = useQueryClient();
  const missing = useIsFetching(FIRST);
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    if (isThere || missing > 0) return;
    // What has come may ask for more.
    const frame = requestAnimationFrame(() => setThere(client.isFetching(FIRST) === 0));
    return () => cancelAnimationFrame(frame);
  }, [isThere, missing]);
  return (
    <>
      {!isThere && (
        <Loading>
          <Skeleton />
        </Loading>
      )}
      <div class={isThere ? undefined : "arriving"}>{children}</div>
    </>
  );
}

const SKELETON_AFTER_MS = 150;

/** Says that something is loading, and shows its shape after a moment. */
export function Loading({ children }: { children?: ComponentChildren }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading…</span>
      {isLong && children}
    </div>
  );
}

/** Lines of 40 px that breathe. */
export const Skeleton = ({ lines = 6 }: { lines?: number }) => (
  <svg width="100%" height={lines * 40} aria-hidden="true">
    {Array.from({ length: lines }, (_, n) => (
      <rect
        class="sk"
        x="0"
        y={n * 40 + 14}
        width={`${30 + ((n * 37) % 45)}%`}
        height="12"
        rx="4"
      />
    ))}
  </svg>
);

type Trouble = { error: Error; onRetry: () => void };

/** What could not be loaded, and why. Nothing is to be retried if it does not exist. */
export const Failed = ({ error, onRetry }: Trouble) =>
  error instanceof RequestFailed && error.status === 404 ? (
    <Empty title={error.message}>
      <p>It was deleted, or its address is wrong.</p>
    </Empty>
  ) : (
    <div class="failed" role="alert">
      <CircleAlert class="i" aria-hidden="true" />
      <p>
        <b>This could not be loaded</b> {error.message}
      </p>
      <Button icon={RotateCw} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );

const Stale = ({ error, onRetry }: Trouble) => (
  <p class="offline" role="status">
    <span>Data may be out of date. {error.message}</span>
    <Button quiet onClick={onRetry}>
      Try again
    </Button>
  </p>
);

/** One sentence, and what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

/** Replaces the address, so that going back skips it. */
export function Redirect({ to }: { to: string }) {
  const { route } = useLocation();
  useEffect(() => route(to, true), [to]);
  return <Loading />;
}

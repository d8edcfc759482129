import type { UseQueryResult } from "@tanstack/preact-query";
import { CircleAlert, RotateCw } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { RequestFailed } from "../lib/api.ts";

type Query<T> = Pick<UseQueryResult<T, Error>, "data" | "error" | "refetch">;

type LoadedProps<T> = {
  query: Query<T>;
  /** For pages whose heading is part of the loaded content. */
  heading?: string;
  children: (value: T) => ComponentChildren;
};

/** A query's three states. Data stays visible while a refetch fails. */
export function Loaded<T>({ query, heading, children }: LoadedProps<T>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    return (
      <>
        {heading && <h1 class="unseen">{heading}</h1>}
        {!error && <Loading />}
        {error && isMissing(error) && <Missing error={error} />}
        {error && !isMissing(error) && <Failed error={error} onRetry={() => refetch()} />}
      </>
    );
  }
  return (
    <>
      {error && <Stale error={error} onRetry={() => refetch()} />}
      {children(data)}
    </>
  );
}

export const Loading = () => (
  <p class="loading" role="status">
    Loading…
  </p>
);

const isMissing = (error: Error) => error instanceof RequestFailed && error.status === 404;

/** Retrying would not help. */
const Missing = ({ error }: { error: Error }) => (
  <Empty title={error.message}>
    <p>It was deleted, or its address is wrong.</p>
  </Empty>
);

type Trouble = { error: Error | null; onRetry: () => void };

const Failed = ({ error, onRetry }: Trouble) => (
  <div class="failed" role="alert">
    <CircleAlert aria-hidden="true" />
    <h2>This could not be loaded</h2>
    <p>{error?.message}</p>
    <button type="button" onClick={onRetry}>
      <RotateCw aria-hidden="true" />
      Try again
    </button>
  </div>
);

const Stale = ({ error, onRetry }: Trouble) => (
  <p class="notice notice-warn" role="status">
    This data may be outdated. {error?.message}
    <button type="button" class="plain" onClick={onRetry}>
      Try again
    </button>
  </p>
);

export const Empty = ({ title, children }: { title: string; children: ComponentChildren }) => (
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

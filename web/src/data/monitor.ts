import { useQuery } from "@tanstack/preact-query";
import { readiness } from "./api.ts";

const REFRESH_MS = 30_000;
const PROBE_TIMEOUT_MS = 5_000;

/** The monitor's own state; null if its answer has none. */
async function findMonitor() {
  const { data, error } = await readiness.get();
  return data ?? (error?.status === 503 ? error.value : null);
}

/** Whether the server answers within a few seconds, with any status. */
export const isReachable = (): Promise<boolean> =>
  readiness.get({ fetch: { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) } }).then(
    ({ error }) => !((error?.value as unknown) instanceof Error),
    () => false,
  );

export const useMonitor = () =>
  useQuery({
    queryKey: ["monitor"],
    queryFn: findMonitor,
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  });

export type Monitor = NonNullable<Awaited<ReturnType<typeof findMonitor>>>;

import { useQuery } from "@tanstack/preact-query";
import { readiness } from "./api.ts";

const REFRESH_MS = 30_000;

/** What the monitor knows of itself; null while it does not say. */
async function findMonitor() {
  const { data, error } = await readiness.get();
  return data ?? (error?.status === 503 ? error.value : null);
}

/** Whether the server answers at all, whatever it says. */
export async function isReachable(): Promise<boolean> {
  const { error } = await readiness.get();
  return !((error?.value as unknown) instanceof Error);
}

export const useMonitor = () =>
  useQuery({
    queryKey: ["monitor"],
    queryFn: findMonitor,
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  });

export type Monitor = NonNullable<Awaited<ReturnType<typeof findMonitor>>>;

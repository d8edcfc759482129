import { MutationCache, notifyManager, QueryCache, QueryClient } from "@tanstack/preact-query";
import { RequestFailed } from "./api.ts";
import { SESSION } from "./session.ts";

const MOST_RETRIES = 2;

/** Whatever is refused for want of a session makes the dashboard look at the session again. */
export function createQueryClient(): QueryClient {
  // At once instead of a moment later: a button is off before the second half of a double click.
  notifyManager.setScheduler(queueMicrotask);
  const onError = (error: Error) => {
    if (error instanceof RequestFailed && error.status === 401) {
      client.invalidateQueries({ queryKey: SESSION });
    }
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // A self-hosted server is often reachable while the browser believes that it is offline.
      queries: { networkMode: "always", retry: mayPass },
      mutations: { networkMode: "always" },
    },
  });
  return client;
}

/** Trouble of the server may pass; a refusal will not. */
function mayPass(failures: number, error: Error): boolean {
  const isRefusal = error instanceof RequestFailed && error.status >= 400 && error.status < 500;
  return failures < MOST_RETRIES && !isRefusal;
}

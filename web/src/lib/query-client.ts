import {
  MutationCache,
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  type RefetchOptions,
  type RefetchQueryFilters,
} from "@tanstack/preact-query";
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
  const client: QueryClient = new CarefulClient({
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

/**
 * A reading that is under way when something changes may tell how it was before. It is begun anew, as the library
 * does only where there was one before; or with `cancelRefetch: false` followed by another, so that what changes
 * more often than it can be read is on show all the same.
 */
class CarefulClient extends QueryClient {
  override async refetchQueries(filters?: RefetchQueryFilters, options: RefetchOptions = {}) {
    const begun = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: "fetching" })
      .filter((query) => !query.isDisabled());
    const isFollowed = options.cancelRefetch === false;
    if (!isFollowed) for (const query of begun) void query.cancel({ silent: true });
    const again = async (query: Query) => {
      await query.promise?.catch(() => {});
      await super.refetchQueries({ type: "active", predicate: (each) => each === query }, options);
    };
    const followed = isFollowed ? begun.map(again) : [];
    await Promise.all([super.refetchQueries(filters, options), ...followed]);
  }
}

/** Trouble of the server may pass; a refusal will not. */
function mayPass(failures: number, error: Error): boolean {
  const isRefusal = error instanceof RequestFailed && error.status >= 400 && error.status < 500;
  return failures < MOST_RETRIES && !isRefusal;
}
